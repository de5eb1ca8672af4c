//! From what was seen to findings. The thresholds stand here, each beside the sentence it leads to.

use super::{Finding, Verdict, condition::Condition};
use crate::{
    contention::{CoreSeen, Peak},
    counter::Source,
    file_system, ruler,
};

/// The findings, heaviest first.
pub fn findings(condition: &Condition) -> Vec<Finding> {
    let mut findings = Vec::new();
    build(condition, &mut findings);
    counter(condition, &mut findings);
    company(condition, &mut findings);
    evenness(condition, &mut findings);
    contention(condition, &mut findings);
    frequency(condition, &mut findings);
    cores(condition, &mut findings);
    storage(condition, &mut findings);
    if !condition.unseen.is_empty() {
        findings.push(remark(
            format!("Some things cannot be seen on this machine: {}.", condition.unseen.join(", ")),
            "Invisible conditions are assumed to be harmless, so repeat the run on another day before relying on it.",
        ));
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
    findings
}

fn finding(weight: Verdict, what: impl Into<String>, remedy: impl Into<String>) -> Finding {
    Finding { weight, what: what.into(), remedy: remedy.into() }
}

fn remark(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
    finding(Verdict::Quiet, what, remedy)
}

/// Unfit from `unfit` on, noisy from `noisy` on, otherwise nothing.
fn weigh(value: f64, noisy: f64, unfit: f64) -> Option<Verdict> {
    if value >= unfit {
        Some(Verdict::Unfit)
    } else if value >= noisy {
        Some(Verdict::Noisy)
    } else {
        None
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{}", letters.as_str(), if text.ends_with('.') { "" } else { "." })
}

fn build(condition: &Condition, findings: &mut Vec<Finding>) {
    if condition.debug_build {
        findings.push(finding(
            Verdict::Unfit,
            "This program was built with debug assertions, so its speed is meaningless.",
            "Build it with cargo build --release.",
        ));
    }
}

fn counter(condition: &Condition, findings: &mut Vec<Finding>) {
    match (condition.counter, &condition.fallback) {
        (_, Some(fallback)) => {
            let reason = fallback.reason.trim_end_matches('.');
            let what = match ruler::exist() {
                true => format!(
                    "Cycles are computed from the clock by a chain of additions around each window, not read from a counter: {reason}."
                ),
                false => format!(
                    "Results are elapsed ns, not core cycles: {reason}, so they change with the processor's frequency."
                ),
            };
            findings.push(remark(what, sentence(&fallback.remedy)));
        }
        (Source::PerfRead, None) => findings.push(remark(
            "Cycles are read by a system call, because this process may not execute rdpmc.",
            "On x86-64, write 1 to /sys/bus/event_source/devices/cpu/rdpmc; elsewhere nothing is needed.",
        )),
        _ => {}
    }
}

fn company(condition: &Condition, findings: &mut Vec<Finding>) {
    let processors = condition.online.unwrap_or(condition.allowed.len()).max(1);
    if let Some(load) = condition.load
        && let Some(weight) = weigh(load / processors as f64, 0.5, 6.0)
    {
        findings.push(finding(
            weight,
            format!("The load average is {load:.2} on {processors} processors."),
            "Stop other work, or wait a minute if it has just ended.",
        ));
    }
    // Ticks are hundredths of a second: one busy tick among those of the loop must not be a finding.
    if let Some(others) = condition.others
        && let Some(weight) = weigh(others, 0.15, 0.95)
    {
        findings.push(finding(
            weight,
            format!(
                "Other programs used {} of the processors' time while the machine was examined.",
                percent(others)
            ),
            "Stop them; top shows which they are.",
        ));
    }
    if let Some(steal) = condition.steal
        && let Some(weight) = weigh(steal, 0.03, 0.4)
    {
        findings.push(finding(
            weight,
            format!(
                "The hypervisor gave {} of this machine's time to other machines (steal).",
                percent(steal)
            ),
            "Measure on a machine with dedicated processors, or at another time of day.",
        ));
    }
    if condition.virtual_machine {
        findings.push(remark(
            "This is a virtual machine, whose neighbours are invisible.",
            "Prefer bare metal for results to publish; ratios suffer less than absolute results.",
        ));
    }
    if let Some((available, total)) = condition.memory {
        let mebibytes = available >> 20;
        if mebibytes < 256 || (available as f64) < 0.05 * total as f64 {
            findings.push(finding(
                Verdict::Noisy,
                format!(
                    "Only {mebibytes} MiB of memory are available, so the system may swap or drop caches."
                ),
                "Stop programs that use memory.",
            ));
        }
    }
}

fn evenness(condition: &Condition, findings: &mut Vec<Finding>) {
    let jitter = &condition.jitter;
    // Next to four busy loops on two processors 0.68 is lost. Windows in which the thread kept its core are not worse for it:
    // 87% of the ratios and 88% of the costs held in another run (BIAS), so results can still be ranked.
    if let Some(weight) = weigh(jitter.lost, 0.05, 0.8) {
        findings.push(finding(
            weight,
            format!(
                "A loop of equal pieces lost {} of its time to other threads; the longest piece took {:.1} times the median.",
                percent(jitter.lost),
                jitter.worst.as_secs_f64() / jitter.median.as_secs_f64().max(1e-9)
            ),
            "Stop other work, or run the program on a processor that nothing else uses (isolcpus, taskset).",
        ));
    }
    if let Some(weight) = weigh(jitter.spread(), 0.05, 1.0) {
        findings.push(finding(
            weight,
            format!(
                "A loop of equal pieces ran unevenly: one piece in ten took {} longer.",
                percent(jitter.spread())
            ),
            "Let the machine warm up, fix its frequency, and stop work on the other threads of its cores.",
        ));
    }
}

/// Below this share of uncontended readings too many workers would be without ten uncontended windows.
const UNCONTENDED: f64 = 0.5;

fn contention(condition: &Condition, findings: &mut Vec<Finding>) {
    let Some(CoreSeen { readings, peak, uncontended }) = condition.core else { return };
    let remedy = "Measure on a machine with dedicated cores, or at another time of day.";
    findings.push(match peak {
        None => finding(
            Verdict::Noisy,
            format!(
                "Another thread used the core throughout {readings} readings of the rulers, so results will be contended."
            ),
            remedy,
        ),
        Some(Peak { centre, .. }) => {
            let what = format!(
                "The core was uncontended in {} of {readings} readings of the rulers, at {centre:.2} additions per cycle.",
                percent(uncontended)
            );
            finding(if uncontended < UNCONTENDED { Verdict::Noisy } else { Verdict::Quiet }, what, remedy)
        }
    });
}

fn frequency(condition: &Condition, findings: &mut Vec<Finding>) {
    // Cycles hardly depend on the frequency (only memory's share does); nanoseconds are nothing else.
    let weight = if condition.counter.unit() == "cycles" { Verdict::Quiet } else { Verdict::Noisy };
    let unsteady: Vec<&str> = condition
        .governors
        .iter()
        .map(String::as_str)
        .filter(|governor| *governor != "performance")
        .collect();
    if !unsteady.is_empty() {
        findings.push(finding(
            weight,
            format!(
                "The frequency governor is {}, so the frequency follows the load.",
                unsteady.join(" and ")
            ),
            "As root: cpupower frequency-set -g performance.",
        ));
    }
    if condition.turbo == Some(true) {
        findings.push(finding(
            weight,
            "Turbo is on, so the frequency depends on heat and on the other cores' load.",
            "As root: write 1 to /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 to \
             /sys/devices/system/cpu/cpufreq/boost.",
        ));
    }
}

fn cores(condition: &Condition, findings: &mut Vec<Finding>) {
    if condition.smt == Some(true) {
        findings.push(remark(
            "Cores run two threads each (SMT), so work on a sibling slows a thread down.",
            "As root: write off to /sys/devices/system/cpu/smt/control, or leave the siblings idle.",
        ));
    }
    if let Some(online) = condition.online
        && !condition.allowed.is_empty()
        && condition.allowed.len() < online
    {
        findings.push(remark(
            format!("This process may use {} of {online} processors.", condition.allowed.len()),
            "Nothing is needed if that was intended (taskset, cpuset).",
        ));
    }
    if let Some(quota) = condition.quota {
        let weight = if quota < 1.0 { Verdict::Unfit } else { Verdict::Noisy };
        findings.push(finding(
            weight,
            format!(
                "The control group limits this process to the time of {quota:.2} processors, by stopping it."
            ),
            "Raise or remove the limit (cpu.max, docker run --cpus).",
        ));
    }
    if let Some(list) = &condition.performance_cores
        && leaves_list(condition, list)
    {
        findings.push(finding(
            Verdict::Noisy,
            format!(
                "This processor has two kinds of core, and this process may run on both; only processors {list} are \
                 of the fast kind, and cycles are counted there only."
            ),
            format!("Start the program with taskset -c {list}."),
        ));
    }
}

/// Whether the process may run outside of the list.
fn leaves_list(condition: &Condition, list: &str) -> bool {
    let within = |processor: usize| {
        list.split(',').any(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            matches!((first.trim().parse(), last.trim().parse()),
                (Ok(first), Ok(last)) if (first..=last).contains(&processor))
        })
    };
    !condition.allowed.iter().copied().all(within)
}

fn storage(condition: &Condition, findings: &mut Vec<Finding>) {
    let Some((path, name)) = &condition.file_system else { return };
    let path = path.display();
    match name {
        Ok(name) if file_system::is_memory(name) => findings.push(remark(
            format!("{path} is on {name}, that is, in memory."),
            "Choose a directory on a disk if results for files should include one.",
        )),
        Ok(name) if file_system::is_remote(name) => findings.push(finding(
            Verdict::Noisy,
            format!("{path} is on {name}, so reading and writing there waits for a server."),
            "Choose a directory on a local disk.",
        )),
        Ok(_) => {}
        Err(error) => findings.push(remark(
            format!("Cannot detect the file system of {path}: {}.", error.trim_end_matches('.')),
            "Check that the path exists and can be read.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{counter::Fallback, jitter::Jitter};
    use std::time::Duration;

    fn calm() -> Condition {
        let piece = Duration::from_micros(10);
        Condition {
            counter: Source::Rdpmc,
            fallback: None,
            debug_build: false,
            load: Some(0.1),
            steal: Some(0.0),
            others: Some(0.01),
            jitter: Jitter { pieces: 1000, median: piece, ninetieth: piece, worst: 2 * piece, lost: 0.01 },
            core: None,
            allowed: vec![0, 1, 2, 3],
            online: Some(4),
            quota: None,
            frequency: Some((3000.0, 3000.0)),
            governors: vec!["performance".into()],
            turbo: Some(false),
            smt: Some(false),
            performance_cores: None,
            virtual_machine: false,
            memory: Some((8 << 30, 16 << 30)),
            file_system: Some(("/data".into(), Ok("ext4".into()))),
            unseen: vec![],
        }
    }

    fn core(centre: Option<f64>, uncontended: f64) -> Option<CoreSeen> {
        let peak = centre.map(|centre| Peak { centre, gate: centre * 0.985, chain: 3000.0 });
        Some(CoreSeen { readings: 200, peak, uncontended })
    }

    fn only(condition: Condition) -> Finding {
        let mut findings = findings(&condition);
        assert_eq!(findings.len(), 1, "{findings:#?}");
        findings.remove(0)
    }

    #[test]
    fn a_calm_machine_has_no_findings() {
        assert_eq!(findings(&calm()), []);
    }

    #[test]
    fn each_disturbance_is_one_finding_with_a_remedy() {
        let cases: Vec<(Condition, Verdict, &str)> = vec![
            (Condition { debug_build: true, ..calm() }, Verdict::Unfit, "debug assertions"),
            (Condition { load: Some(2.5), ..calm() }, Verdict::Noisy, "2.50 on 4"),
            (Condition { load: Some(40.0), ..calm() }, Verdict::Unfit, "40.00"),
            (Condition { steal: Some(0.1), ..calm() }, Verdict::Noisy, "10.0%"),
            (Condition { others: Some(0.5), ..calm() }, Verdict::Noisy, "50.0%"),
            (Condition { jitter: Jitter { lost: 0.3, ..calm().jitter }, ..calm() }, Verdict::Noisy, "30.0%"),
            (
                Condition {
                    jitter: Jitter { ninetieth: Duration::from_micros(12), ..calm().jitter },
                    ..calm()
                },
                Verdict::Noisy,
                "20.0% longer",
            ),
            (Condition { core: core(None, 0.0), ..calm() }, Verdict::Noisy, "throughout 200 readings"),
            (Condition { core: core(Some(4.7), 0.4), ..calm() }, Verdict::Noisy, "40.0% of 200"),
            (Condition { core: core(Some(4.7), 0.6), ..calm() }, Verdict::Quiet, "at 4.70 additions"),
            (Condition { governors: vec!["powersave".into()], ..calm() }, Verdict::Quiet, "powersave"),
            (Condition { turbo: Some(true), ..calm() }, Verdict::Quiet, "Turbo"),
            (Condition { smt: Some(true), ..calm() }, Verdict::Quiet, "SMT"),
            (Condition { virtual_machine: true, ..calm() }, Verdict::Quiet, "virtual machine"),
            (Condition { quota: Some(0.5), ..calm() }, Verdict::Unfit, "0.50 processors"),
            (Condition { quota: Some(1.0), ..calm() }, Verdict::Noisy, "1.00 processors"),
            (Condition { quota: Some(2.0), ..calm() }, Verdict::Noisy, "2.00 processors"),
            (Condition { allowed: vec![0], ..calm() }, Verdict::Quiet, "1 of 4"),
            (Condition { memory: Some((100 << 20, 16 << 30)), ..calm() }, Verdict::Noisy, "100 MiB"),
            (Condition { performance_cores: Some("0-2".into()), ..calm() }, Verdict::Noisy, "taskset -c 0-2"),
            (Condition { counter: Source::PerfRead, ..calm() }, Verdict::Quiet, "rdpmc"),
            (Condition { unseen: vec!["turbo".into()], ..calm() }, Verdict::Quiet, "cannot be seen"),
            (
                Condition { file_system: Some(("/x".into(), Ok("nfs".into()))), ..calm() },
                Verdict::Noisy,
                "/x is on nfs",
            ),
            (
                Condition { file_system: Some(("/x".into(), Ok("tmpfs".into()))), ..calm() },
                Verdict::Quiet,
                "memory",
            ),
            (
                Condition { file_system: Some(("/x".into(), Err("no such file".into()))), ..calm() },
                Verdict::Quiet,
                "no such file",
            ),
        ];
        for (condition, weight, words) in cases {
            let finding = only(condition);
            assert_eq!(finding.weight, weight, "{finding:?}");
            assert!(finding.to_string().contains(words), "{words}: {finding}");
            assert!(finding.what.ends_with('.') && finding.remedy.ends_with('.'), "{finding:?}");
        }
    }

    /// Each bound, and the last value below it; of quotients of times one that is near.
    #[test]
    fn bounds_are_where_they_are_said_to_be() {
        type Set = fn(f64, &mut Condition);
        let micros = |value: f64| Duration::from_nanos((1000.0 * value) as u64);
        let bounds: [(Set, [f64; 2]); 7] = [
            (|load, it| it.load = Some(load), [2.0, 24.0]), // 0.5 and 6 on each of four processors
            (|load, it| (it.load, it.online, it.allowed) = (Some(load), None, vec![0, 1]), [1.0, 12.0]),
            (|load, it| (it.load, it.online, it.allowed) = (Some(load), None, vec![]), [0.5, 6.0]),
            (|share, it| it.others = Some(share), [0.15, 0.95]),
            (|share, it| it.steal = Some(share), [0.03, 0.4]),
            (|share, it| it.jitter.lost = share, [0.05, 0.8]),
            (|quota, it| it.quota = Some(2.0 - quota), [0.0, 1.0 + f64::EPSILON]), // below one processor
        ];
        let with = |set: Set, value: f64| {
            let mut condition = calm();
            set(value, &mut condition);
            findings(&condition).first().map(|finding| finding.weight)
        };
        for (at, (set, [noisy, unfit])) in bounds.into_iter().enumerate() {
            let below = |bound: f64| bound - bound.abs().max(1.0) * 2.0 * f64::EPSILON;
            if noisy > 0.0 {
                assert_eq!(with(set, below(noisy)), None, "{at}");
            }
            assert_eq!(with(set, noisy), Some(Verdict::Noisy), "{at}");
            assert_eq!(with(set, below(unfit)), Some(Verdict::Noisy), "{at}");
            assert_eq!(with(set, unfit), Some(Verdict::Unfit), "{at}");
        }
        for (ninetieth, weight) in [
            (10.49, None),
            (10.51, Some(Verdict::Noisy)),
            (19.99, Some(Verdict::Noisy)),
            (20.0, Some(Verdict::Unfit)),
        ] {
            let jitter = Jitter { ninetieth: micros(ninetieth), ..calm().jitter };
            let found = findings(&Condition { jitter, ..calm() });
            assert_eq!(found.first().map(|finding| finding.weight), weight, "{ninetieth}");
        }
        const MIB: u64 = 1 << 20;
        for (available, total, enough) in [
            (256 * MIB, 5120 * MIB, true),
            (256 * MIB - 1, 5000 * MIB, false),
            (256 * MIB, 5121 * MIB, false),
            (4096 * MIB, 81_920 * MIB, true),
        ] {
            let found = findings(&Condition { memory: Some((available, total)), ..calm() });
            assert_eq!(found.is_empty(), enough, "{available} of {total}");
        }
    }

    #[test]
    fn lists_of_processors_have_ranges_and_single_ones() {
        for (allowed, list, leaves) in [
            (vec![0, 3], "0-3", false),
            (vec![0, 4], "0-3", true),
            (vec![5, 8, 9], "0-5,8, 9", false),
            (vec![7], "0-5,8,9", true),
            (vec![], "0-3", false),
            (vec![0], "none", true),
        ] {
            let condition =
                Condition { allowed, performance_cores: Some(list.into()), online: None, ..calm() };
            assert_eq!(findings(&condition).len(), usize::from(leaves), "{list}");
        }
    }

    #[test]
    fn performance_cores_alone_are_fine() {
        let hybrid = Condition { performance_cores: Some("0-3".into()), online: Some(4), ..calm() };
        assert_eq!(findings(&hybrid), []);
    }

    #[test]
    fn without_cycles_the_frequency_weighs_more() {
        let fallback =
            Some(Fallback { reason: "this machine shows no cycle counter".into(), remedy: "get one".into() });
        let condition = Condition { counter: Source::WallTime, fallback, turbo: Some(true), ..calm() };
        let findings = findings(&condition);
        assert_eq!(findings[0].weight, Verdict::Noisy, "heaviest first");
        assert!(findings[0].what.starts_with("Turbo"));
        assert!(
            findings[1].what.contains(if ruler::exist() {
                "the clock by a chain of additions"
            } else {
                "elapsed ns, not core cycles"
            }),
            "{}",
            findings[1].what
        );
        assert_eq!(findings[1].remedy, "Get one.");
    }
}
