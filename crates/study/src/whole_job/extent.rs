//! How much of a job of signing and verifying each subject does in a round, so that as many as can be have rounds for an
//! interval.

use std::time::Duration;

use super::estimate::{FEWEST_ROUNDS, SLOW};
use super::{OF_BOTH_SIZES, cores, sizes};

/// What a subject needs, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needs {
    /// The whole job, signing and verifying, without its signatures, on all cores.
    pub beside: f64,
    /// One signature on one core.
    pub sign: f64,
    /// One verification.
    pub verify: f64,
    /// How many there are in the whole job.
    pub signatures: u64,
}

/// How much is done in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// All without its signatures, and so many signatures: two numbers of each ([`sizes`]).
    Part {
        /// How many are made.
        sign: [u64; 2],
        /// How many are verified.
        verify: [u64; 2],
    },
}

impl Needs {
    fn whole(&self) -> f64 {
        self.beside + self.signatures as f64 * (self.sign + self.verify) / cores() as f64
    }

    /// What can be done in rounds of so many seconds.
    fn within(&self, seconds: f64) -> Option<Extent> {
        if self.whole() <= seconds {
            return Some(Extent::Whole);
        }
        // Half of what is left for signing, half for verifying.
        let each = (seconds - self.beside) / 2.0 * cores() as f64 / OF_BOTH_SIZES;
        let part = |of_one: f64| sizes(each / of_one, self.signatures).or_else(|| few(each / of_one, of_one));
        Some(Extent::Part { sign: part(self.sign)?, verify: part(self.verify)? })
    }
}

/// Two numbers of items that take long, of which the larger one is about `items`: a quarter, and all of it.
fn few(items: f64, seconds: f64) -> Option<[u64; 2]> {
    let many = items as u64 / cores() * cores();
    (seconds >= SLOW && many > cores()).then(|| [(many / 4).next_multiple_of(cores()), many])
}

/// What is left of `budget` after so long: at least half of it, so that looking at slow subjects takes nothing from quick ones
/// where there is little time.
pub fn left(budget: Duration, spent: Duration) -> Duration {
    budget.saturating_sub(spent).max(budget / 2)
}

/// What each subject does in a round, so that rounds for an interval fit into `budget` seconds, or else one round; `None`
/// where not even that fits. Whoever needs less than an equal share leaves the others more.
pub fn plan(needs: &[Needs], budget: f64) -> Vec<Option<Extent>> {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by(|&a, &b| needs[a].whole().total_cmp(&needs[b].whole()));
    let (mut left, mut extents) = (budget, vec![None; needs.len()]);
    for (at, &subject) in order.iter().enumerate() {
        let share = left / (order.len() - at) as f64;
        let own = &needs[subject];
        let rounds = FEWEST_ROUNDS as f64;
        let extent = own.within(share / rounds).or_else(|| own.within(share));
        left -= match extent {
            Some(Extent::Whole) => (rounds * own.whole()).min(share),
            Some(Extent::Part { .. }) => share,
            None => 0.0,
        };
        extents[subject] = extent;
    }
    extents
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn needs(milliseconds: f64) -> Needs {
        Needs { beside: 0.04, sign: milliseconds / 1e3, verify: milliseconds / 1e3, signatures: 2_800 }
    }

    #[test]
    fn whole_in_part_once_or_not_at_all() {
        let cores = cores() as f64;
        let all = [0.01 * cores, 5.0 * cores, 20.0 * cores, 300.0 * cores].map(needs);
        let extents = plan(&all, 8.0);
        assert_eq!(extents[0], Some(Extent::Whole));
        let Some(Extent::Part { sign, verify }) = extents[1] else { panic!("{extents:?}") };
        assert_eq!(sign, verify);
        // Of some 2.6 seconds: three rounds, of which 40 milliseconds are handling; half of the rest is for 5 milliseconds each.
        assert!(sign[0] < sign[1] && (50..100).contains(&sign[1]), "{sign:?}");
        // Three rounds of thirty would take 4.6 seconds; so slow ones may be fewer.
        let Some(Extent::Part { sign, .. }) = extents[2] else { panic!("{extents:?}") };
        assert!(sign[0] >= cores as u64 && (2 * sign[0]..30).contains(&sign[1]), "{sign:?}");
        assert_eq!(extents[3], None);
        assert_eq!(plan(&all, 0.0), [None; 4]);
    }

    #[test]
    fn nothing_is_planned_that_does_not_fit() {
        let cores = cores() as f64;
        let all: Vec<Needs> = (1..40).map(|at| needs(0.1 * f64::from(at * at) * cores)).collect();
        for budget in [0.5, 2.0, 20.0, 200.0] {
            let spent = |(needs, extent): (&Needs, &Option<Extent>)| match extent {
                None => 0.0,
                Some(Extent::Whole) => needs.whole(),
                Some(Extent::Part { sign, verify }) => {
                    let items = |[few, many]: [u64; 2], each: f64| (few + many) as f64 * each / cores;
                    needs.beside + items(*sign, needs.sign) + items(*verify, needs.verify)
                }
            };
            let extents = plan(&all, budget);
            let spent: f64 = all.iter().zip(&extents).map(spent).sum();
            assert!(spent <= budget * 1.05, "{spent} of {budget}");
        }
    }

    /// So many seconds of a second's job on all cores.
    fn wide(beside: f64, sign: f64, verify: f64, signatures: u64) -> Needs {
        let cores = cores() as f64;
        Needs { beside, sign: sign * cores, verify: verify * cores, signatures }
    }

    #[test]
    fn a_part_has_half_of_the_time_for_signing_and_half_for_verifying() {
        let (all, cores) = (wide(1.0, 0.02, 0.005, 4_000), cores());
        assert!((all.whole() - 101.0).abs() < 1e-9);
        assert_eq!(all.within(101.1), Some(Extent::Whole));
        // 10 seconds for each: 8 of them for the larger number, and a quarter of that for the smaller one.
        let part = |items: f64| sizes(items, 4_000);
        let (sign, verify) = (part(400.0 + 1e-6).expect("enough"), part(1600.0 + 1e-6).expect("enough"));
        assert_eq!(sign[1], 400 / cores * cores);
        assert_eq!(all.within(21.000_001), Some(Extent::Part { sign, verify }));
        // Too little for thirty.
        let quick = Needs { sign: 0.005, verify: 0.005, ..all };
        assert_eq!(quick.within(1.0 + 0.1 / cores as f64), None);
        assert_eq!(all.within(0.5), None);
        // Slow items are few: two for each core, and one.
        let slow = wide(1.0, 0.1, 0.005, 4_000);
        let Some(Extent::Part { sign, .. }) = slow.within(1.0 + 2.0 * 0.251 * cores as f64) else {
            panic!("a part")
        };
        assert_eq!(sign, [cores, 2 * cores]);
        // What is whole in the very time is whole.
        let none = Needs { beside: 3.0, sign: 0.0, verify: 0.0, signatures: 0 };
        assert_eq!(none.within(3.0), Some(Extent::Whole));
    }

    #[test]
    fn half_of_the_budget_is_left_at_least() {
        let seconds = Duration::from_secs;
        for (spent, left_of_ten) in [(0, 10), (3, 7), (5, 5), (6, 5), (99, 5)] {
            assert_eq!(left(seconds(10), seconds(spent)), seconds(left_of_ten));
        }
    }

    #[test]
    fn what_quick_subjects_leave_is_the_others() {
        // Three rounds of 1 s; of the 97 s that are left, three of 16 s of 32; and all of the rest for three of 27.
        let all = [wide(27.0, 0.0, 0.0, 1), wide(1.0, 0.0, 0.0, 1), wide(16.0, 0.0, 0.0, 1)];
        assert_eq!(plan(&all, 132.0), [Some(Extent::Whole); 3]);
        // One round of the slowest, where three do not fit, and nothing where one does not.
        assert_eq!(plan(&all, 57.0), [Some(Extent::Whole); 3]);
        assert_eq!(plan(&all, 56.0)[0], None);
        assert_eq!(plan(&all, 0.0), [None; 3]);
        // What has a part takes all of its share: 50 s, and the other one no more than the rest.
        let part = wide(1.0, 0.02, 0.02, 4_000);
        let found = plan(&[wide(49.0, 0.0, 0.0, 1), part], 100.0);
        assert_eq!(found[0], Some(Extent::Whole));
        assert_eq!(found[1], part.within((100.0 - 50.0) / 3.0));
    }
}
