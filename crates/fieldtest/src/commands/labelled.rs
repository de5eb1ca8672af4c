//! Records files of several runs as they are typed, `[LABEL=]FILE`, for the commands that set runs side by side.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Result;
use fieldtest_report::Report;

use crate::commands::records;
use crate::outcome::usage;

/// The files of at least two runs.
///
/// # Errors
/// Fewer, an empty name, or a file that is given twice.
pub(super) fn files(typed: &[OsString]) -> Result<Vec<File>> {
    let files = typed.iter().map(|typed| File::read(typed)).collect::<Result<Vec<File>>>()?;
    if files.len() < 2 {
        return Err(usage("give at least two records files; the others are compared with the first"));
    }
    records::check_once(files.iter().map(|file| file.path.as_path()))?;
    Ok(files)
}

/// A records file as it was typed.
pub(super) struct File {
    label: Option<String>,
    path: PathBuf,
}

impl File {
    /// What stands before the first `=` is a label, unless a directory does: `./a=b.jsonl` is a file.
    fn read(typed: &OsStr) -> Result<File> {
        let parts = typed.to_str().and_then(|text| text.split_once('='));
        match parts.filter(|(label, _)| !label.is_empty() && !label.contains('/')) {
            Some((_, "")) => Err(usage(format!(
                "invalid records file '{}': expected [LABEL=]FILE, such as a=old.jsonl",
                typed.display()
            ))),
            Some((label, path)) => Ok(File { label: Some(label.to_owned()), path: path.into() }),
            None => Ok(File { label: None, path: typed.into() }),
        }
    }

    /// What its records say.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn report(&self) -> Result<Report> {
        records::report(std::slice::from_ref(&self.path))
    }

    /// Its path as it was typed, without the label.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's name, or all of how it was typed.
    fn name(&self, whole: bool) -> String {
        match (&self.label, self.path.file_name().filter(|_| !whole)) {
            (Some(label), _) => label.clone(),
            (None, name) => records::name(Path::new(name.unwrap_or(self.path.as_os_str()))),
        }
    }
}

/// A label for each file: the one that was typed, or else its name, or its whole path where others have that name. A number
/// tells apart what is still alike.
pub(super) fn labels(files: &[File]) -> Vec<String> {
    let short: Vec<String> = files.iter().map(|file| file.name(false)).collect();
    let is_taken = |name: &String| short.iter().filter(|other| *other == name).count() > 1;
    let mut labels: Vec<String> = Vec::new();
    for (file, name) in files.iter().zip(&short) {
        let label = file.name(is_taken(name));
        let numbered = (2..).map(|number| format!("{label} {number}")).find(|it| !labels.contains(it));
        labels.push(if labels.contains(&label) { numbered.unwrap_or(label) } else { label });
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_a_label_of_its_own() {
        let of = |typed: &[&str]| {
            labels(&typed.iter().map(|typed| File::read(OsStr::new(typed)).unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["a.jsonl", "new=b.jsonl"]), ["a.jsonl", "new"]);
        assert_eq!(
            of(&["old/r.jsonl", "new/r.jsonl", "x/y.jsonl"]),
            ["old/r.jsonl", "new/r.jsonl", "y.jsonl"]
        );
        assert_eq!(of(&["a.jsonl", "a.jsonl", "a.jsonl"]), ["a.jsonl", "a.jsonl 2", "a.jsonl 3"]);
        assert_eq!(of(&["x=a", "x=b", "-"]), ["x", "x 2", "standard input"]);
        assert_eq!(of(&["./a=b.jsonl", "=c"]), ["a=b.jsonl", "=c"]);
        assert!(File::read(OsStr::new("d=")).is_err());
    }
}
