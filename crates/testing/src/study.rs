//! What the tests of every carrier's study share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fieldtest_measure::record::{Host, Line, Record, Run, SCHEMA};
use fieldtest_measure::words::UNMEASURED;
use fieldtest_study::group::Stage;
use fieldtest_study::launcher::Here;
use fieldtest_study::whole_job::estimate::NoEstimate;
use fieldtest_study::{Bench, Part, RecordWriter, Signing, StudyError};

/// Runs a carrier's study with a budget of a second, all of it in this process, and returns its records. One that is
/// interrupted is so from the beginning.
pub fn study(interrupted: bool, part: &dyn Part) -> Vec<Record> {
    study_until(interrupted.then_some(""), part)
}

/// As [`study`], interrupted when it says that it has come so far.
pub fn study_until(point: Option<&str>, part: &dyn Part) -> Vec<Record> {
    study_by(point, part.stage(), |bench, writer| part.run(bench, writer))
}

/// As [`study_until`], of whatever `work` measures by `stage` and that of signatures.
pub fn study_by(
    point: Option<&str>,
    stage: Option<&'static dyn Stage>,
    work: impl FnOnce(&mut Bench<'_>, &mut RecordWriter) -> Result<(), StudyError>,
) -> Vec<Record> {
    let lines = lines_by(point, stage, false, work).into_iter();
    lines.filter_map(|line| if let Line::Record(record) = line { Some(record) } else { None }).collect()
}

/// What follows of a carrier's study without measuring anything: its run, the algorithms' facts, and exact records.
pub fn without_measuring(part: &dyn Part) -> Vec<Line> {
    lines_by(None, None, true, |bench, writer| part.run(bench, writer))
}

/// A study's part is refused, when it is settled or when it is measured, with these words.
pub fn assert_refused(mut plan: impl Part, words: &[&str]) {
    let mut found = plan.settle().err().map(|error| error.to_string());
    if found.is_none() {
        study_by(None, None, |bench, writer| {
            found = plan.run(bench, writer).err().map(|error| error.to_string());
            Ok(())
        });
    }
    let found = found.unwrap_or_else(|| panic!("accepted, not refused with {words:?}"));
    assert!(words.iter().all(|word| found.contains(word)), "{found}");
}

fn lines_by(
    point: Option<&str>,
    stage: Option<&'static dyn Stage>,
    exact: bool,
    work: impl FnOnce(&mut Bench<'_>, &mut RecordWriter) -> Result<(), StudyError>,
) -> Vec<Line> {
    let host = Host {
        id: "0123456789ab".into(),
        cpu: "a processor".into(),
        cores: 2,
        features: Vec::new(),
        kernel: "a kernel".into(),
        system: "a system".into(),
        compiler: "a compiler".into(),
        counter: "ns".into(),
        extensions: None,
    };
    let run = Run {
        schema: SCHEMA.into(),
        version: "0".into(),
        started: "2030-01-02T03:04:05Z".into(),
        command: "a test".into(),
        seed: 1,
        host,
        verdict: "noisy".into(),
        findings: Vec::new(),
        calibration: None,
    };
    let interrupt = AtomicBool::new(point == Some(""));
    let stages: Vec<&dyn Stage> = stage.into_iter().chain([&Signing as &dyn Stage]).collect();
    let mut bench = Bench {
        launcher: &Here { stages: &stages, interrupt: &interrupt },
        interrupt: &interrupt,
        seed: 1,
        target: 0.005,
        exact,
        thorough: true,
        surroundings: fieldtest_study::whole_job::Surroundings::new(1.0),
        budget: Duration::from_secs(1),
        begun: Instant::now(),
        say: &mut |text| {
            if point.is_some_and(|point| text.contains(point)) {
                interrupt.store(true, Ordering::Relaxed);
            }
        },
        failed: Vec::new(),
    };
    let mut writer = RecordWriter::new(run);
    work(&mut bench, &mut writer).expect("a study");
    writer.into_parts().0
}

/// Whether there is such a record.
pub fn has(records: &[Record], algorithm: &str, operation: &str, subject: &str) -> bool {
    records.iter().any(|r| r.algorithm == algorithm && r.operation == operation && r.subject == subject)
}

/// The result of a whole job in one time; `None` where a record says why there is none, as on a machine where tests run side
/// by side.
///
/// # Panics
/// Where there is neither.
pub fn undisturbed<'a>(
    records: &'a [Record],
    algorithm: &str,
    operation: &str,
    time: &str,
) -> Option<&'a Record> {
    let of_it = |record: &&Record| record.algorithm == algorithm;
    let result = |record: &&Record| record.operation == operation && record.subject == time;
    let disturbed = |record: &Record| {
        (record.operation.as_str(), record.subject.as_str()) == (UNMEASURED, operation)
            && [NoEstimate::Disturbed, NoEstimate::TooLittleTime]
                .iter()
                .any(|reason| record.notes.iter().any(|note| note.ends_with(reason.why())))
    };
    let found = records.iter().filter(of_it).find(result);
    assert!(
        found.is_some() || records.iter().filter(of_it).any(disturbed),
        "neither a figure nor a reason: {algorithm} {operation} {time} in {:?}",
        records.iter().filter(of_it).map(|it| (&it.operation, &it.subject, &it.notes)).collect::<Vec<_>>()
    );
    found
}

/// Checks the words of open and closed lists against the published schema, and that every result is one.
pub fn assert_words_of_schema(records: &[Record]) {
    let schema = include_str!("../../../docs/records.schema.json");
    for record in records {
        for word in [&record.estimator, &record.unit] {
            assert!(schema.contains(&format!("\"{word}\"")), "{word} is not in the schema");
        }
        assert!(record.value.is_finite(), "{record:?}");
    }
}
