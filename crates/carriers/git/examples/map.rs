//! Maps a SHA-1 repository to SHA-256 and says what that took: `map REPOSITORY [--threads N] [--tsv FILE]
//! [--lmap FILE] [--known TSV] [--name ID] [--check] [--to DIRECTORY]`.
//!
//! It goes over what `HEAD`, branches and tags lead to. Submodules' commits get placeholders. `--name` is about one object alone, `--check` leads every new
//! object back and compares, `--to` writes a converted repository. Times are of the processor, from `/proc`, over all threads.

#![allow(clippy::print_stdout, clippy::print_stderr)] // this is a program

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use std::{env, fs, io};

use fieldtest_git::convert::UnknownHeaders;
use fieldtest_git::map::lmap::{self, Main, Reason};
use fieldtest_git::map::round_trip::round_trip;
use fieldtest_git::map::{
    Conversion, Options, Otherwise, Progress, Scope, Stage, Submodules, new_id_of, tsv,
};
use fieldtest_git::refs::Snapshot;
use fieldtest_git::{Format, ObjectId, Objects, Repository, Target, destination};
use fieldtest_kinds::hash::{Hash, Job, Stream};

#[path = "../tests/common/hashes.rs"]
mod hashes;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read()?;
    let mut clock = Clock::start();

    let repository = Repository::open(&arguments.repository, &fieldtest_git::Options::default())?;
    let references = repository.snapshot()?;
    let objects = Objects::open(&repository)?;
    let tips = tips(&references);
    clock.lap("open");

    let (from, to) = (
        Format { name: "sha1".into(), hash: hashes::sha1() },
        Format { name: "sha256".into(), hash: Arc::new(SeveralAtOnce(hashes::sha256())) },
    );
    let stages = Mutex::new((Stage::Read, Clock::start()));
    let progress = |progress: Progress| {
        if let Ok(mut last) = stages.lock()
            && last.0 != progress.stage
        {
            let (stage, clock) = &mut *last;
            clock.lap(&format!("  {stage:?}"));
            *stage = progress.stage;
        }
    };
    let known = match &arguments.known {
        Some(path) => Some(tsv::read(&from, &to, io::BufReader::new(fs::File::open(path)?))?),
        None => None,
    };
    let options = Options {
        known: known.as_ref(),
        threads: arguments.threads,
        scope: Scope::Reachable(&tips),
        submodules: Submodules { otherwise: Otherwise::Pad, ..Submodules::default() },
        unknown_headers: UnknownHeaders::KeepOnly(&["change-id"]),
        progress: &progress,
        ..Options::default()
    };
    if let Some(id) = &arguments.name {
        println!("{id} {}", new_id_of(&objects, &from, &to, id, &options)?);
        clock.lap("name");
        return Ok(());
    }
    let conversion = Conversion::compute(&objects, &from, &to, &options)?;
    clock.lap("compute");
    let map = conversion.map()?;
    clock.lap("sort");
    println!("{} objects of {} mapped", map.len(), objects.len());

    if let Some(path) = &arguments.lmap {
        fs::write(path, lmap::write(&map, Main::Old, Reason::Loose)?)?;
    }
    if let Some(path) = &arguments.tsv {
        tsv::write(&map, fs::File::create(path)?)?;
        clock.lap("tsv");
    }
    if arguments.check {
        let outcome = round_trip(&conversion, &options)?;
        clock.lap("round trip");
        println!("{} came back, {} did not", outcome.same, outcome.different.len());
        outcome.different.iter().take(10).for_each(|difference| println!("{difference:?}"));
    }
    if let Some(path) = &arguments.to {
        let written = destination::write(&conversion, &repository, &references, path, &options)?;
        clock.lap("write");
        println!("{written:?}");
    }
    println!("peak memory {} MiB", peak_memory()? >> 10);
    Ok(())
}

struct Arguments {
    repository: PathBuf,
    threads: NonZeroUsize,
    tsv: Option<PathBuf>,
    lmap: Option<PathBuf>,
    known: Option<PathBuf>,
    name: Option<ObjectId>,
    to: Option<PathBuf>,
    check: bool,
}

impl Arguments {
    fn read() -> Result<Arguments, Box<dyn Error>> {
        let mut arguments = Arguments {
            repository: PathBuf::new(),
            threads: NonZeroUsize::MIN,
            tsv: None,
            lmap: None,
            known: None,
            name: None,
            to: None,
            check: false,
        };
        let mut words = env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} wants a value"));
            match word.as_str() {
                "--threads" => arguments.threads = value()?.parse()?,
                "--tsv" => arguments.tsv = Some(value()?.into()),
                "--lmap" => arguments.lmap = Some(value()?.into()),
                "--known" => arguments.known = Some(value()?.into()),
                "--name" => arguments.name = Some(value()?.parse()?),
                "--to" => arguments.to = Some(value()?.into()),
                "--check" => arguments.check = true,
                _ => arguments.repository = word.into(),
            }
        }
        Ok(arguments)
    }
}

/// What branches, tags and notes name, without the references of a forge such as `refs/pull`.
fn tips(references: &Snapshot) -> Vec<ObjectId> {
    let all = references.listing.references.iter();
    let own = all.filter(|reference| !reference.name.starts_with(b"refs/pull/"));
    own.filter_map(|reference| match &reference.target {
        Target::Id(id) => Some(*id),
        Target::Symbolic(_) => None,
    })
    .collect()
}

/// SHA-256 of many messages at once, of one by RustCrypto.
struct SeveralAtOnce(Arc<dyn Hash>);

impl Hash for SeveralAtOnce {
    fn digest_len(&self) -> usize {
        self.0.digest_len()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), fieldtest_kinds::Error> {
        self.0.digest(head, body, digest)
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), fieldtest_kinds::Error> {
        fieldtest_sha::hash_many::<fieldtest_sha::Sha256, _>(jobs, |job| fieldtest_sha::Message {
            head: job.head,
            body: job.body,
            digest: job.digest,
        })
        .map_err(|error| fieldtest_kinds::Error::Library(error.to_string()))
    }

    fn hashes_several_at_once(&self) -> bool {
        env::var_os("ONE_BY_ONE").is_none()
    }

    fn start(&self) -> Box<dyn Stream> {
        self.0.start()
    }
}

/// Wall and processor time since the last lap.
struct Clock {
    wall: Instant,
    processor: f64,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), processor: processor_seconds() }
    }

    fn lap(&mut self, what: &str) {
        let now = Clock::start();
        let (wall, processor) = (now.wall - self.wall, now.processor - self.processor);
        println!("{what:<12} {:8.2} s wall {processor:8.2} s processor", wall.as_secs_f64());
        *self = now;
    }
}

/// User and system time of all threads (proc(5), `/proc/pid/stat`, fields 14 and 15, in hundredths of a second).
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// In KiB (proc(5), `/proc/pid/status`, `VmHWM`). Mapped files that were read count, too.
fn peak_memory() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").parse().unwrap_or(0))
}
