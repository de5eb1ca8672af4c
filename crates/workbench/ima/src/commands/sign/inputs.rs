//! That what is written takes the place of nothing that is read: of no key, no certificate, no archive, and no file of the
//! tree.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use fieldtest_ima::tree::{ReadFailure, SignReport};

use super::super::shown;
use crate::args::{ImaSign, ImaStore};
use crate::outcome::{coded, usage};
use crate::output;

/// Refuses an output that is one of the inputs, by whatever name.
pub(super) fn are_kept(args: &ImaSign) -> Result<()> {
    if !has_output(args) {
        return Ok(());
    }
    let named = |path: &Path| fs::metadata(path).ok();
    let certificate = args.certificate.as_deref().map(|path| (path, "the certificate, which would be lost"));
    let kept = [
        (args.key.as_path(), "the private key itself, which would be lost"),
        (args.tree.as_path(), "what is to be signed"),
    ];
    let output = args.output.as_deref().unwrap_or(Path::new(output::STDOUT));
    output::check_keeps(output, kept.into_iter().chain(certificate))?;
    let tree = match args.tree == Path::new(output::STDOUT) {
        true => output::opened(io::stdin()),
        false => named(&args.tree),
    };
    let Some(tree) = tree.filter(Metadata::is_dir) else { return Ok(()) };
    let Some(path) = args.output.as_deref() else { return Ok(()) };
    if output::is_stream(path)? {
        return Ok(());
    }
    let folder = folder(path);
    let folders = folder.as_deref().map(Path::ancestors).into_iter().flatten();
    if folders.filter_map(named).any(|folder| output::is_same(&folder, &tree)) {
        return Err(coded(
            "in-tree",
            usage(format!(
                "cannot write {} inside the tree that is signed, since it would be one of the files; write to a file outside the \
             tree",
                shown_output(args)
            )),
        ));
    }
    Ok(())
}

/// The directory in which a file is written: where all links lead, also those to nothing yet.
fn folder(path: &Path) -> Option<PathBuf> {
    /// As many symbolic links as Linux follows (path_resolution(7)).
    const LINKS: usize = 40;
    let beside = |path: &Path| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = beside(&path).join(target);
    }
    fs::canonicalize(beside(&path)).ok()
}

/// Refuses a list of a tree that has the file of the list itself, under another name of it or on another way.
pub(super) fn is_outside(report: &SignReport) -> Result<()> {
    match report.unread.get(&ReadFailure::IsOutput) {
        None => Ok(()),
        Some(files) => Err(coded("is-output", anyhow!("{}: {}", shown::first(files), ReadFailure::IsOutput))),
    }
}

/// The regular file that is there already and is written to or replaced.
pub(super) fn written(args: &ImaSign) -> Option<Metadata> {
    let file = match args.output.as_deref() {
        _ if !has_output(args) => None,
        Some(path) if path != Path::new(output::STDOUT) => fs::metadata(path).ok(),
        _ => output::opened(io::stdout()),
    };
    file.filter(Metadata::is_file)
}

fn has_output(args: &ImaSign) -> bool {
    matches!(args.kept.store, ImaStore::Manifest | ImaStore::Tar)
}

fn shown_output(args: &ImaSign) -> String {
    args.output.as_deref().map_or_else(|| "standard output".to_owned(), shown::path)
}
