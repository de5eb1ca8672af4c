//! Signatures that are written in one piece: a list of a tree's, or an archive with those of its members.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow};
use fieldtest_ima::store::manifest::Writer;
use fieldtest_ima::tar::{self, TarError, TarOptions};
use fieldtest_ima::tree::{self, Done, Job, SignOutcome, SignReport, SignedFile, TreeError};

use super::super::{archive as opened, shown};

/// The user ended what is worth nothing in part.
#[derive(Debug)]
pub(in crate::commands) struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Stopped {}

/// Writes the list of a tree's signatures, as xattrs of this name.
///
/// # Errors
/// The tree cannot be opened, the list not be written.
pub(in crate::commands) fn manifest(
    tree: &Path,
    name: &str,
    jobs: &[Job],
    options: &tree::Options<'_>,
    out: &mut dyn Write,
    mut observe: impl FnMut(&SignedFile<'_>),
) -> Result<SignReport> {
    let mut list = Writer::new(out);
    let report = tree::sign(tree, jobs, None, options, |file| {
        observe(&file);
        let SignOutcome::Read { jobs, .. } = file.outcome else { return Ok(()) };
        jobs.iter().try_for_each(|done| match done {
            Done::Returned(value) => list.file(file.path, [(name, value.as_slice())]),
            _ => Ok(()),
        })
    });
    let report = report.map_err(|error| match error {
        TreeError::Observer(error) => anyhow!(error),
        other => anyhow!(other),
    })?;
    list.finish()?;
    Ok(report)
}

/// Writes an archive with the signatures of its members.
///
/// # Errors
/// [`Stopped`]; [`TarError`], as far as the archive is the reason; it cannot be opened, or the other not be written.
pub(in crate::commands) fn archive(
    path: &Path,
    jobs: &[Job],
    options: &TarOptions<'_>,
    out: &mut dyn Write,
    mut observe: impl FnMut(&SignedFile<'_>),
) -> Result<SignReport> {
    let report = tar::sign(opened(path)?, out, jobs, options, |file| {
        observe(&file);
        Ok(())
    });
    report.map_err(|error| match error {
        TarError::Interrupted => anyhow!(Stopped),
        TarError::Output(error) => anyhow!(error),
        other => anyhow!(other).context(shown::path(path)),
    })
}
