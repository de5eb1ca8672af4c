//! What the records say of every property of every algorithm, as `fieldtest_verdict` decides by it and the page carries it.

use std::collections::BTreeMap;

use fieldtest_verdict::{Algorithm, Cell, Matrix, Study};

use super::Decision;
use super::common::looked_at;
use super::property::{Demand, Held, Property, Value};
use crate::difference::width;
use crate::report::Report;
use crate::result::{experiment_of, is_comparable, is_contended, is_timed, margin, rough_width};
use crate::symbols::EXPERIMENT;

/// One carrier's study as a matrix, and what its cells were made of.
pub(super) struct Studied<'r> {
    pub(super) decision: &'r Decision,
    pub(super) report: &'r Report,
    pub(super) matrix: Matrix,
    pub(super) held: Vec<Vec<Option<Held>>>,
    properties: Vec<Property>,
}

/// What all verdicts of a report are made of.
pub(crate) fn matrix(report: &Report) -> Matrix {
    let decisions = report.study_sections().iter().filter_map(|study_section| study_section.decision);
    let recommended = decisions.filter_map(|decision| report.recommended(decision));
    let studies = recommended.flat_map(|(studied, _)| studied.matrix.studies);
    Matrix { studies: studies.collect(), ..empty(report) }
}

fn empty(report: &Report) -> Matrix {
    let experiments: BTreeMap<&str, &str> = report.records().iter().filter_map(experiment_of).collect();
    Matrix {
        layout: report.layout(),
        unfit: report.is_unfit() && report.records().iter().any(|it| it.samples > 0),
        experiment: EXPERIMENT.footnote(),
        experiments: experiments.into_iter().map(|(name, why)| (name.to_owned(), why.to_owned())).collect(),
        studies: Vec::new(),
    }
}

impl Decision {
    /// What the records say of this study; `None` where none is of it.
    pub(super) fn studied<'r>(&'r self, report: &'r Report) -> Option<Studied<'r>> {
        let of_study = |name: &&str| report.of_study(self.study).any(|record| record.algorithm == **name);
        let names: Vec<&str> = report.measured().into_iter().filter(of_study).collect();
        if names.is_empty() {
            return None;
        }
        let properties: Vec<Property> = self.properties().collect();
        let of = |name: &&str| properties.iter().map(|property| (property.of)(report, name)).collect();
        let held: Vec<Vec<Option<Held>>> = names.iter().map(of).collect();
        let algorithm = |(name, held): (&&str, &Vec<Option<Held>>)| {
            let (facts, caveats) = self.said(report, name);
            Algorithm {
                name: (*name).to_owned(),
                title: report.title(name).to_owned(),
                facts,
                next: self.next_command(report, name),
                caveats,
                has: properties.iter().zip(held).map(|(it, held)| Some(it.cell(held.as_ref()?))).collect(),
            }
        };
        let places = looked_at(report, self.study);
        let owned = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
        let study = Study {
            study: self.study.to_owned(),
            wanted: self.wanted.to_owned(),
            usual: self.usual.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect(),
            by: owned(self.by),
            must: owned(self.must),
            properties: Vec::new(),
            algorithms: names.iter().zip(&held).map(algorithm).collect(),
        };
        let mut matrix = Matrix { studies: vec![study], ..empty(report) };
        let unfit = matrix.unfit;
        let study = &mut matrix.studies[0];
        for (at, property) in properties.iter().enumerate() {
            let cells: Vec<&Cell> = study.algorithms.iter().filter_map(|it| it.has[at].as_ref()).collect();
            let column = property.column(places.clone());
            let has = |word: &&String| cells.iter().any(|it| it.words.iter().flatten().any(|it| it == *word));
            let words = column.listed.iter().filter(has).cloned().collect();
            // Time tells nothing of an unfit machine.
            let ranks = cells.iter().find(|it| it.may_lead()).is_some_and(|it| !(it.timed && unfit));
            let column = fieldtest_verdict::Property { words, known: !cells.is_empty(), ranks, ..column };
            study.properties.push(column);
        }
        Some(Studied { decision: self, report, matrix, held, properties })
    }
}

impl Studied<'_> {
    pub(super) fn study(&self) -> &Study {
        &self.matrix.studies[0]
    }

    pub(super) fn property(&self, at: usize) -> Property {
        self.properties[at]
    }
}

impl Property {
    /// What of it does not depend on records, and the names of places that were looked at.
    pub(super) fn column(&self, places: Vec<String>) -> fieldtest_verdict::Property {
        fieldtest_verdict::Property {
            id: self.id.to_owned(),
            title: self.title.to_owned(),
            unit: self.unit().map(str::to_owned),
            least: matches!(self.demand, Demand::AtLeast(_)),
            all: self.demand == Demand::AllOf,
            listed: match self.demand {
                Demand::AllOf => places,
                Demand::OneOf(words) => words.iter().map(|word| (*word).to_owned()).collect(),
                _ => Vec::new(),
            },
            ..Default::default()
        }
    }

    fn cell(&self, held: &Held) -> Cell {
        let record = held.record();
        let timing = record.filter(|_| held.number().is_some());
        Cell {
            number: held.number(),
            words: if let Value::Words(words) = &held.value { Some(words.clone()) } else { None },
            text: self.write(held),
            evidence: held.evidence.in_words(),
            timed: timing.is_some_and(is_timed),
            unranked: timing.is_some_and(|it| !is_comparable(it) && rough_width(it).is_none()),
            rough: timing.is_some_and(|it| rough_width(it).is_some()),
            contended: timing.filter(|it| is_contended(it)).map(|it| margin(it, 0.0)),
            result: timing.map(|it| it.value).filter(|it| Some(*it) != held.number()),
            width: timing.and_then(|it| width(it).or(rough_width(it))).filter(|it| it.is_finite()),
            experiment: record.and_then(experiment_of).map(|(name, _)| name.to_owned()),
        }
    }
}
