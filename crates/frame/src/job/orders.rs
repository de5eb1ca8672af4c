//! What is to be done with each item, where that is not in its name.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Id, Plan, files};
use crate::{output, text};

/// Files in a job's folder, one for each item, so that whoever does an item reads nothing of the others.
#[derive(Debug)]
pub struct Orders(PathBuf);

impl Orders {
    /// Of the job in a folder.
    pub fn of(job: &Path) -> Orders {
        Orders(job.join("orders"))
    }

    /// Makes room for them.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn make(&self) -> Result<()> {
        let cannot = || format!("cannot make the directory {}", text::path(&self.0));
        files::make_folder(&self.0).with_context(cannot)
    }

    /// Writes the order of an item.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn write<T: Serialize>(&self, id: &Id, order: &T) -> Result<()> {
        let (path, text) = (self.file(id), serde_json::to_vec(order)?);
        match files::read(&path).is_ok_and(|there| there == text) {
            true => Ok(()),
            false => output::file(&path, &text),
        }
    }

    /// Removes the orders of items that the plan has no more.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn clear(&self, plan: &Plan) -> Result<()> {
        let ids: HashSet<String> = plan.items.iter().map(|item| item.id.to_string()).collect();
        let unread = || format!("cannot read {}", text::path(&self.0));
        for entry in fs::read_dir(&self.0).with_context(unread)? {
            let path = entry.with_context(unread)?.path();
            let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json"));
            if name.is_some_and(|name| Id::is_form_of(name) && !ids.contains(name)) {
                fs::remove_file(&path).with_context(|| format!("cannot remove {}", text::path(&path)))?;
            }
        }
        Ok(())
    }

    /// Reads the order of an item.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is none.
    pub fn read<T: DeserializeOwned>(&self, id: &Id) -> Result<T> {
        let path = self.file(id);
        let text = files::read(&path).with_context(|| format!("cannot read {}", text::path(&path)))?;
        serde_json::from_slice(&text)
            .with_context(|| format!("{} is not what a job writes; run the command again", text::path(&path)))
    }

    fn file(&self, id: &Id) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }
}
