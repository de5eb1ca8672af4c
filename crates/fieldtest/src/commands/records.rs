//! Records files that are named on the command line.

use std::fs::{self, Metadata};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use fieldtest_frame::{input, text};
use fieldtest_measure::record::Line;
use fieldtest_measure::record_file::{self, Error};
use fieldtest_report::{Error as Refused, Report};

use crate::carriers::study_sections;
use crate::outcome::{coded, usage};
use crate::output;

/// The name that stands for standard input.
pub(super) const STDIN: &str = "-";

/// What records files are, for those who name one differently.
pub(super) const RECORDS: &str = "records in JSON Lines";

/// Reads a file, or standard input; each line with its number.
fn load(path: &Path) -> Result<Vec<(usize, Line)>, Error> {
    if path != Path::new(STDIN) {
        return input::records(path);
    }
    record_file::read_numbered(BufReader::new(input::stdin()))
        .map_err(|source| Error::File { path: "standard input".into(), source: Box::new(source) })
}

/// Refuses an output that is one of these.
pub(super) fn check_keeps(output: &Path, paths: &[PathBuf]) -> Result<()> {
    let kept = "one of the records files, which would be lost";
    output::check_keeps(output, paths.iter().map(|path| (path.as_path(), kept)))
}

pub(super) fn load_all(paths: &[PathBuf]) -> Result<Vec<Line>, Error> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(load(path)?.into_iter().map(|(_, line)| line));
    }
    Ok(all)
}

/// The report of several files as if they were one. A record that cannot be is named with its file and line.
pub(super) fn report(paths: &[PathBuf]) -> Result<Report> {
    check_once(paths.iter().map(PathBuf::as_path))?;
    let mut all = Lines::default();
    for path in paths {
        all.of_file.extend(load(path)?.into_iter().map(|(number, line)| (path.as_path(), number, line)));
    }
    all.report(paths)
}

/// The reports of several files, one for each host, in the order in which they stand there.
pub(super) fn reports(paths: &[PathBuf]) -> Result<Vec<Report>> {
    of_hosts(paths)?.into_iter().map(|lines| lines.report(paths)).collect()
}

/// Refuses a file that is given twice, by whatever names, and standard input, which the first place would leave nothing of.
pub(super) fn check_once<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    let (stdin, files): (Vec<&Path>, Vec<&Path>) =
        paths.into_iter().partition(|path| *path == Path::new(STDIN));
    if stdin.len() > 1 {
        return Err(usage("standard input (-) is given twice; give files instead"));
    }
    let found: Vec<_> = files.iter().map(|path| fs::metadata(path).ok()).collect();
    for (at, path) in files.iter().enumerate() {
        let is_same = |other: &Option<Metadata>| {
            found[at].as_ref().zip(other.as_ref()).is_some_and(|(one, other)| output::is_same(one, other))
        };
        if found[..at].iter().any(is_same) {
            let said = format!("{} is given twice; give records of another run", text::path(path));
            return Err(coded("same-run", usage(said)));
        }
    }
    Ok(())
}

/// The lines of several files by the host that they are of.
pub(super) fn of_hosts(paths: &[PathBuf]) -> Result<Vec<Lines<'_>>> {
    check_once(paths.iter().map(PathBuf::as_path))?;
    let mut hosts: Vec<(String, Lines<'_>)> = Vec::new();
    let mut at = 0;
    for path in paths {
        for (number, line) in load(path)? {
            if let Line::Run(run) = &line {
                let id = &run.host.id;
                at = hosts.iter().position(|(known, _)| known == id).unwrap_or(hosts.len());
                if at == hosts.len() {
                    hosts.push((id.clone(), Lines::default()));
                }
            }
            if hosts.is_empty() {
                hosts.push((String::new(), Lines::default()));
            }
            hosts[at].1.of_file.push((path.as_path(), number, line));
        }
    }
    Ok(hosts.into_iter().map(|(_, lines)| lines).collect())
}

/// Lines, each with its file and its number there.
#[derive(Clone, Default)]
pub(super) struct Lines<'p> {
    pub(super) of_file: Vec<(&'p Path, usize, Line)>,
}

impl Lines<'_> {
    /// What they say, read from `paths`.
    pub(super) fn report(self, paths: &[PathBuf]) -> Result<Report> {
        let of_records = self.of_file.iter().filter(|(_, _, line)| matches!(line, Line::Record(_)));
        let places: Vec<(&Path, usize)> = of_records.map(|(path, number, _)| (*path, *number)).collect();
        let place = |number: usize| {
            let (path, line) = places.get(number.checked_sub(1)?)?;
            Some(format!("{}: line {line}", name(path)))
        };
        match Report::from_lines(self.of_file.into_iter().map(|(_, _, line)| line), study_sections()) {
            Err(error @ Refused::InvalidResult { number, .. }) => {
                Err(error).with_context(|| place(number).unwrap_or_default())
            }
            // Of several files nobody knows which is to blame.
            Err(error) if paths.len() == 1 => Err(error).with_context(|| name(&paths[0])),
            made => Ok(made?),
        }
    }
}

/// What is wrong with a baseline: the nearest name, or the command that lists all, which may be more than 60.
pub(super) fn unknown_baseline(error: Refused) -> anyhow::Error {
    let Refused::UnknownBaseline { name, known } = &error else { return usage(error) };
    // As many as fit into a message.
    let all = (known.len() <= 200).then(|| format!("these records are about {known}"));
    let list = || "'fieldtest list' shows them all".to_owned();
    let said = match fieldtest_catalog::entry(name) {
        Ok(_) => format!(
            "cannot use '{name}' as --baseline: no record is about it; {}",
            all.unwrap_or_else(|| "give an algorithm of these records".to_owned())
        ),
        Err(error) => {
            let error = error.to_string();
            let near = error.split_once("; did you mean").map(|(_, near)| format!("did you mean{near}"));
            format!("unknown algorithm '{name}' in --baseline; {}", near.or(all).unwrap_or_else(list))
        }
    };
    coded("unknown-baseline", usage(said))
}

/// What a file is called in messages.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { text::path(path) }
}
