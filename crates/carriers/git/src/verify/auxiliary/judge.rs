//! What is said of one file.

use std::path::Path;

use crate::Error;
use crate::mapped::Mapped;
use crate::trailer::Trailer;

/// Faults that are listed of one file; one place that is damaged can make thousands.
const MOST: usize = 20;

/// A file that is judged, and what is wrong with it.
pub(super) struct Judge<'d> {
    pub(super) path: &'d Path,
    remedy: &'static str,
    count: usize,
    damaged: &'d mut Vec<Error>,
}

impl<'d> Judge<'d> {
    pub(super) fn new(path: &'d Path, remedy: &'static str, damaged: &'d mut Vec<Error>) -> Judge<'d> {
        Judge { path, remedy, count: 0, damaged }
    }

    /// Enters a fault.
    pub(super) fn wrong(&mut self, offset: usize, problem: impl Into<String>) {
        self.wrong_without(offset, problem, self.remedy);
    }

    /// Enters a fault that the usual remedy does not help against, and what does.
    pub(super) fn wrong_without(&mut self, offset: usize, problem: impl Into<String>, remedy: &'static str) {
        self.count += 1;
        if self.count <= MOST {
            self.damaged.push(Error::File {
                path: self.path.to_path_buf(),
                offset: offset as u64,
                problem: problem.into(),
                remedy,
            });
        }
    }

    /// Enters the fault of a result.
    pub(super) fn take<T>(&mut self, result: Result<T, (usize, String)>) -> Option<T> {
        result.map_err(|(offset, problem)| self.wrong(offset, problem)).ok()
    }

    /// Whether nothing was wrong so far.
    pub(super) fn is_content(&self) -> bool {
        self.count == 0
    }

    /// Opens the file; if it cannot be read, that is a fault.
    pub(super) fn open(&mut self) -> Option<Mapped> {
        Mapped::open(self.path)
            .map_err(|error| {
                self.count += 1;
                self.damaged.push(error);
            })
            .ok()
    }

    /// Checks the checksum at the end.
    pub(super) fn seal(&mut self, bytes: &[u8], id_len: usize) {
        let end = bytes.len().saturating_sub(id_len);
        let mut trailer = Trailer::new(id_len);
        trailer.update(bytes.get(..end).unwrap_or_default());
        if trailer.finish().is_none_or(|sum| Some(sum.as_bytes()) != bytes.get(end..)) {
            self.wrong(end, "the checksum at the end is wrong");
        }
    }
}
