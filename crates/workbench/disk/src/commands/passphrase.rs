//! Passphrases and key files, with cryptsetup's rules of what belongs to them: of a key file every byte, of a
//! passphrase that is typed or piped all up to the first newline.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use fieldtest_disk::{LONGEST_KEY_FILE, Secret, VolumeKey, read_key_file, read_secret};
use fieldtest_frame::{input, text};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::shown;
use crate::args::{DiskKey, DiskNewKey};
use crate::ended::Ended;
use crate::interrupt;
use crate::outcome::{coded, usage};

/// How long a signal may go unnoticed when it comes at the wrong moment.
const PATIENCE: Duration = Duration::from_millis(200);

/// A volume key from a file, every byte of it.
pub(super) fn volume_key(path: &Path) -> Result<VolumeKey> {
    Ok(VolumeKey::new(input::announced(path, |path| read_key_file(path, 0, None))?))
}

/// What shall open a container.
pub(super) fn existing(key: &DiskKey, image: &Path) -> Result<Secret> {
    given(&Source::of(key)?, || typed(&format!("Passphrase for {}: ", image.display())))
}

/// What opens a container when a key slot of it is gone.
pub(super) fn remaining(key: &DiskKey, image: &Path, gone: u32) -> Result<Secret> {
    given(&Source::of(key)?, || {
        typed(&format!("Passphrase for {} of a keyslot other than {gone}: ", image.display()))
    })
}

/// What a new container shall be opened with. It is asked for twice, since nobody sees what is typed.
pub(super) fn new(key: &DiskKey, image: &Path) -> Result<Secret> {
    fresh(&Source::of(key)?, image)
}

/// Refuses a new key file that is not there or empty, before anything that takes time.
pub(super) fn is_there(key: &DiskNewKey) -> Result<()> {
    let file = key.new_key_file.as_deref().filter(|path| *path != Path::new("-"));
    let Some(path) = file else { return Ok(()) };
    let found =
        fs::metadata(path).with_context(|| format!("cannot read the key file {}", text::path(path)))?;
    if found.is_file() && found.len() == 0 { Err(empty(path)) } else { Ok(()) }
}

fn empty(path: &Path) -> anyhow::Error {
    anyhow!("the key file {} is empty; give one that contains a key", text::path(path))
}

/// Refuses to take two keys from standard input, which gives one.
pub(super) fn one_from_input(old: &DiskKey, new: &DiskNewKey) -> Result<()> {
    let piped = |file: Option<&Path>| match file {
        Some(file) => file == Path::new("-"),
        None => !io::stdin().is_terminal(),
    };
    match piped(old.key_file.as_deref()) && piped(new.new_key_file.as_deref()) {
        true => Err(coded(
            "one-key",
            usage("standard input can only be one key; give the other with --key-file or --new-key-file"),
        )),
        false => Ok(()),
    }
}

/// The same for a container that is there.
pub(super) fn another(key: &DiskNewKey, image: &Path) -> Result<Secret> {
    let (offset, size) = (&key.new_keyfile_offset, &key.new_keyfile_size);
    fresh(&Source::from("--new-", key.new_key_file.as_deref(), offset.as_deref(), size.as_deref())?, image)
}

fn fresh(key: &Source<'_>, image: &Path) -> Result<Secret> {
    let passphrase = given(key, || {
        let first = typed(&format!("New passphrase for {}: ", image.display()))?;
        match first.is_empty() || *first == *typed("The same again: ")? {
            true => Ok(first),
            false => {
                bail!(coded("passphrases-differ", anyhow!("the two passphrases differ; nothing was made")))
            }
        }
    })?;
    if passphrase.is_empty() {
        bail!("an empty passphrase protects nothing; enter another one, or give --key-file");
    }
    Ok(passphrase)
}

/// Where a key comes from, if it is not typed or piped.
struct Source<'a> {
    file: Option<&'a Path>,
    /// Bytes to pass over.
    offset: u64,
    /// Bytes to take; all that follow if none are named.
    length: Option<usize>,
}

impl<'a> Source<'a> {
    fn of(key: &'a DiskKey) -> Result<Self> {
        Self::from("--", key.key_file.as_deref(), key.keyfile_offset.as_deref(), key.keyfile_size.as_deref())
    }

    /// The options begin with `dashes`: `--` or `--new-`.
    fn from(
        dashes: &str,
        file: Option<&'a Path>,
        offset: Option<&str>,
        length: Option<&str>,
    ) -> Result<Self> {
        let piped = file == Some(Path::new("-"));
        if piped && (offset.is_some() || length.is_some()) {
            return Err(usage(
                "standard input is read to its end as a key; cut it before, or give a key file",
            ));
        }
        let offset = offset
            .filter(|offset| *offset != "0")
            .map(|it| shown::parse_size(&format!("{dashes}keyfile-offset"), it))
            .transpose()?;
        let length = length
            .map(|it| shown::parse_size(&format!("{dashes}keyfile-size"), it))
            .transpose()?
            .map(usize::try_from)
            .transpose()?;
        Ok(Source { file, offset: offset.unwrap_or(0), length })
    }
}

fn given(key: &Source<'_>, ask: impl FnOnce() -> Result<Secret>) -> Result<Secret> {
    match key.file {
        Some(path) if path != Path::new("-") => {
            let secret = input::announced(path, |path| read_key_file(path, key.offset, key.length))?;
            if secret.is_empty() { Err(empty(path)) } else { Ok(secret) }
        }
        Some(_) => match interrupt::in_order(|asked| read(Until::End, asked))? {
            key if key.is_empty() => bail!("standard input is empty; pipe the key in, or give --key-file"),
            key => Ok(key),
        },
        None if io::stdin().is_terminal() => ask(),
        None => interrupt::in_order(|asked| read(Until::Newline, asked)),
    }
}

/// Asks on the terminal, which shows nothing of the answer.
fn typed(question: &str) -> Result<Secret> {
    interrupt::in_order(|asked| {
        let _quiet = Quiet::begin().context("cannot hide what is typed; give --key-file")?;
        let mut terminal = io::stderr().lock();
        terminal.write_all(question.as_bytes()).and_then(|()| terminal.flush()).context("cannot ask")?;
        read(Until::Newline, asked)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    Newline,
    End,
}

/// Reads standard input without the standard library's buffer, which nobody would wipe.
fn read(until: Until, asked: &AtomicBool) -> Result<Secret> {
    let stdin = io::stdin();
    let timeout = Timespec::try_from(PATIENCE)?;
    let mut newline = false;
    let key = read_secret::<anyhow::Error>(LONGEST_KEY_FILE, true, |buffer| {
        if newline {
            return Ok(Some(0));
        }
        if asked.load(Ordering::Relaxed) {
            return Err(Ended::interrupted("interrupted; nothing was done").into());
        }
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            result => result.context("cannot wait for standard input")?,
        };
        let read = match rustix::io::read(&stdin, &mut *buffer) {
            Err(rustix::io::Errno::INTR) => return Ok(None),
            result => result.context("cannot read standard input")?,
        };
        if until == Until::End {
            return Ok(Some(read));
        }
        let end = buffer.get(..read).and_then(|new| new.iter().position(|&byte| byte == b'\n'));
        newline = end.is_some();
        Ok(Some(end.unwrap_or(read)))
    })?;
    match key {
        None => bail!("standard input has more than 8 MiB, the limit for keys; give a shorter key"),
        Some(key) if key.is_empty() && !newline && until == Until::Newline => {
            bail!(coded(
                "no-passphrase",
                anyhow!("no passphrase was given; type it on a terminal, pipe it in, or give --key-file")
            ))
        }
        Some(key) => Ok(key),
    }
}

/// A terminal that does not show what is typed, but for the newline at its end.
struct Quiet(Termios);

impl Quiet {
    fn begin() -> io::Result<Quiet> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Now, &quiet)?;
        Ok(Quiet(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // Where the terminal is gone there is nothing to bring back.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
