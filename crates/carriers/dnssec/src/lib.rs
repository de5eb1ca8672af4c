//! DNSSEC with any signature algorithm: sign a zone, validate it, and size every answer that it makes.
//!
//! The library knows no algorithm: a zone is signed with whatever implements
//! [`SigningKey`](fieldtest_kinds::signature::SigningKey). A zone is read from presentation format or from BIND's raw
//! format into a [`Zone`], held in canonical order, and written back as either. [`keys`] makes, reads and
//! writes zone keys, [`sign`] signs a zone with them, and [`verify`] says everything that is wrong with a signed one.

mod bitmap;
pub mod codepoints;
pub mod denial;
pub mod format;
pub mod keys;
pub mod name;
mod placement;
mod rrsig;
pub mod rtype;
pub mod sample;
mod seeded;
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

/// Reads a zone from a file in presentation or raw format, whichever it is.
///
/// `origin` completes relative names in presentation format until the file sets `$ORIGIN`.
pub fn load(path: &Path, origin: Option<Name>) -> Result<Zone, ReadError> {
    let mut builder = ZoneBuilder::new();
    load_into(path, origin, &mut builder)?;
    builder.finish().map_err(|source| ReadError::Zone { path: path.to_path_buf(), source })
}

/// As [`load`], into a builder that more records can be added to.
pub fn load_into(path: &Path, origin: Option<Name>, builder: &mut ZoneBuilder) -> Result<(), ReadError> {
    let io = |source| ReadError::Io { path: path.to_path_buf(), source };
    let mut source = BufReader::with_capacity(1 << 16, File::open(path).map_err(io)?);
    let mut start = Vec::new();
    (&mut source).take(4).read_to_end(&mut start).map_err(io)?;
    let whole = (&start[..]).chain(source);
    if format::raw::is_raw(&start) {
        format::raw::read(whole, path, builder)
    } else {
        format::text::read(whole, path, origin, builder)
    }
}
