//! What can be seen of a machine's condition, without a judgement.

use crate::{
    affinity,
    contention::{self, CoreSeen},
    counter::{Counter, Fallback, Source},
    file_system,
    jitter::{self, Jitter},
    neighbours::Watch,
    tree::{Tree, field},
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// What was seen. Absent fields could not be seen; [`unseen`](Self::unseen) names them.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// What windows are read from.
    pub counter: Source,
    /// Why it is not cycles, if they were asked for.
    pub fallback: Option<Fallback>,
    /// This library was built with debug assertions, hence most likely without optimisation.
    pub debug_build: bool,
    /// The load average of the last minute.
    pub load: Option<f64>,
    /// The share of the processors' time that a hypervisor gave to others while the loop spun.
    pub steal: Option<f64>,
    /// The share of the processors' time that other programs used while the loop spun.
    pub others: Option<f64>,
    /// How evenly the loop spun.
    pub jitter: Jitter,
    /// What the rulers read.
    pub core: Option<CoreSeen>,
    /// Processors this thread may run on.
    pub allowed: Vec<usize>,
    /// Processors that are online.
    pub online: Option<usize>,
    /// The share of a processor's time that the control group may use, in processors, where it is limited.
    pub quota: Option<f64>,
    /// The lowest and highest current frequency among the allowed processors, in MHz.
    pub frequency: Option<(f64, f64)>,
    /// The frequency governors of the allowed processors, each once.
    pub governors: Vec<String>,
    /// Whether frequencies above the nominal one are allowed.
    pub turbo: Option<bool>,
    /// Whether cores run two threads.
    pub smt: Option<bool>,
    /// The processors of a machine with two kinds of core that are of the first kind, as a list like `0-7`.
    pub performance_cores: Option<String>,
    /// The machine is a virtual one.
    pub virtual_machine: bool,
    /// Memory that programs can still have, and all memory, in bytes.
    pub memory: Option<(u64, u64)>,
    /// Where files will be read or written, and the file system there, or why it could not be told.
    pub file_system: Option<(PathBuf, Result<String, String>)>,
    /// What could not be seen, and where it was looked for.
    pub unseen: Vec<String>,
}

/// Looks at the machine below `tree`, spinning for about `spin`.
pub fn observe(tree: &Tree, counter: &Counter, path: Option<&Path>, spin: Duration) -> Condition {
    let allowed = affinity::allowed().unwrap_or_default();
    let watch = Watch::begin(tree);
    let jitter = jitter::observe(spin);
    let core = contention::observe(counter, spin / 10);
    let seen = watch.and_then(|watch| watch.seen());

    let mut condition = Condition {
        counter: counter.source(),
        fallback: counter.fallback().cloned(),
        debug_build: cfg!(debug_assertions),
        load: load(tree),
        steal: seen.map(|seen| seen.steal),
        others: seen.and_then(|seen| seen.others),
        jitter,
        core,
        online: tree.read("/sys/devices/system/cpu/online").and_then(|list| count(&list)),
        quota: quota(tree),
        frequency: frequency(tree, &allowed),
        governors: governors(tree, &allowed),
        allowed,
        turbo: turbo(tree),
        smt: tree.read("/sys/devices/system/cpu/smt/active").and_then(|text| switch(&text)),
        performance_cores: performance_cores(tree),
        virtual_machine: virtual_machine(tree),
        memory: memory(tree),
        file_system: path
            .map(|path| (path.to_owned(), file_system::holding(path).map_err(|error| error.to_string()))),
        unseen: Vec::new(),
    };
    condition.unseen = unseen(&condition);
    condition
}

fn unseen(condition: &Condition) -> Vec<String> {
    let looked_for = [
        (condition.core.is_none(), "other threads on a core (there are rulers for x86-64 and aarch64)"),
        (condition.load.is_none(), "load average (/proc/loadavg)"),
        (condition.steal.is_none(), "steal time (/proc/stat)"),
        (condition.frequency.is_none(), "frequency (scaling_cur_freq, /proc/cpuinfo)"),
        (condition.governors.is_empty(), "governor (cpufreq/scaling_governor)"),
        (condition.turbo.is_none(), "turbo (intel_pstate/no_turbo, cpufreq/boost)"),
        (condition.smt.is_none(), "SMT (smt/active)"),
        (condition.memory.is_none(), "memory (/proc/meminfo)"),
        (condition.allowed.is_empty(), "affinity (sched_getaffinity)"),
        (condition.online.is_none(), "online processors (cpu/online)"),
    ];
    looked_for.into_iter().filter(|(missing, _)| *missing).map(|(_, what)| what.to_owned()).collect()
}

fn load(tree: &Tree) -> Option<f64> {
    tree.read("/proc/loadavg")?.split_whitespace().next()?.parse().ok()
}

/// Processors in a list like `0-3,8`.
pub(crate) fn count(list: &str) -> Option<usize> {
    let ranges = list.split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    });
    ranges.sum()
}

fn quota(tree: &Tree) -> Option<f64> {
    // Version 2 of control groups: the process's own group, and what a container sees as the root of all groups.
    let own = tree.read("/proc/self/cgroup").and_then(|text| {
        text.lines()
            .find_map(|line| line.strip_prefix("0::"))
            .map(|group| format!("/sys/fs/cgroup{group}/cpu.max"))
    });
    let limit = own.and_then(|path| tree.read(&path)).or_else(|| tree.read("/sys/fs/cgroup/cpu.max"))?;
    let (quota, period) = limit.split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.trim().parse().ok()?);
    (period > 0.0).then_some(quota / period)
}

fn frequency(tree: &Tree, allowed: &[usize]) -> Option<(f64, f64)> {
    let current = |processor: &usize| {
        let path = format!("/sys/devices/system/cpu/cpu{processor}/cpufreq/scaling_cur_freq");
        let kilohertz: f64 = tree.read(&path)?.parse().ok()?;
        Some(kilohertz / 1000.0)
    };
    let mut all: Vec<f64> = allowed.iter().filter_map(current).collect();
    if all.is_empty() {
        let text = tree.read("/proc/cpuinfo").unwrap_or_default();
        let megahertz = text.lines().filter_map(|line| field(line, "cpu MHz")?.parse::<f64>().ok());
        all.extend(megahertz);
    }
    let lowest = all.iter().copied().reduce(f64::min)?;
    let highest = all.iter().copied().reduce(f64::max)?;
    Some((lowest, highest))
}

fn governors(tree: &Tree, allowed: &[usize]) -> Vec<String> {
    let mut all: Vec<String> = allowed
        .iter()
        .filter_map(|processor| {
            tree.read(&format!("/sys/devices/system/cpu/cpu{processor}/cpufreq/scaling_governor"))
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn turbo(tree: &Tree) -> Option<bool> {
    let off = tree.read("/sys/devices/system/cpu/intel_pstate/no_turbo").and_then(|text| switch(&text));
    off.map(|off| !off).or_else(|| switch(&tree.read("/sys/devices/system/cpu/cpufreq/boost")?))
}

fn switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// Intel's hybrid processors have one performance monitoring unit per kind of core.
fn performance_cores(tree: &Tree) -> Option<String> {
    if tree.has("/sys/devices/cpu_atom") { tree.read("/sys/devices/cpu_core/cpus") } else { None }
}

fn virtual_machine(tree: &Tree) -> bool {
    let text = tree.read("/proc/cpuinfo").unwrap_or_default();
    field(&text, "flags").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn memory(tree: &Tree) -> Option<(u64, u64)> {
    let text = tree.read("/proc/meminfo")?;
    let bytes = |key| field(&text, key)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024);
    Some((bytes("MemAvailable")?, bytes("MemTotal")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{counter::Prefer, tree::tests::FakeTree};

    fn look(files: &[(&str, &str)]) -> Condition {
        let fake = FakeTree::with(files);
        observe(&fake.tree(), &Counter::open(Prefer::WallTime), None, Duration::from_millis(2))
    }

    #[test]
    fn a_desktop() {
        let processor = affinity::allowed().expect("told")[0];
        let cpufreq = format!("sys/devices/system/cpu/cpu{processor}/cpufreq");
        let condition = look(&[
            ("proc/loadavg", "1.25 0.50 0.25 2/300 4000\n"),
            ("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    250 kB\n"),
            ("proc/cpuinfo", "flags\t\t: fpu avx2\ncpu MHz\t: 1000.0\n"),
            (&format!("{cpufreq}/scaling_governor"), "powersave\n"),
            (&format!("{cpufreq}/scaling_cur_freq"), "3200000\n"),
            ("sys/devices/system/cpu/online", "0-3,8\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            ("sys/devices/cpu_core/cpus", "0-3\n"),
            ("sys/devices/cpu_atom/cpus", "8\n"),
        ]);
        assert_eq!(condition.load, Some(1.25));
        assert_eq!(condition.memory, Some((250 * 1024, 1000 * 1024)));
        assert_eq!(condition.governors, ["powersave"]);
        assert_eq!(condition.frequency, Some((3200.0, 3200.0)));
        assert_eq!((condition.turbo, condition.smt, condition.online), (Some(true), Some(true), Some(5)));
        assert_eq!(condition.performance_cores.as_deref(), Some("0-3"));
        assert!(!condition.virtual_machine);
        assert_eq!(condition.unseen, ["steal time (/proc/stat)"]);
    }

    #[test]
    fn a_container_in_a_virtual_machine() {
        let condition = look(&[
            ("proc/cpuinfo", "flags : fpu hypervisor\ncpu MHz : 2400.5\n\nflags : fpu\ncpu MHz : 2700\n"),
            ("proc/self/cgroup", "1:name=systemd:/\n0::/box\n"),
            ("sys/fs/cgroup/box/cpu.max", "150000 100000\n"),
            ("sys/devices/system/cpu/cpufreq/boost", "0\n"),
        ]);
        assert!(condition.virtual_machine);
        assert_eq!((condition.quota, condition.turbo), (Some(1.5), Some(false)));
        assert_eq!(condition.frequency, Some((2400.5, 2700.0)));
        assert_eq!(look(&[("sys/fs/cgroup/cpu.max", "max 100000\n")]).quota, None);
        assert_eq!(look(&[("sys/fs/cgroup/cpu.max", "50000 100000\n")]).quota, Some(0.5));
    }

    #[test]
    fn nonsense_is_unseen() {
        let condition = look(&[
            ("proc/loadavg", "busy"),
            ("proc/meminfo", "MemTotal: many kB"),
            ("sys/devices/system/cpu/online", "3-1"),
            ("sys/devices/system/cpu/smt/active", "perhaps"),
            ("sys/fs/cgroup/cpu.max", "5 0"),
        ]);
        assert_eq!((condition.load, condition.memory, condition.online), (None, None, None));
        assert_eq!((condition.smt, condition.quota), (None, None));
        // With and without them in `.ci/night`.
        assert_eq!(condition.debug_build, cfg!(debug_assertions));
    }
}
