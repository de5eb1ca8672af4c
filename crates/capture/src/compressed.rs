//! Compressed captures: gzip (RFC 1952), xz, and Zstandard (RFC 8878), told by their first bytes and unpacked as a
//! stream ([`super::unpacked`]).
//!
//! What could be unpacked before a damaged place is handed out like the rest; then comes an error that says so, which
//! [`fault_of`](super::fault::fault_of) tells from the system's.

use std::io::{self, Cursor, Read};

use super::fault::{Compression, GZIP};
#[cfg(feature = "decompression")]
use super::unpacked::unpacked;

const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Whether a file begins with a frame to skip (RFC 8878, section 3.1.2), as parallel compressors write them.
fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Formats that are only recognized, with what unpacks them.
const OTHERS: [(&[u8], &str); 4] = [
    (b"BZh", "bunzip2"),
    (&[4, 0x22, 0x4d, 0x18], "lz4 -d"),
    (&[0x1f, 0x9d], "uncompress"),
    (b"PK\x03\x04", "unzip"),
];

/// The bytes of a file as they were before it was compressed, if it is.
///
/// # Errors
/// The system's, and [`io::ErrorKind::Unsupported`] with the remedy for a compression that is not read here.
pub fn uncompressed<'r>(mut source: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut head = Vec::new();
    source.by_ref().take(XZ.len() as u64).read_to_end(&mut head)?;
    let is = |magic: &[u8]| head.starts_with(magic);
    if let Some((_, command)) = OTHERS.iter().find(|(magic, _)| is(magic)) {
        let text = format!("compressed in a way that is not read here; unpack it with '{command}' first");
        return Err(io::Error::new(io::ErrorKind::Unsupported, text));
    }
    let compression = if is(GZIP) {
        Some(Compression::Gzip)
    } else if is(XZ) {
        Some(Compression::Xz)
    } else {
        (is(ZSTANDARD) || is_skippable(&head)).then_some(Compression::Zstandard)
    };
    let whole = Cursor::new(head).chain(source);
    match compression {
        Some(compression) => unpacked(whole, compression),
        None => Ok(Box::new(whole)),
    }
}

/// Without the feature `decompression` there is nothing to unpack with.
#[cfg(not(feature = "decompression"))]
fn unpacked<'r>(_: impl Read + 'r, compression: Compression) -> io::Result<Box<dyn Read + 'r>> {
    let text = format!(
        "compressed by {compression}, which this build does not read; unpack it first, or build with the feature \
         `decompression`"
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}
