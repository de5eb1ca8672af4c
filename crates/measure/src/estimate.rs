//! From many workers to one result that holds in the next run.
//!
//! Values are clustered: by the process they were taken in (layout, placement of pages, keys) and by the state that the
//! machine was in. So a *result* has two levels. Within a process, the windows that the rulers on both sides call
//! undisturbed give one value; over the processes, these values give the result, and their spread its interval.
//! Operations that cost the same every time are given the lower quartile on both levels, since whatever is not the
//! operation only ever adds; those whose cost is spread by nature a mean on both.
//!
//! The state of the machine is not averaged over: what an operation costs next to another thread on the core is a result
//! of its own ([`Estimate::contended`]).

use crate::contention::Peak;
use crate::interval::{Estimator, Interval, Ratio, stabilized_quartiles};
use crate::rng::Rng;
use crate::ruler;
use crate::student::two_sided_95;
use crate::worker::{Seen, Window};

/// Undisturbed windows that make a process count, if it saw at least four times as many; of operations that it saw
/// fewer of, a quarter.
const ENOUGH: usize = 10;

/// Processes that carry an interval.
pub const FEWEST: usize = 6;

/// How far the whole machine drifts between runs of minutes (frequency, what is loaded where), as a share of a result: no
/// spread within one run shows it, and it is added in quadrature to how far an interval reaches. BIAS has how it was found.
const DRIFT: f64 = 0.002;

/// How much of what processes differ by, placed as they are in memory, the processes of one run have in common, so that those of
/// the next differ from them all: as a share of the spread of processes, in quadrature to how far an interval reaches. More
/// processes of one run do not take it away. BIAS has how it was found.
const SHARED_PLACEMENT: f64 = 0.25;

const RESAMPLES: usize = 400;

/// A window as results are made of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The cost of one operation.
    pub cost: f64,
    /// Nobody shared the core, as far as the rulers show.
    pub undisturbed: bool,
    /// The thread lost its core to another one within the window.
    pub switched: bool,
    /// How many times as long the rulers on both sides took as on an uncontended core, at most [`MOST_TAKEN`].
    pub taken: f64,
}

/// How many times as long something takes next to another thread on the core at most: two threads have half of it each.
pub const MOST_TAKEN: f64 = 2.0;

/// What one process saw of one benchmark, one reading per window. The unit is core cycles where `in_cycles`, by the
/// chain of the window's own block: a benchmark's blocks may lie tenths of a second apart, in which the core's frequency
/// changes. Otherwise it is the counter's.
pub fn readings(seen: &Seen, peak: Option<Peak>, in_cycles: bool) -> Vec<Reading> {
    let reading = |window: &Window, (chain, is_said): (f64, bool)| {
        let scale = if in_cycles { ruler::LENGTH as f64 / chain } else { 1.0 };
        let quotients = window.rulers.map(|length| ruler::quotient(chain, f64::from(length)));
        let free = is_said && peak.is_some_and(|it| quotients.iter().all(|quotient| *quotient >= it.gate));
        let longer = |quotient: f64| peak.map_or(MOST_TAKEN, |it| (it.centre / quotient).min(MOST_TAKEN));
        Reading {
            cost: window.length as f64 / seen.known.batch as f64 * scale,
            undisturbed: !window.switched && (!ruler::exist() || free),
            switched: window.switched,
            taken: quotients.map(longer).iter().sum::<f64>() / 2.0,
        }
    };
    let blocks = seen.windows.chunk_by(|one, next| one.at == next.at);
    let of_block = |block: &[Window]| {
        let chain = Peak::chain(peak, block);
        block.iter().map(|window| reading(window, chain)).collect::<Vec<_>>()
    };
    blocks.flat_map(of_block).collect()
}

/// A result with what is known of its making. Values are per operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The result.
    pub value: f64,
    /// How it comes from the readings.
    pub estimator: Estimator,
    /// The standard error of its logarithm, over processes; `None` with fewer than [`FEWEST`].
    pub error: Option<f64>,
    /// Processes that count.
    pub processes: usize,
    /// Windows that count.
    pub windows: usize,
    /// All windows.
    pub seen: usize,
    /// Of which windows it is.
    pub core: Core,
    /// The standard deviation of the logarithms within a process (the median over processes), and between processes.
    pub spread: [f64; 2],
    /// The standard deviation of the windows that count, in the unit of the value; `None` of one.
    pub deviation: Option<f64>,
    /// What it takes next to another thread on the core, where enough disturbed windows were seen and
    /// [`value`](Self::value) is of undisturbed ones.
    pub contended: Option<Contention>,
    /// How many times as long the rulers took as on an uncontended core, over the windows that count: 1 of undisturbed ones.
    pub taken: f64,
}

/// Whose the core was in the windows that a result is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Core {
    /// The thread's own: the undisturbed windows.
    Uncontended,
    /// Too few windows were undisturbed: all in which the thread kept its core.
    Contended,
    /// Lost in every window, which are all there is.
    Lost,
}

/// The cost in windows in which somebody else used the core: the median of a process's, then the median over processes. It
/// has no error: the next run has another neighbour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contention {
    /// The cost of one operation.
    pub value: f64,
    /// Processes that saw enough disturbed windows.
    pub processes: usize,
}

impl Estimate {
    /// The result of readings by process; `None` without any. `seed` decides the resamples.
    pub fn of(processes: &[Vec<Reading>], estimator: Estimator, seed: u64) -> Option<Estimate> {
        let processes: Vec<&Vec<Reading>> =
            processes.iter().filter(|readings| !readings.is_empty()).collect();
        let all: usize = processes.iter().map(|readings| readings.len()).sum();
        // Undisturbed windows; if there are too few, those in which the thread kept its core; if there are none, all.
        type Gate<'a> = (Core, &'a dyn Fn(&Reading) -> bool);
        let gates: [Gate<'_>; 3] = [
            (Core::Uncontended, &|it| it.undisturbed),
            (Core::Contended, &|it| !it.switched),
            (Core::Lost, &|_| true),
        ];
        let pick = |gate: usize| -> Vec<Vec<f64>> {
            let logarithms = |readings: &Vec<Reading>| {
                let kept = readings.iter().filter(|it| gates[gate].1(it));
                sorted(&kept.map(|reading| reading.cost.ln()).collect::<Vec<_>>())
            };
            let enough = |(values, readings): (Vec<f64>, &Vec<Reading>)| {
                let least = if gate == 0 { ENOUGH.min(readings.len().div_ceil(4)) } else { 1 };
                (values.len() >= least.max(1)).then_some(values)
            };
            processes.iter().map(|readings| (logarithms(readings), *readings)).filter_map(enough).collect()
        };
        let (mut kept, mut core) = (pick(0), Core::Uncontended);
        let too_few = kept.len() < FEWEST.min(processes.len());
        for (gate, (of, _)) in gates.iter().enumerate().skip(1) {
            if kept.is_empty() || (gate == 1 && too_few) {
                (kept, core) = (pick(gate), *of);
            }
        }
        let level = match estimator {
            Estimator::Median => OverProcesses { over: lower_quartile, seed },
            Estimator::Mean => OverProcesses { over: mean_cost, seed },
        };
        let within = |values: &Vec<f64>| match estimator {
            Estimator::Median => quantile(values, 0.25),
            Estimator::Mean => mean_cost(values),
        };
        let clusters = sorted(&kept.iter().map(within).collect::<Vec<_>>());
        clusters.first()?;
        let costs: Vec<f64> = kept.iter().flatten().map(|cost| cost.exp()).collect();
        let inner: Vec<f64> = kept.iter().filter_map(|values| deviation(values)).collect();
        Some(Estimate {
            value: (level.over)(&clusters).exp(),
            estimator,
            error: (clusters.len() >= FEWEST).then(|| level.error(&clusters)),
            processes: clusters.len(),
            windows: kept.iter().map(Vec::len).sum(),
            seen: all,
            core,
            spread: [quantile(&sorted(&inner), 0.5), deviation(&clusters).unwrap_or(f64::NAN)],
            deviation: deviation(&costs),
            contended: (core == Core::Uncontended).then(|| Contention::of(&processes)).flatten(),
            taken: taken(&processes, core),
        })
    }

    /// The 95 % interval.
    pub fn interval(&self) -> Option<Interval> {
        Some(around(self.value, self.width()?))
    }

    /// How far the interval reaches to either side of the result's logarithm.
    fn width(&self) -> Option<f64> {
        Some(width(self.error?, self.processes))
    }

    /// The same with intervals `factor` times as wide.
    #[must_use]
    pub fn widened(self, factor: f64) -> Estimate {
        Estimate { error: self.error.map(|error| error * factor), ..self }
    }

    /// How many times the cost of `of` this is, with the 95 % interval of that; each comes from processes of its own. `None`
    /// where one is contended and the other is not.
    pub fn ratio(&self, of: &Estimate) -> Option<Ratio> {
        if self.core != of.core {
            return None;
        }
        let value = self.value / of.value;
        let widths = self.width().zip(of.width());
        let interval = widths.map(|(own, other)| around(value, own.hypot(other)));
        let estimator = self.estimator.together(of.estimator);
        Some(Ratio { value, interval, estimator, processes: self.processes.min(of.processes) })
    }
}

/// How far a 95 % interval reaches to either side of a logarithm with this standard error.
fn width(error: f64, processes: usize) -> f64 {
    let processes = processes as f64;
    let in_common = SHARED_PLACEMENT * error * processes.sqrt();
    (two_sided_95(processes - 1.0) * error).hypot(in_common).hypot(DRIFT)
}

/// What reaches so far to either side on the scale of logarithms.
fn around(value: f64, width: f64) -> Interval {
    Interval { low: value * (-width).exp(), high: value * width.exp() }
}

/// What the rulers say that other threads took of the core, on average over the windows in which the thread kept it. It
/// bounds how much too high such a result may be: adders feel a neighbour more than most code does, but not more than all.
fn taken(processes: &[&Vec<Reading>], core: Core) -> f64 {
    let kept: Vec<f64> =
        processes.iter().copied().flatten().filter(|it| !it.switched).map(|it| it.taken).collect();
    match core {
        Core::Uncontended => 1.0,
        Core::Contended if !kept.is_empty() => mean(kept.iter().copied()).max(1.0),
        Core::Contended | Core::Lost => MOST_TAKEN,
    }
}

impl Contention {
    fn of(processes: &[&Vec<Reading>]) -> Option<Contention> {
        let median = |readings: &&Vec<Reading>| {
            let disturbed = readings.iter().filter(|it| !it.undisturbed && !it.switched);
            let costs = sorted(&disturbed.map(|it| it.cost.ln()).collect::<Vec<_>>());
            (costs.len() >= ENOUGH).then(|| quantile(&costs, 0.5))
        };
        let clusters = sorted(&processes.iter().filter_map(median).collect::<Vec<_>>());
        let value = stabilized_quartiles(&clusters)[1].exp();
        (!clusters.is_empty()).then_some(Contention { value, processes: clusters.len() })
    }
}

fn lower_quartile(clusters: &[f64]) -> f64 {
    stabilized_quartiles(clusters)[0]
}

/// The logarithm of the mean of what these are the logarithms of.
fn mean_cost(logarithms: &[f64]) -> f64 {
    mean(logarithms.iter().map(|value| value.exp())).ln()
}

/// From the ascending logarithms of processes to one.
struct OverProcesses {
    over: fn(&[f64]) -> f64,
    seed: u64,
}

impl OverProcesses {
    /// The standard error: the deviation of the result over resamples of the processes, corrected for what a resample
    /// of few lacks (n / (n − 1)).
    fn error(&self, clusters: &[f64]) -> f64 {
        let (n, mut rng) = (clusters.len(), Rng::for_purpose(self.seed, 0x006c_6576_656c));
        let mut drawn = vec![0.0; n];
        let estimates: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                drawn
                    .iter_mut()
                    .for_each(|value| *value = clusters.get(rng.below(n)).copied().unwrap_or(0.0));
                drawn.sort_unstable_by(f64::total_cmp);
                (self.over)(&drawn)
            })
            .collect();
        deviation(&estimates).unwrap_or(0.0) * (n as f64 / (n as f64 - 1.0)).sqrt()
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The quantile of ascending values, between two of them where it falls there; NaN without values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let at = place as usize;
    let (low, high) = (sorted[at], sorted[(at + 1).min(last)]);
    low + (high - low) * (place - at as f64)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The standard deviation; `None` with fewer than two values.
fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values.iter().copied());
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (values.len() as f64 - 1.0)).sqrt())
}

#[cfg(test)]
mod tests;
