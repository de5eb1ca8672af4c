//! From what is asked to who survives, in which order, and why nobody else does.

use serde::{Serialize, Serializer};

use super::common::looked_at;
use super::constraint::{Constraint, Request};
use super::property::{Demand, Evidence, Held, Property, Value, YES_OR_NO};
use super::{Decision, STRENGTH, Wanted};
use crate::Error;
use crate::report::Report;

/// The verdict.
#[derive(Debug, Serialize)]
pub struct Advice {
    /// The study that it is on.
    pub study: &'static str,
    /// One sentence, or a few.
    pub sentence: String,
    /// That the machine was not fit for measuring, where something here was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// What was asked for.
    #[serde(serialize_with = "by_name")]
    pub constraints: Vec<Constraint>,
    /// What was asked for and could not be judged, as these records say nothing of it for anybody.
    pub unjudged: Vec<String>,
    /// By what survivors are in order; none where nothing was measured, or on a machine that was not fit for it.
    pub by: Vec<&'static str>,
    /// Who has all of that, in order.
    pub survivors: Vec<Survivor>,
    /// Whom giving up as little as possible would let in.
    pub alternatives: Vec<Alternative>,
    /// Who has not, and why.
    pub excluded: Vec<Excluded>,
}

/// An algorithm that has all that is asked.
#[derive(Debug, Serialize)]
pub struct Survivor {
    /// The catalog's name.
    pub algorithm: String,
    /// The name people write.
    pub title: String,
    /// From 1; those that are tied or not ranked among each other share it.
    pub rank: usize,
    /// The same as it is shown: `1 =` of those that are tied, `1–3` of those that are not ranked.
    pub place: String,
    /// Why it is not ranked among those that share its rank; nothing where they are tied, or nobody shares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ranked: Option<String>,
    /// What it has of everything that was asked or that it was put in order by.
    pub has: Vec<Shown>,
}

/// What an algorithm has of a property, for a reader.
#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    /// The property.
    pub property: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The value in words.
    pub text: String,
    /// The value and how it is known; absent where the records do not say.
    #[serde(flatten)]
    pub held: Option<Held>,
}

/// An algorithm that lacks something.
#[derive(Debug, Serialize)]
pub struct Excluded {
    /// The catalog's name.
    pub algorithm: String,
    /// The name people write.
    pub title: String,
    /// Everything that it lacks.
    pub lacks: Vec<Shown>,
    /// The same in words, each with what was asked.
    pub why: Vec<String>,
}

/// The best of those that lack the same, and no part of it less.
#[derive(Debug, Serialize)]
pub struct Alternative {
    /// The constraints to be given up, in words.
    pub without: Vec<String>,
    /// Their properties.
    pub properties: Vec<&'static str>,
    /// Who would be first then, by the catalog's names; several where they are tied or not ranked.
    pub algorithms: Vec<String>,
    /// What people would say of the first.
    pub told: Vec<String>,
    /// Who comes nearest, where a size is all that is to be given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
}

/// Who of those that lack nothing but a size comes nearest to it.
#[derive(Debug, Serialize)]
pub struct Nearest {
    /// The catalog's name.
    pub algorithm: String,
    /// The size.
    pub property: &'static str,
    /// What it has, in words.
    pub has: String,
    /// How far that is from what was asked, in the property's unit.
    pub off: f64,
    /// The same in words: `1188 bytes too many`.
    pub text: String,
}

/// What an algorithm lacks, with what it has instead.
pub(super) type Lack<'c> = (&'c Constraint, Option<Held>);

impl Decision {
    /// Decides by the records of `report`; `None` where none is of this study, or none says anything of what is asked.
    ///
    /// # Errors
    /// [`Error::Constraint`] for properties that there are not, and values that say nothing of them.
    pub fn decide(&self, report: &Report, request: &Request) -> Result<Option<Advice>, Error> {
        let mut constraints = self.constraints(report, request)?;
        let of_study = |name: &&str| report.of_study(self.study).any(|record| record.algorithm == **name);
        let algorithms: Vec<&str> = report.measured().into_iter().filter(of_study).collect();
        if algorithms.is_empty() {
            return Ok(None);
        }
        let order = self.order(report, request)?;
        // Records of earlier versions do not say everything; who is to blame for that is not the algorithms.
        let is_known =
            |it: &Constraint| algorithms.iter().any(|name| (it.property.of)(report, name).is_some());
        let unknown: Vec<Constraint> = constraints.extract_if(.., |it| !is_known(it)).collect();
        if let Some(typed) = unknown.iter().find(|it| request.asks(it.property.id)) {
            let usual = "give records of a study of this version that measured it on suitable data";
            let how = self.made_by(typed.property.id).unwrap_or(usual);
            return Err(Error::Constraint {
                what: format!("cannot evaluate {} in {}", typed.in_words(), self.study),
                remedy: format!("the records do not contain it; {how}"),
            });
        }
        if let Some((id, how)) = request.by.as_deref().and_then(|id| Some((id, self.made_by(id)?)))
            && self
                .property(id)
                .is_some_and(|it| algorithms.iter().all(|name| (it.of)(report, name).is_none()))
        {
            return Err(Error::Constraint {
                what: format!("--by {id}"),
                remedy: format!("the records do not contain it; {how}"),
            });
        }
        // A name that nobody has may be one that was looked at; others say nothing.
        let places = looked_at(report, self.study);
        let named = constraints.iter().filter(|it| it.property.demand == Demand::AllOf);
        if let Some((id, word)) =
            named.filter_map(|it| Some((it.property.id, it.unknown_word(&places)?))).next()
        {
            return Err(Error::Constraint {
                what: format!("--{id} {word}"),
                remedy: format!("unknown in {}; choose from {}", self.study, places.join(", ")),
            });
        }
        let unjudged: Vec<String> = unknown.iter().map(Constraint::in_words).collect();
        if constraints.is_empty() && order.is_empty() && !unjudged.is_empty() {
            return Ok(None);
        }
        // What the carrier cannot hold stays outside where nobody asks for the property, too.
        let must = self.must.iter().filter(|id| !constraints.iter().any(|it| it.property.id == **id));
        let must: Vec<Constraint> = must
            .filter_map(|id| {
                Some(Constraint { property: self.property(id)?, wanted: Wanted::Number(f64::MAX) })
            })
            .collect();
        let mut fit: Vec<&str> = Vec::new();
        let mut unfit: Vec<(&str, Vec<Lack<'_>>)> = Vec::new();
        for algorithm in algorithms {
            let held = |constraint: &Constraint| (constraint.property.of)(report, algorithm);
            let lacks =
                constraints.iter().map(|it| (it, held(it))).filter(|(it, held)| !it.suffices(held.as_ref()));
            let refused = must.iter().map(|it| (it, held(it)));
            let refused = refused.filter(|(_, held)| held.as_ref().is_some_and(Held::is_refused));
            let lacks: Vec<Lack<'_>> = lacks.chain(refused).collect();
            match (lacks.is_empty(), request.replaces.as_deref() == Some(algorithm)) {
                (_, true) => {}
                (true, false) => fit.push(algorithm),
                (false, false) => unfit.push((algorithm, lacks)),
            }
        }
        let mut shown: Vec<Property> = order.clone();
        for property in
            [super::STATUS, super::WARNINGS].into_iter().chain(constraints.iter().map(|it| it.property))
        {
            if !shown.iter().any(|it| it.id == property.id) {
                shown.push(property);
            }
        }
        let survivors = self.ranked(report, fit, &order).into_iter().map(|it| Survivor {
            algorithm: it.name.to_owned(),
            title: report.title(it.name).to_owned(),
            rank: it.rank,
            place: it.shown(),
            has: shown.iter().map(|property| Shown::of(*property, (property.of)(report, it.name))).collect(),
            not_ranked: it.not_ranked,
        });
        let mut advice = Advice {
            study: self.study,
            sentence: String::new(),
            caution: self.caution(report),
            unjudged,
            by: order.iter().map(|property| property.id).collect(),
            survivors: survivors.collect(),
            alternatives: self.alternatives(report, &unfit, &order, request.replaces.is_some()),
            excluded: unfit
                .iter()
                .map(|(algorithm, lacks)| Excluded {
                    algorithm: (*algorithm).to_owned(),
                    title: report.title(algorithm).to_owned(),
                    lacks: lacks.iter().map(|(it, held)| Shown::of(it.property, held.clone())).collect(),
                    why: lacks.iter().map(|(it, held)| it.missed(held.as_ref())).collect(),
                })
                .collect(),
            constraints,
        };
        advice.sentence = self.sentence(report, &advice, request);
        Ok(Some(advice))
    }

    /// The usual constraints with what was typed in their place.
    fn constraints(&self, report: &Report, request: &Request) -> Result<Vec<Constraint>, Error> {
        let mut wanted: Vec<(String, String)> =
            self.usual.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect();
        if let Some(name) = request.replaces.as_deref().filter(|_| !request.asks(STRENGTH.id)) {
            let held = (STRENGTH.of)(report, name).and_then(|held| held.number());
            let bits = held.ok_or_else(|| Error::Constraint {
                what: format!("--replaces {name}"),
                remedy: "its strength is unknown; give --strength BITS, or any".to_owned(),
            })?;
            wanted.push((STRENGTH.id.to_owned(), bits.to_string()));
        }
        // What takes its place is not weaker in kind: what withstands a quantum computer, or authenticates, stays so.
        let kept = self.properties().filter(|it| it.demand == Demand::OneOf(YES_OR_NO));
        for property in kept.filter(|_| request.replaces.is_some()) {
            let held = request.replaces.as_deref().and_then(|name| (property.of)(report, name));
            if held.is_some_and(|held| held.value == Value::Words(vec![YES_OR_NO[0].to_owned()])) {
                wanted.retain(|(id, _)| id != property.id);
                wanted.push((property.id.to_owned(), YES_OR_NO[0].to_owned()));
            }
        }
        // In the order of this carrier's properties, as the page has them: options are in that of all carriers.
        let mut typed: Vec<&(String, String)> = request.typed.iter().collect();
        typed.sort_by_key(|(id, _)| self.properties().position(|it| it.id == id));
        for (id, value) in typed {
            wanted.retain(|(known, _)| known != id);
            wanted.push((id.clone(), value.clone()));
        }
        self.read(&wanted)
    }

    /// Refuses what was typed where no report could make sense of it, so that nobody waits for one.
    ///
    /// # Errors
    /// [`Error::Constraint`] for a property that is not this carrier's, and a value that the property does not take.
    pub fn check(&self, request: &Request) -> Result<(), Error> {
        self.read(&request.typed).map(drop)
    }

    fn read(&self, wanted: &[(String, String)]) -> Result<Vec<Constraint>, Error> {
        let read = |(id, value): &(String, String)| {
            let property = self.property(id).ok_or_else(|| self.unknown(&format!("--{id}")))?;
            Constraint::read(property, value).map_err(|wanted| Error::Constraint {
                what: format!("invalid --{id} '{value}'"),
                remedy: format!("expected {wanted}"),
            })
        };
        wanted.iter().filter_map(|typed| read(typed).transpose()).collect()
    }

    /// How records of a property are made, where a usual study makes none.
    fn made_by(&self, id: &str) -> Option<&'static str> {
        self.made.iter().find(|(made, _)| *made == id).map(|(_, how)| *how)
    }

    pub(super) fn unknown(&self, typed: &str) -> Error {
        let known: Vec<&str> = self.properties().map(|it| it.id).collect();
        Error::Constraint {
            what: format!("{typed} does not apply to {}", self.study),
            remedy: format!("choose from {}", known.join(", ")),
        }
    }
}

impl Shown {
    fn of(property: Property, held: Option<Held>) -> Shown {
        let text = held.as_ref().map_or_else(|| "not known".to_owned(), |held| property.write(held));
        Shown { property: property.id, title: property.title, text, held }
    }

    /// How it is known.
    pub fn evidence(&self) -> String {
        let evidence = self.held.as_ref().map(|held| &held.evidence);
        evidence.map_or_else(|| "no record contains it".to_owned(), Evidence::in_words)
    }
}

fn by_name<S: Serializer>(constraints: &[Constraint], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(constraints.iter().map(|it| (it.property.id, &it.wanted)))
}
