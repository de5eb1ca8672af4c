//! One query of a schedule, and its form on the wire.

use std::sync::Arc;

use fieldtest_dnssec::{Name, Rtype};

/// What a query is sent over first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// UDP; what becomes of a truncated answer is [`Fallback`](crate::engine::Fallback)'s to say.
    #[default]
    Udp,
    /// TCP (RFC 7766).
    Tcp,
    /// TLS over TCP (RFC 7858).
    Tls,
}

/// EDNS (RFC 6891) of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edns {
    /// The largest UDP answer that the client takes.
    pub size: u16,
    /// The version; servers know 0 alone.
    pub version: u8,
    /// The DO bit (RFC 3225): signatures are wanted.
    pub dnssec_ok: bool,
    /// The other flags of the OPT record: CO (RFC 9824, section 5.1), and those that mean nothing yet.
    pub other_flags: u16,
    /// The options as they are on the wire: the client's subnet, cookies, padding and the like. They fit a message.
    pub options: Box<[u8]>,
}

impl Edns {
    /// Version 0 without options.
    pub fn new(size: u16, dnssec_ok: bool) -> Edns {
        Edns { size, version: 0, dnssec_ok, other_flags: 0, options: Box::default() }
    }
}

/// Flags of a query's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// RD: as of a resolver's clients.
    pub recursion_desired: bool,
    /// AD: the answer's AD bit is understood (RFC 6840, section 5.7).
    pub authentic_data: bool,
    /// CD: answers are wanted that do not validate (RFC 4035, section 3.2.2).
    pub checking_disabled: bool,
}

const RD: u16 = 0x0100;
const AD: u16 = 0x0020;
const CD: u16 = 0x0010;
/// The DO bit among the flags of the OPT record (RFC 6891, section 6.1.4).
pub(crate) const DO: u16 = 0x8000;
const IN: u16 = 1;
/// The type of the OPT record (RFC 6891).
pub(crate) const OPT: u16 = 41;

impl Flags {
    /// The flags of a header's second field.
    pub(crate) fn of(field: u16) -> Flags {
        Flags {
            recursion_desired: field & RD != 0,
            authentic_data: field & AD != 0,
            checking_disabled: field & CD != 0,
        }
    }

    pub(crate) fn field(self) -> u16 {
        let bit = |set, bit| if set { bit } else { 0 };
        bit(self.recursion_desired, RD) | bit(self.authentic_data, AD) | bit(self.checking_disabled, CD)
    }
}

/// Name, type and class on the wire (RFC 1035, section 4.1.2). Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question(Arc<[u8]>);

impl Question {
    /// A question of class IN.
    pub fn new(name: &Name, rtype: Rtype) -> Question {
        Question::of(name.as_wire(), rtype)
    }

    pub(crate) fn of(name: &[u8], rtype: Rtype) -> Question {
        Question([name, &rtype.0.to_be_bytes(), &IN.to_be_bytes()].concat().into())
    }

    /// The question at the start of these octets as it stands there, capitals included; `None` if there is none whole.
    pub fn from_wire(wire: &[u8]) -> Option<Question> {
        let (_, length) = Name::from_wire(wire).ok()?;
        Some(Question(wire.get(..length + 4)?.into()))
    }

    /// Name, type and class.
    pub fn as_wire(&self) -> &[u8] {
        &self.0
    }

    /// The name as it is written in a zone file; the root where it is none.
    pub fn name(&self) -> Name {
        Name::from_wire(&self.0).map_or(Name::ROOT, |(name, _)| name)
    }

    /// The type.
    pub fn rtype(&self) -> Rtype {
        let field = self.0.len().checked_sub(4).and_then(|at| self.0.get(at..)?.first_chunk());
        Rtype(field.map_or(0, |field| u16::from_be_bytes(*field)))
    }
}

/// One query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// When it is to be sent, in nanoseconds from the beginning.
    pub at: u64,
    /// Who sends it, by number.
    pub client: u32,
    /// What is asked.
    pub question: Question,
    /// Over what.
    pub transport: Transport,
    /// Without it the answer has at most 512 octets.
    pub edns: Option<Edns>,
    /// The header's flags.
    pub flags: Flags,
}

impl Query {
    /// Appends the message.
    pub fn write(&self, id: u16, out: &mut Vec<u8>) {
        out.extend(id.to_be_bytes());
        out.extend(self.flags.field().to_be_bytes());
        out.extend([0, 1, 0, 0, 0, 0, 0, u8::from(self.edns.is_some())]);
        out.extend(self.question.as_wire());
        if let Some(edns) = &self.edns {
            out.push(0);
            out.extend(OPT.to_be_bytes());
            out.extend(edns.size.to_be_bytes());
            out.extend([0, edns.version]);
            out.extend((if edns.dnssec_ok { DO } else { 0 } | edns.other_flags & !DO).to_be_bytes());
            out.extend((edns.options.len() as u16).to_be_bytes());
            out.extend(&*edns.options);
        }
    }
}

/// A type that may be asked for: those of zones, and `ANY`.
pub(crate) fn rtype_of(text: &str) -> Option<Rtype> {
    if text.eq_ignore_ascii_case("ANY") { Some(Rtype(255)) } else { Rtype::parse(text.as_bytes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `dig +dnssec +bufsize=1232 +noad +nocookie example. DNSKEY`, as it goes over the wire.
    #[test]
    fn as_dig_writes_it() -> Result<(), Box<dyn std::error::Error>> {
        let query = Query {
            at: 0,
            client: 0,
            question: Question::new(&Name::parse(b"Example.", None)?, Rtype::DNSKEY),
            transport: Transport::Udp,
            edns: Some(Edns::new(1232, true)),
            flags: Flags { recursion_desired: true, ..Flags::default() },
        };
        let mut message = Vec::new();
        query.write(0x1234, &mut message);
        let expected = [
            &[0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1][..],
            b"\x07example\0\0\x30\0\x01",
            &[0, 0, 41, 0x04, 0xd0, 0, 0, 0x80, 0, 0, 0],
        ];
        assert_eq!(message, expected.concat());
        assert_eq!(query.question.name().to_string(), "example.");
        assert_eq!(query.question.rtype(), Rtype::DNSKEY);
        Ok(())
    }
}
