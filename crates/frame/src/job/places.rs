//! Where items' results are written: each in a place of its own below a destination, and whole or not at all.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Id;
use crate::text::{self, names};

/// Where results are written before they get their names, below the destination.
const FRESH: &str = ".fresh";

/// The place in which an item's result is written, on the file system of its destination. There is nothing that a killed worker
/// left, and the folder of the destination is there.
///
/// # Errors
///
/// The system refuses.
pub fn fresh(root: &Path, destination: &Path, id: &Id) -> Result<PathBuf> {
    let folder = root.join(FRESH);
    for folder in [Some(folder.as_path()), destination.parent()].into_iter().flatten() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the directory {}", text::path(folder)))?;
    }
    let name = id.to_string();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", text::path(&folder)))? {
        let path = entry?.path();
        if path.file_name().is_some_and(|found| found.as_encoded_bytes().starts_with(name.as_bytes())) {
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.with_context(|| format!("cannot remove {}", text::path(&path)))?;
        }
    }
    Ok(folder.join(name))
}

/// Removes the folder of what was being written: for whoever ran the job, and not for a node, beside which others write there.
pub fn clear_fresh(root: &Path) {
    let _ = fs::remove_dir(root.join(FRESH));
}

/// Why nothing can be written at this path below the destination, if that is so.
pub fn reserved(below: &Path) -> Option<String> {
    let is_fresh = below.starts_with(FRESH);
    is_fresh
        .then(|| format!("results are written below {FRESH} before they get their names; rename this one"))
}

/// For each of these, with its name and its place below the destination, why it cannot have that place: another one has it,
/// whose path stays as it is, or which comes first.
pub fn displaced(wanted: &[(&str, &Path)]) -> Vec<Option<String>> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&at| names::of(wanted[at].1) != wanted[at].0);
    let mut taken: HashMap<&Path, &str> = HashMap::new();
    let mut displaced = vec![None; wanted.len()];
    for at in order {
        let (name, place) = wanted[at];
        match taken.get(place) {
            Some(first) => {
                let reason = format!("{first} has its place in the destination; rename one of them");
                displaced[at] = Some(reason);
            }
            None => drop(taken.insert(place, name)),
        }
    }
    displaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_path_stays_has_its_place() {
        let wanted = [("a", "a.x"), ("a.x", "a.x"), ("b", "b.x"), ("c", "b.x")];
        let told = displaced(&wanted.map(|(name, place)| (name, Path::new(place))));
        let by: Vec<_> = told.iter().map(|why| why.as_ref().and_then(|why| why.split(' ').next())).collect();
        assert_eq!(by, [Some("a.x"), None, None, Some("b")]);
        assert!(reserved(Path::new(".fresh/a")).is_some() && reserved(Path::new("a/.fresh")).is_none());
    }
}
