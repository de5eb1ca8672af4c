//! The repositories that are in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::commands::locate;
use fieldtest_frame::job::{self, Met};
use fieldtest_frame::text::{self, names};

/// A repository, or what looks like one.
#[derive(Debug)]
pub(super) struct Found {
    /// Its path below the folder, as [`names`] has it.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Where its conversion is to be, below the destination.
    pub(super) destination: PathBuf,
    /// Why it cannot be converted, as far as that is known already.
    pub(super) problem: Option<String>,
}

/// What is in a folder.
#[derive(Debug, Default)]
pub(super) struct Finds {
    /// Sorted by name.
    pub(super) repositories: Vec<Found>,
    /// Further names of repositories, each with the name that counts.
    pub(super) aliases: BTreeMap<String, String>,
}

/// Looks through a folder and all below it, but not into bare repositories, and not behind links.
///
/// # Errors
/// The folder itself cannot be read.
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
    finds.settle();
    Ok(finds)
}

impl Finds {
    fn add(&mut self, root: &Path, below: PathBuf, problem: Option<String>) {
        let path = root.join(&below);
        let is_bare = path.join(".git").symlink_metadata().is_err();
        let destination = match is_bare || below.extension().is_some_and(|found| found == "git") {
            true => below.clone(),
            false => {
                let mut name = below.clone().into_os_string();
                name.push(".git");
                name.into()
            }
        };
        let problem = problem.or_else(|| job::reserved(&below));
        self.repositories.push(Found { name: names::of(&below), path, destination, problem });
    }

    /// A link is another name of what is in the folder as well. What is elsewhere is not read.
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
                    "this is a link to {}, which is not in the folder; move the repository here, or convert it by itself",
                    text::path(&target)
                );
                self.add(root, below, Some(problem));
            }
        }
    }

    /// Sorts what was found, and refuses the second of two that would be written to one place.
    fn settle(&mut self) {
        self.repositories.sort_by(|a, b| a.name.cmp(&b.name));
        let wanted = self.repositories.iter().map(|found| (found.name.as_str(), found.destination.as_path()));
        let displaced = job::displaced(&wanted.collect::<Vec<_>>());
        for (found, reason) in self.repositories.iter_mut().zip(displaced) {
            found.problem = found.problem.take().or(reason);
        }
    }
}
