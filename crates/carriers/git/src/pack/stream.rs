//! Inflating in pieces: what is too large for memory, and beginnings.
//! By `zlib-rs`, as libdeflate has no streams.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::Problem;

/// A zlib stream in memory, read inflated. After a read that fails, [`problem`](Self::problem) says why.
pub struct Inflating<'a> {
    deflated: &'a [u8],
    state: Decompress,
    /// What there has to be, and what there was so far.
    size: u64,
    found: u64,
    ended: bool,
    problem: Option<Problem>,
}

impl<'a> Inflating<'a> {
    /// The stream in `deflated`, which has to give `size` bytes and nothing may follow.
    pub fn new(deflated: &'a [u8], size: u64) -> Inflating<'a> {
        Inflating { deflated, state: Decompress::new(true), size, found: 0, ended: false, problem: None }
    }

    /// What was found to be wrong.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// Fills as much of `piece` as there is.
    ///
    /// # Errors
    /// [`Problem::Deflated`], [`Problem::Size`], [`Problem::Followed`].
    pub fn fill(&mut self, piece: &mut [u8]) -> Result<usize, Problem> {
        let mut filled = 0;
        while !self.ended && filled < piece.len() {
            let (read, written) = (self.state.total_in(), self.state.total_out());
            let room = piece.get_mut(filled..).unwrap_or_default();
            let status = self.state.decompress(self.deflated, room, FlushDecompress::None);
            let read = (self.state.total_in() - read) as usize;
            let written = (self.state.total_out() - written) as usize;
            self.deflated = self.deflated.get(read..).unwrap_or_default();
            filled += written;
            self.found += written as u64;
            self.ended = match status {
                Ok(Status::StreamEnd) => true,
                Ok(_) if read > 0 || written > 0 => false,
                _ => return Err(Problem::Deflated),
            };
            if self.found > self.size || self.ended && self.found < self.size {
                return Err(Problem::Size {
                    declared: self.size,
                    found: self.found.min(self.size.saturating_add(1)),
                });
            }
            if self.ended && !self.deflated.is_empty() {
                return Err(Problem::Followed(self.deflated.len() as u64));
            }
        }
        Ok(filled)
    }

    /// Reads what has not been read, so that all of it is checked.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn finish(mut self) -> Result<(), Problem> {
        if let Some(problem) = self.problem.take() {
            return Err(problem);
        }
        let mut piece = vec![0; 1 << 16];
        while self.fill(&mut piece)? > 0 {}
        Ok(())
    }
}

impl Read for Inflating<'_> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.fill(piece).map_err(|problem| {
            self.problem = Some(problem.clone());
            io::Error::new(io::ErrorKind::InvalidData, problem)
        })
    }
}

/// The first bytes of a zlib stream, inflated: as many as fit into `beginning` or as there are.
///
/// # Errors
/// [`Problem::Deflated`].
pub fn beginning<'a>(deflated: &[u8], beginning: &'a mut [u8]) -> Result<&'a [u8], Problem> {
    let mut state = Decompress::new(true);
    let mut deflated = deflated;
    loop {
        let (read, written) = (state.total_in(), state.total_out() as usize);
        let room = beginning.get_mut(written..).unwrap_or_default();
        let full = room.is_empty();
        let status = if full {
            Ok(Status::StreamEnd)
        } else {
            state.decompress(deflated, room, FlushDecompress::None)
        };
        let now = state.total_out() as usize;
        let consumed = (state.total_in() - read) as usize;
        deflated = deflated.get(consumed..).unwrap_or_default();
        match status {
            Ok(Status::StreamEnd) => return Ok(beginning.get(..now).unwrap_or_default()),
            Ok(_) if consumed > 0 || now > written => {}
            _ => return Err(Problem::Deflated),
        }
    }
}
