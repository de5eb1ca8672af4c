//! The repositories that are in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::commands::locate;
use fieldtest_frame::job;
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
    let mut waiting = vec![PathBuf::new()];
    while let Some(below) = waiting.pop() {
        let folder = root.join(&below);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if below.as_os_str().is_empty() => {
                return Err(error).with_context(|| format!("cannot read {}", text::path(root)));
            }
            Err(error) => {
                finds.add(root, below, Some(format!("this folder cannot be read: {error}")));
                continue;
            }
        };
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", text::path(&folder)))?;
            let below = below.join(entry.file_name());
            match entry.file_type() {
                Ok(found) if found.is_symlink() => links.push(below),
                Ok(found) if found.is_dir() && entry.file_name() != ".git" => {
                    let path = entry.path();
                    let has_working_tree = path.join(".git").symlink_metadata().is_ok();
                    if locate::is_repository(&path) {
                        finds.add(root, below.clone(), None);
                    }
                    if has_working_tree || !locate::is_repository(&path) {
                        waiting.push(below);
                    }
                }
                _ => {}
            }
        }
    }
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
