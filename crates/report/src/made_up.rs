//! For tests: records of one study and of a machine that does not exist.

use fieldtest_measure::record::{Host, Implementation, Line, Record, Run, SCHEMA};

use crate::Report;
use crate::study_section::StudySections;

pub(crate) const STUDY: &str = "made-up";

pub(crate) fn run() -> Run {
    let word = || "made-up".to_owned();
    let host = Host {
        id: "0123456789ab".to_owned(),
        cpu: word(),
        cores: 6,
        features: Vec::new(),
        kernel: word(),
        system: word(),
        compiler: word(),
        counter: "cycles".to_owned(),
        extensions: None,
    };
    Run {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        started: "2030-01-02T03:04:05Z".to_owned(),
        command: word(),
        seed: 7,
        host,
        verdict: "quiet".to_owned(),
        findings: Vec::new(),
        calibration: None,
    }
}

/// What `implementation` takes to sign: a result of 30 processes, within a thousandth.
pub(crate) fn timed(algorithm: &str, implementation: &str, value: f64) -> Record {
    Record {
        study: STUDY.to_owned(),
        algorithm: algorithm.to_owned(),
        implementation: Some(Implementation::new(implementation, "1")),
        operation: "sign".to_owned(),
        value,
        unit: "cycles".to_owned(),
        interval: Some([value / 1.001, value * 1.001]),
        estimator: "median".to_owned(),
        samples: 30,
        ..Record::default()
    }
}

pub(crate) fn report(
    run: Run,
    records: impl IntoIterator<Item = Record>,
    study_sections: StudySections,
) -> Report {
    let lines = std::iter::once(Line::Run(run)).chain(records.into_iter().map(Line::Record));
    Report::from_lines(lines, study_sections).expect("records of one machine")
}
