//! What a comparison found, as JSON has it and tables show it.

use fieldtest_measure::record::Run;
use serde::{Deserialize, Serialize};

/// A run held against the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Its label.
    pub label: String,
    /// What it was.
    pub runs: Vec<Run>,
    /// Whether it was made on the first run's machine.
    pub same_machine: bool,
    /// What else differs around the two.
    pub differs: Vec<Differs>,
    /// What stands for the machines, where there are two.
    pub bases: Vec<Base>,
    /// Studies in which nothing can stand for the machines.
    pub refused: Vec<String>,
    /// What the place of code in memory makes of a quotient, as a share: of two machines, twice what it makes of a result.
    pub layout: f64,
    /// How many results have which verdict.
    pub counts: Counts,
    /// Every result that both have and that was timed, the worst first.
    pub results: Vec<Estimate>,
    /// Results that are no times and changed: sizes, what is available, octets, lost answers.
    pub sizes: Vec<Size>,
    /// Exact results that are not held against each other, since they are of different input.
    pub sizes_of_other_input: usize,
    /// Which these are, with both values.
    #[serde(default)]
    pub of_other_input: Vec<(Name, [f64; 2])>,
    /// Results that one of the two has.
    pub alone: Vec<Alone>,
    /// Results that are made of others and not compared beside them: ratios, leads, shares.
    pub derived: usize,
}

/// Something around two runs that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differs {
    /// `kernel`, `version`, ….
    pub what: String,
    /// In the first run.
    pub was: String,
    /// In the other.
    pub is: String,
}

/// The algorithm that stands for the machines in a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The study.
    pub study: String,
    /// The algorithm.
    pub algorithm: String,
}

/// What a result is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The study.
    pub study: String,
    /// The algorithm.
    pub algorithm: String,
    /// The implementation; empty where no code ran.
    pub implementation: String,
    /// What was done.
    pub operation: String,
    /// Of what; may be empty.
    pub subject: String,
    /// The unit of the result.
    pub unit: String,
}

/// A result that both runs have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// What it is of.
    #[serde(flatten)]
    pub name: Name,
    /// The first run's result and the other's.
    pub values: [f64; 2],
    /// The implementation's versions, where they differ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub versions: Option<[String; 2]>,
    /// What the baseline takes on both machines, where there are two.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub base: Option<BaseResult>,
    /// How many times as long the other takes, on two machines beside the baseline; absent where that is no number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub times: Option<f64>,
    /// The corrected interval of that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<[f64; 2]>,
    /// What can be told.
    pub verdict: Verdict,
    /// Why nothing can be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Reason>,
    /// Whether it is slower by more than the threshold.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub beyond: bool,
    /// Whether both results are of a core that somebody else used.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub shared_core: bool,
    /// How much longer it may take than it seems, as a share: what others took from the first run's result.
    #[serde(skip)]
    pub hidden: f64,
}

/// The result of a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaseResult {
    /// The algorithm.
    pub algorithm: String,
    /// The implementation, the same on both machines.
    pub implementation: String,
    /// On the first machine and on the other.
    pub values: [f64; 2],
}

/// What can be told of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It takes longer than in the first run.
    Slower,
    /// It takes less.
    Faster,
    /// It takes the same, within 2 %.
    Level,
    /// The measurement cannot tell.
    NotSignificant,
}

/// Why nothing can be told of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The runs measured different data.
    Input,
    /// A mean here, a median there.
    Estimator,
    /// One of the two results is of a core that somebody else used, or used more.
    SharedCore,
    /// One of the two was measured on a machine that no result can be relied on from.
    Unfit,
    /// One of the two has no interval.
    NoInterval,
    /// There is no result of the baseline beside it.
    NoBase,
    /// A result or an end of its interval is nothing or less.
    Nothing,
    /// Others that used the cores may explain the change, or hide one.
    Contended,
    /// Too little to be told from chance, or too uncertain to be called level.
    TooLittle,
}

/// What can be told of a result that is no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// It changed, to the worse.
    Worse,
    /// It changed, to the better.
    Better,
    /// It changed, and neither is better.
    Changed,
    /// It may be worse by more than the threshold, or the same.
    Undecided,
}

impl Told {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Told::Worse => "worse",
            Told::Better => "better",
            Told::Changed => "changed",
            Told::Undecided => "undecided",
        }
    }
}

/// A result that is no time and changed, or may have changed by more than the threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// What it is of.
    #[serde(flatten)]
    pub name: Name,
    /// The first run's result and the other's.
    pub values: [f64; 2],
    /// What can be told.
    pub verdict: Told,
    /// Whether it is worse by more than the threshold.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub beyond: bool,
    /// Whether neither was measured, so that any difference is one.
    #[serde(default)]
    pub exact: bool,
    /// By how much it is worse, at least and at most, as a share (of a share: the difference). Absent where chance may have
    /// made it, and where neither is better; in JSON, which has no infinity, also where the first result is zero.
    #[serde(skip_serializing_if = "is_beyond_json", default)]
    pub worse_by: Option<[f64; 2]>,
}

fn is_beyond_json(worse_by: &Option<[f64; 2]>) -> bool {
    !worse_by.is_some_and(|ends| ends.iter().all(|end| end.is_finite()))
}

/// A result that one run has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alone {
    /// The run's label.
    pub run: String,
    /// What it is of.
    #[serde(flatten)]
    pub name: Name,
    /// The result.
    pub value: f64,
    /// Whether it was timed, and is not exact.
    pub timed: bool,
}

/// How many results have which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All that both runs have and that were timed.
    pub compared: usize,
    /// [`Verdict::Slower`].
    pub slower: usize,
    /// Of those, the ones beyond the threshold.
    pub beyond: usize,
    /// [`Verdict::Faster`].
    pub faster: usize,
    /// [`Verdict::Level`].
    pub level: usize,
    /// [`Verdict::NotSignificant`].
    pub not_told: usize,
    /// Timed results that one run has.
    pub alone: usize,
    /// Exact results that one run has.
    pub sizes_alone: usize,
    /// Of `compared`, those that both runs measured on a core that somebody else used.
    pub shared_core: usize,
    /// Exact results, counts, shares and memory that both runs have of the same input.
    #[serde(default)]
    pub sizes: usize,
}

impl Held {
    /// Puts the worst first, and counts.
    pub(super) fn settle(&mut self) {
        // What is judged stands before what is not; the worst first, then the best last of them.
        let rank = |result: &Estimate| (result.interval.is_none(), -result.times.unwrap_or_default());
        self.results.sort_by(|a, b| {
            let ((a, of_a), (b, of_b)) = (rank(a), rank(b));
            a.cmp(&b).then(of_a.total_cmp(&of_b))
        });
        let of = |verdict| self.results.iter().filter(|result| result.verdict == verdict).count();
        let alone = |timed| self.alone.iter().filter(|it| it.timed == timed).count();
        self.counts = Counts {
            compared: self.results.len(),
            slower: of(Verdict::Slower),
            beyond: self.results.iter().filter(|result| result.beyond).count(),
            faster: of(Verdict::Faster),
            level: of(Verdict::Level),
            not_told: of(Verdict::NotSignificant),
            alone: alone(true),
            sizes_alone: alone(false),
            shared_core: self.results.iter().filter(|result| result.shared_core).count(),
            sizes: self.counts.sizes,
        };
    }
}
