//! How progress, sizes and times are shown.

use std::time::Instant;

use fieldtest_git::map::{Progress as Run, Stage};
use fieldtest_git::{ObjectType, verify};
use fieldtest_measure::CpuTime;

use crate::output;
use crate::progress::Progress;

pub(super) fn count(number: u64, what: &str) -> String {
    output::count(usize::try_from(number).unwrap_or(usize::MAX), what)
}

/// How many objects of each type, as the end of a sentence.
pub(super) fn by_type(of: impl Fn(ObjectType) -> u64) -> String {
    let counts = ObjectType::ALL.map(|kind| count(of(kind), kind.word()));
    counts.join(", ")
}

/// The same for programs.
pub(super) fn types<N: Into<serde_json::Value>>(of: impl Fn(ObjectType) -> N) -> serde_json::Value {
    ObjectType::ALL
        .iter()
        .map(|&kind| (kind.word().to_owned(), of(kind).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A number of bytes for people.
pub(super) fn size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    match bytes {
        0..KIB => count(bytes, "byte"),
        _ if bytes < KIB * KIB => format!("{:.1} KiB", bytes as f64 / KIB as f64),
        _ => format!("{:.1} MiB", bytes as f64 / (KIB * KIB) as f64),
    }
}

pub(super) fn conversion(line: &Progress, run: Run) {
    let what = match run.stage {
        Stage::Read => "reading trees, commits and tags",
        Stage::Blobs => "naming blobs",
        Stage::Trees => "naming trees",
        Stage::History => "naming commits and tags",
        Stage::Write => "writing objects",
        Stage::CheckBlobs => "checking blobs",
        Stage::CheckNames => "converting trees, commits and tags back",
        _ => "working",
    };
    let [done, total] = [run.done, run.total].map(|it| output::grouped(&it.to_string()));
    line.say(&format!("{what}: {done} of {total}"));
}

pub(super) fn verification(line: &Progress, run: verify::Progress) {
    let done = output::grouped(&run.objects_done.to_string());
    line.say(&format!("{done} of {}, {}", count(run.objects, "object"), size(run.bytes_done)));
}

/// What a piece of work takes.
pub(super) struct Spent {
    wall: Instant,
    cpu: Option<CpuTime>,
}

impl Spent {
    pub(super) fn start() -> Spent {
        Spent { wall: Instant::now(), cpu: CpuTime::of_process() }
    }

    /// What it took so far.
    pub(super) fn words(&self) -> String {
        let wall = self.wall.elapsed().as_secs_f64();
        match (CpuTime::of_process(), &self.cpu) {
            (Some(now), Some(start)) => {
                let spent = now.since(start);
                let (user, system) = (spent.user.as_secs_f64(), spent.system.as_secs_f64());
                format!("{user:.2} s of CPU time and {system:.2} s in the kernel, {wall:.2} s on the clock")
            }
            _ => format!("{wall:.2} s"),
        }
    }
}
