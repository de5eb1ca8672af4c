//! What is read of messages: of an answer as much as is counted, of a captured query all that is replayed.

use crate::left_out::Why;
use crate::query::{DO, Edns, Flags, OPT, Question};

const HEADER: usize = 12;
const QR: u16 = 0x8000;
const OPCODE: u16 = 0x7800;
const TC: u16 = 0x0200;
const AD: u16 = 0x0020;
/// FORMERR, SERVFAIL, NOTIMP and REFUSED: with these a server may leave the question out.
const WITHOUT_QUESTION: [u8; 4] = [1, 2, 4, 5];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) rcode: u8,
    pub(crate) truncated: bool,
    pub(crate) authentic: bool,
}

pub(crate) fn answer_id(message: &[u8]) -> Option<u16> {
    (message.len() >= HEADER && field(message, 2)? & QR != 0).then(|| field(message, 0))?
}

pub(crate) fn answer(message: &[u8], question: &Question) -> Option<Answer> {
    let flags = field(message, 2)?;
    let rcode = (flags & 0x000f) as u8;
    let fits = match field(message, 4)? {
        0 => WITHOUT_QUESTION.contains(&rcode),
        _ => same(message.get(HEADER..)?.get(..question.as_wire().len())?, question.as_wire()),
    };
    fits.then_some(Answer { rcode, truncated: flags & TC != 0, authentic: flags & AD != 0 })
}

/// Names are compared without case (RFC 4343); the octets of type and class that would be letters differ in no query of ours.
fn same(found: &[u8], asked: &[u8]) -> bool {
    found == asked || found.eq_ignore_ascii_case(asked)
}

/// What a query asks for: all of it that is replayed, and whether there is no more. Other bits of the header, an extended RCODE and octets
/// behind the message are not replayed.
pub(crate) type Asked = (Question, Option<Edns>, Flags, bool);

/// What a query asks for, if the message is one with one question; or why it is not replayed.
pub(crate) fn query(message: &[u8]) -> Result<Asked, Why> {
    let count = |at| field(message, at).ok_or(Why::NoMessage);
    let flags = count(2)?;
    let [questions, answers, authorities, additionals] = [count(4)?, count(6)?, count(8)?, count(10)?];
    if flags & QR != 0 {
        return Err(Why::Answer);
    }
    if flags & OPCODE != 0 {
        return Err(Why::Opcode((flags >> OPCODE.trailing_zeros() & 0xf) as u8));
    }
    if questions != 1 {
        return Err(Why::Questions);
    }
    if answers != 0 || authorities != 0 {
        return Err(Why::Records);
    }
    let question = message.get(HEADER..).and_then(Question::from_wire).ok_or(Why::NoMessage)?;
    let additional = message.get(HEADER + question.as_wire().len()..).ok_or(Why::NoMessage)?;
    let edns = match (additionals, additional) {
        (0, _) => None,
        (_, []) => return Err(Why::NoMessage),
        (1, [0, record @ ..]) if field(record, 0) == Some(OPT) => Some(edns(record).ok_or(Why::NoMessage)?),
        // TSIG and SIG(0), say, which hold for their moment alone.
        _ => return Err(Why::Records),
    };
    let length = edns.as_ref().map_or(0, |edns| 11 + edns.options.len());
    let has_more = additional.len() > length || edns.is_some() && additional.get(5) != Some(&0);
    let is_all = Flags::of(flags).field() == flags && !has_more;
    Ok((question, edns, Flags::of(flags), is_all))
}

/// What an OPT record holds, its name passed over.
fn edns(record: &[u8]) -> Option<Edns> {
    let options = record.get(10..)?.get(..usize::from(field(record, 8)?))?;
    Some(Edns {
        size: field(record, 2)?,
        version: *record.get(5)?,
        dnssec_ok: field(record, 6)? & DO != 0,
        other_flags: field(record, 6)? & !DO,
        options: options.into(),
    })
}

pub(crate) fn field(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|field| u16::from_be_bytes(*field))
}

#[cfg(test)]
mod tests {
    use fieldtest_dnssec::{Name, Rtype};
    use proptest::prelude::*;

    use super::*;
    use crate::query::{Query, Transport};

    fn asked() -> Query {
        let name = Name::parse(b"www.example.", None).expect("a name");
        Query {
            at: 0,
            client: 0,
            question: Question::new(&name, Rtype::AAAA),
            transport: Transport::Udp,
            // NSID, which a client asks for by an option without data (RFC 5001).
            edns: Some(Edns {
                options: Box::new([0, 3, 0, 0]),
                version: 1,
                other_flags: 0x4001,
                ..Edns::new(1400, true)
            }),
            flags: Flags { checking_disabled: true, ..Flags::default() },
        }
    }

    #[test]
    fn a_query_is_read_as_it_was_written() {
        let mut message = Vec::new();
        asked().write(7, &mut message);
        let Query { question, edns, flags, .. } = asked();
        assert_eq!(query(&message), Ok((question, edns, flags, true)));
        let extended = message.len() - 10;
        for (at, bit) in [(2, 4), (2, 2), (3, 0x40), (3, 1), (extended, 1)] {
            message[at] ^= bit;
            assert_eq!(query(&message).map(|asked| asked.3), Ok(false), "{at}");
            message[at] ^= bit;
        }
        assert_eq!(query(&[&message[..], &[0]].concat()).map(|asked| asked.3), Ok(false));
        assert_eq!(answer_id(&message), None, "no answer");
        // RFC 6891, section 6.2.3: the server takes it for 512.
        let size = message.len() - 12;
        message[size..size + 2].copy_from_slice(&[0, 40]);
        assert_eq!(
            query(&message).map(|(_, edns, ..)| edns.map(|edns| edns.size)),
            Ok(Some(40)),
            "as it was captured"
        );
        message[2] |= 0x86;
        message[3] |= 0x23;
        assert_eq!(answer_id(&message), Some(7));
        let expected = Answer { rcode: 3, truncated: true, authentic: true };
        assert_eq!(answer(&message, &asked().question), Some(expected));
        message[14] ^= 1;
        assert_eq!(answer(&message, &asked().question), None, "another name");
        message[14] ^= 1;
        message[14] ^= 0x20;
        assert_eq!(answer(&message, &asked().question), Some(expected), "the same in capitals");
    }

    proptest! {
        #[test]
        fn whatever_comes_is_looked_at(message in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = (answer_id(&message), answer(&message, &asked().question));
            if let Ok((question, ..)) = query(&message) {
                prop_assert!(question.as_wire().len() <= message.len());
            }
        }

        #[test]
        fn a_query_that_is_cut_off_or_changed_is_looked_at(at in 0_usize..45, to: u8, length in 0_usize..45) {
            let mut message = Vec::new();
            asked().write(1, &mut message);
            if let Some(octet) = message.get_mut(at) {
                *octet = to;
            }
            message.truncate(length);
            let _ = (query(&message), answer(&message, &asked().question));
        }
    }
}
