//! Caches that are filled before the steady load, so that it is steady: every question that it has for a name that exists, and
//! denials of the names that do not.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fieldtest_dns_internet::ask::ask;
use fieldtest_dns_internet::internet::Internet;
use fieldtest_dns_internet::wire::Watch;
use fieldtest_dns_internet::{Level, Plan};
use fieldtest_dns_load::query::Question;
use fieldtest_dnssec::{Name, Rtype};

use super::load::REST;

const AT_ONCE: usize = 16;
/// How long an answer is waited for, and how long filling may take.
const WAIT: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(60);
/// The most names behind each name of a zone. NSEC takes one, as no other name is between both. Where a hash decides, *n* of them leave a
/// share of about 1/(1 + *n*)² of all random names undenied.
const MOST_BEHIND: u8 = 10;

/// Asks every question of the steady load once, except for names that do not exist: of those, others in the
/// same zones, until the resolver asks nobody or makes no use of cached denials. The cold load asks only for
/// each host's address.
pub(super) fn fill(
    internet: &Internet<'_>,
    watch: Option<&Watch>,
    questions: impl Iterator<Item = Question>,
    stop: &AtomicBool,
) {
    let plan = internet.plan();
    let hosts: BTreeSet<Name> = plan.hosts().into_iter().collect();
    let (mut there, mut zones) = (BTreeSet::new(), BTreeSet::new());
    for question in questions {
        let name = question.name();
        match hosts.contains(&name) {
            true => there.extend([(name, question.rtype())]),
            false => zones.extend(name.parent()),
        }
    }
    let until = Instant::now() + LONGEST;
    let upstream = || watch.map_or(0, |watch| watch.counts().servers().up.datagrams);
    let ask_for = |names: &[(Name, Rtype)]| {
        let (before, next) = (upstream(), AtomicUsize::new(0));
        let work = || {
            while let Some((name, rtype)) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.load(Ordering::Relaxed) || Instant::now() >= until {
                    break;
                }
                // What gets no answer now is seen in the load.
                let _ = ask(internet.place().resolver(), name, *rtype, WAIT);
            }
        };
        std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
        std::thread::sleep(REST);
        (upstream() - before) as usize
    };
    ask_for(&there.into_iter().collect::<Vec<_>>());
    for number in 0..MOST_BEHIND {
        let names = behind(plan, &zones, number);
        let asked = ask_for(&names);
        if asked == 0 || number > 0 && 2 * asked > names.len() {
            break;
        }
    }
}

/// A name that does not exist behind each name of these zones, that of its name server and its apex among them, another one for each number.
fn behind(plan: &Plan, zones: &BTreeSet<Name>, number: u8) -> Vec<(Name, Rtype)> {
    let mut names = Vec::new();
    for (at, zone) in plan.zones().iter().enumerate().filter(|(_, zone)| zones.contains(&zone.name)) {
        let below: Vec<Name> = match zone.level {
            Level::Domain => plan.hosts_of(zone),
            Level::Root | Level::Tld => plan.children(at).map(|(_, zone)| zone.name).collect(),
        };
        let first = |name: &Name| name.as_wire().get(1..=usize::from(name.as_wire()[0])).map(<[u8]>::to_vec);
        let labels = below.iter().filter_map(first).chain([b"".to_vec(), b"ns".to_vec(), b"root".to_vec()]);
        // A hyphen comes before all else that labels have here, so nothing is between both.
        let behind =
            labels.filter_map(|label| zone.name.child(&[&label[..], b"-", &[b'a' + number]].concat()));
        names.extend(behind.map(|name| (name, Rtype::A)));
    }
    names
}

/// Upstream queries of the first part of a load, of all of it, and the share of the time that the first part is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Halves {
    pub(super) first: u64,
    pub(super) all: u64,
    pub(super) share: f64,
}

/// Whether a resolver asked name servers no more often at first than afterwards; nothing where that was not
/// counted. A fall by a twentieth, or within three standard deviations, is none. Checked, since a short load
/// is otherwise mostly of caches that fill, and projections multiplied its costs.
pub(super) fn is_steady(loads: impl Iterator<Item = Option<Halves>>) -> Option<bool> {
    let (mut excess, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for load in loads {
        let Halves { first, all, share } = load?;
        let of_first = all as f64 * share;
        excess += first as f64 - of_first;
        expected += of_first;
        variance += of_first * (1.0 - share);
    }
    Some(excess <= (3.0 * variance.sqrt()).max(expected / 20.0))
}

#[cfg(test)]
mod tests {
    use fieldtest_dns_internet::Shape;

    use super::*;

    #[test]
    fn a_name_behind_each_name() {
        let plan = Plan::new(Shape { tlds: 2, domains: 2, hosts: 2 }, None).expect("a plan");
        for level in Level::ALL {
            let zones: BTreeSet<Name> = plan.of_level(level).map(|(_, zone)| zone.name).collect();
            let (first, second) = (behind(&plan, &zones, 0), behind(&plan, &zones, 1));
            assert_eq!(first.len(), zones.len() * (2 + 3), "{level}");
            assert!(first.iter().all(|it| !second.contains(it)));
            let mut there: Vec<Name> =
                plan.zones().iter().map(|zone| zone.name).chain(plan.hosts()).collect();
            there.sort();
            // Each of them is in a gap of its own, but for those behind names that are not there.
            let gaps: BTreeSet<usize> =
                first.iter().map(|(name, _)| there.partition_point(|it| it < name)).collect();
            assert!(
                gaps.len() >= zones.len() * 3 && first.iter().all(|(name, _)| !there.contains(name)),
                "{level}"
            );
        }
    }

    #[test]
    fn a_load_is_steady_that_does_not_fall() {
        let of = |all: &[(u64, u64)]| {
            is_steady(all.iter().map(|&(first, all)| Some(Halves { first, all, share: 0.5 })))
        };
        for (loads, steady) in [
            (&[(0, 0)][..], true),
            (&[(8, 8)], true),
            (&[(10, 10)], false),
            // Several show what one does not.
            (&[(8, 8), (8, 8)], false),
            (&[(500, 1_000)], true),
            (&[(547, 1_000)], true),
            (&[(548, 1_000)], false),
            (&[(52_400, 100_000)], true),
            (&[(52_600, 100_000)], false),
            // More at the end is no fall.
            (&[(10, 1_000)], true),
        ] {
            assert_eq!(of(loads), Some(steady), "{loads:?}");
        }
        assert_eq!(is_steady([None].into_iter()), None);
    }
}
