//! What a tree is, as far as signatures of its files depend on it: whoever signed it once knows by this whether to do so again.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use sha2::{Digest as _, Sha256};

use super::pipeline::{self, Item, Limits};
use super::{Options, TreeError, WINDOW};
use crate::file_hasher::Wanted;
use crate::files::content::{Buffers, Content, Unread};
use crate::files::report::ReadFailure;
use crate::files::root::Root;
use crate::files::walk::{Found, Walk};
use crate::hash_algorithm::HashAlgorithm;

/// A digest of the paths and metadata of a tree, for which no file is read: another one whenever a file, or the inode that a path
/// leads to, was written since. Copies of a tree have others. None where the caller interrupted.
///
/// # Errors
/// [`TreeError::Open`].
pub fn stamp(tree: &Path, options: &Options<'_>) -> Result<Option<[u8; 32]>, TreeError> {
    let root = Root::of_tree(tree)?;
    let mut state = State::default();
    walk(options).run(&root, &mut |path, found| {
        match found {
            Found::File { size, further_name, place, .. } => {
                let (seconds, nanoseconds) = place.changed;
                let times = [seconds.to_be_bytes(), nanoseconds.to_be_bytes()];
                state.add(&path, file(further_name));
                [size, place.id.1]
                    .map(u64::to_be_bytes)
                    .iter()
                    .chain(&times)
                    .for_each(|word| state.0.update(word));
            }
            Found::Skipped(skip) => state.add(&path, &skip.to_string()),
            Found::Failed(error) => state.add(&path, &ReadFailure::from(error).to_string()),
        }
        !options.interrupted().load(Ordering::Relaxed)
    });
    Ok(state.end(options))
}

/// A digest of the paths and contents of a tree, the same for its copies: of every file, of what is none, and of what cannot be
/// read. None where the caller interrupted.
///
/// # Errors
/// [`TreeError::Open`].
pub fn digest(tree: &Path, options: &Options<'_>) -> Result<Option<[u8; 32]>, TreeError> {
    let root = Root::of_tree(tree)?;
    let mut state = State::default();
    let limits = Limits { threads: options.threads(), budget: WINDOW };
    pipeline::run(
        &limits,
        |feed| {
            walk(options).run(&root, &mut |path, found| {
                let priority = if let Found::File { size, .. } = found { size } else { 0 };
                let item = Item { content: (path, found), weight: 1, priority };
                !options.interrupted().load(Ordering::Relaxed) && feed.push(item)
            });
            Ok(())
        },
        Buffers::new,
        |buffers, (path, found)| match found {
            Found::File { further_name, .. } => {
                let content = Content::new(root.open_file(path)?, options.interrupted())?;
                let (read, _) =
                    content.digest(Wanted::of_content(HashAlgorithm::Sha256), &mut buffers.piece)?;
                Ok((file(*further_name).to_owned(), read.digest.bytes().to_vec()))
            }
            Found::Skipped(skip) => Ok((skip.to_string(), Vec::new())),
            Found::Failed(error) => Err(Unread::from(*error)),
        },
        |(path, _): (PathBuf, Found), read: Result<(String, Vec<u8>), Unread>| {
            match read {
                Ok((kind, digest)) => {
                    state.add(&path, &kind);
                    state.0.update(digest);
                }
                Err(Unread::Failed(failure)) => state.add(&path, &failure.to_string()),
                Err(Unread::Interrupted) => {}
            }
            Ok::<_, TreeError>(())
        },
    )?;
    Ok(state.end(options))
}

fn walk(options: &Options<'_>) -> Walk {
    Walk { cross_file_systems: options.cross_file_systems, ..Walk::default() }
}

fn file(further_name: bool) -> &'static str {
    if further_name { "further name" } else { "file" }
}

/// What is known so far.
#[derive(Default)]
struct State(Sha256);

impl State {
    fn add(&mut self, path: &Path, kind: &str) {
        for text in [path.as_os_str().as_bytes(), kind.as_bytes()] {
            self.0.update((text.len() as u64).to_be_bytes());
            self.0.update(text);
        }
    }

    fn end(self, options: &Options<'_>) -> Option<[u8; 32]> {
        let interrupted = options.interrupted().load(Ordering::Relaxed);
        (!interrupted).then(|| self.0.finalize().into())
    }
}
