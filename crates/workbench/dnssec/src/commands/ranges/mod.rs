//! Zones larger than memory: sorted on disk, and worked on range by range, as a job.

mod sign;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, Result, anyhow, bail};
use fieldtest_dnssec::ReadError;
use fieldtest_dnssec::ranges::{Part, Split, is_own, split};
use fieldtest_dnssec::sign::SignError;
use fieldtest_frame::job::{Item, Job, Made, Refused};
use fieldtest_frame::stamp::of_file;
use fieldtest_frame::text::{self, names};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::remarks::Remarks;
use crate::args::{MOST_RANGES as MOST, Ranges, ZoneFile};
use crate::outcome::usage;
use crate::output;

pub(super) use sign::run as sign;

/// What a zone takes in memory for each octet of its file, where nobody says how many ranges there are to be: less for zones of
/// delegations, more for names with a short record each. What a range does take is known once it is cut.
const GROWTH: u64 = 6;
const MEBIBYTE: u64 = 1 << 20;
/// What the program takes beside a range: itself, and blocks of signed records on their way out.
const PROGRAM: u64 = 32 * MEBIBYTE;

/// The first wave, and its one item.
const CUT: u32 = 0;
const CUTTING: &str = "sort and cut";

/// A zone that is cut into ranges.
struct Cut<'c> {
    zone: &'c ZoneFile,
    limits: &'c Ranges,
    ranges: u32,
    /// The job's.
    folder: &'c Path,
    threads: Option<u16>,
    /// What is written in the end, beside the job's folder.
    output: &'c Path,
}

impl Cut<'_> {
    fn memory(&self) -> u64 {
        u64::from(self.limits.memory) * MEBIBYTE
    }

    /// The folder of the ranges.
    fn folder(&self) -> PathBuf {
        self.folder.join("zone")
    }

    fn file(&self, kind: &str, at: u32) -> PathBuf {
        self.folder.join(format!("{kind}-{at}"))
    }

    fn all(&self, kind: &str) -> Vec<PathBuf> {
        (0..self.ranges).map(|at| self.file(kind, at)).collect()
    }

    fn cut(&self) -> Result<Made> {
        let (done, partial) = (self.folder(), self.folder.join("zone.partial"));
        // What a worker left that was killed.
        for old in [&done, &partial] {
            remove_ranges(old);
        }
        fs::create_dir(&partial)
            .with_context(|| format!("cannot make the directory {}", partial.display()))?;
        let path = &self.zone.zone;
        let before = of_file(path)?;
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let into = Split { folder: &partial, ranges: self.ranges as usize, memory: self.memory() as usize };
        let origin = super::origin(self.zone.origin.as_deref())?;
        let included =
            split(BufReader::with_capacity(1 << 18, file), path, origin, into).map_err(|error| {
                remove_ranges(&partial);
                match error {
                    ReadError::Syntax { .. } | ReadError::Raw { .. } | ReadError::Zone { .. } => {
                        Refused(error.to_string()).into()
                    }
                    error => anyhow::Error::from(error),
                }
            })?;
        if of_file(path)? != before {
            bail!(Refused(format!("{} changed while it was read", text::path(path))));
        }
        super::check_included(self.output, &included).map_err(|error| Refused(error.to_string()))?;
        let included = included.iter().map(|path| of_included(path)).collect::<Result<Vec<_>>>()?;
        fs::rename(&partial, &done).with_context(|| format!("cannot write {}", done.display()))?;
        let outputs = fs::read_dir(&done)?.map(|entry| entry.map(|entry| entry.path()));
        Ok(Made { outputs: outputs.collect::<Result<_, _>>()?, facts: json!({ "included": included }) })
    }

    /// Refuses to go on with a zone that was cut while a file was another that it includes.
    fn check_included(&self, job: &Job) -> Result<()> {
        let state = job.state();
        let cutting = job.plan().items.first().and_then(|cutting| state.of(&cutting.id));
        let facts = cutting.map(|entry| &entry.facts);
        for then in facts.and_then(|facts| facts["included"].as_array()).into_iter().flatten() {
            let path = &names::path(then["included"].as_str().unwrap_or_default());
            super::check_included(self.output, [path])?;
            if of_included(path).ok().as_ref() != Some(then) {
                bail!(
                    "{}, which the zone includes, has changed since the job in {} was begun; begin again in another folder",
                    text::path(path),
                    text::path(self.folder)
                );
            }
        }
        Ok(())
    }

    fn part(&self, at: u32) -> Result<Part> {
        let zone = self.folder();
        let needed = PROGRAM + Part::room(&zone, at as usize)?;
        if needed > self.memory() {
            let needed = needed.div_ceil(MEBIBYTE);
            let may = self.limits.memory;
            let remedy = if self.ranges < MOST { "more --ranges, or more --memory" } else { "more --memory" };
            bail!(Refused(format!(
                "range {at} takes about {needed} MiB of memory, and may take {may}: it needs {remedy}"
            )));
        }
        Ok(Part::load(&zone, at as usize)?)
    }

    /// Each worker has its share of the threads.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T> {
        let share = || match self.limits.run.workers {
            1 => None,
            workers => {
                let threads = thread::available_parallelism().map_or(1, usize::from);
                Some((threads / usize::from(workers)).clamp(1, 1024) as u16)
            }
        };
        super::on_threads(self.threads.or_else(share), work)
    }

    /// Removes what was needed on the way: a job is done once its last wave is.
    fn clear(&self, kinds: &[&str]) {
        remove_ranges(&self.folder());
        for path in kinds.iter().flat_map(|kind| self.all(kind)) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes what the job made of a folder of ranges, and the folder unless there is more in it.
fn remove_ranges(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_own(&entry.file_name())) {
        let _ = fs::remove_file(entry.path());
    }
    let _ = fs::remove_dir(folder);
}

/// An error about a file of the job's own as such: whoever tries again finds the same file, unless it is gone.
fn of_own(error: anyhow::Error, folder: &Path) -> anyhow::Error {
    let of_signing = || match error.downcast_ref() {
        Some(SignError::Read(read)) => Some(read),
        _ => None,
    };
    match error.downcast_ref().or_else(of_signing) {
        Some(ReadError::Syntax { path, .. } | ReadError::Raw { path, .. } | ReadError::Zone { path, .. })
            if path.starts_with(folder) =>
        {
            anyhow!(
                "{error}; {} is damaged since the job wrote it: remove it, and it is made anew",
                text::path(path)
            )
        }
        _ => error,
    }
}

/// Which zone file it is, so that a job of another one is told from it.
fn stamp(file: &ZoneFile) -> Result<Value> {
    let is_file = |found: fs::Metadata| found.is_file();
    if file.zone.as_os_str() == super::STDIN || !fs::metadata(&file.zone).map_or(true, is_file) {
        return Err(usage("a job reads a file, since it may be begun again; name one"));
    }
    let mut stamp = of_file(&file.zone)?;
    stamp["origin"] = json!(file.origin);
    Ok(stamp)
}

/// As [`of_file`], with the name by which it is included, which may be a link that leads elsewhere the next time.
fn of_included(path: &Path) -> Result<Value> {
    let mut stamp = of_file(path)?;
    stamp["included"] = names::of(&std::path::absolute(path)?).into();
    Ok(stamp)
}

/// Refuses a zone or an output that lies in the job's folder, of which the job removes what it does not need any more.
fn check_places(folder: &Path, places: &[(&str, &Path)]) -> Result<()> {
    places.iter().try_for_each(|place| output::check_beside(*place, ("the job's folder", folder)))
}

/// How many ranges: as was said, or was begun with, or as many as the memory asks for.
fn ranges(file: &ZoneFile, limits: &Ranges, begun: &Value) -> Result<u32> {
    let bytes = stamp(file)?["bytes"].as_u64().unwrap_or(0);
    if let Some(ranges) = limits.ranges {
        check_names(&file.zone, bytes, ranges)?;
        return Ok(ranges);
    }
    if let Some(ranges) = begun["ranges"].as_u64().and_then(|ranges| u32::try_from(ranges).ok()) {
        return Ok(ranges);
    }
    // A zone file and the same zone in raw format have about the same size.
    let whole = bytes.saturating_mul(GROWTH);
    let room = (u64::from(limits.memory) * MEBIBYTE).saturating_sub(PROGRAM).max(MEBIBYTE);
    let fit = whole.div_ceil(room).max(1);
    match u32::try_from(fit).ok().filter(|fit| *fit <= MOST) {
        Some(fit) => Ok(fit),
        None => Err(usage(format!(
            "with --memory {} the zone needs about {fit} ranges, and a job has at most {MOST}: give --memory {}",
            limits.memory,
            (whole.div_ceil(MOST.into()) + PROGRAM).div_ceil(MEBIBYTE)
        ))),
    }
}

/// Refuses more ranges than a zone file can have names: each range costs files, and a table in every other one's.
fn check_names(path: &Path, bytes: u64, ranges: u32) -> Result<()> {
    /// Octets of the shortest line with a name of its own, `a NS .`; raw format takes more.
    const LINE: u64 = 7;
    let most = (bytes / LINE + 1).min(MOST.into());
    if u64::from(ranges) <= most {
        return Ok(());
    }
    let octets = fs::read(path).with_context(|| format!("cannot read {}", text::path(path)))?;
    // What stands for more lines than one.
    let more = [&b"$INCLUDE"[..], b"$GENERATE"];
    if more.iter().any(|word| octets.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word))) {
        return Ok(());
    }
    Err(usage(format!(
        "{ranges} ranges are more than {} with its {bytes} octets can have names: give --ranges {most} or fewer",
        text::path(path)
    )))
}

/// The number of the range that an item is about; 0 for those that are about none.
fn number(item: &Item) -> u32 {
    item.name.rsplit(' ').next().and_then(|last| last.parse().ok()).unwrap_or(0)
}

/// What is said of the own names of a range.
fn remarks(part: &Part) -> Remarks {
    Remarks::of(part.zone(), part.own())
}

/// What the ledger says of the items of a wave.
fn facts<T: DeserializeOwned>(job: &Job, wave: u32) -> Result<Vec<T>> {
    let state = job.state();
    let items = job.plan().items.iter().filter(|item| item.wave == wave);
    let facts = items.filter_map(|item| state.of(&item.id)).map(|entry| entry.facts.clone());
    let facts = facts.map(serde_json::from_value).collect::<Result<_, _>>();
    facts.with_context(|| format!("{} is not of this version of fieldtest", text::path(job.ledger())))
}
