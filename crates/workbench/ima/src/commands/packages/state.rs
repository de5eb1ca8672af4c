//! What a package holds, read once for each state that it is in.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::Result;
use fieldtest_frame::job::{files, key};
use fieldtest_frame::stamp::of_file;
use fieldtest_ima::tree::{self, Options};
use fieldtest_study::speed::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::folder::{Found, Kind};
use crate::output;

/// What is known of a package, a file in the job's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Another one whenever the package was written to.
    pub(super) stamp: String,
    /// A digest of all that it holds.
    pub(super) content: String,
}

/// Looks at a package; `store` is where is kept what was seen the last time. What is wrong with the package is in the result; none
/// where the user asked for the end.
///
/// # Errors
/// The store cannot be written.
pub(super) fn look(
    found: &Found,
    store: &Path,
    options: &Options<'_>,
) -> Result<Option<Result<Seen, String>>> {
    if let Some(problem) = &found.problem {
        return Ok(Some(Err(problem.clone())));
    }
    let file = store.join(format!("{}.json", key(&found.name)));
    let before = files::read(&file).ok().and_then(|text| serde_json::from_slice::<Seen>(&text).ok());
    let seen = match read(found, before.as_ref(), options) {
        Ok(Some(seen)) => seen,
        Ok(None) => return Ok(None),
        Err(problem) => return Ok(Some(Err(problem))),
    };
    if before.as_ref() != Some(&seen) {
        // What is not replaced leaves nothing beside itself, whoever is killed.
        let _ = fs::remove_file(&file);
        output::own_file(&file, &serde_json::to_vec(&seen)?)?;
    }
    Ok(Some(Ok(seen)))
}

fn read(found: &Found, before: Option<&Seen>, options: &Options<'_>) -> Result<Option<Seen>, String> {
    let Some(stamp) = stamp(found.kind, &found.path, options)? else { return Ok(None) };
    if let Some(before) = before.filter(|before| before.stamp == stamp) {
        return Ok(Some(before.clone()));
    }
    let content = match found.kind {
        Kind::Archive => content(&found.path, options).map_err(|error| format!("cannot read it: {error}"))?,
        Kind::Tree => {
            tree::digest(&found.path, options).map_err(|error| error.to_string())?.map(|digest| hex(&digest))
        }
    };
    Ok(content.map(|content| Seen { stamp, content }))
}

/// What tells whether a package was written to; none where the user asked for the end.
///
/// # Errors
/// It cannot be looked at.
pub(super) fn stamp(kind: Kind, path: &Path, options: &Options<'_>) -> Result<Option<String>, String> {
    match kind {
        Kind::Archive => {
            let stamp = of_file(path).map_err(|error| format!("{error:#}"))?;
            Ok(Some(stamp.to_string()))
        }
        Kind::Tree => {
            let stamp = tree::stamp(path, options).map_err(|error| error.to_string())?;
            Ok(stamp.map(|stamp| hex(&stamp)))
        }
    }
}

fn content(path: &Path, options: &Options<'_>) -> std::io::Result<Option<String>> {
    let mut file = File::open(path)?;
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; 1 << 17]);
    loop {
        if options.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(None);
        }
        match file.read(&mut piece)? {
            0 => return Ok(Some(hex(&hasher.finalize()))),
            length => hasher.update(&piece[..length]),
        }
    }
}
