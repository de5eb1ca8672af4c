//! Frame Streams (farsightsec's `fstrm`): frames with their lengths, between control frames, in a file or as it came from a socket.
//!
//! A stream of one direction is START, data, STOP. One of two directions begins with the READY of who writes, and may have been
//! recorded with the ACCEPT and FINISH of who reads; all of these are control frames, and tell nothing but what the frames hold.

use std::io::{self, ErrorKind, Read};

/// What stands where a length would, before a control frame.
pub(super) const ESCAPE: [u8; 4] = [0; 4];
/// Octets of the longest control frame (`FSTRM_CONTROL_FRAME_LENGTH_MAX`).
const LONGEST_CONTROL: usize = 512;
/// Octets of the longest frame of data: two messages of DNS, and what stands beside them.
const LONGEST: usize = 1 << 18;
/// The types of control frames that say what the stream holds: ACCEPT, START, READY.
const TYPED: [u32; 3] = [1, 2, 4];
const STOP: u32 = 3;
/// The field of a control frame that names what the data are.
const CONTENT_TYPE: u32 = 1;

pub(super) struct Frames<R> {
    source: R,
    /// Where reading stands, in octets.
    offset: u64,
    /// How many frames of data were read.
    number: u64,
}

pub(super) enum Frame {
    /// Frames of this type follow.
    Content(Vec<u8>),
    Data(Vec<u8>),
}

impl<R: Read> Frames<R> {
    pub(super) fn new(source: R) -> Frames<R> {
        Frames { source, offset: 0, number: 0 }
    }

    /// The next frame that says something; `None` at the end, whether or not it was announced. Several streams may stand one
    /// behind the other, as a file has them that was appended to.
    ///
    /// # Errors
    /// The system's, and those of what is no frame, with its place.
    pub(super) fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            let begins = self.offset;
            let Some(length) = self.length()? else { return Ok(None) };
            if length > 0 {
                self.number += 1;
                return self.octets(length, LONGEST, begins).map(|data| Some(Frame::Data(data)));
            }
            let length = self.length()?.ok_or_else(|| self.ends(begins))?;
            let control = self.octets(length, LONGEST_CONTROL, begins)?;
            let Some((kind, mut fields)) = word(&control) else { return Err(self.wrong(begins)) };
            if kind == STOP || !TYPED.contains(&kind) {
                continue;
            }
            while let Some((field, rest)) = word(fields) {
                let value = word(rest)
                    .and_then(|(length, rest)| rest.split_at_checked(usize::try_from(length).ok()?));
                let Some((value, rest)) = value else { return Err(self.wrong(begins)) };
                if field == CONTENT_TYPE {
                    return Ok(Some(Frame::Content(value.to_vec())));
                }
                fields = rest;
            }
        }
    }

    /// The frame of data that was read last, for a message.
    pub(super) fn place(&self) -> String {
        format!("frame {}, which ends at byte {}", self.number, self.offset)
    }

    /// The next four octets; `None` where the stream ends before them.
    fn length(&mut self) -> io::Result<Option<u32>> {
        let begins = self.offset;
        let mut octets = [0; 4];
        for at in 0..octets.len() {
            if self.source.read_exact(&mut octets[at..=at]).map_or_else(end, |()| Ok(true))? {
                self.offset += 1;
            } else if at == 0 {
                return Ok(None);
            } else {
                return Err(self.ends(begins));
            }
        }
        Ok(Some(u32::from_be_bytes(octets)))
    }

    /// So many octets, if they are there and not too many.
    fn octets(&mut self, length: u32, most: usize, begins: u64) -> io::Result<Vec<u8>> {
        let length = length as usize;
        if length > most {
            return Err(self.wrong(begins));
        }
        let mut octets = Vec::new();
        self.offset += self.source.by_ref().take(length as u64).read_to_end(&mut octets)? as u64;
        if octets.len() < length { Err(self.ends(begins)) } else { Ok(octets) }
    }

    fn ends(&self, begins: u64) -> io::Error {
        io::Error::new(ErrorKind::UnexpectedEof, format!("the frame at byte {begins} is cut off"))
    }

    fn wrong(&self, begins: u64) -> io::Error {
        io::Error::new(ErrorKind::InvalidData, format!("at byte {begins} begins no frame"))
    }
}

/// The end of a file is no error.
fn end(error: io::Error) -> io::Result<bool> {
    if error.kind() == ErrorKind::UnexpectedEof { Ok(false) } else { Err(error) }
}

/// A number of 32 bits, and what follows it.
fn word(octets: &[u8]) -> Option<(u32, &[u8])> {
    let (word, rest) = octets.split_first_chunk()?;
    Some((u32::from_be_bytes(*word), rest))
}
