//! What a judge elsewhere needs to decide as this crate does: of every carrier its properties, what is usual, and what each
//! algorithm has. The page carries it, and its script is such a judge (`templates/script/judge.js`).

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::Decision;
use super::common::looked_at;
use super::constraint::Request;
use super::order::{WHY, Why, is_unfit, may_lead};
use super::property::{Demand, Held, Property, Value, written};
use crate::difference::TIED;
use crate::report::Report;
use crate::result::{experiment_of, is_contended, is_timed, margin};
use crate::symbols::EXPERIMENT;

/// All of it. Texts and what algorithms have stand once, and are referred to by their places.
#[derive(Serialize)]
pub(crate) struct Carried<'r> {
    layout: f64,
    /// How far from 1 the interval of a ratio may reach for a tie.
    level: f64,
    unfit: bool,
    /// Why those are not ranked that are not tied.
    why: Why,
    /// What the mark of results by experimental code means.
    experiment: String,
    /// Such code, and why it is.
    experiments: BTreeMap<&'r str, &'r str>,
    studies: Vec<Study<'r>>,
    pub(crate) texts: Vec<String>,
    values: Vec<Json>,
    #[serde(skip)]
    places: Places,
}

/// Where texts and values stand.
#[derive(Default)]
struct Places {
    texts: HashMap<String, usize>,
    values: HashMap<String, usize>,
}

/// What is decided on one carrier.
#[derive(Serialize)]
struct Study<'r> {
    study: &'static str,
    wanted: &'static str,
    usual: &'static [(&'static str, &'static str)],
    by: &'static [&'static str],
    must: &'static [&'static str],
    properties: Vec<Known>,
    algorithms: Vec<Candidate<'r>>,
}

/// A property, and what the records know of it.
#[derive(Serialize)]
struct Known {
    id: &'static str,
    title: &'static str,
    /// The unit of results; none for words.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    /// Whether a bound is the least that suffices.
    #[serde(skip_serializing_if = "is_false")]
    least: bool,
    /// Whether all words that are asked for are needed, and not one of them.
    #[serde(skip_serializing_if = "is_false")]
    all: bool,
    /// The words that can be asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
    /// The words that there are, where they are more than those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    listed: Vec<String>,
    /// Whether the records say anything of it for anybody.
    known: bool,
    /// Whether somebody can be first by it.
    #[serde(skip_serializing_if = "is_false")]
    ranks: bool,
}

#[derive(Serialize)]
struct Candidate<'r> {
    name: &'r str,
    title: &'r str,
    /// What a person would say of it.
    told: usize,
    /// The place of what it has of each property; nothing where the records do not say.
    has: Vec<Option<usize>>,
}

fn is_false(it: &bool) -> bool {
    !it
}

impl<'r> Carried<'r> {
    /// What the verdicts of `report` are made of.
    pub(crate) fn of(report: &'r Report) -> Carried<'r> {
        let mut carried = Carried {
            layout: report.layout(),
            level: TIED,
            unfit: is_unfit(report),
            why: WHY,
            experiment: EXPERIMENT.footnote(),
            experiments: report.records.iter().filter_map(experiment_of).collect(),
            studies: Vec::new(),
            texts: Vec::new(),
            values: Vec::new(),
            places: Places::default(),
        };
        for decision in report.study_sections().iter().filter_map(|study_section| study_section.decision) {
            if report.verdict(decision).is_some() {
                let study = carried.study(report, decision);
                carried.studies.push(study);
            }
        }
        carried
    }

    /// As JSON that may stand within an HTML element.
    pub(crate) fn json(&self) -> String {
        // Every result is finite and every key is a string, so this cannot fail.
        let json = serde_json::to_string(self).unwrap_or_default();
        let mut out = String::with_capacity(json.len());
        for c in json.chars() {
            match c {
                '<' | '>' | '&' | '\'' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => out.push(c),
            }
        }
        out
    }

    fn study(&mut self, report: &'r Report, decision: &Decision) -> Study<'r> {
        let of_study = |name: &&str| report.of_study(decision.study).any(|record| record.algorithm == **name);
        let names: Vec<&str> = report.measured().into_iter().filter(of_study).collect();
        let properties: Vec<Property> = decision.properties().collect();
        let algorithms = names
            .iter()
            .map(|name| Candidate {
                name,
                title: report.title(name),
                told: self.text(decision.said(report, name).join(", ")),
                has: properties
                    .iter()
                    .map(|property| Some(self.value(property, &(property.of)(report, name)?)))
                    .collect(),
            })
            .collect();
        let known = |property: &Property| {
            let held: Vec<Held> = names.iter().filter_map(|name| (property.of)(report, name)).collect();
            let by = Request { by: Some(property.id.to_owned()), ..Request::default() };
            let order = decision.order(report, &by).unwrap_or_default();
            Known {
                id: property.id,
                title: property.title,
                unit: property.unit(),
                least: matches!(property.demand, Demand::AtLeast(_)),
                all: property.demand == Demand::AllOf,
                words: property.words(&held),
                listed: match property.demand {
                    Demand::AllOf => looked_at(report, decision.study),
                    Demand::OneOf(listed) => listed.iter().map(|word| (*word).to_owned()).collect(),
                    _ => Vec::new(),
                },
                known: !held.is_empty(),
                ranks: order.first().is_some_and(|first| first.id == property.id),
            }
        };
        Study {
            study: decision.study,
            wanted: decision.wanted,
            usual: decision.usual,
            by: decision.by,
            must: decision.must,
            properties: properties.iter().map(known).collect(),
            algorithms,
        }
    }

    fn text(&mut self, text: String) -> usize {
        let next = self.texts.len();
        *self.places.texts.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }

    /// What an algorithm has: `n`, `w` or `r` for a number, words or a refusal; `e` for how it is known; `t` where a number is
    /// written otherwise than by its unit; of a record `d` if it was timed, `s` by what share a contended one may be too high, `x` if nobody may be first by it, `v` for
    /// its result where that is another, and `i` for the upper half of its interval on the scale of logarithms.
    fn value(&mut self, property: &Property, held: &Held) -> usize {
        let mut entry = Map::new();
        match &held.value {
            Value::Number(number) => {
                entry.insert("n".to_owned(), short(*number));
                let text = property.write(held);
                if text != written(property.unit().unwrap_or_default(), *number) {
                    entry.insert("t".to_owned(), json!(self.text(text)));
                }
            }
            Value::Words(words) => drop(entry.insert("w".to_owned(), json!(words))),
            Value::Refused(reason) => drop(entry.insert("r".to_owned(), json!(self.text(reason.clone())))),
        }
        entry.insert("e".to_owned(), json!(self.text(held.evidence.in_words())));
        if let Some(record) = held.record().filter(|_| held.number().is_some()) {
            if is_timed(record) {
                entry.insert("d".to_owned(), json!(1));
            }
            if is_contended(record) {
                entry.insert("s".to_owned(), short(margin(record, 0.0)));
            }
            if !may_lead(held) {
                entry.insert("x".to_owned(), json!(1));
            }
            if held.number() != Some(record.value) {
                entry.insert("v".to_owned(), short(record.value));
            }
            if let Some([_, high]) = record.interval {
                entry.insert("i".to_owned(), short((high / record.value).ln()));
            }
        }
        let next = self.values.len();
        *self.places.values.entry(Json::Object(entry.clone()).to_string()).or_insert_with(|| {
            self.values.push(Json::Object(entry));
            next
        })
    }
}

/// A number without a `.0` that says nothing. One that is none is none in JSON, too.
fn short(number: f64) -> Json {
    if number.fract() == 0.0 && number.abs() < 1e15 { json!(number as i64) } else { json!(number) }
}
