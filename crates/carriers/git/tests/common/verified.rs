//! A repository verified while something else happens to it.

use std::num::NonZeroUsize;
use std::sync::Once;

use fieldtest_git::Repository;
use fieldtest_git::verify::{Progress, Report, Settings, verify};

use crate::hashes;

/// Verifies a repository under SHA-1, and does something else once the objects are being read.
pub(crate) fn verified_while(repository: &Repository, meanwhile: &(dyn Fn() + Sync)) -> Report {
    let once = Once::new();
    let progress = |_: Progress| once.call_once(meanwhile);
    let hash = hashes::sha1();
    let threads = NonZeroUsize::MIN;
    let settings =
        Settings { hash: &*hash, threads, connectivity: true, interrupted: None, progress: Some(&progress) };
    verify(repository, &settings).unwrap()
}
