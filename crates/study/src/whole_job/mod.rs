//! Jobs that take seconds and use all cores: a zone, a tree of files. They are run whole or in part, in turn with those that
//! they stand beside ([`rounds`]), as much of each as [`extent`] says; [`estimate`] makes results of what the rounds showed.

pub mod estimate;
pub mod extent;
pub mod idle;
pub mod rounds;

use std::time::Instant;

use fieldtest_catalog::kind::Kind;
use fieldtest_measure::CpuTime;
use fieldtest_measure::record::{Input, Record};
use fieldtest_measure::words::{Time, UNMEASURED};

use crate::{Bench, RecordWriter, StudyError, Subject};
use estimate::{Estimate, FEWEST_ITEMS, Reading};

/// The share of the processors' time beyond which others count as being there: what a machine that nobody uses does by itself is a
/// percent or two.
const BUSY: f64 = 0.05;

/// What is around whole jobs while they run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// How many times as wide intervals are made: what a calibration found that they need.
    pub widening: f64,
    /// Whether others used the processors beside the last rounds, programs or a hypervisor's other machines.
    pub busy: bool,
}

impl Surroundings {
    /// Intervals made so many times as wide, and nobody there.
    pub fn new(widening: f64) -> Surroundings {
        Surroundings { widening, busy: false }
    }
}

/// What one run of a job took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Seconds by the clock on the wall.
    pub wall: f64,
    /// Seconds of all cores together.
    pub cpu: f64,
}

impl Cost {
    /// What `work` takes.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn of<T>(work: impl FnOnce() -> Result<T, StudyError>) -> Result<(T, Cost), StudyError> {
        let (start, before) = (Instant::now(), CpuTime::of_process());
        let outcome = work()?;
        let wall = start.elapsed().as_secs_f64();
        let times = before.zip(CpuTime::of_process());
        let cpu = times.map_or(wall, |(before, after)| after.since(&before).total().as_secs_f64());
        Ok((outcome, Cost { wall, cpu }))
    }

    /// The time that is meant.
    pub fn in_time(self, time: Time) -> f64 {
        match time {
            Time::Wall => self.wall,
            Time::Cpu => self.cpu,
        }
    }
}

/// What all cores do their share of: numbers of items are multiples of this, so that no core waits at the end.
pub fn cores() -> u64 {
    rayon::current_num_threads().max(1) as u64
}

/// Two numbers of items to measure, of which the larger one is about `items` and no more than `of`: a quarter and all of
/// it. `None` where nothing is to be extrapolated from so few ([`FEWEST_ITEMS`]).
pub fn sizes(items: f64, of: u64) -> Option<[u64; 2]> {
    let (cores, fewest) = (cores(), FEWEST_ITEMS.next_multiple_of(cores()));
    let large = (items.min(of as f64).max(0.0) as u64) / cores * cores;
    (large >= fewest).then(|| [(large / 4).next_multiple_of(cores), large])
}

/// How many items of [`sizes`] are worked on for each of the larger number.
pub const OF_BOTH_SIZES: f64 = 1.25;

/// Measures both numbers of items, the smaller one first in even rounds; the costs are in the order of the numbers.
///
/// # Errors
/// Those of `work`.
pub fn in_both_orders(
    [few, many]: [u64; 2],
    round: usize,
    mut work: impl FnMut(u64) -> Result<(), StudyError>,
) -> Result<[(u64, Cost); 2], StudyError> {
    let mut of = |count: u64| Ok::<_, StudyError>((count, Cost::of(|| work(count))?.1));
    if round.is_multiple_of(2) {
        return Ok([of(few)?, of(many)?]);
    }
    let many = of(many)?;
    Ok([of(few)?, many])
}

/// Enters wall and processor time of a job of `of` items, by what each round showed of it; or that it was not measured.
pub fn enter<K: Kind>(
    bench: &Bench<'_>,
    writer: &mut RecordWriter,
    (subject, operation): (&Subject<K>, &str),
    input: &Input,
    (readings, of): (&[Reading], u64),
) {
    if readings.is_empty() && bench.interrupted() {
        return;
    }
    for time in Time::ALL {
        let mut record = writer.measured(subject, (operation, time.word()), (0.0, "s"), input);
        match Estimate::of(readings, time, of, bench.surroundings) {
            Ok(estimate) => {
                let threads = rayon::current_num_threads();
                let plural = if threads == 1 { "" } else { "s" };
                record.notes.push(format!("{threads} thread{plural}, in memory"));
                writer.record(estimate.told_in(record));
            }
            Err(reason) => return enter_unmeasured(writer, record, reason.why()),
        }
    }
}

/// Enters that a result was not measured, in the place of `record`, and why.
pub fn enter_unmeasured(writer: &mut RecordWriter, record: Record, why: &str) {
    writer.record(Record {
        subject: record.operation,
        operation: UNMEASURED.to_owned(),
        value: 1.0,
        unit: "flag".to_owned(),
        estimator: "exact".to_owned(),
        samples: 0,
        notes: vec![format!("not measured: {why}")],
        ..record
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fieldtest_catalog::kind::Hash;

    use super::*;
    use crate::launcher::Here;
    use crate::scripted::{algorithm, records, same, subjects, with_bench, writer};
    use crate::speed::input;

    #[test]
    fn what_work_takes_is_known() {
        let work = || {
            let start = Instant::now();
            let mut sum = 0_u64;
            while start.elapsed().as_millis() < 20 {
                sum = std::hint::black_box(sum + 1);
            }
            Ok(sum)
        };
        let (sum, cost) = Cost::of(work).expect("no failure");
        assert!(sum > 0 && cost.wall >= 0.02 && cost.cpu > 0.0, "{cost:?}");
        assert!(Cost::of(|| Err::<(), _>(StudyError::Nothing)).is_err());
        // Time in the kernel, too: that of asking it.
        let (had, cost) = Cost::of(|| {
            let before = CpuTime::of_process().expect("told");
            let had = || CpuTime::of_process().expect("told").since(&before);
            let asked = (0..1_000_000).map(|_| had()).find(|had| had.system.as_millis() >= 20);
            Ok(asked.unwrap_or_else(had).total())
        })
        .expect("no failure");
        assert!(cost.cpu >= had.as_secs_f64(), "{cost:?} {had:?}");
        let cost = Cost { wall: 2.0, cpu: 3.0 };
        assert_eq!(Time::ALL.map(|time| cost.in_time(time)), [2.0, 3.0]);
    }

    #[test]
    fn all_of_it_and_a_quarter_in_whole_shares_of_the_cores() {
        let cores = cores();
        assert_eq!(cores, rayon::current_num_threads() as u64);
        let fewest = FEWEST_ITEMS.next_multiple_of(cores);
        let (of, large) = (1000 * cores, 40 * cores);
        for (items, expected) in [
            (large as f64, Some(large)),
            ((large + cores) as f64 - 0.5, Some(large)),
            (1e12, Some(of)),
            (fewest as f64, Some(fewest)),
            (fewest as f64 - 0.5, None),
            (-1.0, None),
        ] {
            let expected = expected.map(|large| [(large / 4).next_multiple_of(cores), large]);
            assert_eq!(sizes(items, of), expected, "{items}");
        }
        assert_eq!(sizes(1e12, of + 1), sizes(1e12, of), "no core has one more");
    }

    #[test]
    fn the_smaller_one_is_first_in_even_rounds() {
        for (round, order) in [(0, [3, 9]), (1, [9, 3]), (2, [3, 9])] {
            let mut ran = Vec::new();
            let found = in_both_orders([3, 9], round, |count| {
                ran.push(count);
                Ok(())
            });
            assert_eq!((found.expect("no failure").map(|(count, _)| count), &ran[..]), ([3, 9], &order[..]));
        }
        assert!(in_both_orders([3, 9], 0, |_| Err(StudyError::Nothing)).is_err());
    }

    #[test]
    fn both_times_are_entered_or_that_there_was_none() {
        let subject = &subjects(&[algorithm::<Hash>("sha-256", "made-up", &["one"])])[0];
        let (interrupt, input) = (AtomicBool::new(false), input("it", "abc", 1));
        let launcher = Here { stages: &[], interrupt: &interrupt };
        let entered = |readings: &[Reading], interrupted| {
            interrupt.store(interrupted, std::sync::atomic::Ordering::Relaxed);
            let mut writer = writer();
            with_bench(&launcher, &interrupt, |bench| {
                enter(bench, &mut writer, (subject, "hash-tree"), &input, (readings, 7));
            });
            writer
        };
        let reading = Reading::Whole(Cost { wall: 2.0, cpu: 3.0 });
        for interrupted in [false, true] {
            let writer = entered(&[reading; 3], interrupted);
            let [wall, cpu] = records(&writer)[..] else { panic!("two") };
            same(wall.value, 2.0);
            same(cpu.value, 3.0);
            for (record, time) in [(wall, "wall"), (cpu, "cpu")] {
                assert_eq!((record.operation.as_str(), record.subject.as_str()), ("hash-tree", time));
                assert_eq!((record.unit.as_str(), record.notes.len()), ("s", 1));
            }
        }
        // What nothing was seen of has one record, but not where the user ended it.
        assert!(records(&entered(&[], true)).is_empty());
        let writer = entered(&[], false);
        let [record] = records(&writer)[..] else { panic!("one") };
        assert_eq!((record.operation.as_str(), record.subject.as_str()), (UNMEASURED, "hash-tree"));
        assert_eq!((record.value, record.unit.as_str(), record.samples), (1.0, "flag", 0));
        assert_eq!(record.estimator, "exact");
        assert!(
            record.notes.len() == 1 && record.notes[0].contains(estimate::NoEstimate::TooLittleTime.why())
        );
        assert_eq!(record.implementation, Some(subject.implementation_record()));
        let mut other = crate::scripted::writer();
        let estimated = Record { estimator: "mean".to_owned(), samples: 9, value: 5.0, ..record.clone() };
        enter_unmeasured(&mut other, Record { operation: "hash-tree".to_owned(), ..estimated }, "why");
        let record = records(&other)[0];
        assert_eq!((record.samples, record.value, record.estimator.as_str()), (0, 1.0, "exact"));
    }
}
