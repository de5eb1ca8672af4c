//! `fieldtest ima verify`: every file of a tree, judged.

use std::io::{BufRead as _, BufReader};

use anyhow::{Context, Result, anyhow, bail};
use fieldtest_frame::{input, measuring, text};
use fieldtest_ima::Keyring;
use fieldtest_ima::store::sidecar;
use fieldtest_ima::tar::{self, TarError};
use fieldtest_ima::tree::{self, FileVerdict, Source, TreeError, Verdicts, VerifiedFile, VerifyReport};
use fieldtest_report::{Cell, Kind, Table};

use super::shown::{self, Spinner};
use super::{archive, fits_store, keys, no_file, options, tar_options};
use crate::args::{ImaStore, ImaVerify};
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &ImaVerify, format: Format) -> Result<Outcome> {
    fits_store(args.kept.store, &args.walk, &args.tree, args.evm)?;
    measuring::known_implementation(args.implementation.as_deref())?;
    if args.manifest.is_some() != (args.kept.store == ImaStore::Manifest) {
        return Err(usage("--manifest FILE and --store manifest go together; give both"));
    }
    let twice = args.keys.iter().enumerate().find(|(at, key)| args.keys[..*at].contains(key));
    if let Some((_, key)) = twice {
        return Err(usage(format!("the key {} is given twice; give it once", shown::path(key))));
    }
    let ring = keys::ring(&args.keys, args.implementation.as_deref())?;
    // Programs are told of every file.
    let is_short = format == Format::Human && !args.all;
    let show =
        args.show.filter(|_| format == Format::Human).unwrap_or(if is_short { 50 } else { usize::MAX });
    let mut files = Files { all: args.all, show, shown: Vec::new(), hidden: 0 };
    let Some(report) = judge(args, &ring, &mut files)? else {
        output::message("interrupted; the rest of the archive was not checked");
        return Ok(Outcome::Interrupted);
    };
    let table = files.table(args, (format != Format::Human).then_some(&report));
    if !table.is_empty() || format != Format::Human {
        output::table(&table, format)?;
    }
    output::message(&sentence(args, &report));
    Ok(match report {
        VerifyReport { interrupted: true, .. } => Outcome::Interrupted,
        report if report.is_good() => Outcome::Fine,
        _ => Outcome::Failed,
    })
}

/// Nothing where the user ended it within an archive.
fn judge(args: &ImaVerify, ring: &Keyring, files: &mut Files) -> Result<Option<VerifyReport>> {
    let interrupted = interrupt::flag();
    let mut progress = Spinner::new();
    let observe = |file: VerifiedFile<'_>| {
        progress.show(&file.progress);
        files.add(&file);
        Ok(())
    };
    let name = args.walk.attribute.as_str();
    let source = match (args.kept.store, &args.manifest) {
        (ImaStore::Tar, _) => {
            let (input, options) = (archive(&args.tree)?, tar_options(&args.walk, interrupted));
            return match tar::verify(input, ring, name, &options, observe) {
                Ok(report) => Ok(Some(report)),
                Err(TarError::Interrupted) => Ok(None),
                Err(error) => Err(anyhow!(error).context(shown::path(&args.tree))),
            };
        }
        (ImaStore::Sidecar, _) => Source::Sidecar(sidecar::SUFFIX),
        (_, Some(path)) => {
            let cannot = || format!("cannot read the manifest {}", shown::path(path));
            let mut list = BufReader::with_capacity(1 << 18, input::open(path).with_context(cannot)?);
            let why = match list.fill_buf().with_context(cannot)? {
                [] => Some("it is empty; check the path"),
                // Paths may be of any bytes.
                [b'#', ..] => None,
                start => text::decoded(start).err(),
            };
            if let Some(why) = why {
                bail!("{}: {why}", cannot());
            }
            Source::Manifest(name, Box::new(list))
        }
        (ImaStore::Xattr | ImaStore::Manifest, None) => Source::Attribute(name),
    };
    let evm = args.evm.then_some(ring);
    let report = tree::verify(&args.tree, ring, evm, source, &options(&args.walk, interrupted), observe);
    let report = report.map_err(|error| match (error, &args.manifest) {
        (TreeError::Manifest(error), Some(path)) => anyhow!(error).context(shown::path(path)),
        (other, _) => other.into(),
    })?;
    if report.files == 0 && !report.interrupted {
        return Err(no_file(&args.tree));
    }
    Ok(Some(report))
}

struct Files {
    all: bool,
    show: usize,
    shown: Vec<[String; 3]>,
    hidden: u64,
}

impl Files {
    fn add(&mut self, file: &VerifiedFile<'_>) {
        self.add_verdict(file, "content", file.verdict);
        if let Some(verdict) = file.evm {
            self.add_verdict(file, "EVM", verdict);
        }
    }

    fn add_verdict(&mut self, file: &VerifiedFile<'_>, of: &str, verdict: &FileVerdict) {
        let fine = match verdict {
            FileVerdict::Skipped(_) => return,
            FileVerdict::Signed(verdict) => verdict.is_good(),
            FileVerdict::Unread(_) | FileVerdict::Unsigned => false,
        };
        if fine && !self.all {
            return;
        }
        if self.shown.len() < self.show {
            self.shown.push([shown::path(file.path), of.to_owned(), words(verdict)]);
        } else {
            self.hidden += 1;
        }
    }

    /// With a report, its counts stand before the files.
    fn table(&self, args: &ImaVerify, report: Option<&VerifyReport>) -> Table {
        let title = if self.all { "Files of" } else { "Files without a good signature in" };
        let mut table = Table::new(format!("{title} {}", shown::path(&args.tree))).column("file", Kind::Text);
        if args.evm {
            table = table.column("signature", Kind::Text);
        }
        table = table.column("verdict", Kind::Text);
        if report.is_some() {
            table = table.column("files", Kind::number(""));
        }
        for (of, verdict, files) in report.map(counts).unwrap_or_default() {
            let of = args.evm.then(|| of.into());
            let cells = std::iter::once(Cell::default()).chain(of).chain([verdict.as_str().into()]);
            table.row(cells.chain([(files as f64).into()]));
        }
        for [path, of, verdict] in &self.shown {
            let of = args.evm.then_some(of);
            let cells = std::iter::once(path).chain(of).chain([verdict]);
            let one = report.map(|_| Cell::from(1.0));
            table.row(cells.map(|text| text.as_str().into()).chain(one));
        }
        if self.hidden > 0 {
            table.note(format!("{} more; see them with --show", shown::count(self.hidden, "verdict")));
        }
        table
    }
}

/// How many files of each verdict, of what.
fn counts(report: &VerifyReport) -> Vec<(&'static str, String, u64)> {
    let of = |what: &'static str, verdicts: &Verdicts| {
        let named = named(verdicts).into_iter().map(|(name, count)| (name.to_owned(), count));
        let good = ("good".to_owned(), verdicts.good);
        std::iter::once(good).chain(named).map(|(name, count)| (what, name, count)).collect::<Vec<_>>()
    };
    let mut counts = of("content", &report.content);
    counts.extend(report.unread.iter().map(|(failure, tally)| ("content", failure.to_string(), tally.count)));
    counts.extend(
        report.skipped.iter().map(|(skip, tally)| ("content", format!("skipped: {skip}"), tally.count)),
    );
    counts.extend(report.evm.iter().flat_map(|evm| of("EVM", evm)));
    counts
}

fn words(verdict: &FileVerdict) -> String {
    match verdict {
        FileVerdict::Skipped(skip) => skip.to_string(),
        FileVerdict::Unread(failure) => failure.to_string(),
        FileVerdict::Unsigned => "not signed".to_owned(),
        FileVerdict::Signed(verdict) => verdict.to_string(),
    }
}

fn sentence(args: &ImaVerify, report: &VerifyReport) -> String {
    let unread: u64 = report.unread.values().map(|tally| tally.count).sum();
    let mut text = format!("{}: {}", shown::path(&args.tree), totals(&report.content));
    if unread > 0 {
        text.push_str(&format!(", {unread} not read"));
    }
    if let Some(evm) = &report.evm {
        text.push_str(&format!("; EVM: {}", totals(evm)));
    }
    text.push_str(&shown::skipped(&report.skipped));
    if report.interrupted {
        text.push_str("; interrupted, the rest was not checked");
    }
    text
}

fn totals(verdicts: &Verdicts) -> String {
    let others = named(verdicts).into_iter().filter(|(_, count)| *count > 0);
    let others: String = others.map(|(what, count)| format!(", {count} {what}")).collect();
    format!("{} good{others}", shown::count(verdicts.good, "file"))
}

/// How many of each verdict but good.
fn named(verdicts: &Verdicts) -> [(&'static str, u64); 5] {
    [
        ("not signed", verdicts.unsigned.count),
        ("wrong", verdicts.changed.count),
        ("by keys that were not given", verdicts.unknown_key.count),
        ("malformed", verdicts.malformed.count),
        ("not checked", verdicts.not_judged.count),
    ]
}
