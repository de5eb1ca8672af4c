//! `fieldtest compare`: what changed between runs, and what cannot be told.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use fieldtest_report::Report;
use fieldtest_report::compare::{Comparison, Labelled, Wanted};

use crate::args::Compare;
use crate::commands::records::{self, STDIN};
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Compare, format: Format) -> Result<Outcome> {
    let threshold = args.threshold.map(|percent| percent / 100.0);
    if threshold.is_some_and(|most| !(0.0..1e6).contains(&most)) {
        let typed = args.threshold.unwrap_or_default();
        return Err(usage(format!(
            "invalid --threshold '{typed}': expected a percentage of at least 0, such as 5"
        )));
    }
    let files = args.records.iter().map(|typed| File::read(typed)).collect::<Result<Vec<File>>>()?;
    if files.len() < 2 {
        return Err(usage("give at least two records files; the others are compared with the first"));
    }
    if files.iter().filter(|file| file.path == Path::new(STDIN)).count() > 1 {
        return Err(usage("standard input can be read only once; give a file for the other run"));
    }
    for (at, file) in files.iter().enumerate() {
        let is_same = |other: &File| {
            let [one, other] = [&file.path, &other.path].map(|path| fs::metadata(path).ok());
            one.zip(other).is_some_and(|(one, other)| output::is_same(&one, &other))
        };
        if files[..at].iter().any(is_same) {
            let name = records::name(&file.path);
            return Err(coded(
                "same-run",
                usage(format!("'{name}' is given twice; give records of another run")),
            ));
        }
    }
    let labels = labels(&files);
    let reports = files.iter().map(|file| records::report(std::slice::from_ref(&file.path)));
    let reports = reports.collect::<Result<Vec<Report>>>()?;
    let runs: Vec<Labelled<'_>> =
        labels.iter().zip(&reports).map(|(label, report)| Labelled { label, report }).collect();
    let [first, others @ ..] = runs.as_slice() else { return Ok(Outcome::Fine) };
    // As the records call it; they may be about algorithms that this catalog does not have.
    let known = args.baseline.as_deref().and_then(|name| fieldtest_catalog::entry(name).ok());
    let baseline = known.map(|entry| entry.name()).or(args.baseline.as_deref());
    let found =
        Comparison::of(*first, others, &Wanted { baseline, threshold }).map_err(|error| match error {
            fieldtest_report::Error::UnknownBaseline { .. } => records::unknown_baseline(error),
            error => error.into(),
        })?;
    output::rendered(&found.render(format.for_stdout(), args.all), format)?;
    let Some(most) = threshold else { return Ok(Outcome::Fine) };
    let percent = args.threshold.unwrap_or_default();
    Ok(match (found.beyond(), found.undecided(most)) {
        (0, 0) => Outcome::Fine,
        (0, undecided) => {
            output::message(&format!(
                "cannot decide whether {} worse by more than {percent}%: the interval contains that value, or there is none for \
                 the reason in the table; measure longer, or on a machine with less other load",
                if undecided == 1 { "1 result is".to_owned() } else { format!("{undecided} results are") }
            ));
            Outcome::Undecided
        }
        (beyond, _) => {
            output::message(&format!("worse by more than {percent}%: {}", output::count(beyond, "result")));
            Outcome::TooSlow
        }
    })
}

/// A records file as it was typed.
struct File {
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
fn labels(files: &[File]) -> Vec<String> {
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
