//! The lines of a records file, checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fieldtest_measure::record::{Candidate, Implementation, Line, Record, Run, SecurityNote};
use fieldtest_measure::words::INTERRUPTED;

use crate::check::{check_record, check_run, is_fact};
use crate::difference::LAYOUT;
use crate::once::each_once;
use crate::result::words;
use crate::study_section::{StudySection, StudySections};
use crate::table::Cell;
use crate::{Error, rebase, symbols};

/// The records of one machine, ready to be shown.
#[derive(Debug, Clone)]
pub struct Report {
    pub(crate) runs: Vec<Run>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) records: Vec<Record>,
    /// The place among `runs` of the run that each record is of.
    pub(crate) of_run: Vec<usize>,
    pub(crate) baseline: Option<String>,
    study_sections: StudySections,
}

impl Report {
    /// Takes the lines of a records file; `study_sections` say what is made of the studies. A study without one is shown
    /// result by result.
    ///
    /// Of two lines about the same candidate the first counts.
    ///
    /// # Errors
    ///
    /// [`Error::NoRun`], [`Error::Schema`] and [`Error::TwoMachines`] for lines that are not one machine's records of
    /// a known format; [`Error::TwoRuns`] where two runs measured the same; [`Error::InvalidResult`] for a result that is not finite or an interval that is upside down.
    pub fn from_lines(
        lines: impl IntoIterator<Item = Line>,
        study_sections: StudySections,
    ) -> Result<Report, Error> {
        let mut report = Report {
            runs: Vec::new(),
            candidates: Vec::new(),
            records: Vec::new(),
            of_run: Vec::new(),
            baseline: None,
            study_sections,
        };
        for line in lines {
            match line {
                Line::Run(run) => report.runs.push(check_run(run, report.runs.first())?),
                Line::Candidate(candidate) => {
                    if report.candidate(&candidate.algorithm).is_none() {
                        report.candidates.push(candidate);
                    }
                }
                Line::Record(record) => {
                    let of_study = study_sections.iter().filter(|it| it.study == record.study);
                    let may_shrink = of_study.flat_map(|it| it.may_shrink).any(|it| *it == record.operation);
                    report.records.push(check_record(record, report.records.len() + 1, may_shrink)?);
                    report.of_run.push(report.runs.len().saturating_sub(1));
                }
            }
        }
        if report.runs.is_empty() {
            return Err(Error::NoRun);
        }
        report.check_runs()?;
        report.baseline = report.classic_baseline();
        Ok(report)
    }

    /// Makes `algorithm` the one that ratios refer to. Without a call it is `ecdsa-p256`, or else the first algorithm
    /// that is not post-quantum, or else the first.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownBaseline`] where no record is about it.
    pub fn with_baseline(mut self, algorithm: &str) -> Result<Report, Error> {
        let known = self.measured();
        if !known.contains(&algorithm) {
            return Err(Error::UnknownBaseline { name: algorithm.to_owned(), known: known.join(", ") });
        }
        self.baseline = Some(algorithm.to_owned());
        let records = self.records.into_iter().zip(self.of_run).collect();
        (self.records, self.of_run) = rebase::onto(algorithm, records).into_iter().unzip();
        Ok(self)
    }

    /// The algorithm that ratios refer to; `None` without records.
    pub fn baseline(&self) -> Option<&str> {
        self.baseline.as_deref()
    }

    /// Every record, in the order of the file.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The algorithms that the records know of, with their facts.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Which program ran when and where.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The records of one study, in the order of the file.
    pub fn of_study<'r, 's>(
        &'r self,
        study: &'s str,
    ) -> impl Iterator<Item = &'r Record> + Clone + use<'r, 's> {
        self.records.iter().filter(move |record| record.study == study)
    }

    pub(crate) fn records_with_runs(&self) -> impl Iterator<Item = (&Record, Option<&Run>)> {
        self.records.iter().zip(self.of_run.iter().map(|&run| self.runs.get(run)))
    }

    /// What the place of code in memory makes of a result on this machine, as a share: as the calibration found it, or
    /// what it was elsewhere.
    pub fn layout(&self) -> f64 {
        let found = self.runs.iter().filter_map(|run| Some(run.calibration.as_ref()?.layout));
        found.reduce(f64::max).unwrap_or(LAYOUT)
    }

    pub(crate) fn study_sections(&self) -> StudySections {
        self.study_sections
    }

    /// What is said of a study, if somebody says anything.
    pub(crate) fn study_section(&self, study: &str) -> Option<&'static StudySection> {
        self.study_sections.iter().copied().find(|study_section| study_section.study == study)
    }

    /// The candidate of that name.
    pub fn candidate(&self, algorithm: &str) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.algorithm == algorithm)
    }

    /// A size of the algorithm, by its name in the records.
    pub fn size(&self, algorithm: &str, name: &str) -> Option<u64> {
        self.candidate(algorithm)?.sizes.iter().find(|(known, _)| known == name).map(|(_, bytes)| *bytes)
    }

    /// The name people write, or the one users type where the records give no other.
    pub fn title<'a>(&'a self, algorithm: &'a str) -> &'a str {
        self.candidate(algorithm).map_or(algorithm, |candidate| &candidate.title)
    }

    /// An implementation's name, marked where it is an experiment.
    pub fn code(&self, name: &str) -> Cell {
        let of_it = |it: &&Implementation| it.name == name;
        let known = self.records.iter().filter_map(|record| record.implementation.as_ref()).find(of_it);
        let is_experiment = known.is_some_and(|it| it.experiment.is_some());
        Cell::from(name).with_mark(is_experiment.then_some(symbols::EXPERIMENT))
    }

    /// How the algorithm stands; empty where the records do not say.
    pub fn status(&self, algorithm: &str) -> &str {
        self.candidate(algorithm).map_or("", |candidate| &candidate.status)
    }

    /// The newest remark that rules the algorithm out.
    pub fn ruled_out_by(&self, algorithm: &str) -> Option<&SecurityNote> {
        self.candidate(algorithm)?.notes.iter().find(|note| note.severity == "broken")
    }

    /// Whether the algorithm is ruled out, by how it stands or by a remark.
    pub fn is_unsafe(&self, algorithm: &str) -> bool {
        self.status(algorithm) == "broken" || self.ruled_out_by(algorithm).is_some()
    }

    /// Whether a machine was unfit for timing.
    pub fn is_unfit(&self) -> bool {
        self.runs.iter().any(|run| run.verdict == UNFIT)
    }

    /// Whether a new deployment may choose the algorithm as far as its remarks go.
    pub fn is_recommendable(&self, algorithm: &str) -> bool {
        !self.is_unsafe(algorithm) && !matches!(self.status(algorithm), "withdrawn" | "superseded")
    }

    /// The algorithms that records are about: first those that are candidates, in their order, then the others.
    pub fn measured(&self) -> Vec<&str> {
        let listed = self.candidates.iter().map(|candidate| candidate.algorithm.as_str());
        let listed = listed.filter(|name| self.records.iter().any(|record| record.algorithm == *name));
        each_once(listed.chain(self.records.iter().map(|record| record.algorithm.as_str())))
    }

    /// Whether the algorithm is meant to withstand a quantum computer; `None` where the records do not say.
    pub fn post_quantum(&self, algorithm: &str) -> Option<bool> {
        self.candidate(algorithm)?.post_quantum
    }

    /// Refuses a copy of this one: a pipeline that compares a run with itself would pass for ever.
    ///
    /// # Errors
    /// [`Error::SameRun`] for the same records of the same runs.
    pub fn check_other(&self, other: &Report) -> Result<(), Error> {
        match self.runs.first().filter(|_| self.runs == other.runs && self.records == other.records) {
            Some(run) => Err(Error::SameRun { started: run.started.clone() }),
            None => Ok(()),
        }
    }

    /// Refuses results that two runs have, or one run twice: a table has room for one, and nobody could tell whose it is.
    fn check_runs(&self) -> Result<(), Error> {
        let again = self.runs.iter().enumerate().find(|(at, run)| self.runs[..*at].contains(run));
        if let Some((_, same)) = again {
            return Err(Error::SameRun { started: same.started.clone() });
        }
        let mut seen: HashMap<_, (usize, f64)> = HashMap::new();
        for (at, (record, &run)) in self.records.iter().zip(&self.of_run).enumerate() {
            let what = (
                (&record.study, &record.algorithm, record.implementation.as_ref().map(|it| &it.name)),
                (&record.operation, &record.subject, &record.unit),
            );
            let Some((first, value)) = seen.insert(what, (run, record.value)) else { continue };
            // A fact may stand there for each of several inputs, as long as it is the same.
            let contradicts = is_fact(record) && value.to_bits() != record.value.to_bits();
            if first == run && (record.samples > 0 || contradicts) {
                let fault = "its run already has this result";
                return Err(Error::InvalidResult { number: at + 1, what: words(record), fault });
            }
            if first != run {
                let started =
                    |run: usize| self.runs.get(run).map(|run| run.started.clone()).unwrap_or_default();
                let (first, second) = (started(first), started(run));
                return Err(Error::TwoRuns { what: words(record), first, second });
            }
        }
        Ok(())
    }

    /// That algorithms of one study were timed in several runs, as groups of a job are: only those of one run took turns.
    fn apart(&self) -> Option<String> {
        let mut studies: BTreeMap<&str, BTreeMap<usize, BTreeSet<&str>>> = BTreeMap::new();
        for (record, &run) in self.records.iter().zip(&self.of_run).filter(|(record, _)| record.samples > 0) {
            let runs = studies.entry(&record.study).or_default();
            runs.entry(run).or_default().insert(&record.algorithm);
        }
        let told = studies.iter().filter(|(_, runs)| runs.values().collect::<BTreeSet<_>>().len() > 1);
        let told = told.map(|(study, runs)| {
            let group = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
            format!("{study} in {} ({})", runs.len(), runs.values().map(group).collect::<Vec<_>>().join("; "))
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| {
            format!(
                "Timed in several runs: {}. Only algorithms of one run were interleaved; between runs the machine may have changed, which \
                 intervals do not include.",
                told.join(", ")
            )
        })
    }

    /// How the machine was when its results were taken, where that was not quiet, and whether they were taken together: sentences
    /// that belong beside them.
    pub(crate) fn disturbance(&self) -> Option<String> {
        let found = self.runs.iter().map(|run| run.verdict.as_str()).filter(|verdict| *verdict != QUIET);
        let verdicts = each_once(found);
        let some = if self.runs.iter().any(|run| run.verdict == QUIET) { "some of these" } else { "these" };
        let machine = (!verdicts.is_empty()).then(|| {
            format!(
                "Measured on a machine that was {}: {some} results may be off by more than their intervals.",
                verdicts.join(" or ")
            )
        });
        let cut = self.is_interrupted().then(|| INTERRUPTED.to_owned());
        let all: Vec<String> = cut.into_iter().chain(machine).chain(self.apart()).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    /// Whether a run of these was ended before its time.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.runs.iter().any(|run| run.findings.iter().any(|finding| finding == INTERRUPTED))
    }

    fn classic_baseline(&self) -> Option<String> {
        let measured = self.measured();
        let found = measured.iter().find(|name| **name == "ecdsa-p256");
        let found = found.or_else(|| measured.iter().find(|name| self.post_quantum(name) == Some(false)));
        found.or(measured.first()).map(|name| (*name).to_owned())
    }
}

/// The verdict on a machine that disturbs nothing.
pub(crate) const QUIET: &str = "quiet";
/// The verdict on a machine whose results are not to be relied on (METHODOLOGY, "The machine's condition").
pub(crate) const UNFIT: &str = "unfit";
