//! Whole images in and out of a container, on all cores.

use std::fs::File;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use rustix::fs::SeekFrom;

use crate::error::{Error, Result};
use crate::file::{self, Access};
use crate::secret::wipe_stack;
use crate::volume::Volume;

/// Bytes that a thread takes at a time, few enough to stay in its core's cache.
const BLOCK: usize = 1 << 18;

/// Bytes that are brought to the disk at a time.
const AT_ONCE: u64 = 64 << 20;

/// What becomes of holes in an image, where a sparse file has nothing and reads as zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holes {
    /// They are encrypted like any other zeros, so that the volume reads as the image does. The container is as large
    /// as its data then.
    Encrypt,
    /// Blocks of 256 KiB that are hole throughout are left as they are in the container, which stays as sparse as the
    /// image. They read as noise, or as what was there before: right only for file systems that never read what they
    /// did not write.
    Leave,
}

/// How an image is copied.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// One for each core if not given.
    pub threads: Option<NonZeroUsize>,
    /// Raised by the caller to end the copy soon.
    pub interrupted: Option<&'a AtomicBool>,
    /// Told the bytes that are done and those in all, now and then, from any thread.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
}

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Bytes of the image.
    pub bytes: u64,
    /// Of these, bytes that were left out as holes.
    pub left_out: u64,
}

/// Brings an image into a volume, from its beginning. What the volume has beyond the image stays as it is. The data is
/// durable on return.
///
/// # Errors
/// [`Error::TooLarge`] if the volume is smaller than the image, [`Error::InUse`] if somebody writes to the image,
/// [`Error::Interrupted`], and [`Error::Incomplete`] where anything fails on the way. The volume has a part of the image
/// then; bring it into a [`NewContainer`](crate::format::NewContainer) so that nobody sees that.
pub fn import(image: &Path, volume: &Volume, holes: Holes, options: Options<'_>) -> Result<Copied> {
    let source = file::open(image, Access::Read)?;
    let found = source.metadata().map_err(Error::io(image, "inspect the image"))?;
    if volume.lies_on(&found)? {
        return Err(Error::SameStorage { one: image.to_owned(), other: volume.path().to_owned() });
    }
    let bytes = file::size(&source, image)?;
    if bytes > volume.size() {
        let (image, container) = (image.to_owned(), volume.path().to_owned());
        return Err(Error::TooLarge { image, container, bytes, size: volume.size() });
    }
    let left_out = AtomicU64::new(0);
    let bring_in = |block: &mut [u8], offset| {
        if holes == Holes::Leave && is_hole(&source, offset, block.len() as u64) {
            left_out.fetch_add(block.len() as u64, Ordering::Relaxed);
            return Ok(());
        }
        source.read_exact_at(block, offset).map_err(Error::io_at(image, "read the image", offset))?;
        volume.write_in_place(block, offset)
    };
    each_block(bytes, options, bring_in, || volume.flush()).map_err(|ended| match ended {
        Ended::Interrupted(done) => Error::Interrupted { done, total: bytes },
        Ended::Failed { error, whole, reached } => Error::Incomplete { source: error, whole, reached },
    })?;
    Ok(Copied { bytes, left_out: left_out.into_inner() })
}

/// Writes a volume's plaintext to a new file, which has its name only when it is complete and durable, and can be
/// read by its owner alone. Blocks of 256 KiB that are zero throughout become holes.
///
/// Until then it has another name, under which it stays if the process is killed. Give [`export_to`] a file without a
/// name where that matters.
///
/// # Errors
/// [`Error::Exists`] unless the file may be overwritten, [`Error::Interrupted`], [`Error::Io`], [`Error::Cipher`]
pub fn export(volume: &Volume, image: &Path, overwrite: bool, options: Options<'_>) -> Result<Copied> {
    if !overwrite && image.symlink_metadata().is_ok() {
        return Err(Error::Exists(image.to_owned()));
    }
    let target = file::beside(image)?;
    let copied = export_to(volume, target.as_file(), image, options)?;
    file::keep(target, image, overwrite)?;
    Ok(copied)
}

/// The same into an empty regular file that the caller has made, and gives a name afterwards; `image` is what it is
/// called in errors. The data is durable on return.
///
/// # Errors
/// [`Error::Interrupted`], [`Error::Io`], [`Error::Cipher`]
pub fn export_to(volume: &Volume, target: &File, image: &Path, options: Options<'_>) -> Result<Copied> {
    target.set_len(volume.size()).map_err(Error::io(image, "set the size of"))?;
    let left_out = AtomicU64::new(0);
    let take_out = |block: &mut [u8], offset| {
        volume.read_at(block, offset)?;
        if block.iter().all(|&byte| byte == 0) {
            left_out.fetch_add(block.len() as u64, Ordering::Relaxed);
            return Ok(());
        }
        target.write_all_at(block, offset).map_err(Error::io_at(image, "write", offset))
    };
    let flush = || target.sync_data().map_err(Error::io(image, "flush"));
    each_block(volume.size(), options, take_out, flush).map_err(|ended| match ended {
        Ended::Interrupted(done) => Error::Interrupted { done, total: volume.size() },
        Ended::Failed { error, .. } => *error,
    })?;
    Ok(Copied { bytes: volume.size(), left_out: left_out.into_inner() })
}

/// Why not all blocks were done.
enum Ended {
    /// The caller wanted it, after so many bytes.
    Interrupted(u64),
    /// All blocks before `whole` are done; of those from there on to `reached`, some.
    Failed { error: Box<Error>, whole: u64, reached: u64 },
}

/// Goes through all blocks on several threads, each of which takes the next one that nobody has. Another one brings to
/// the disk what is done, so that the disk works at the same time; all is there on return.
fn each_block(
    total: u64,
    options: Options<'_>,
    process: impl Fn(&mut [u8], u64) -> Result<()> + Sync,
    flush: impl Fn() -> Result<()> + Sync,
) -> std::result::Result<(), Ended> {
    let threads =
        options.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    // The first failure, and the first block that failed: each that was begun before that one is completed.
    let failure: Mutex<Option<(Error, u64)>> = Mutex::new(None);
    let stopped = AtomicBool::new(false);
    let interrupted = || options.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let fail = |error, offset| {
        stopped.store(true, Ordering::Relaxed);
        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, first) = failure.get_or_insert((error, offset));
        *first = offset.min(*first);
    };
    let work = |much_is_done: mpsc::Sender<()>| {
        let mut buffer = vec![0; BLOCK];
        while !stopped.load(Ordering::Relaxed) && !interrupted() {
            let offset = next.fetch_add(BLOCK as u64, Ordering::Relaxed);
            if offset >= total {
                break;
            }
            let length = usize::try_from(total - offset).unwrap_or(BLOCK).min(BLOCK);
            let block = buffer.get_mut(..length).unwrap_or_default();
            match process(block, offset) {
                Ok(()) => {
                    let before = done.fetch_add(length as u64, Ordering::Relaxed);
                    let done = before + length as u64;
                    options.progress.inspect(|progress| progress(done, total));
                    if before / AT_ONCE < done / AT_ONCE {
                        // Whoever flushes listens for as long as somebody works.
                        let _ = much_is_done.send(());
                    }
                }
                Err(error) => fail(error, offset),
            }
        }
        wipe_stack();
    };
    thread::scope(|scope| {
        let (much_is_done, heard) = mpsc::channel();
        for _ in 1..threads {
            let much_is_done = much_is_done.clone();
            scope.spawn(|| work(much_is_done));
        }
        // What could not be brought to the disk may be any of what was written.
        scope.spawn(|| heard.into_iter().try_for_each(|()| flush()).unwrap_or_else(|error| fail(error, 0)));
        work(much_is_done);
    });
    // Whoever took a block worked on it.
    let reached = next.into_inner().min(total);
    if let Some((error, whole)) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Ended::Failed { error: error.into(), whole, reached });
    }
    match done.into_inner() {
        done if done < total => Err(Ended::Interrupted(done)),
        _ => flush().map_err(|error| Ended::Failed { error: error.into(), whole: 0, reached }),
    }
}

/// Whether the file system says that a range of a file is hole throughout; if it cannot tell, it is not.
fn is_hole(file: &File, offset: u64, length: u64) -> bool {
    // Seeking moves the file's position, which nobody here uses.
    match rustix::fs::seek(file, SeekFrom::Data(offset)) {
        Ok(data) => data >= offset + length,
        // No data up to the end of the file.
        Err(error) => error == rustix::io::Errno::NXIO,
    }
}
