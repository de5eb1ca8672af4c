//! The decoders of compressed captures. The crates are pure Rust, and what they read is not trusted: their memory is
//! bounded.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::fault::{Compression, Fault, GZIP, damage, fault_of};

/// Memory for unpacking xz, in KiB: as much as its highest preset needs.
const XZ_MEMORY: u32 = 100 << 10;

/// The bytes that were compressed so.
///
/// # Errors
/// None so far: what is wrong with the file, its reader says.
pub(super) fn unpacked<'r>(
    whole: impl Read + 'r,
    compression: Compression,
) -> io::Result<Box<dyn Read + 'r>> {
    let failure = Rc::new(RefCell::new(None));
    let whole = Watched { source: whole, failure: Rc::clone(&failure) };
    Ok(match compression {
        Compression::Gzip => {
            let decoder = Members { decoder: Some(GzDecoder::new(BufReader::new(whole))) };
            Box::new(Unpacked { decoder, compression, failure })
        }
        Compression::Xz => {
            let decoder = XzReader::new_mem_limit(whole, true, XZ_MEMORY);
            Box::new(Unpacked { decoder, compression, failure })
        }
        Compression::Zstandard => {
            let source = BufReader::new(whole);
            let decoder = Zstandard { source, decoder: FrameDecoder::new(), begun: false };
            Box::new(Unpacked { decoder, compression, failure })
        }
    })
}

/// The system's error, which decoders pass on in words of their own.
type Failure = Rc<RefCell<Option<io::Error>>>;

/// Keeps the system's error.
struct Watched<R> {
    source: R,
    failure: Failure,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.source.read(out).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failure.replace(Some(error));
            }
            kind.into()
        })
    }
}

/// Tells the system's errors from those that the decoder finds in the data.
struct Unpacked<D> {
    decoder: D,
    compression: Compression,
    failure: Failure,
}

impl<D: Read> Read for Unpacked<D> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{Interrupted, OutOfMemory, Unsupported};
        self.decoder.read(out).map_err(|error| match self.failure.take() {
            Some(failure) => failure,
            None if fault_of(&error).is_some() => error,
            // A limit of what is read here, such as that of the memory, and no damage.
            None if matches!(error.kind(), Interrupted | OutOfMemory | Unsupported) => error,
            None => damage(Fault::Damaged(self.compression)),
        })
    }
}

/// The members of a gzip file, one behind the other. Like gzip, it ignores zeros behind them, and warns of anything else.
struct Members<R> {
    /// The member that is being read; `None` at the end.
    decoder: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.decoder else { return Ok(0) };
            let read = decoder.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let Some(mut source) = self.decoder.take().map(GzDecoder::into_inner) else { return Ok(0) };
            match next_member(&mut source)? {
                Next::Member => self.decoder = Some(GzDecoder::new(source)),
                Next::Junk => return Err(damage(Fault::Junk)),
                Next::End => {}
            }
        }
    }
}

enum Next {
    Member,
    Junk,
    End,
}

/// What stands behind a gzip member; zeros are skipped.
fn next_member(source: &mut impl BufRead) -> io::Result<Next> {
    let mut zeros = false;
    loop {
        return Ok(match source.fill_buf()? {
            [] => Next::End,
            [0, ..] => {
                zeros = true;
                source.consume(1);
                continue;
            }
            // The buffer may end between the two bytes.
            head if !zeros && (head.starts_with(GZIP) || head == GZIP.get(..1).unwrap_or_default()) => {
                Next::Member
            }
            _ => Next::Junk,
        });
    }
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
                Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => {
                    return Err(damage(Fault::Window { needed: requested, most: max }));
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
