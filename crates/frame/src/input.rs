//! What a command reads. Who writes into a FIFO or a pipe may take his time, and a signal ends the wait for him: nobody looks
//! at the [flag](interrupt::flag) meanwhile. Regular files make nobody wait.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Stdin};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::output::{message, opened};
use crate::{interrupt, text};

/// A file, or standard input.
#[derive(Debug)]
pub struct Input<R> {
    source: R,
    waits: bool,
}

/// Opens a file, for which a FIFO waits.
///
/// # Errors
/// The system's.
pub fn open(path: &Path) -> io::Result<Input<File>> {
    let _waiting = interrupt::reading();
    let source = File::open(path)?;
    let waits = !source.metadata()?.is_file();
    Ok(Input { source, waits })
}

/// Standard input.
pub fn stdin() -> Input<Stdin> {
    let waits = opened(io::stdin()).is_none_or(|found| !found.is_file());
    Input { source: io::stdin(), waits }
}

/// The whole of a file of at most `most` bytes, a number of MiB: a device has no end, and reading it would take all memory.
///
/// # Errors
/// The system's; [`io::ErrorKind::FileTooLarge`] for a larger file.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        let what = format!("it has more than {} MiB; is it the right file?", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(content)
}

/// Has a wait for a FIFO's writer said, and ended by a signal, wherever the calling thread opens one: also in libraries,
/// which open most inputs themselves. A wait that nobody said looked like a hang. Costs nothing where no word is a FIFO.
pub(crate) fn say_waits(words: &[OsString]) {
    let value = |word: &OsString| {
        word.as_bytes().split(|&byte| byte == b'=').any(|part| is_fifo(OsStr::from_bytes(part).as_ref()))
    };
    if !words.iter().skip(1).any(value) {
        return;
    }
    // Now: once the program holds secrets, only root may open them.
    let (call, memory) = (File::open("/proc/thread-self/syscall"), File::open("/proc/self/mem"));
    if let (Ok(call), Ok(memory)) = (call, memory) {
        // Where no thread can be started, nothing is said.
        let _ = thread::Builder::new().spawn(move || watch(&call, &memory));
    }
}

/// How long a signal may go unnoticed.
const PERIOD: Duration = Duration::from_millis(250);
/// After so many periods the wait is said, which is 3 s.
const PATIENCE: u32 = 12;
/// After so many without a wait the watch ends: it shall not disturb measurements.
const IDLE: u32 = 120;

fn watch(call: &File, memory: &File) {
    let (mut waited, mut idle, mut waiting) = (0, 0, None);
    while idle < IDLE {
        thread::sleep(PERIOD);
        let Some(path) = being_opened(call, memory).filter(|path| is_fifo(path)) else {
            (waited, idle, waiting) = (0, idle + 1, None);
            continue;
        };
        waiting.get_or_insert_with(interrupt::reading);
        (waited, idle) = (waited + 1, 0);
        if waited == PATIENCE {
            message(&format!("waiting for a writer of '{}' (it is a FIFO)", text::path(&path)));
        }
    }
}

fn is_fifo(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// The file that a thread is just opening for reading: the arguments of its system call (proc(5), `/proc/pid/syscall`).
fn being_opened(call: &File, memory: &File) -> Option<PathBuf> {
    const OPENAT: &str = if cfg!(target_arch = "x86_64") { "257" } else { "56" };
    let (mut line, mut name) = ([0; 256], [0; 4096]);
    let length = call.read_at(&mut line, 0).ok()?;
    let line = str::from_utf8(&line[..length]).ok()?.strip_prefix(OPENAT)?;
    // Of a folder, the place of the name, and flags, of which the lowest two bits are 0 for reading.
    let mut arguments = line.split(" 0x").skip(2).map(|word| u64::from_str_radix(word, 16));
    let (place, flags) = (arguments.next()?.ok()?, arguments.next()?.ok()?);
    let length = memory.read_at(&mut name, place).ok()?;
    let end = name[..length].iter().position(|&byte| byte == 0)?;
    (flags & 3 == 0).then(|| PathBuf::from(OsStr::from_bytes(&name[..end])))
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let _waiting = self.waits.then(interrupt::reading);
        self.source.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_without_an_end_are_refused() {
        let zeros = read(Path::new("/dev/zero"), 1 << 20).map_err(|error| error.kind());
        assert_eq!(zeros, Err(io::ErrorKind::FileTooLarge));
    }
}
