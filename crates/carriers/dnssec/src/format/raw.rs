//! BIND's raw format: what `named-compilezone -F raw` writes and `masterfile-format raw` loads.
//!
//! A header of 24 octets, then every RRset as `total length, class, type, covered type, TTL, record count` (18
//! octets), the owner behind its length in two octets, and each RDATA behind its length in two octets. All numbers
//! are big endian. Version 1 of the format, as BIND 9.9 and later write it (`lib/dns/masterdump.c` of BIND 9.18).

use std::io::{self, Read};
use std::path::Path;

use super::text::ReadError;
use crate::name::Name;
use crate::rdata::{self, rdlength};
use crate::rtype::Rtype;
use crate::zone::ZoneBuilder;

/// Length of the file's header.
pub const HEADER: usize = 24;
/// Length of an RRset's fixed part, the length field of the whole included.
pub const RRSET_HEADER: usize = 18;

const FORMAT_RAW: u32 = 2;
const VERSION: u32 = 1;
const CLASS_IN: u16 = 1;

/// Whether a file that begins with these octets is in raw format.
pub fn is_raw(start: &[u8]) -> bool {
    start.starts_with(&FORMAT_RAW.to_be_bytes())
}

/// Appends the file header. `dumped` is the time of writing in seconds since 1970.
pub fn push_header(dumped: u32, out: &mut Vec<u8>) {
    for word in [FORMAT_RAW, VERSION, dumped, 0, 0, 0] {
        out.extend_from_slice(&word.to_be_bytes());
    }
}

/// Appends an RRset. `covered` is the Type Covered of an RRSIG RRset, 0 for all others.
///
/// # Panics
/// At RDATA of more than 65,535 octets.
pub fn push_rrset<'a>(
    owner: &[u8],
    ttl: u32,
    rtype: Rtype,
    covered: u16,
    rdata: impl Iterator<Item = &'a [u8]>,
    out: &mut Vec<u8>,
) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    for half in [CLASS_IN, rtype.0, covered] {
        out.extend_from_slice(&half.to_be_bytes());
    }
    out.extend_from_slice(&ttl.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(owner.len() as u16).to_be_bytes());
    out.extend_from_slice(owner);
    let mut count = 0u32;
    for one in rdata {
        out.extend_from_slice(&rdlength(one));
        out.extend_from_slice(one);
        count += 1;
    }
    out[at + 14..at + 18].copy_from_slice(&count.to_be_bytes());
    let total = (out.len() - at) as u32;
    out[at..at + 4].copy_from_slice(&total.to_be_bytes());
}

/// Reads a raw file into `builder`.
pub fn read(source: impl Read, path: &Path, builder: &mut ZoneBuilder) -> Result<(), ReadError> {
    let mut rrsets = Rrsets::new(source, path)?;
    while rrsets.next(builder)? {}
    Ok(())
}

/// A raw file that is read RRset by RRset.
struct Rrsets<'p, R> {
    source: R,
    path: &'p Path,
    at: u64,
    body: Vec<u8>,
}

impl<'p, R: Read> Rrsets<'p, R> {
    fn new(source: R, path: &'p Path) -> Result<Self, ReadError> {
        let mut rrsets = Rrsets { source, path, at: 0, body: Vec::new() };
        let mut header = [0u8; HEADER];
        rrsets.fill(&mut header[..8])?;
        let version = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
        if version > VERSION {
            let what = format!("unknown version {version} of the raw format; write version 1");
            return Err(rrsets.fault(4, what));
        }
        // Version 0 ends after the dump time.
        let rest = if version == 0 { 8..12 } else { 8..HEADER };
        rrsets.at = rest.end as u64;
        rrsets.fill(&mut header[rest])?;
        Ok(rrsets)
    }

    /// Hands on the records of the next RRset; says whether there was one.
    fn next(&mut self, builder: &mut ZoneBuilder) -> Result<bool, ReadError> {
        let mut length = [0u8; 4];
        match self.source.read(&mut length[..1]) {
            Ok(0) => return Ok(false),
            Ok(_) => self.fill(&mut length[1..])?,
            Err(error) => return Err(self.io(error)),
        }
        let total = u64::from(u32::from_be_bytes(length));
        // An RRset holds at most 65,535 records of 65,537 octets, but a length that lies must not cost the memory:
        // `take` reads only what is there.
        if total < RRSET_HEADER as u64 + 3 {
            return Err(self.fault(self.at, format!("an RRset of {total} bytes is too short to be one")));
        }
        self.body.clear();
        let read = (&mut self.source).take(total - 4).read_to_end(&mut self.body);
        if read.map_err(|error| self.io(error))? as u64 != total - 4 {
            return Err(self.io(io::ErrorKind::UnexpectedEof.into()));
        }
        read_rrset(&self.body, builder).map_err(|what| self.fault(self.at, what))?;
        self.at += total;
        Ok(true)
    }

    fn fill(&mut self, octets: &mut [u8]) -> Result<(), ReadError> {
        self.source.read_exact(octets).map_err(|error| self.io(error))
    }

    fn fault(&self, at: u64, what: String) -> ReadError {
        ReadError::Raw { path: self.path.to_path_buf(), at, what }
    }

    fn io(&self, source: io::Error) -> ReadError {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.fault(self.at, "the file ends inside an RRset; is it cut off?".into())
            }
            _ => ReadError::Io { path: self.path.to_path_buf(), source },
        }
    }
}

/// Reads what follows an RRset's total length; says what does not fit otherwise.
fn read_rrset(mut body: &[u8], builder: &mut ZoneBuilder) -> Result<(), String> {
    let lengths = || "the RRset's lengths contradict each other".to_owned();
    let mut half = || take_u16(&mut body).ok_or_else(lengths);
    let (class, rtype, covered) = (half()?, Rtype(half()?), Rtype(half()?));
    let ttl = u32::from(half()?) << 16 | u32::from(half()?);
    let count = u32::from(half()?) << 16 | u32::from(half()?);
    let owner_len = usize::from(half()?);
    let (owner, mut body) = body.split_at_checked(owner_len).ok_or_else(lengths)?;
    let (owner, used) = Name::from_wire(owner).map_err(|error| format!("the RRset's owner: {error}"))?;
    if used != owner_len {
        return Err(lengths());
    }
    let fault = |what: String| format!("{owner} {rtype}: {what}");
    if class != CLASS_IN {
        return Err(fault(format!("class {class} is not supported; only IN is signed")));
    }
    if let Some(why) = rtype.not_in_zones() {
        return Err(fault(why));
    }
    let signatures = matches!(rtype, Rtype::RRSIG | Rtype::SIG);
    if !signatures && covered.0 != 0 {
        return Err(fault(format!(
            "the RRset is marked as covering {covered}, but only signatures cover a type"
        )));
    }
    for _ in 0..count {
        let len = usize::from(take_u16(&mut body).ok_or_else(lengths)?);
        let (octets, rest) = body.split_at_checked(len).ok_or_else(lengths)?;
        body = rest;
        if !rdata::fits(rtype, octets) {
            return Err(fault(rdata::UNFIT.into()));
        }
        if signatures && !octets.starts_with(&covered.0.to_be_bytes()) {
            return Err(fault(format!(
                "the RRset is marked as covering {covered}, but a record in it does not"
            )));
        }
        builder.push_checked(&owner, rtype, ttl, octets);
    }
    if body.is_empty() { Ok(()) } else { Err(lengths()) }
}

fn take_u16(body: &mut &[u8]) -> Option<u16> {
    let (half, rest) = body.split_first_chunk()?;
    *body = rest;
    Some(u16::from_be_bytes(*half))
}
