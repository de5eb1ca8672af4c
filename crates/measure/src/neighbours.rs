//! How much of the processors' time others took for a while: other programs, and what a hypervisor gave away.

use std::time::Duration;

use crate::cpu_time::CpuTime;
use crate::tree::Tree;

/// Looks at the processors of a machine from a moment on.
#[derive(Debug, Clone)]
pub struct Watch {
    tree: Tree,
    ticks: Ticks,
    own: Option<Duration>,
}

/// What a [`Watch`] saw, as shares of the time of all processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// What a hypervisor gave to others.
    pub steal: f64,
    /// What other programs used; `None` where the time of this one is not known.
    pub others: Option<f64>,
}

impl Neighbours {
    /// Both together.
    pub fn all(self) -> f64 {
        self.steal + self.others.unwrap_or(0.0)
    }
}

impl Watch {
    /// From now on. `None` where the system does not tell.
    pub fn begin(tree: &Tree) -> Option<Watch> {
        Some(Watch { tree: tree.clone(), ticks: Ticks::read(tree)?, own: own() })
    }

    /// What was seen until now; `None` where no tick (10 ms) went by.
    pub fn seen(&self) -> Option<Neighbours> {
        let ticks = Ticks::read(&self.tree)?.since(self.ticks)?;
        let own = self.own.zip(own()).map(|(before, after)| after.saturating_sub(before));
        Some(Neighbours { steal: ticks.share(ticks.steal), others: own.map(|own| ticks.others(own)) })
    }
}

/// The CPU time of this process and of the children that it waited for.
fn own() -> Option<Duration> {
    Some(CpuTime::of_process()?.total() + CpuTime::of_children()?.total())
}

/// The first line of `/proc/stat`, proc(5): ticks of all processors since the machine started.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ticks {
    busy: u64,
    steal: u64,
    all: u64,
}

/// `/proc/stat` counts in hundredths of a second on every architecture that Linux is used on (USER_HZ).
const TICKS_PER_SECOND: f64 = 100.0;

impl Ticks {
    fn read(tree: &Tree) -> Option<Self> {
        let text = tree.read("/proc/stat")?;
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let fields: Vec<u64> =
            line.split_whitespace().map(|number| number.parse().ok()).collect::<Option<_>>()?;
        // user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user time already.
        let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = fields[..] else { return None };
        let sum = |ticks: &[u64]| ticks.iter().fold(0u64, |sum, ticks| sum.saturating_add(*ticks));
        let busy = sum(&[user, nice, system, irq, softirq]);
        Some(Self { busy, steal, all: sum(&[busy, idle, iowait, steal]) })
    }

    /// `None` where no tick went by.
    fn since(self, earlier: Self) -> Option<Self> {
        let all = self.all.checked_sub(earlier.all).filter(|ticks| *ticks > 0)?;
        Some(Self {
            busy: self.busy.saturating_sub(earlier.busy),
            steal: self.steal.saturating_sub(earlier.steal),
            all,
        })
    }

    fn share(self, ticks: u64) -> f64 {
        ticks as f64 / self.all as f64
    }

    /// The share that was busy beyond what this process used.
    fn others(self, own: Duration) -> f64 {
        let own = own.as_secs_f64() * TICKS_PER_SECOND;
        (self.share(self.busy) - own / self.all as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::FakeTree;

    #[test]
    fn ticks_are_told_apart() {
        let ticks = |text: &str| Ticks::read(&FakeTree::with(&[("proc/stat", text)]).tree());
        let before =
            ticks("cpu  100 0 50 800 10 0 0 40 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n").expect("eight numbers");
        let after = ticks("cpu  130 0 60 840 10 0 0 60 5 0\n").expect("eight numbers");
        let passed = after.since(before).expect("time went by");
        assert_eq!(passed, Ticks { busy: 40, steal: 20, all: 100 });
        assert_eq!(passed.share(passed.steal), 0.2);
        assert_eq!(passed.others(Duration::from_millis(200)), 0.2, "40 % less 20 ticks of our own");
        assert_eq!(passed.others(Duration::from_secs(9)), 0.0);
        assert_eq!(before.since(before), None);
        assert_eq!(ticks("cpu 1 2 3\n"), None);
        assert_eq!(ticks("cpu a b c d e f g h\n"), None);
        assert_eq!(ticks("intr 5\n"), None);
    }

    #[test]
    fn a_watch_sees_shares() {
        let fake = FakeTree::with(&[("proc/stat", "cpu  1 2 4 8 16 32 64 128 256 512\n")]);
        assert_eq!(
            Ticks::read(&fake.tree()),
            Some(Ticks { busy: 1 + 2 + 4 + 32 + 64, steal: 128, all: 255 })
        );
        let watch = Watch::begin(&fake.tree()).expect("eight numbers");
        assert_eq!(watch.seen(), None, "no tick went by");
        // Of 1000 s half was busy and a fifth stolen; what this process and its children had is not others'.
        fake.write("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
        let watch = Watch { own: Some(Duration::ZERO), ..Watch::begin(&fake.tree()).expect("eight numbers") };
        fake.write("proc/stat", "cpu  50000 0 0 30000 0 0 0 20000 0 0\n");
        let mut count = std::process::Command::new("sh");
        count.args(["-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"]);
        assert!(count.status().expect("a shell").success());
        let had = || {
            let times =
                [CpuTime::of_process(), CpuTime::of_children()].map(|time| time.expect("told").total());
            assert!(times.iter().all(|time| !time.is_zero()), "{times:?}");
            (times[0] + times[1]).as_secs_f64() / 1000.0
        };
        let (before, seen, after) = (had(), watch.seen().expect("ticks went by"), had());
        let others = seen.others.expect("told");
        assert_eq!(seen.steal, 0.2);
        assert!((0.5 - after - 1e-9..=0.5 - before + 1e-9).contains(&others), "{before} {others} {after}");
        assert_eq!(Neighbours { steal: 0.25, others: Some(0.5) }.all(), 0.75);
        assert_eq!(Neighbours { steal: 0.25, others: None }.all(), 0.25);
        assert_eq!(Watch::begin(&FakeTree::with(&[]).tree()).map(|_| ()), None);
    }
}
