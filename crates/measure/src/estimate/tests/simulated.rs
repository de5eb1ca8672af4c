//! Intervals are asked how often they hold the truth, on machines that are made up.

use super::super::*;
use crate::rng::tests::normal;

/// A machine and a benchmark on it. All effects are shares of the cost, which is 1000.
#[derive(Debug, Clone, Copy)]
struct Machine {
    /// The spread between processes: layout, pages, keys.
    between: f64,
    /// The spread of windows, and how much of a window's deviation the next one inherits.
    within: f64,
    inherited: f64,
    /// How long a state of the core lasts, in windows, and what the busy one costs.
    state: f64,
    busy: f64,
    windows: usize,
    /// The share of busy windows that the rulers take for undisturbed.
    missed: f64,
    /// The spread between runs of what all processes of one have in common, which no spread within it shows.
    drift: f64,
}

const CALM: Machine = Machine {
    between: 0.002,
    within: 0.004,
    inherited: 0.0,
    state: 0.0,
    busy: 0.0,
    windows: 40,
    missed: 0.0,
    drift: 0.0,
};

/// The interval by the processes alone, without what is added for drift, which would hide that it is too narrow.
fn bare(estimate: &Estimate) -> Interval {
    let error = estimate.error.expect("enough processes");
    around(estimate.value, two_sided_95(estimate.processes as f64 - 1.0) * error)
}

impl Machine {
    fn process(&self, rng: &mut Rng) -> Vec<Reading> {
        let own = self.between * normal(rng);
        let missed = self.missed;
        let (mut noise, mut is_busy) = (normal(rng), rng.unit() < 0.5);
        (0..self.windows)
            .map(|_| {
                noise = self.inherited * noise + (1.0 - self.inherited.powi(2)).sqrt() * normal(rng);
                is_busy ^= self.state > 0.0 && rng.unit() < 1.0 / self.state;
                let busy = if self.state > 0.0 && is_busy { self.busy } else { 0.0 };
                let cost = 1000.0 * (own + self.within * noise + busy).exp();
                Reading { cost, undisturbed: busy == 0.0 || rng.unit() < missed, switched: false, taken: 1.0 }
            })
            .collect()
    }

    fn run(&self, processes: usize, estimator: Estimator, rng: &mut Rng) -> Estimate {
        let drift = (self.drift * normal(rng)).exp();
        let drifted = |it: Reading| Reading { cost: it.cost * drift, ..it };
        let process = |_| self.process(rng).into_iter().map(drifted).collect();
        let processes: Vec<Vec<Reading>> = (0..processes).map(process).collect();
        Estimate::of(&processes, estimator, rng.next_u64()).expect("processes")
    }

    /// How many of 2000 runs have the truth, which is the result of very many processes, in their [`bare`] interval; as a share.
    fn coverage(&self, processes: usize, estimator: Estimator) -> f64 {
        self.holds(processes, estimator, &bare)
    }

    fn holds(&self, processes: usize, estimator: Estimator, interval: &dyn Fn(&Estimate) -> Interval) -> f64 {
        let mut rng = Rng::new(7);
        let truth = Machine { drift: 0.0, ..*self }.run(6000, estimator, &mut rng).value;
        let runs = 2000;
        let holds = (0..runs).filter(|_| interval(&self.run(processes, estimator, &mut rng)).contains(truth));
        holds.count() as f64 / f64::from(runs)
    }
}

#[test]
fn intervals_hold_on_a_calm_machine() {
    for (processes, estimator) in
        [(30, Estimator::Median), (30, Estimator::Mean), (12, Estimator::Mean), (60, Estimator::Median)]
    {
        let coverage = CALM.coverage(processes, estimator);
        assert!(coverage >= 0.93, "{processes} processes, {estimator:?}: {coverage}");
    }
}

#[test]
fn intervals_hold_where_windows_inherit_from_each_other() {
    for inherited in [0.6, 0.95] {
        for estimator in [Estimator::Median, Estimator::Mean] {
            let machine = Machine { inherited, within: 0.01, ..CALM };
            let coverage = machine.coverage(30, estimator);
            assert!(coverage >= 0.93, "{inherited}, {estimator:?}: {coverage}");
        }
    }
}

#[test]
fn intervals_hold_on_a_machine_of_two_states() {
    for state in [3.0, 100.0] {
        let machine = Machine { state, busy: 0.3, inherited: 0.95, ..CALM };
        for estimator in [Estimator::Median, Estimator::Mean] {
            let coverage = machine.coverage(30, estimator);
            assert!(coverage >= 0.90, "{state}, {estimator:?}: {coverage}");
        }
    }
}

/// The quartile is of the undisturbed all the same; a mean is not, as BIAS says.
#[test]
fn quartiles_hold_where_the_rulers_miss_a_tenth_of_the_neighbour() {
    let machine = Machine { state: 100.0, busy: 0.3, missed: 0.1, ..CALM };
    let coverage = machine.coverage(30, Estimator::Median);
    assert!(coverage >= 0.90, "{coverage}");
}

#[test]
fn intervals_hold_where_keys_differ() {
    // One key per process, eleven percent apart, as signatures of SLH-DSA are.
    let machine = Machine { between: 0.03, ..CALM };
    let coverage = machine.coverage(30, Estimator::Mean);
    assert!(coverage >= 0.93, "{coverage}");
}

/// What is added for drift holds it, and is not so much that anything would be held.
#[test]
fn intervals_hold_what_drifts_between_runs() {
    let machine = Machine { drift: DRIFT / 1.96, ..CALM };
    let whole = |estimate: &Estimate| estimate.interval().expect("enough processes");
    for (estimator, least) in [(Estimator::Median, 0.93), (Estimator::Mean, 0.93)] {
        let coverage = machine.holds(30, estimator, &whole);
        assert!((least..0.985).contains(&coverage), "{estimator:?}: {coverage}");
        let without = machine.holds(30, estimator, &bare);
        assert!(without < coverage, "{estimator:?}: {without}");
    }
}

/// However many processes there are, what they have in common is another one's in the next run.
#[test]
fn intervals_hold_what_the_processes_of_a_run_have_in_common() {
    let between = 0.02;
    let machine = Machine { between, drift: SHARED_PLACEMENT * between / 1.96, ..CALM };
    let whole = |estimate: &Estimate| estimate.interval().expect("enough processes");
    for estimator in [Estimator::Median, Estimator::Mean] {
        let coverage = machine.holds(100, estimator, &whole);
        assert!((0.92..0.99).contains(&coverage), "{estimator:?}: {coverage}");
        let without = machine.holds(100, estimator, &bare);
        assert!(without < 0.9, "{estimator:?}: {without}");
    }
}

#[test]
fn equal_benchmarks_are_told_apart_in_one_of_twenty() {
    let mut rng = Rng::new(3);
    let pairs = 300;
    let apart = (0..pairs).filter(|_| {
        let [a, b] = [0, 1].map(|_| CALM.run(30, Estimator::Median, &mut rng));
        let widths = [&a, &b].map(|it| two_sided_95(it.processes as f64 - 1.0) * it.error.expect("enough"));
        !around(a.value / b.value, widths[0].hypot(widths[1])).contains(1.0)
    });
    let apart = apart.count() as f64 / f64::from(pairs);
    assert!(apart <= 0.08, "{apart}");
}
