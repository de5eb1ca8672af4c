//! Sample zones: made up, the same for the same seed, and shaped like real ones.
//!
//! Everything goes record by record to where it is needed, so that a zone of a million delegations can be written
//! without being held in memory. No label is one that is delegated in the real root: each ends in a digit, which no
//! top-level domain but the internationalised ones has. Servers stand below `example.`, addresses are those that
//! RFC 2544 and RFC 3849 keep free.

mod labels;
mod root;
pub mod statistics;
mod tld;

use std::io::{self, Write};

use crate::format::text;
use crate::name::Name;
use crate::rtype::Rtype;
use crate::seeded::Seeded;
use crate::zone::{Zone, ZoneBuilder, ZoneError};

/// What a sample zone is shaped like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Form {
    /// The root zone: see [`statistics`] for what it has in common with the real one.
    #[default]
    Root,
    /// The zone of a top-level domain, `test.`: mostly two or three servers outside the zone, half of the delegations
    /// with one DS record. These shares are assumptions, not measurements.
    Tld,
}

/// A sample zone to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The form.
    pub form: Form,
    /// How many delegations; at least one.
    pub delegations: u32,
    /// Another seed makes another zone of the same form.
    pub seed: u64,
}

impl Default for Sample {
    /// The form and size of the root zone.
    fn default() -> Self {
        Sample { form: Form::Root, delegations: statistics::DELEGATIONS, seed: 1 }
    }
}

impl Sample {
    /// Hands every record to `record`: the apex first, the rest in no particular order.
    pub fn each_record<E>(
        &self,
        record: impl FnMut(&Name, Rtype, u32, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let sink = Sink { record, seeded: Seeded::new(self.seed), hosts: 0, rdata: Vec::new() };
        match self.form {
            Form::Root => root::make(self, sink),
            Form::Tld => tld::make(self, sink),
        }
    }

    /// The zone in memory.
    pub fn zone(&self) -> Result<Zone, ZoneError> {
        let mut builder = ZoneBuilder::new();
        // A builder takes every record.
        let _ = self.each_record(|owner, rtype, ttl, rdata| {
            builder.push_checked(owner, rtype, ttl, rdata);
            Ok::<(), std::convert::Infallible>(())
        });
        builder.finish()
    }

    /// Writes the zone in presentation format, one record a line, and says how many records it has. Memory stays small
    /// whatever the size.
    pub fn write_text(&self, mut out: impl Write) -> io::Result<u64> {
        const BLOCK: usize = 1 << 16;
        let mut lines = Vec::with_capacity(BLOCK + 1024);
        let mut records = 0;
        self.each_record(|owner, rtype, ttl, rdata| {
            text::push_record(owner.as_wire(), ttl, rtype, rdata, &mut lines);
            records += 1;
            if lines.len() >= BLOCK {
                out.write_all(&lines)?;
                lines.clear();
            }
            io::Result::Ok(())
        })?;
        out.write_all(&lines)?;
        out.flush()?;
        Ok(records)
    }
}

struct Sink<F> {
    record: F,
    seeded: Seeded,
    /// Servers with addresses so far, so that each has its own.
    hosts: u32,
    rdata: Vec<u8>,
}

/// Time to live of NS records and addresses in the root zone, in seconds.
const DELEGATION_TTL: u32 = 172_800;
/// Time to live of SOA and DS records there.
const DAY: u32 = 86_400;

impl<E, F: FnMut(&Name, Rtype, u32, &[u8]) -> Result<(), E>> Sink<F> {
    fn ns(&mut self, owner: &Name, server: &Name) -> Result<(), E> {
        (self.record)(owner, Rtype::NS, DELEGATION_TTL, server.as_wire())
    }

    fn soa(&mut self, owner: &Name, primary: &Name, mailbox: &Name) -> Result<(), E> {
        self.rdata.clear();
        self.rdata.extend_from_slice(primary.as_wire());
        self.rdata.extend_from_slice(mailbox.as_wire());
        for word in [2_026_010_100u32, 1800, 900, 604_800, DAY] {
            self.rdata.extend_from_slice(&word.to_be_bytes());
        }
        (self.record)(owner, Rtype::SOA, DAY, &self.rdata)
    }

    /// Addresses of a new server: so many of IPv4 and of IPv6.
    fn addresses(&mut self, server: &Name, (ipv4, ipv6): (u8, u8)) -> Result<(), E> {
        for _ in 0..ipv4.max(ipv6) {
            let [_, high, middle, low] = self.hosts.to_be_bytes();
            self.hosts = self.hosts.wrapping_add(1);
            // 198.18.0.0/15 (RFC 2544); past 2^17 servers the addresses repeat.
            let v4 = [198, 18 | (high & 1), middle, low];
            let v6 = [0x20, 0x01, 0x0d, 0xb8, 0, high, middle, low, 0, 0, 0, 0, 0, 0, 0, 0x53];
            if ipv4 > 0 {
                (self.record)(server, Rtype::A, DELEGATION_TTL, &v4)?;
            }
            if ipv6 > 0 {
                (self.record)(server, Rtype::AAAA, DELEGATION_TTL, &v6)?;
            }
        }
        Ok(())
    }

    /// A DS record of this digest type (RFC 4509, RFC 6605) with random contents.
    fn ds(&mut self, owner: &Name, digest: u8) -> Result<(), E> {
        let length = match digest {
            1 => 20,
            4 => 48,
            _ => 32,
        };
        self.rdata.clear();
        let tag = self.seeded.next() as u16;
        let algorithm = if self.seeded.below(2) == 0 { 8 } else { 13 };
        self.rdata.extend_from_slice(&tag.to_be_bytes());
        self.rdata.extend_from_slice(&[algorithm, digest]);
        while self.rdata.len() < 4 + length {
            self.rdata.push(self.seeded.next() as u8);
        }
        (self.record)(owner, Rtype::DS, DAY, &self.rdata)
    }
}

/// `labels.origin`, from the right label to the left; a name that would be too long loses the rest.
fn below(origin: &Name, labels: &[&[u8]]) -> Name {
    labels.iter().rev().fold(*origin, |name, label| name.child(label).unwrap_or(name))
}

#[cfg(test)]
mod tests;
