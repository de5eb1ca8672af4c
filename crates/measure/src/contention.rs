//! Which windows are uncontended: learned from what the rulers of the whole run read.
//!
//! No constant fits all processors. Eight chains do 3.95 additions a cycle on an uncontended Zen 4, 5.30 on a Zen 5 and 4.72
//! on an Emerald Rapids. So the rule looks for the highest *peak* of the quotients that stands out, and takes what lies within
//! that peak's own width. The highest, because a neighbour only ever takes adders away: a neighbour that is there most of the
//! time makes a larger peak, but a lower one.
//!
//! What was tried before and lost: the 99th percentile of the quotients less 1.5% falls among chains that were held up, and
//! called 50 to 97% of the windows of an idle Zen 5 contended; the most frequent quotient follows a steady neighbour.

use std::time::{Duration, Instant};

use crate::counter::Counter;
use crate::ruler;
use crate::worker::{Seen, Window, WorkerResult};

/// Steps and reach of the search for peaks, in logarithms of the quotient.
const STEP: f64 = 0.0025;
const REACH: f64 = 0.009;

/// A tolerance is between these, in logarithms of the quotient: windows of microseconds are at most 0.5% apart on an idle
/// machine, and 5 to 50% lower next to any neighbour that computes.
const NARROW: f64 = 0.015;
const WIDE: f64 = 0.04;

/// No lower peak is one of an uncontended core, however narrow it is: every x86-64 processor since 2013 has four adders.
/// Cores of aarch64 have two or more, and nearly none runs two threads.
const LEAST: f64 = if cfg!(target_arch = "aarch64") { 1.5 } else { 3.5 };

/// A peak has this share of the readings of the greatest one at least, and more of it where there are few readings.
const PROMINENT: f64 = 0.05;
const FEWEST: f64 = 100.0;

/// How many times as long as the rulers of its block say a chain is that was held up.
const HELD_UP: f64 = 1.02;

/// No processor does more additions at once.
const MOST_ADDERS: f64 = 6.0;

/// How many times as long as usual a chain is whose quotients say nothing of the core. A neighbour can hold up the chain itself,
/// in bursts as long as a worker; then rulers that are longer, too, looked like those of an uncontended core. In recorded runs 4%
/// of the windows that were called uncontended were such ones, and one benchmark was published 24% too low.
const UNUSUAL: f64 = 1.1;

/// What the rulers read on an uncontended core, as far as a run saw one. Quotients are additions per cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// The centre of the peak.
    pub centre: f64,
    /// The least quotient of an uncontended window.
    pub gate: f64,
    /// The median length of the chain, in the counter's unit.
    pub chain: f64,
}

impl Peak {
    /// From all windows of a run and what its workers read before; `None` where no peak stands out, so that no window is
    /// known to be uncontended.
    pub fn of<'a>(workers: impl IntoIterator<Item = &'a WorkerResult>) -> Option<Peak> {
        let of_worker = |worker: &'a WorkerResult| {
            worker.rulers.iter().copied().chain(worker.seen.iter().flat_map(Seen::rulers))
        };
        let rulers: Vec<[u32; 2]> = workers.into_iter().flat_map(of_worker).collect();
        Peak::of_rulers(&rulers, grain(&rulers))
    }

    /// From chains and rulers as they were read; `grain` is a step of the clock as a share of a ruler.
    pub fn of_rulers(rulers: &[[u32; 2]], grain: f64) -> Option<Peak> {
        let mut chains: Vec<u32> = rulers.iter().map(|[chain, _]| *chain).collect();
        chains.sort_unstable();
        let chain = f64::from(*chains.get(chains.len() / 2)?);
        let usual = rulers.iter().filter(|[it, _]| f64::from(*it) <= UNUSUAL * chain);
        let possible = |it: &f64| *it > 1.0 && *it < ruler::CHAINS as f64;
        let mut logs: Vec<f64> = usual.map(quotient).filter(possible).map(f64::ln).collect();
        logs.sort_unstable_by(f64::total_cmp);
        let between = |low: f64, high: f64| {
            logs.partition_point(|it| *it < high).saturating_sub(logs.partition_point(|it| *it < low))
        };
        // Twice the step is the tolerance, which has a limit.
        let grain = grain.min(WIDE / 2.0);
        let reach = REACH.max(grain);
        let places = ((ruler::CHAINS as f64).ln() / STEP) as usize + 4;
        let holds: Vec<usize> =
            (0..places).map(|at| between(at as f64 * STEP - reach, at as f64 * STEP + reach)).collect();
        let greatest = *holds.iter().max()? as f64;
        let prominent = PROMINENT.max(FEWEST / logs.len().max(1) as f64) * greatest;
        // From the top down: the first that stands out.
        let is_peak = |at: &usize| {
            let around = holds.get(at - 3..at + 4).unwrap_or_default();
            holds[*at] > 0 && holds[*at] as f64 >= prominent && around.iter().all(|it| *it <= holds[*at])
        };
        (3..places - 3).rev().filter(is_peak).find_map(|at| around(&logs, at as f64 * STEP, grain, chain))
    }

    /// The chain of a block of windows, and whether the rulers beside it say whose the core was. Where the chain was held up, it is
    /// what the shortest ruler says of it.
    ///
    /// By the centre and not by the number of chains: taking it that four chains last as long as one made 0.5 to 1.2% of the
    /// windows of an idle Zen 5 up to 6% too cheap.
    pub(crate) fn chain(this: Option<Peak>, block: &[Window]) -> (f64, bool) {
        let chain = block.first().map_or(f64::NAN, |window| f64::from(window.chain));
        let shortest = block.iter().flat_map(|window| window.rulers).min().map_or(f64::NAN, f64::from);
        // The chain next to a ruler that did so many additions per cycle.
        let chain_at = |additions: f64| shortest * additions / ruler::quotient(1.0, 1.0);
        let Some(Peak { centre, chain: usual, .. }) = this else {
            // Preempted, it would make the windows of its block cost next to nothing.
            return (if chain <= chain_at(MOST_ADDERS) { chain } else { shortest }, false);
        };
        let said = chain_at(centre);
        if chain <= HELD_UP * said { (chain, true) } else { (said, said <= UNUSUAL * usual) }
    }
}

/// What the rulers read in a while without other work of this program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreSeen {
    /// How many readings there are.
    pub readings: usize,
    /// What an uncontended core reads, if there was one.
    pub peak: Option<Peak>,
    /// The share of the readings that were uncontended.
    pub uncontended: f64,
}

/// Reads chain and rulers for about `time`; `None` where there are no rulers.
pub fn observe(counter: &Counter, time: Duration) -> Option<CoreSeen> {
    let (begin, mut rulers) = (Instant::now(), Vec::new());
    while ruler::exist() && begin.elapsed() < time {
        rulers.extend(ruler::pair(counter));
    }
    let peak = Peak::of_rulers(&rulers, grain(&rulers));
    let free = |it: &&[u32; 2]| peak.is_some_and(|peak| quotient(it) >= peak.gate);
    let uncontended = rulers.iter().filter(free).count() as f64 / rulers.len().max(1) as f64;
    (!rulers.is_empty()).then_some(CoreSeen { readings: rulers.len(), peak, uncontended })
}

fn quotient([chain, ruler]: &[u32; 2]) -> f64 {
    ruler::quotient(f64::from(*chain), f64::from(*ruler))
}

/// The peak near `centre`, if it stands out from what lies below and can be one of an uncontended core.
fn around(logs: &[f64], mut centre: f64, grain: f64, chain: f64) -> Option<Peak> {
    let within = |low: f64, high: f64| {
        &logs[logs.partition_point(|it| *it < low)..logs.partition_point(|it| *it < high)]
    };
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    for _ in 0..3 {
        let near = within(centre - NARROW.max(grain), centre + NARROW.max(grain));
        if !near.is_empty() {
            centre = mean(near);
        }
    }
    // By what lies above alone: neighbours only ever take.
    let above: Vec<f64> =
        within(centre, centre + 2.0 * NARROW).iter().map(|it| (it - centre).powi(2)).collect();
    let noise = if above.is_empty() { 0.0 } else { mean(&above).sqrt() };
    let reach = NARROW.max(3.0 * noise).max(2.0 * grain).min(WIDE);
    let stands_out = within(centre - reach, centre + reach).len()
        >= 2 * within(centre - 3.0 * reach, centre - reach).len();
    let found = Peak { centre: centre.exp(), gate: (centre - reach).exp(), chain };
    (stands_out && found.centre >= LEAST).then_some(found)
}

/// A step of the clock as a share of a ruler: steps of more than 0.5% widen the peak.
fn grain(rulers: &[[u32; 2]]) -> f64 {
    let mut rulers: Vec<u32> = rulers.iter().map(|[_, ruler]| *ruler).collect();
    rulers.sort_unstable();
    let Some(&median) = rulers.get(rulers.len() / 2) else { return 0.0 };
    // Two units apart may be one step that was rounded.
    let steps = rulers.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 2);
    steps.min().map_or(0.0, |step| f64::from(step) / f64::from(median.max(1)))
}

#[cfg(test)]
mod tests;
