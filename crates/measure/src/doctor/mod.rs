//! The host's condition: is this machine, now, one to measure on?
//!
//! [`condition::observe`] looks, [`judge::findings`] judges, and neither changes anything on the machine. What cannot
//! be seen is said, and is no error: most virtual machines show neither governor nor frequency.

pub mod condition;
pub mod judge;

use crate::{
    counter::Counter,
    host,
    record::{Host, Run, SCHEMA},
    tree::Tree,
    words,
};
use condition::Condition;
use std::{fmt, path::Path, time::Duration};

words! {
    /// Whether to trust results made here and now.
    #[derive(PartialOrd, Ord)]
    pub enum Verdict {
        /// Nothing speaks against it.
        Quiet = "quiet",
        /// Ratios can be trusted to their intervals; absolute results only roughly.
        Noisy = "noisy",
        /// Not even ratios should be relied on.
        Unfit = "unfit",
    }
}

/// Something a reader of the results should know, and what could be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What the finding alone makes of the verdict; [`Verdict::Quiet`] for a mere remark.
    pub weight: Verdict,
    /// What was found, one sentence.
    pub what: String,
    /// What would help, one sentence.
    pub remedy: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what, self.remedy)
    }
}

/// All that is said of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// The heaviest finding's weight.
    pub verdict: Verdict,
    /// The findings, heaviest first.
    pub findings: Vec<Finding>,
    /// What they rest on.
    pub condition: Condition,
    /// The machine itself.
    pub host: Host,
}

impl Diagnosis {
    /// The first line of a records file: this diagnosis, the program's `version`, the `command` as it would be
    /// typed, and the run's `seed`. The run starts now.
    pub fn run(&self, version: &str, command: &str, seed: u64) -> Run {
        Run {
            schema: SCHEMA.to_owned(),
            version: version.to_owned(),
            started: now(),
            command: command.to_owned(),
            seed,
            host: self.host.clone(),
            verdict: self.verdict.to_string(),
            findings: self.findings.iter().map(Finding::to_string).collect(),
            calibration: None,
        }
    }
}

/// RFC 3339, UTC, whole seconds.
fn now() -> String {
    jiff::Timestamp::from_second(jiff::Timestamp::now().as_second()).unwrap_or_default().to_string()
}

/// Time that [`examine`] should spin for, unless there is a reason for another.
pub const SPIN: Duration = Duration::from_millis(200);

/// Examines the machine below `tree`, spinning for about `spin`. `counter` is the one that will be measured with;
/// `path` is where files will be read or written, if any will.
pub fn examine(tree: &Tree, counter: &Counter, path: Option<&Path>, spin: Duration) -> Diagnosis {
    let condition = condition::observe(tree, counter, path, spin);
    let findings = judge::findings(&condition);
    let verdict = findings.iter().map(|finding| finding.weight).max().unwrap_or(Verdict::Quiet);
    Diagnosis { verdict, findings, condition, host: host::facts(tree, counter.unit()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{counter::Prefer, tree::tests::FakeTree};

    #[test]
    fn records_have_the_word_of_a_verdict() {
        let words = [Verdict::Quiet, Verdict::Noisy, Verdict::Unfit].map(|verdict| verdict.to_string());
        assert_eq!(words, ["quiet", "noisy", "unfit"]);
    }

    #[test]
    fn this_machine_can_be_examined() {
        let counter = Counter::open(Prefer::Cycles);
        let diagnosis = examine(&Tree::default(), &counter, Some(Path::new("/")), Duration::from_millis(30));
        let weights: Vec<Verdict> = diagnosis.findings.iter().map(|finding| finding.weight).collect();
        assert_eq!(diagnosis.verdict, weights.first().copied().unwrap_or(Verdict::Quiet));
        assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
        assert!(
            diagnosis.findings.iter().all(|f| f.what.ends_with('.') && f.remedy.ends_with('.')),
            "{diagnosis:#?}"
        );
        let run = diagnosis.run("0.1.0", "fieldtest doctor", 7);
        assert_eq!((run.schema.as_str(), run.seed), (SCHEMA, 7));
        assert!(run.started.ends_with('Z') && run.started.len() == 20, "{}", run.started);
        assert_eq!(run.host.counter, counter.unit());
        assert_eq!(run.findings.len(), diagnosis.findings.len());
    }

    #[test]
    fn a_run_has_the_verdict_and_what_speaks_against_it_with_its_remedies() {
        // METHODOLOGY: a fifth of a second.
        assert_eq!(SPIN, Duration::from_millis(200));
        let counter = Counter::open(Prefer::WallTime);
        let fake = FakeTree::with(&[("proc/empty", "")]);
        let seen = examine(&fake.tree(), &counter, None, Duration::ZERO);
        let finding = |weight, what: &str, remedy: &str| Finding {
            weight,
            what: what.to_owned(),
            remedy: remedy.to_owned(),
        };
        let findings = vec![finding(Verdict::Noisy, "A.", "B."), finding(Verdict::Quiet, "C.", "D.")];
        let run = Diagnosis { verdict: Verdict::Noisy, findings, ..seen }.run("1.2.3", "fieldtest speed", 7);
        assert_eq!(
            (run.verdict.as_str(), &run.findings[..]),
            ("noisy", &["A. B.", "C. D."].map(String::from)[..])
        );
        assert_eq!((run.version.as_str(), run.command.as_str()), ("1.2.3", "fieldtest speed"));
    }

    #[test]
    fn an_empty_tree_is_no_error() {
        let fake = FakeTree::with(&[("proc/empty", "")]);
        let counter = Counter::open(Prefer::WallTime);
        let diagnosis = examine(&fake.tree(), &counter, None, Duration::from_millis(5));
        let unseen = diagnosis.findings.iter().find(|f| f.what.contains("cannot be seen")).expect("said");
        for thing in ["load average", "steal time", "frequency", "governor", "turbo", "SMT", "memory"] {
            assert!(unseen.what.contains(thing), "{thing}: {}", unseen.what);
        }
    }

    #[test]
    fn verdicts_are_ordered() {
        assert!(Verdict::Quiet < Verdict::Noisy && Verdict::Noisy < Verdict::Unfit);
    }
}
