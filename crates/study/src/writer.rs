//! The book of a run: the lines that a report reads, in the order they were found out.

use fieldtest_catalog::Facts;
use fieldtest_catalog::host::{extensions, has_threads};
use fieldtest_catalog::kind::{Kind, KindFacts};
use fieldtest_measure::contention::Peak;
use fieldtest_measure::record::{Candidate, Input, Line, Record, Run, SecurityNote};
use fieldtest_measure::words::{PUBLISHED, UNRESTRICTED, WITH_SYSTEM_CALL, WITH_THREADS};
use fieldtest_measure::worker::Seen;

use crate::Subject;
use crate::windows::{self, Windows};

/// A place in a [`RecordWriter`].
#[derive(Debug, Clone, Copy)]
pub struct End {
    lines: usize,
    windows: windows::End,
}

/// What was [taken out](RecordWriter::take_back) of a book.
pub struct Taken {
    lines: Vec<Line>,
    windows: windows::Taken,
}

/// Collects the lines of a records file.
pub struct RecordWriter {
    study: &'static str,
    lines: Vec<Line>,
    windows: Windows,
}

impl RecordWriter {
    /// A book that begins with who measured where.
    pub fn new(run: Run) -> Self {
        RecordWriter { study: "", lines: vec![Line::Run(run)], windows: Windows::default() }
    }

    /// The study that the following records belong to.
    pub fn open(&mut self, study: &'static str) {
        self.study = study;
    }

    /// The open study.
    pub fn study(&self) -> &'static str {
        self.study
    }

    /// Adds an algorithm's facts, once.
    pub fn candidate<K: Kind>(&mut self, facts: &Facts<K>) {
        let known = |line: &Line| matches!(line, Line::Candidate(c) if c.algorithm == facts.name);
        if !self.lines.iter().any(known) {
            let started = self.lines.iter().find_map(|line| match line {
                Line::Run(run) => Some(run.started.as_str()),
                _ => None,
            });
            self.lines.push(Line::Candidate(candidate(facts, started.unwrap_or_default())));
        }
    }

    /// Adds a record.
    pub fn record(&mut self, record: Record) {
        self.lines.push(Line::Record(record));
    }

    /// Keeps readings of the rulers that no window has.
    pub(crate) fn rulers(&mut self, study: &str, peak: Option<Peak>, rulers: &[[u32; 2]]) {
        self.windows.add_rulers(study, peak, rulers);
    }

    /// Keeps the windows that a record comes from.
    pub(crate) fn windows<'a>(
        &mut self,
        record: &Record,
        items: usize,
        peak: Option<Peak>,
        workers: impl Iterator<Item = &'a Seen>,
    ) {
        self.windows.add(record, items, peak, workers);
    }

    /// A record of the open study, exact until something else is said of it.
    pub fn result(&self, algorithm: &str, operation: &str, subject: &str, value: f64, unit: &str) -> Record {
        Record {
            study: self.study.to_owned(),
            algorithm: algorithm.to_owned(),
            operation: operation.to_owned(),
            subject: subject.to_owned(),
            value,
            unit: unit.to_owned(),
            estimator: "exact".to_owned(),
            ..Record::default()
        }
    }

    /// Enters what others published of an algorithm: rows for orientation, never for comparison. Each row of `table` has the
    /// algorithm, operation, subject, result and unit; lines above it that begin with `; ` say who published it, and what to
    /// think of it.
    pub fn publish(&mut self, algorithm: &str, table: &str) {
        for block in table.split("\n\n") {
            let notes: Vec<String> =
                block.lines().filter_map(|line| line.strip_prefix("; ").map(str::to_owned)).collect();
            for row in block.lines().map(|line| line.split(" | ").collect::<Vec<_>>()) {
                let [name, operation, subject, value, unit] = row[..] else {
                    debug_assert!(row[0].starts_with("; "), "invalid row: {row:?}");
                    continue;
                };
                let value: Option<f64> = value.parse().ok();
                debug_assert!(value.is_some(), "invalid number: {row:?}");
                if let Some(value) = value.filter(|_| name == algorithm) {
                    self.record(Record {
                        estimator: PUBLISHED.to_owned(),
                        notes: notes.clone(),
                        ..self.result(algorithm, operation, subject, value, unit)
                    });
                }
            }
        }
    }

    /// A ratio to be filled in, of an implementation to `other`. Code that does not keep to the run's extensions makes a ratio
    /// one of two machines, on whichever side it stands.
    pub(crate) fn ratio<K: Kind>(
        &self,
        of: &Subject<K>,
        other: &Subject<K>,
        names: (&str, &str),
        input: &Input,
    ) -> Record {
        let mut record = self.measured(of, names, (f64::NAN, "ratio"), input);
        let notes = [of, other].map(is_unrestricted);
        if notes == [false, true] {
            record.notes.push(UNRESTRICTED.to_owned());
        }
        record
    }

    /// As [`estimate`](Self::result), of an implementation that ran on `input`.
    pub fn measured<K: Kind>(
        &self,
        of: &Subject<K>,
        (operation, subject): (&str, &str),
        (value, unit): (f64, &str),
        input: &Input,
    ) -> Record {
        let code = of.implementation;
        let notes = [
            (code.with_system_call(), WITH_SYSTEM_CALL),
            (has_threads(&of.algorithm.facts.name, code.name), WITH_THREADS),
            (is_unrestricted(of), UNRESTRICTED),
        ];
        Record {
            implementation: Some(of.implementation_record()),
            proof: Some(of.proof_record()),
            input: Some(input.clone()),
            notes: notes.into_iter().filter(|(is, _)| *is).map(|(_, note)| note.to_owned()).collect(),
            ..self.result(&of.algorithm.facts.name, operation, subject, value, unit)
        }
    }

    /// Where the book ends now.
    pub fn end(&self) -> End {
        End { lines: self.lines.len(), windows: self.windows.end() }
    }

    /// Takes out what was entered since then, which was the beginning of something that is made anew.
    pub fn take_back(&mut self, end: End) -> Taken {
        Taken { lines: self.lines.split_off(end.lines), windows: self.windows.take_back(end.windows) }
    }

    /// Enters what was taken out again, as nothing came of making it anew.
    pub fn put_back(&mut self, taken: Taken) {
        self.lines.extend(taken.lines);
        self.windows.put_back(taken.windows);
    }

    /// Every line so far.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines, and every window that was timed.
    pub fn into_parts(self) -> (Vec<Line>, Windows) {
        (self.lines, self.windows)
    }
}

fn candidate<K: Kind>(facts: &Facts<K>, day: &str) -> Candidate {
    let sizes = facts.kind.sizes();
    Candidate {
        algorithm: facts.name.clone(),
        title: facts.title.clone(),
        kind: K::WORD.to_owned(),
        level: facts.kind.level(),
        strength: facts.kind.strength(),
        post_quantum: facts.kind.post_quantum(),
        hardness: facts.hardness.clone(),
        standard: facts.standard.clone(),
        status: facts.status.word().to_owned(),
        standings: facts
            .kind
            .standings()
            .into_iter()
            .map(|(carrier, standing)| (carrier.to_owned(), standing.to_owned()))
            .collect(),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        notes: facts
            .notes
            .iter()
            .map(|note| SecurityNote {
                date: note.date.clone(),
                severity: note.severity_on(day).word().to_owned(),
                text: note.text.clone(),
                source: note.source.clone(),
            })
            .collect(),
    }
}

fn is_unrestricted<K: Kind>(of: &Subject<K>) -> bool {
    !extensions::is_kept_by(&of.algorithm.facts.name, of.implementation.name)
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::kind::Hash;
    use fieldtest_measure::Estimator;

    use super::*;
    use crate::scripted::{algorithm, records, seen, subjects, window, writer};
    use crate::speed::input;

    #[test]
    fn a_change_is_judged_on_the_day_of_the_run() {
        use fieldtest_catalog::signature::find;
        let severity = |day| candidate(find("sqisign-1").unwrap().facts, day).notes.remove(0).severity;
        assert_eq!([severity("2026-11-29T00:00:00Z"), severity("2028-09-01T00:00:00Z")], ["warning", "info"]);
    }

    #[test]
    fn lines_are_in_the_order_in_which_they_were_found_out() {
        let mut writer = writer();
        let algorithm = algorithm::<Hash>("sha-256", "made-up", &["one"]);
        let subject = &subjects(&[algorithm])[0];
        for _ in 0..2 {
            writer.candidate(algorithm.facts);
        }
        let input = input("it", "abc", 1);
        writer.record(writer.measured(subject, ("hash", "64"), (2.5, "cycles"), &input));
        writer.open("later");
        assert_eq!(writer.study(), "later");
        writer.record(writer.result("made-up", "size", "", 3.0, "bytes"));
        let [Line::Run(_), Line::Candidate(candidate), Line::Record(measured), Line::Record(exact)] =
            writer.lines()
        else {
            panic!("{:?}", writer.lines())
        };
        assert_eq!((candidate.algorithm.as_str(), candidate.kind.as_str()), ("made-up", "hash"));
        assert_eq!(candidate.status, algorithm.facts.status.word());
        assert_eq!(
            (measured.study.as_str(), measured.value, measured.unit.as_str()),
            ("made-up", 2.5, "cycles")
        );
        assert_eq!((measured.operation.as_str(), measured.subject.as_str()), ("hash", "64"));
        assert_eq!(measured.implementation, Some(subject.implementation_record()));
        assert_eq!((&measured.proof, &measured.input), (&Some(subject.proof_record()), &Some(input)));
        let expected = Record {
            study: "later".to_owned(),
            algorithm: "made-up".to_owned(),
            operation: "size".to_owned(),
            subject: String::new(),
            value: 3.0,
            unit: "bytes".to_owned(),
            estimator: "exact".to_owned(),
            ..Record::default()
        };
        assert_eq!(*exact, expected);
        assert_eq!(writer.into_parts().0.len(), 4);
    }

    #[test]
    fn what_is_made_anew_is_taken_back() {
        let mut writer = writer();
        let add = |writer: &mut RecordWriter, value: f64| {
            let record = writer.result("made-up", "hash", "", value, "cycles");
            writer.windows(&record, 1, None, [seen(Estimator::Median, vec![window(1); 3])].iter());
            writer.record(record);
        };
        let values =
            |writer: &RecordWriter| records(writer).iter().map(|record| record.value).collect::<Vec<_>>();
        add(&mut writer, 1.0);
        let end = writer.end();
        add(&mut writer, 2.0);
        let taken = writer.take_back(end);
        assert_eq!(values(&writer), [1.0]);
        add(&mut writer, 3.0);
        writer.put_back(taken);
        assert_eq!(values(&writer), [1.0, 3.0, 2.0]);
        assert_eq!(writer.into_parts().1.rows(), 9);
    }

    #[test]
    fn what_others_published_is_entered_for_its_algorithm() {
        let table = "; of somebody\n; with care\none | hash | 64 | 7.5 | cycles\ntwo | hash | 64 | 9 | cycles\n\n\
                     ; of another\none | tree |  | 3 | s";
        let mut writer = writer();
        writer.publish("one", table);
        let found = records(&writer);
        let [hash, tree] = found[..] else { panic!("{found:?}") };
        assert_eq!((hash.operation.as_str(), hash.subject.as_str(), hash.value), ("hash", "64", 7.5));
        assert_eq!((tree.operation.as_str(), tree.value, tree.unit.as_str()), ("tree", 3.0, "s"));
        assert_eq!((hash.estimator.as_str(), tree.estimator.as_str()), (PUBLISHED, PUBLISHED));
        assert_eq!(
            (&hash.notes.join(", "), &tree.notes.join(", ")),
            (&"of somebody, with care".into(), &"of another".into())
        );
    }
}
