//! The book of a run: the lines that a report reads, in the order they were found out.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::{Kind, KindFacts};
use fieldtest_measure::record::{Candidate, Input, Line, Record, Run, SecurityNote};
use fieldtest_measure::visit::Seen;
use fieldtest_measure::words::{PUBLISHED, WITH_SYSTEM_CALL};

use crate::Subject;
use crate::windows::{self, Windows};

/// A place in a [`Book`].
#[derive(Debug, Clone, Copy)]
pub struct End {
    lines: usize,
    windows: windows::End,
}

/// What was [taken out](Book::take_back) of a book.
pub struct Taken {
    lines: Vec<Line>,
    windows: windows::Taken,
}

/// Collects the lines of a records file.
pub struct Book {
    study: &'static str,
    lines: Vec<Line>,
    windows: Windows,
}

impl Book {
    /// A book that begins with who measured where.
    pub fn new(run: Run) -> Self {
        Book { study: "", lines: vec![Line::Run(run)], windows: Windows::default() }
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
            self.lines.push(Line::Candidate(candidate(facts)));
        }
    }

    /// Adds a record.
    pub fn record(&mut self, record: Record) {
        self.lines.push(Line::Record(record));
    }

    /// Keeps the windows that a record comes from.
    pub(crate) fn windows<'a>(
        &mut self,
        record: &Record,
        items: usize,
        alone: f64,
        visits: impl Iterator<Item = &'a Seen>,
    ) {
        self.windows.add(record, items, alone, visits);
    }

    /// A record of the open study, exact until something else is said of it.
    pub fn figure(&self, algorithm: &str, operation: &str, subject: &str, value: f64, unit: &str) -> Record {
        Record {
            study: self.study.to_owned(),
            algorithm: algorithm.to_owned(),
            implementation: None,
            operation: operation.to_owned(),
            subject: subject.to_owned(),
            value,
            unit: unit.to_owned(),
            interval: None,
            estimator: "exact".to_owned(),
            samples: 0,
            shared: None,
            proof: None,
            input: None,
            part: None,
            notes: Vec::new(),
        }
    }

    /// Enters what others published of an algorithm: rows for orientation, never for comparison. Each row of `table` has the
    /// algorithm, operation, subject, figure and unit; lines above it that begin with `; ` say who published it, and what to
    /// think of it.
    pub fn publish(&mut self, algorithm: &str, table: &str) {
        for block in table.split("\n\n") {
            let notes: Vec<String> =
                block.lines().filter_map(|line| line.strip_prefix("; ").map(str::to_owned)).collect();
            for row in block.lines().map(|line| line.split(" | ").collect::<Vec<_>>()) {
                let [name, operation, subject, value, unit] = row[..] else {
                    debug_assert!(row[0].starts_with("; "), "a row is no row: {row:?}");
                    continue;
                };
                let value: Option<f64> = value.parse().ok();
                debug_assert!(value.is_some(), "a figure is no number: {row:?}");
                if let Some(value) = value.filter(|_| name == algorithm) {
                    self.record(Record {
                        estimator: PUBLISHED.to_owned(),
                        notes: notes.clone(),
                        ..self.figure(algorithm, operation, subject, value, unit)
                    });
                }
            }
        }
    }

    /// As [`figure`](Self::figure), of an implementation that ran on `input`.
    pub fn measured<K: Kind>(
        &self,
        of: &Subject<K>,
        (operation, subject): (&str, &str),
        (value, unit): (f64, &str),
        input: &Input,
    ) -> Record {
        Record {
            implementation: Some(of.implementation_record()),
            proof: Some(of.proof_record()),
            input: Some(input.clone()),
            notes: of
                .implementation
                .with_system_call()
                .then(|| WITH_SYSTEM_CALL.to_owned())
                .into_iter()
                .collect(),
            ..self.figure(&of.algorithm.facts.name, operation, subject, value, unit)
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

fn candidate<K: Kind>(facts: &Facts<K>) -> Candidate {
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
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        notes: facts
            .notes
            .iter()
            .map(|note| SecurityNote {
                date: note.date.clone(),
                severity: note.severity.word().to_owned(),
                text: note.text.clone(),
                source: note.source.clone(),
            })
            .collect(),
    }
}
