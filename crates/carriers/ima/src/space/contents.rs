//! Which files have equal contents, at little expense: by their lengths, then by some bytes in their middle, and only what
//! is alike so far is read to the end.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::digest::PIECE;
use crate::files::content::Content;
use crate::files::root::Root;

/// Bytes by which files of one length are told apart first: few, since it is done with most of a tree.
const SAMPLE: usize = 256;

/// Files of so many bytes are rather read whole than opened twice.
const SHORT: u64 = 4096;

/// A file whose content may be another's too.
pub(super) struct Compared<'a> {
    pub(super) path: &'a Path,
    pub(super) size: u64,
}

/// A number for each file, equal for equal contents; `None` where a content is like no other, or cannot be read. Files
/// that are changed meanwhile count as like no other.
pub(super) fn groups(
    root: &Root,
    files: &[Compared<'_>],
    interrupted: &AtomicBool,
    said: &(dyn Fn(u64) + Sync),
) -> Vec<Option<u64>> {
    let random = RandomState::new();
    let mut found: Vec<Option<u64>> = vec![None; files.len()];
    // Nothing need be read of what is alone in its length, or empty.
    let sizes = files.iter().enumerate().map(|(at, file)| (at, file.size)).collect();
    let (empty, alike): (Vec<_>, Vec<_>) = repeated(sizes).into_iter().partition(|(_, size)| *size == 0);
    for (at, _) in empty {
        if let Some(group) = found.get_mut(at) {
            *group = Some(random.hash_one(0));
        }
    }
    let alike: Vec<usize> = alike.into_iter().map(|(at, _)| at).collect();
    let sample = |at: usize, buffer: &mut [u8]| {
        let file = files.get(at)?;
        let (offset, length) = sampled(file.size);
        let open = root.open_file(file.path).ok()?;
        let bytes = buffer.get_mut(..length)?;
        // Of a regular file in a cache or on a disk all of it comes at once; else it is like no other.
        (rustix::io::pread(&open, &mut *bytes, offset) == Ok(length))
            .then(|| random.hash_one((file.size, bytes)))
    };
    let whole = |at: usize, buffer: &mut [u8]| {
        let file = files.get(at)?;
        let content = Content::new(root.open_file(file.path).ok()?, interrupted).ok()?;
        let mut hasher = random.build_hasher();
        hasher.write_u64(file.size);
        let read = content.read(buffer, |piece| hasher.write(piece)).ok()?;
        (read == file.size).then(|| hasher.finish())
    };
    let samples = repeated(in_parallel(&alike, interrupted, said, sample));
    let is_short = |at: usize| files.get(at).is_some_and(|file| file.size <= SHORT);
    let (short, long): (Vec<_>, Vec<_>) = samples.into_iter().partition(|(at, _)| is_short(*at));
    let long: Vec<usize> = long.into_iter().map(|(at, _)| at).collect();
    let long = repeated(in_parallel(&long, interrupted, said, whole));
    for (at, number) in short.into_iter().chain(long) {
        if let Some(group) = found.get_mut(at) {
            *group = Some(number);
        }
    }
    found
}

/// Where in a file of this size those bytes lie that tell it from others, and how many: in the middle of long ones, since
/// many begin with the same words.
fn sampled(size: u64) -> (u64, usize) {
    match usize::try_from(size) {
        Ok(whole) if size <= SHORT => (0, whole),
        _ => (size / 2, SAMPLE),
    }
}

fn repeated(mut numbered: Vec<(usize, u64)>) -> Vec<(usize, u64)> {
    let mut times: HashMap<u64, u32> = HashMap::new();
    for (_, number) in &numbered {
        *times.entry(*number).or_default() += 1;
    }
    numbered.retain(|(_, number)| times.get(number).is_some_and(|times| *times > 1));
    numbered
}

/// Computes a number for each on all cores; what has none is left out.
fn in_parallel(
    indexes: &[usize],
    interrupted: &AtomicBool,
    said: &(dyn Fn(u64) + Sync),
    compute: impl Fn(usize, &mut [u8]) -> Option<u64> + Sync,
) -> Vec<(usize, u64)> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut buffer = vec![0; PIECE];
        let mut own = Vec::new();
        while !interrupted.load(Ordering::Relaxed) {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(at) = indexes.get(turn) else { break };
            said(turn as u64);
            own.extend(compute(*at, &mut buffer).map(|number| (*at, number)));
        }
        own
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(indexes.len().max(1));
    let mut all: Vec<(usize, u64)> = thread::scope(|scope| {
        // Where the system starts no more threads, this one and those that are there do it.
        let start = |_| thread::Builder::new().spawn_scoped(scope, worker).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut all = worker();
        let joined = others.into_iter().map(|thread| thread.join());
        all.extend(joined.flat_map(|own| own.unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        all
    });
    all.sort_unstable();
    all
}
