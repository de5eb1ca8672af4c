//! The capture, which may have to be read twice: what comes late in it can be needed for what comes early.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use fieldtest_frame::input;
use fieldtest_tcp_ao::capture::{Reader, uncompressed};

use crate::outcome::coded;

/// A capture that is read from its beginning as often as needed.
pub(super) struct Source {
    path: PathBuf,
    /// What was read from a pipe, in a file without a name.
    kept: Option<Kept>,
    read: bool,
}

/// A copy of a pipe's bytes; `None` once it could not be written.
type Kept = std::sync::Arc<std::sync::Mutex<Option<File>>>;

impl Source {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), kept: None, read: false }
    }

    /// Begins to read; `None` if the capture came through a pipe and there was no room to keep it.
    pub(super) fn open(&mut self) -> Result<Option<Reader<Box<dyn Read>>>> {
        let name = self.path.display().to_string();
        let source: Box<dyn Read> = match (&self.kept, self.read) {
            (Some(kept), true) => {
                let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let Some(file) = kept.as_mut().and_then(|file| file.try_clone().ok()) else {
                    return Ok(None);
                };
                let mut file = file;
                file.rewind().with_context(|| name.clone())?;
                Box::new(file)
            }
            _ => self.first()?,
        };
        self.read = true;
        let source = uncompressed(BufReader::with_capacity(1 << 16, source)).with_context(|| name.clone())?;
        Ok(Some(Reader::new(source).with_context(|| name.clone())?))
    }

    fn first(&mut self) -> Result<Box<dyn Read>> {
        let input: Box<dyn Read> = if self.path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            let shown = self.path.display();
            let file = input::announced(&self.path, |path| File::open(path))
                .with_context(|| format!("cannot read the capture {shown}"))?;
            let kind = file.metadata().with_context(|| format!("cannot read the capture {shown}"))?;
            if kind.is_dir() {
                bail!(coded(
                    "directory",
                    anyhow!("cannot read the capture {shown}: it is a directory; give a file")
                ));
            }
            if kind.is_file() {
                return Ok(Box::new(file));
            }
            Box::new(file)
        };
        let kept = Kept::new(std::sync::Mutex::new(tempfile::tempfile().ok()));
        self.kept = Some(Kept::clone(&kept));
        Ok(Box::new(Keeping { input, kept }))
    }
}

/// Reads a pipe and keeps what it reads.
struct Keeping {
    input: Box<dyn Read>,
    kept: Kept,
}

impl Read for Keeping {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(bytes)?;
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let written = kept.as_mut().map(|file| file.write_all(bytes.get(..read).unwrap_or_default()));
        if written.is_some_and(|written| written.is_err()) {
            *kept = None;
        }
        Ok(read)
    }
}
