//! The repositories that are in a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::commands::locate;
use fieldtest_frame::job::{self, Met};
use fieldtest_frame::text::{self, names};

/// A repository, or what looks like one.
pub(super) type Found = job::Found<()>;

#[derive(Debug, Default)]
pub(super) struct Finds {
    /// Sorted by name.
    pub(super) repositories: Vec<Found>,
    /// Further names of repositories, each with the name that counts.
    pub(super) aliases: BTreeMap<String, String>,
}

/// Looks through a directory and all below it, but not into bare repositories, and not behind links.
///
/// # Errors
/// The directory itself cannot be read.
pub(super) fn find(root: &Path) -> Result<Finds> {
    let mut finds = Finds::default();
    let mut links = Vec::new();
    job::walk(root, |below, met| match met {
        Met::Link => {
            links.push(below);
            false
        }
        Met::Folder if below.file_name().is_some_and(|name| name != ".git") => {
            let path = root.join(&below);
            let (is_one, has_working_tree) =
                (locate::is_repository(&path), path.join(".git").symlink_metadata().is_ok());
            if is_one {
                finds.add(root, below, None);
            }
            has_working_tree || !is_one
        }
        Met::Unread(problem) => {
            finds.add(root, below, Some(problem));
            false
        }
        _ => false,
    })?;
    for link in links {
        finds.add_link(root, link);
    }
    job::settle(&mut finds.repositories);
    Ok(finds)
}

impl Finds {
    fn add(&mut self, root: &Path, below: PathBuf, problem: Option<String>) {
        let is_bare = root.join(&below).join(".git").symlink_metadata().is_err();
        let has_end = is_bare || below.extension().is_some_and(|found| found == "git");
        self.repositories.push(Found::new(root, below, if has_end { "" } else { ".git" }, (), problem));
    }

    /// A link is another name of what is in the directory as well. What is elsewhere is not read.
    fn add_link(&mut self, root: &Path, below: PathBuf) {
        let path = root.join(&below);
        let Ok(target) = fs::canonicalize(&path) else { return };
        if !target.is_dir() || !locate::is_repository(&target) {
            return;
        }
        match target.strip_prefix(root) {
            Ok(inside) => drop(self.aliases.insert(names::of(&below), names::of(inside))),
            Err(_) => {
                let problem = format!(
                    "this is a link to {}, which is not in the directory; move the repository here, or convert it by itself",
                    text::path(&target)
                );
                self.add(root, below, Some(problem));
            }
        }
    }
}
