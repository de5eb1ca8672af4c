//! DNSSEC with any signature algorithm: sign a zone, validate it, and size every answer that it makes.
//!
//! The library knows no algorithm: a zone is signed with whatever implements
//! [`SigningKey`](fieldtest_kinds::signature::SigningKey). A zone is read from presentation format or from BIND's raw
//! format into a [`Zone`], held in canonical order, and written back as either. [`keys`] makes, reads and
//! writes zone keys, [`sign`] signs a zone with them, [`verify`] says everything that is wrong with a signed one, and
//! [`sizes`] what every answer made of it weighs.
//!
//! ```
//! use fieldtest_dnssec::codepoints::CodePoint;
//! use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
//! use fieldtest_dnssec::verify::{Options, Report, verify};
//! use fieldtest_dnssec::Zone;
//! use fieldtest_kinds::signature::Signature;
//!
//! /// A key for a zone, under a number of the range for private use (RFC 4034, appendix A.1.1).
//! fn key(zone: &Zone, algorithm: &dyn Signature) -> Result<ZoneKey, Box<dyn std::error::Error>> {
//!     Ok(ZoneKey::generate(*zone.apex(), KeyUse::KeySigning, CodePoint::Number(200), algorithm)?)
//! }
//!
//! /// Everything that is wrong with a zone that was signed by it.
//! fn check(zone: &Zone, algorithm: &dyn Signature) -> Report {
//!     let resolve = |code_point: &CodePoint| (*code_point == CodePoint::Number(200)).then_some(algorithm);
//!     verify(zone, &Options { resolve: &resolve, now: None, anchors: &[] })
//! }
//! ```

mod bitmap;
mod cds;
pub mod codepoints;
pub mod denial;
pub mod format;
pub mod keys;
pub mod name;
mod negative;
mod placement;
mod rrsig;
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

pub use format::text::ReadError;
pub use name::Name;
pub use rtype::Rtype;
pub use zone::{Zone, ZoneBuilder};

/// Reads a zone file in presentation or raw format, whichever it is.
///
/// `origin` completes relative names in presentation format until the file sets `$ORIGIN`.
pub fn load(path: &Path, origin: Option<Name>) -> Result<Zone, ReadError> {
    read(open(path)?, path, origin)
}

/// As [`load`], into a builder that more records can be added to.
pub fn load_into(path: &Path, origin: Option<Name>, builder: &mut ZoneBuilder) -> Result<(), ReadError> {
    read_into(open(path)?, path, origin, builder)
}

/// As [`load`], from a file that is open or in memory. `path` names it in errors, and `$INCLUDE` starts from there.
pub fn read(source: impl Read, path: &Path, origin: Option<Name>) -> Result<Zone, ReadError> {
    let mut builder = ZoneBuilder::new();
    read_into(source, path, origin, &mut builder)?;
    builder.finish().map_err(|source| ReadError::Zone { path: path.to_path_buf(), source })
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
    (&mut source).take(4).read_to_end(&mut start).map_err(io)?;
    let whole = (&start[..]).chain(source);
    if format::raw::is_raw(&start) {
        format::raw::read(whole, path, builder)
    } else {
        format::text::read(whole, path, origin, builder)
    }
}

fn open(path: &Path) -> Result<BufReader<File>, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Io { path: path.to_path_buf(), source })?;
    Ok(BufReader::with_capacity(1 << 16, file))
}
