//! Compressed captures: gzip (RFC 1952), xz, and Zstandard (RFC 8878), told by their first bytes and unpacked as a
//! stream. The crates are pure Rust, and what they read is not trusted: their memory is bounded.

use std::io::{self, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

const GZIP: &[u8] = &[0x1f, 0x8b];
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Formats that are only recognized, with what unpacks them.
const OTHERS: [(&[u8], &str); 4] = [
    (b"BZh", "bunzip2"),
    (&[4, 0x22, 0x4d, 0x18], "lz4 -d"),
    (&[0x1f, 0x9d], "uncompress"),
    (b"PK\x03\x04", "unzip"),
];

/// Memory for unpacking xz, in KiB: as much as its highest preset needs.
const XZ_MEMORY: u32 = 100 << 10;

/// The bytes of a file as they were before it was compressed, if it is.
///
/// # Errors
/// The system's, and [`io::ErrorKind::Unsupported`] with the remedy for a compression that is not read here.
pub fn uncompressed<'r>(mut source: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut head = Vec::new();
    source.by_ref().take(XZ.len() as u64).read_to_end(&mut head)?;
    let is = |magic: &[u8]| head.starts_with(magic);
    if let Some((_, command)) = OTHERS.iter().find(|(magic, _)| is(magic)) {
        let text = format!("compressed in a way that is not read here; unpack it with “{command}” first");
        return Err(io::Error::new(io::ErrorKind::Unsupported, text));
    }
    let (gzip, xz, zstandard) = (is(GZIP), is(XZ), is(ZSTANDARD));
    let whole = Cursor::new(head).chain(source);
    Ok(if gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else if xz {
        Box::new(XzReader::new_mem_limit(whole, true, XZ_MEMORY))
    } else if zstandard {
        Box::new(Zstandard { source: BufReader::new(whole), decoder: FrameDecoder::new(), begun: false })
    } else {
        Box::new(whole)
    })
}

/// The frames of a Zstandard file, one behind the other.
struct Zstandard<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    begun: bool,
}

impl<R: Read> Zstandard<R> {
    /// Begins the next frame with content; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if io::BufRead::fill_buf(&mut self.source)?.is_empty() {
                return Ok(false);
            }
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut self.source.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(invalid(error)),
            }
        }
    }
}

impl<R: Read> Read for Zstandard<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.begun {
                self.begun = self.begin()?;
                if !self.begun {
                    return Ok(0);
                }
            }
            if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let some = BlockDecodingStrategy::UptoBytes(out.len().max(1 << 16));
                self.decoder.decode_blocks(&mut self.source, some).map_err(invalid)?;
            }
            let read = self.decoder.read(out)?;
            if read > 0 {
                return Ok(read);
            }
            if self.decoder.is_finished() {
                let (stated, found) =
                    (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
                if stated.is_some() && stated != found {
                    return Err(invalid("the checksum of the Zstandard frame is wrong"));
                }
                self.begun = false;
            }
        }
    }
}

fn invalid(error: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
