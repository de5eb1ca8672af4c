//! Where items' results are written: each in a place of its own below a destination, and whole or not at all.

use std::collections::HashMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::{Item, Job, Refused, digest, files};
use crate::text::{self, names};

/// Where results are written before they get their names, below the destination.
const FRESH: &str = ".fresh";

/// The place in which an item's result is written, on the file system of its destination, whose directory is there then.
///
/// # Errors
///
/// As [`Refused`]: a link leads to the destination. The system refuses.
pub fn fresh(root: &Path, destination: &Path, job: &Job, item: &Item) -> Result<PathBuf> {
    if let Some(why) = destination.strip_prefix(root).ok().and_then(|below| linked(root, below)) {
        return Err(Refused(why).into());
    }
    let folder = fresh_folder(root, job);
    let cannot = |folder: &Path| format!("cannot create the directory {}", text::path(folder));
    // Not behind a link, of which nobody knows where it leads.
    let outer = root.join(FRESH);
    files::make_folder(&outer).with_context(|| cannot(&outer))?;
    // Until it has its name, nobody else reads what may be for a few.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.and_then(|()| files::make_folder(&folder)).with_context(|| cannot(&folder))?;
    let above = destination.parent().unwrap_or(root);
    fs::create_dir_all(above).with_context(|| cannot(above))?;
    Ok(folder.join(&item.id))
}

/// Removes what the job was writing, also when it was killed.
pub(super) fn clear_fresh(root: &Path, job: &Job) {
    if linked(root, Path::new(FRESH)).is_none() {
        let _ = fs::remove_dir_all(fresh_folder(root, job));
        // Other jobs may have theirs there.
        let _ = fs::remove_dir(root.join(FRESH));
    }
}

/// A directory for each job: others with the same destination may have items with the same identifiers, and each
/// clears its directory at the beginning.
fn fresh_folder(root: &Path, job: &Job) -> PathBuf {
    root.join(FRESH).join(&digest(&[job.folder().as_os_str().as_encoded_bytes()])[..16])
}

/// Why nothing is written at this path below the destination, if it is a link or lies behind one: that leads to what is somebody
/// else's.
pub fn linked(root: &Path, below: &Path) -> Option<String> {
    let mut place = root.to_path_buf();
    below.components().find_map(|part| {
        place.push(part);
        let is_link = fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink());
        is_link.then(|| format!("{} is a link; move it away", text::path(&place)))
    })
}

/// Why nothing can be written at this path below the destination, if that is so.
pub(super) fn reserved(below: &Path) -> Option<String> {
    let is_fresh = below.starts_with(FRESH);
    is_fresh
        .then(|| format!("results are written below {FRESH} before they get their names; rename this one"))
}

/// For each of these, with its name and its place below the destination, why it cannot have that place: another one has it, one
/// above it or one within it, whose path stays as it is, or which comes first.
pub(super) fn displaced(wanted: &[(&str, &Path)]) -> Vec<Option<String>> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&at| names::of(wanted[at].1) != wanted[at].0);
    let mut taken: HashMap<&Path, &str> = HashMap::new();
    // What is above a place that is taken.
    let mut above: HashMap<&Path, &str> = HashMap::new();
    let mut displaced = vec![None; wanted.len()];
    for at in order {
        let (name, place) = wanted[at];
        let over = || place.ancestors().skip(1).find_map(|over| taken.get(over));
        let first = match (taken.get(place), over(), above.get(place)) {
            (Some(first), ..) => Some((first, "its place")),
            (_, Some(first), _) => Some((first, "a place that would contain this one's")),
            (.., Some(first)) => Some((first, "a place inside this one's")),
            (None, None, None) => None,
        };
        if let Some((first, what)) = first {
            displaced[at] = Some(format!("{first} has {what} in the destination; rename one of them"));
            continue;
        }
        taken.insert(place, name);
        for over in place.ancestors().skip(1) {
            above.entry(over).or_insert(name);
        }
    }
    displaced
}

#[cfg(test)]
mod tests {
    use super::super::{Claim, Plan};
    use super::*;

    #[test]
    fn whose_path_stays_has_its_place() {
        let wanted = [("a", "a.x"), ("a.x", "a.x"), ("b", "b.x"), ("c", "b.x")];
        let told = displaced(&wanted.map(|(name, place)| (name, Path::new(place))));
        let by: Vec<_> = told.iter().map(|why| why.as_ref().and_then(|why| why.split(' ').next())).collect();
        assert_eq!(by, [Some("a.x"), None, None, Some("b")]);
        let nested = [("a", "a.y"), ("a.y/x", "a.y/x.y"), ("b.y/x", "b.y/x"), ("b", "b.y"), ("a.gi", "a.gi")];
        let told = displaced(&nested.map(|(name, place)| (name, Path::new(place))));
        let why = |at: usize| told[at].as_deref().unwrap_or_default();
        assert!(why(1).starts_with("a "), "{}", why(1));
        assert!(why(3).starts_with("b.y/x "), "{}", why(3));
        assert!([0, 2, 4].iter().all(|&at| told[at].is_none()), "{told:?}");
        assert!(reserved(Path::new(".fresh/a")).is_some() && reserved(Path::new("a/.fresh")).is_none());
    }

    #[test]
    fn jobs_of_one_destination_do_not_touch_what_others_are_writing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new");
        let plan = Plan::new("a test".into(), [(0, "x", String::new())]);
        let [one, other] = ["one", "other"].map(|name| {
            let claim = Claim::of(&folder.path().join(name), &plan.what).unwrap();
            claim.begin(plan.clone()).unwrap()
        });
        let place = |job| fresh(&root, &root.join("x"), job, &plan.items[0]).unwrap();
        let [first, second] = [&one, &other].map(place);
        fs::create_dir(&first).unwrap();
        fs::write(&second, "").unwrap();
        clear_fresh(&root, &one);
        assert!(!first.exists() && second.exists());
        clear_fresh(&root, &other);
        assert!(!root.join(FRESH).exists());
    }
}
