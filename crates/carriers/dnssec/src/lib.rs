#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! A [`Zone`] is held in canonical order. [`keys`] makes, reads and writes zone keys, [`sign`] signs a zone with them,
//! [`verify`] reports everything that is wrong with a signed one, and [`sizes`] computes the size of every answer.

// Own parser and signer (docs/adopted.md): `domain` 0.12.3 reads 40 of the 88 types here and keeps its
// signer unstable; `hickory-proto` 0.26.3 rejects DNSKEY, NSEC, NSEC3 and RRSIG in zone files (both seen on
// 2026-11-28).
mod bitmap;
mod cds;
pub mod codepoints;
#[cfg(feature = "domain")]
mod convert;
pub mod denial;
pub mod format;
pub mod keys;
pub mod name;
mod negative;
mod placement;
mod rdata;
pub mod rrsig;
pub mod rtype;
pub mod sample;
mod seeded;
mod servable;
pub mod sign;
pub mod sizes;
pub mod verify;
pub mod zone;
mod zonemd;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

#[cfg(feature = "domain")]
pub use convert::DomainRecord;
pub use format::text::ReadError;
pub use name::Name;
pub use rtype::Rtype;
pub use zeroize::Zeroizing;
pub use zone::{Zone, ZoneBuilder};

/// Reads a zone file in presentation or raw format, whichever it is.
///
/// `origin` completes relative names in presentation format until the file sets `$ORIGIN`.
pub fn load(path: &Path, origin: Option<Name>) -> Result<Zone, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Io { path: path.to_path_buf(), source })?;
    read(BufReader::with_capacity(1 << 16, file), path, origin)
}

/// As [`load`], from a file that is open or in memory. `path` names it in errors, and `$INCLUDE` starts from there.
pub fn read(source: impl Read, path: &Path, origin: Option<Name>) -> Result<Zone, ReadError> {
    let mut builder = ZoneBuilder::new();
    read_into(source, path, origin, &mut builder)?;
    builder.finish().map_err(|source| ReadError::Zone { path: path.to_path_buf(), source })
}

/// As many octets show what is no text.
const LOOKED_AT: u64 = 512;

/// Why bytes are no zone file in presentation format.
pub fn not_text(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x1f, 0x8b, ..] => Some("it is compressed by gzip; decompress it first"),
        [b'{', b'"', ..] => Some("it is JSON, not a zone file; check the path"),
        [0xff, 0xfe, _, 0, ..] | [0xfe, 0xff, 0, ..] => Some("it is UTF-16; convert it to UTF-8"),
        _ => start.contains(&0).then_some("it is not a text file; check the path"),
    }
}

/// As [`read`], into a builder that more records can be added to.
pub fn read_into(
    mut source: impl Read,
    path: &Path,
    origin: Option<Name>,
    builder: &mut ZoneBuilder,
) -> Result<(), ReadError> {
    let io = |source| ReadError::Io { path: path.to_path_buf(), source };
    let mut start = Vec::new();
    (&mut source).take(LOOKED_AT).read_to_end(&mut start).map_err(io)?;
    if !format::raw::is_raw(&start)
        && let Some(what) = not_text(&start)
    {
        return Err(io(std::io::Error::new(std::io::ErrorKind::InvalidData, what)));
    }
    let whole = (&start[..]).chain(source);
    if format::raw::is_raw(&start) {
        format::raw::read(whole, path, builder)
    } else {
        format::text::read(whole, path, origin, builder)
    }
}

/// The remedy, where what is wrong does not say one.
pub(crate) fn remedied(what: &str, remedy: &str) -> String {
    if what.contains([';', '?']) { String::new() } else { format!("; {remedy}") }
}
