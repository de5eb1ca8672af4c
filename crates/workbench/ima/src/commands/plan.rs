//! `fieldtest ima plan`: what signatures would cost on a tree and its file system.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use fieldtest_catalog::signature::Algorithm;
use fieldtest_ima::space::{
    Candidate, Detected, FileSystem, Prediction, Surveyed, TypedError, Unseen, advise, detect, predict,
};
use fieldtest_ima::store::attribute::IMA;
use fieldtest_ima::tree::Tally;
use fieldtest_report::{Cell, Kind, Table};

use super::survey::survey;
use super::{lengths, no_file, shown};
use crate::args::ImaPlan;
use crate::interrupt;
use crate::outcome::{Outcome, coded, named, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &ImaPlan, format: Format) -> Result<Outcome> {
    let algorithms = lengths::algorithms(&args.algorithms)?;
    let evm = args.evm.as_deref().map(lengths::evm).transpose()?;
    let candidates: Vec<Candidate> = algorithms
        .iter()
        .map(|algorithm| lengths::candidate(algorithm, evm, args.label, args.hedged))
        .collect();
    let detected = match &args.file_system {
        Some(typed) => what_if(typed.parse().map_err(|error| not_typed(typed, &error))?, &args.tree)?,
        None => detect(&args.tree)?,
    };
    interrupt::flag();
    let compare = detected.file_system.shares() && candidates.iter().any(|candidate| !candidate.hedged);
    let mut looked = survey(&args.tree, IMA, args.cross_file_systems, compare)?;
    if args.file_system.is_some() {
        // Where they stand here says nothing of where they would.
        looked.files.iter_mut().for_each(|file| file.id = None);
    }
    if interrupt::asked() {
        return Ok(Outcome::Interrupted);
    }
    let counts = Counts::of(&looked);
    if counts.files == 0 && counts.unreadable == 0 {
        return Err(no_file(&args.tree));
    }
    // On a file system that is not there, files are as they are made.
    let unseen = args.file_system.is_none().then(|| Unseen::of(&args.tree, &detected));
    let predictions = match &unseen {
        Some(unseen) => unseen.predict(&detected, looked.files, &candidates),
        None => predict(&detected.file_system, looked.files, &candidates),
    };

    let rows: Vec<(&Algorithm, &Prediction)> = algorithms.into_iter().zip(&predictions).collect();
    let mut table = table(args, &detected, &rows, (format != Format::Human).then_some(&counts));
    notes(&mut table, args, &detected, &rows, &counts);
    output::table(&table, format)?;
    output::message(&format!("{}: {counts}", shown::path(&args.tree)));
    Ok(Outcome::Fine)
}

/// What was found in a tree.
struct Counts {
    files: u64,
    further_names: u64,
    unreadable: u64,
    /// Files with names outside of the tree.
    elsewhere: Tally,
    /// Files whose content another has too, and how many contents those are.
    equal: (u64, u64),
}

impl Counts {
    fn of(looked: &Surveyed) -> Counts {
        let contents: Vec<u64> = looked.files.iter().filter_map(|file| file.content).collect();
        let different: HashSet<&u64> = contents.iter().collect();
        Counts {
            files: looked.files.len() as u64,
            further_names: looked.further_names,
            unreadable: looked.unreadable,
            elsewhere: looked.elsewhere.clone(),
            equal: (contents.len() as u64, different.len() as u64),
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown::count(self.files, "file"))?;
        if self.further_names > 0 {
            write!(f, ", {}", shown::count(self.further_names, "extra hard link"))?;
        }
        match self.unreadable {
            0 => Ok(()),
            some => write!(f, ", {some} not readable and skipped"),
        }
    }
}

fn not_typed(typed: &str, error: &TypedError) -> anyhow::Error {
    coded(named(error), usage(format!("invalid --file-system '{typed}': {error}")))
}

fn what_if(file_system: FileSystem, tree: &Path) -> Result<Detected> {
    std::fs::metadata(tree).with_context(|| format!("cannot read the tree {}", tree.display()))?;
    Ok(Detected {
        file_system,
        mount_point: tree.to_path_buf(),
        device: None,
        upper_layer: None,
        assumed: Vec::new(),
        free_bytes: u64::MAX,
        free_inodes: None,
    })
}

/// With `counts`, what was found in the tree stands in each row, for programs.
fn table(
    args: &ImaPlan,
    detected: &Detected,
    rows: &[(&Algorithm, &Prediction)],
    counts: Option<&Counts>,
) -> Table {
    let mut table = Table::new(title(args, detected))
        .column("algorithm", Kind::Text)
        .numbers(["xattr", "EVM", "per file", "total"], "bytes")
        .column("inodes", Kind::number(""))
        .column("rejected", Kind::number("files"))
        .column("error", Kind::Text)
        .numbers(["limit", "total after fix"], "bytes")
        .column("RPM package, at most", Kind::number("files"))
        .column("measurement list, per file", Kind::number("bytes"))
        .column("Linux", Kind::Text)
        .numbers(["files", "extra hard links", "not readable", "with names elsewhere"], "")
        .numbers(["total, estimated", "per file, estimated"], "bytes");
    // Columns of their own, since programs take a number without an interval for exact.
    let for_programs = counts.is_some();
    let found = |part: fn(&Counts) -> u64| Cell::from(counts.map(|counts| part(counts) as f64));
    for (algorithm, prediction) in rows {
        let (candidate, total) = (&prediction.candidate, prediction.total);
        let estimated = !total.is_exact();
        let number = |value: u64| Cell::from(value as f64);
        let result = |value: f64| match prediction.files {
            0 => Cell::default(),
            _ => Cell::from(value).approximately(estimated),
        };
        let [exact, estimate] = [!(estimated && for_programs), estimated && for_programs];
        let only = |is: bool, cell: Cell| if is { cell } else { Cell::default() };
        let interval = estimated.then_some([total.least as f64, total.most as f64]);
        let refusal = prediction.refused.first().map(|refused| &refused.refusal);
        let remedied = prediction.remedy.as_ref().map(|(_, total)| total);
        table.keyed_row(
            &algorithm.facts.name,
            [
                algorithm.facts.name.as_str().into(),
                number(candidate.ima),
                candidate.evm.map(|bytes| bytes as f64).into(),
                only(exact, result(prediction.bytes_per_file())),
                only(exact, result(total.bytes as f64).with_interval(interval)),
                result(total.inodes).approximately(false),
                number(prediction.refused_files()),
                refusal.map(|refusal| refusal.kind.to_string()).unwrap_or_default().as_str().into(),
                refusal.map(|refusal| refusal.limit as f64).into(),
                remedied.map(|total| total.bytes as f64).into(),
                number(prediction.rpm_files_max),
                number(prediction.measurement.slab),
                kernel(algorithm).into(),
                found(|counts| counts.files),
                found(|counts| counts.further_names),
                found(|counts| counts.unreadable),
                found(|counts| counts.elsewhere.count),
                only(estimate, result(total.bytes as f64).with_interval(interval)),
                only(estimate, result(prediction.bytes_per_file())),
            ],
        );
    }
    table.without_empty_columns()
}

fn title(args: &ImaPlan, detected: &Detected) -> String {
    let tree = shown::path(&args.tree);
    let kind = detected.file_system.name();
    match (&args.file_system, &detected.device) {
        (Some(typed), _) => format!("What signatures would cost on {tree} if it were on {typed}"),
        (None, Some(device)) => format!("What signatures cost on {tree}, {kind} on {}", shown::path(device)),
        (None, None) => format!("What signatures cost on {tree}, {kind}"),
    }
}

fn kernel(algorithm: &Algorithm) -> String {
    algorithm.facts.kind.ima.as_ref().map_or("none".to_owned(), |ima| ima.releases())
}

fn notes(
    table: &mut Table,
    args: &ImaPlan,
    detected: &Detected,
    rows: &[(&Algorithm, &Prediction)],
    counts: &Counts,
) {
    table.note(lengths::EXPLAINED);
    table.note(
        "RPM package: how many files fit in one package's signature header. Measurement list: kernel memory, never \
         swapped, for each file that the policy measures under the template ima-sig. Linux: the first release that \
         verifies it, and the versions of the signature.",
    );
    if rows.iter().any(|(_, prediction)| prediction.refused_files() > 0) {
        table.note(
            "rejected: files for which the file system rejects the xattr, with this error, beyond this limit in bytes; total \
             after fix: after the change that is named below",
        );
    }
    let estimated = rows.iter().any(|(_, prediction)| !prediction.total.is_exact());
    if estimated {
        let further = match detected.file_system {
            FileSystem::Btrfs(_) => {
                ", whose upper end is what a snapshot of all of it makes of badly fragmented files, provided that \
                 the leaves of its trees are half full (removing much leaves them emptier)"
            }
            _ => "",
        };
        table.note(format!(
            "≈: what {} takes is an estimate, and lies within the interval{further}",
            detected.file_system.name()
        ));
    }
    let (equal, contents) = counts.equal;
    if equal > 0 {
        table.note(format!(
            "{equal} files are duplicates ({}). Equal files have equal signatures (not with --hedged, nor by algorithms that need \
             randomness), which {} stores once where all their xattrs are equal.",
            shown::count(contents, "distinct content"),
            detected.file_system.name()
        ));
    }
    for assumed in &detected.assumed {
        table.note(assumed.clone());
    }
    if matches!(detected.file_system, FileSystem::Xfs(_)) && (estimated || args.file_system.is_some()) {
        table.note(
            "Every file is assumed to be in one extent; with many extents, short signatures may not fit into the inode and cost a \
             block. The interval includes files with one extent for each block.",
        );
    }
    if counts.elsewhere.count > 0 {
        table.note(shown::elsewhere(&counts.elsewhere));
    }
    if let Some(upper) = &detected.upper_layer {
        table.note(format!(
            "The tree is on an overlay; what is written goes to its upper layer, {}. Files of lower layers are copied up \
             first, which takes {:.0} bytes and is counted in.",
            shown::path(upper),
            rows.first().map_or(0.0, |(_, prediction)| prediction.copy_up.bytes as f64)
        ));
    }
    // Of algorithms that no kernel has, only those that were asked for are talked about.
    let talked_about = |(algorithm, _): &&(&Algorithm, &Prediction)| {
        !args.algorithms.is_empty() || algorithm.facts.kind.ima.is_some()
    };
    let predictions: Vec<Prediction> =
        rows.iter().filter(talked_about).map(|(_, prediction)| (*prediction).clone()).collect();
    for advice in advise(detected, &predictions) {
        table.note(format!("{}: {}", advice.candidate, advice.text));
    }
    // Of a tree that is refused whole, no file need be named.
    for prediction in predictions.iter().filter(|prediction| prediction.files > 0) {
        if prediction.refused_files() > 0 {
            table.note(format!("{}: rejected on {}", prediction.candidate.name, shown::refused(prediction)));
        }
    }
}
