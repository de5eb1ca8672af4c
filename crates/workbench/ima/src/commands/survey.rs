//! The files of a tree, looked at while a line says how far it is.

use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use fieldtest_ima::space::{self, Surveyed};

use super::shown::{self, Spinner};
use crate::interrupt;

/// Looks at a tree. With `compare`, files that may be equal are read. It ends early if the user asks for it.
pub(super) fn survey(
    tree: &Path,
    attribute: &str,
    cross_file_systems: bool,
    compare: bool,
) -> Result<Surveyed> {
    let spinner = Mutex::new(Spinner::new());
    let progress = |files: u64, read: u64| {
        // Who says it does not matter, and nobody waits for that.
        let Ok(mut spinner) = spinner.try_lock() else { return };
        spinner.say(|| match read {
            0 => format!("{} looked at", shown::count(files, "file")),
            _ => format!("{} looked at, {read} compared", shown::count(files, "file")),
        });
    };
    let wanted = space::Survey {
        attribute,
        cross_file_systems,
        compare,
        interrupted: interrupt::flag(),
        progress: &progress,
    };
    Ok(space::survey(tree, &wanted)?)
}
