//! What a timed window is read from: user-mode core cycles where the machine shows them, the monotonic clock where
//! not.
//!
//! The time-stamp counter is never used. It counts at a fixed rate whatever the core does, and goes on while other
//! threads, other machines and interrupts have the core: it is a clock, not a count of cycles.

#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "elsewhere the kernel is asked for each count")
)]
mod page;
mod perf;

use std::{fmt, marker::PhantomData};

/// What the caller would like to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Prefer {
    /// User-mode core cycles; elapsed time where the machine shows none.
    #[default]
    Cycles,
    /// Elapsed time, in nanoseconds, whoever had the core.
    WallTime,
}

/// Where readings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The core's own counter, read by the `rdpmc` instruction without entering the kernel.
    Rdpmc,
    /// The same counter, read by a system call.
    PerfRead,
    /// The monotonic clock.
    WallTime,
}

impl Source {
    /// `cycles` or `ns`.
    pub fn unit(self) -> &'static str {
        match self {
            Source::Rdpmc | Source::PerfRead => "cycles",
            Source::WallTime => "ns",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Rdpmc => "user-mode core cycles (rdpmc)",
            Source::PerfRead => "user-mode core cycles (perf read)",
            Source::WallTime => {
                // By the chain where there are rulers (`ruler::exist`).
                ["the clock", "the clock, by the chain"][usize::from(cfg!(target_arch = "x86_64"))]
            }
        })
    }
}

/// Why cycles were asked for and something else is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// What was missing, one sentence.
    pub reason: String,
    /// What would help, one sentence.
    pub remedy: String,
}

/// A running counter of the thread that opened it. It stays on that thread: it is neither `Send` nor `Sync`.
#[derive(Debug)]
pub struct Counter {
    reader: Reader,
    fallback: Option<Fallback>,
    overhead: u64,
    /// Perf events and thread clocks belong to the thread that opened them.
    thread: PhantomData<*const ()>,
}

#[derive(Debug)]
enum Reader {
    Perf(perf::Cycles),
    WallTime(std::time::Instant),
    /// What tests read, one after the other, and then nothing.
    #[cfg(test)]
    Scripted(std::cell::RefCell<std::collections::VecDeque<Option<u64>>>),
}

impl Counter {
    /// Opens the best counter that `prefer` allows. This cannot fail: where the machine shows no cycles,
    /// elapsed time is counted and [`fallback`](Self::fallback) says why.
    pub fn open(prefer: Prefer) -> Self {
        let (reader, fallback) = match prefer {
            Prefer::Cycles => match perf::Cycles::open() {
                Ok(cycles) => (Reader::Perf(cycles), None),
                Err(missing) => (wall_time(), Some(missing)),
            },
            Prefer::WallTime => (wall_time(), None),
        };
        let mut counter = Self { reader, fallback, overhead: 0, thread: PhantomData };
        counter.overhead = counter.empty_window();
        counter
    }

    /// Where readings come from.
    pub fn source(&self) -> Source {
        match &self.reader {
            Reader::Perf(cycles) if cycles.reads_in_user_mode() => Source::Rdpmc,
            Reader::Perf(_) => Source::PerfRead,
            Reader::WallTime(_) => Source::WallTime,
            #[cfg(test)]
            Reader::Scripted(_) => Source::Rdpmc,
        }
    }

    /// `cycles` or `ns`.
    pub fn unit(&self) -> &'static str {
        self.source().unit()
    }

    /// The source in words, with the reason where it is a fallback.
    pub fn describe(&self) -> String {
        match &self.fallback {
            None => self.source().to_string(),
            Some(fallback) => format!("{}, because {}", self.source(), fallback.reason),
        }
    }

    /// Why cycles were asked for and not given.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_ref()
    }

    /// What an empty window reads, in [`unit`](Self::unit)s: the median of many. [`between`](Self::between) takes
    /// it off.
    pub fn overhead(&self) -> u64 {
        self.overhead
    }

    /// The count so far; `None` when the kernel has taken the counter away (another user of the performance
    /// counters with higher priority).
    #[inline]
    pub fn now(&self) -> Option<u64> {
        match &self.reader {
            Reader::Perf(cycles) => cycles.read(),
            Reader::WallTime(origin) => u64::try_from(origin.elapsed().as_nanos()).ok(),
            #[cfg(test)]
            Reader::Scripted(readings) => readings.borrow_mut().pop_front().flatten(),
        }
    }

    /// The length of a window from two readings, less the [`overhead`](Self::overhead) and at least 1. `None` where
    /// a reading is missing or the count stood still, as it does when a hybrid processor moves the thread to a core
    /// of the kind that is not counted.
    pub fn between(&self, start: Option<u64>, end: Option<u64>) -> Option<u64> {
        let length = end?.checked_sub(start?)?;
        if length == 0 { None } else { Some(length.saturating_sub(self.overhead).max(1)) }
    }

    fn empty_window(&self) -> u64 {
        let mut windows: Vec<u64> = (0..501)
            .filter_map(|_| {
                let start = self.now();
                let end = self.now();
                end?.checked_sub(start?)
            })
            .collect();
        windows.sort_unstable();
        windows.get(windows.len() / 2).copied().unwrap_or(0)
    }
}

fn wall_time() -> Reader {
    Reader::WallTime(std::time::Instant::now())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::hint::black_box;

    /// A counter that reads these lengths between a first reading and the next, one after the other, `None` where it
    /// was lost, and is lost for good afterwards. An empty window of it reads nothing.
    pub(crate) fn scripted(lengths: impl IntoIterator<Item = Option<u64>>) -> Counter {
        let readings =
            lengths.into_iter().flat_map(|length| [Some(1000), length.map(|length| 1000 + length)]);
        let reader = Reader::Scripted(std::cell::RefCell::new(readings.collect()));
        Counter { reader, fallback: None, overhead: 0, thread: PhantomData }
    }

    #[test]
    fn an_empty_window_is_the_median_of_501() {
        // 100 of them were lost; the median of 0, 2, … 800 is 400.
        let lengths = (0..401).rev().map(|at| Some(2 * at)).chain([None; 100]);
        assert_eq!(scripted(lengths.chain([Some(1_000_000); 100])).empty_window(), 400);
        assert_eq!(scripted([]).empty_window(), 0);
    }

    #[test]
    fn where_there_is_a_ruler_the_clock_is_read_by_it() {
        let expected = if cfg!(target_arch = "x86_64") { "the clock, by the chain" } else { "the clock" };
        assert_eq!(Source::WallTime.to_string(), expected);
    }

    fn spin(iterations: u64) {
        let mut x = 1u64;
        for i in 0..iterations {
            x = black_box(x.rotate_left(5) ^ i);
        }
    }

    #[test]
    fn every_counter_counts_work_and_names_itself() {
        for prefer in [Prefer::Cycles, Prefer::WallTime] {
            let counter = Counter::open(prefer);
            let start = counter.now();
            spin(100_000);
            let length = counter.between(start, counter.now()).expect("the counter runs");
            assert!(length > 10 * counter.overhead(), "{prefer:?}: {length} over {}", counter.overhead());
            assert!(counter.describe().starts_with(&counter.source().to_string()));
            match prefer {
                Prefer::Cycles => assert_eq!(counter.fallback().is_none(), counter.unit() == "cycles"),
                _ => assert_eq!((counter.unit(), counter.fallback()), ("ns", None)),
            }
        }
    }

    #[test]
    fn a_lost_or_frozen_counter_gives_no_window() {
        let counter = Counter { overhead: 10, ..Counter::open(Prefer::WallTime) };
        assert_eq!(counter.between(Some(5), Some(5)), None);
        assert_eq!(counter.between(Some(5), None), None);
        assert_eq!(counter.between(None, Some(5)), None);
        assert_eq!(counter.between(Some(6), Some(5)), None);
        assert_eq!(counter.between(Some(5), Some(7)), Some(1), "never less than nothing");
        assert_eq!(counter.between(Some(5), Some(115)), Some(100));
        assert_eq!(counter.overhead(), 10);
    }

    /// METHODOLOGY's table names the sources, and `doctor` prints these names.
    #[test]
    fn every_source_is_named_as_in_methodology() {
        let text = include_str!("../../../../METHODOLOGY.md");
        for source in [Source::Rdpmc, Source::PerfRead, Source::WallTime] {
            let row = format!("| {} |", source.to_string().replace("(rdpmc)", "(`rdpmc`)"));
            assert!(text.lines().any(|line| line.starts_with(&row)), "{row}");
        }
    }
}
