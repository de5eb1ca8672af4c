//! What C-DNS takes of CBOR (RFC 8949): items are pulled from a stream, each of its kind, and what is not wanted is passed over.

use std::io::{self, ErrorKind, Read};

use ciborium_ll::{Decoder, Error, Header};

/// Items within items that are passed over; deeper ones are of something else.
const DEEPEST: usize = 32;

/// A stream of items.
///
/// Errors are the system's, `UnexpectedEof` where it ends within an item, and `InvalidData` where it is no CBOR or has another kind of
/// item than belongs there.
pub(super) struct Items<R: Read> {
    decoder: Decoder<R>,
    /// Up to which octet may be read.
    until: usize,
}

/// How many items of an array or a map are still to come, if it says so.
pub(super) type Left = Option<usize>;

impl<R: Read> Items<R> {
    /// Nothing can be read before [`grant`](Self::grant).
    pub(super) fn new(source: R) -> Items<R> {
        Items { decoder: Decoder::from(source), until: 0 }
    }

    /// Lets so many octets be read from here on: no length in a file decides how much of it is kept.
    pub(super) fn grant(&mut self, octets: usize) {
        self.until = self.decoder.offset().saturating_add(octets);
    }

    /// Where reading stands, in octets.
    pub(super) fn offset(&mut self) -> usize {
        self.decoder.offset()
    }

    fn pull(&mut self) -> io::Result<Header> {
        if self.decoder.offset() >= self.until {
            let words = format!("more bytes than are read at once before byte {}", self.until);
            return Err(io::Error::new(ErrorKind::InvalidData, words));
        }
        self.decoder.pull().map_err(plain)
    }

    fn wrong<T>(&mut self, wanted: &str) -> io::Result<T> {
        let words = format!("no {wanted} before byte {}", self.offset());
        Err(io::Error::new(ErrorKind::InvalidData, words))
    }

    pub(super) fn unsigned(&mut self) -> io::Result<u64> {
        match self.pull()? {
            Header::Positive(value) => Ok(value),
            _ => self.wrong("number"),
        }
    }

    pub(super) fn index(&mut self) -> io::Result<usize> {
        let value = self.unsigned()?;
        usize::try_from(value).or_else(|_| self.wrong("index"))
    }

    /// A string of octets; no more than `most` are kept.
    pub(super) fn octets(&mut self, most: usize) -> io::Result<Vec<u8>> {
        match self.pull()? {
            Header::Bytes(length) => self.string(length, most),
            _ => self.wrong("string of bytes"),
        }
    }

    /// Text, as octets; no more than `most` are kept.
    pub(super) fn text(&mut self, most: usize) -> io::Result<Vec<u8>> {
        match self.pull()? {
            Header::Text(length) => self.text_of(length, most),
            _ => self.wrong("text"),
        }
    }

    fn string(&mut self, length: Left, most: usize) -> io::Result<Vec<u8>> {
        let (mut found, mut buffer) = (Vec::new(), [0; 256]);
        let mut segments = self.decoder.bytes(length);
        while let Some(mut segment) = segments.pull().map_err(plain)? {
            while let Some(some) = segment.pull(&mut buffer).map_err(plain)? {
                found.extend(some.iter().take(most - found.len().min(most)));
            }
        }
        Ok(found)
    }

    fn text_of(&mut self, length: Left, most: usize) -> io::Result<Vec<u8>> {
        let (mut found, mut buffer) = (Vec::new(), [0; 256]);
        let mut segments = self.decoder.text(length);
        while let Some(mut segment) = segments.pull().map_err(plain)? {
            while let Some(some) = segment.pull(&mut buffer).map_err(plain)? {
                found.extend(some.bytes().take(most - found.len().min(most)));
            }
        }
        Ok(found)
    }

    pub(super) fn begin_array(&mut self) -> io::Result<Left> {
        match self.pull()? {
            Header::Array(length) => Ok(length),
            _ => self.wrong("array"),
        }
    }

    /// Whether another item of an array follows, or another pair of a map.
    pub(super) fn follows(&mut self, left: &mut Left) -> io::Result<bool> {
        if let Some(left) = left {
            let follows = *left > 0;
            *left = left.saturating_sub(1);
            return Ok(follows);
        }
        match self.pull()? {
            Header::Break => Ok(false),
            header => {
                self.decoder.push(header);
                Ok(true)
            }
        }
    }

    pub(super) fn array(&mut self, mut each: impl FnMut(&mut Self) -> io::Result<()>) -> io::Result<()> {
        let mut left = self.begin_array()?;
        while self.follows(&mut left)? {
            each(self)?;
        }
        Ok(())
    }

    /// A map by numbers, pair by pair. Negative keys are those of implementations (RFC 8618, section 7.2) and passed over.
    pub(super) fn map(&mut self, mut each: impl FnMut(&mut Self, u64) -> io::Result<()>) -> io::Result<()> {
        let mut left = match self.pull()? {
            Header::Map(length) => length,
            _ => return self.wrong("map"),
        };
        while self.follows(&mut left)? {
            match self.pull()? {
                Header::Positive(key) => each(self, key)?,
                Header::Negative(_) => self.skip()?,
                _ => return self.wrong("key"),
            }
        }
        Ok(())
    }

    pub(super) fn skip(&mut self) -> io::Result<()> {
        self.skip_within(0)
    }

    fn skip_within(&mut self, depth: usize) -> io::Result<()> {
        if depth == DEEPEST {
            return self.wrong("item within so many others");
        }
        let (mut left, each) = match self.pull()? {
            Header::Array(length) => (length, 1),
            Header::Map(length) => (length, 2),
            Header::Tag(_) => (Some(1), 1),
            Header::Bytes(length) => return self.string(length, 0).map(drop),
            Header::Text(length) => return self.text_of(length, 0).map(drop),
            Header::Break => return self.wrong("item"),
            Header::Positive(_) | Header::Negative(_) | Header::Float(_) | Header::Simple(_) => return Ok(()),
        };
        while self.follows(&mut left)? {
            for _ in 0..each {
                self.skip_within(depth + 1)?;
            }
        }
        Ok(())
    }
}

fn plain(error: Error<io::Error>) -> io::Error {
    match error {
        Error::Io(error) => error,
        Error::Syntax(at) => io::Error::new(ErrorKind::InvalidData, format!("no CBOR at byte {at}")),
    }
}
