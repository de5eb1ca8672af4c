//! What the tests of every carrier's decision share.

use fieldtest_measure::record::{Implementation, Line, Record};
use fieldtest_report::advice::{Advice, Request};
use fieldtest_report::{Report, StudySection, StudySections};
use fieldtest_study::Part;

use crate::study::without_measuring;
use crate::synthetic::record;

/// A result as a study would have measured it: algorithm, operation, subject, value, unit.
pub type Measured<'a> = (&'a str, &'a str, &'a str, f64, &'a str);

/// The report of a study whose measured results are these, each within half a per cent.
pub fn report(study_section: StudySections, part: &dyn Part, measured: &[Measured<'_>]) -> Report {
    let result = |&(algorithm, operation, subject, value, unit): &Measured<'_>| {
        Line::Record(Record {
            implementation: Some(Implementation::new("a library", "1")),
            interval: Some([0.995 * value, 1.005 * value]),
            estimator: "median".to_owned(),
            samples: 30,
            ..record(part.carrier(), algorithm, operation, subject, value, unit)
        })
    };
    let lines = without_measuring(part).into_iter().chain(measured.iter().map(result));
    Report::from_lines(lines, study_section).unwrap()
}

/// The verdict of the only chapter's decision.
pub fn advice(
    report: &Report,
    study_section: &StudySection,
    typed: &[(&str, &str)],
    replaces: Option<&str>,
) -> Advice {
    let request = Request {
        typed: typed.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect(),
        replaces: replaces.map(str::to_owned),
        by: None,
    };
    study_section.decision.unwrap().decide(report, &request).unwrap().unwrap()
}

/// Who survives, by name, with the ranks.
pub fn survivors(advice: &Advice) -> Vec<(usize, &str)> {
    advice.survivors.iter().map(|it| (it.rank, it.algorithm.as_str())).collect()
}

/// What an excluded algorithm lacks, by property.
pub fn lacks<'a>(advice: &'a Advice, algorithm: &str) -> Vec<&'a str> {
    let excluded = advice.excluded.iter().find(|it| it.algorithm == algorithm).unwrap();
    excluded.lacks.iter().map(|shown| shown.property).collect()
}
