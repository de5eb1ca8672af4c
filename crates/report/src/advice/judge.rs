//! From what is asked to who survives, in which order, and why nobody else does.

use serde::{Serialize, Serializer};

use super::constraint::Constraint;
use super::property::{Evidence, Held, Property, Value};
use super::{Decision, STRENGTH};
use crate::Error;
use crate::difference::Difference;
use crate::report::{HOPELESS, Report};
use crate::tables::ledger::{is_leading, is_timed};

/// What somebody asks.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Constraints as they were typed, by property; they go before the usual ones.
    pub typed: Vec<(String, String)>,
    /// The algorithm to be replaced, by the catalog's name: what takes its place is no weaker.
    pub replaces: Option<String>,
    /// The property to put survivors in order by, instead of the usual ones.
    pub by: Option<String>,
}

impl Request {
    /// Whether something was typed about a property.
    fn asks(&self, id: &str) -> bool {
        self.typed.iter().any(|(typed, _)| typed == id)
    }
}

/// The verdict.
#[derive(Debug, Serialize)]
pub struct Advice {
    /// The study that it is on.
    pub study: &'static str,
    /// One sentence, or a few.
    pub sentence: String,
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
    /// From 1; those that cannot be told apart share it.
    pub rank: usize,
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
    /// Who would be first then, by the catalog's names; several where they cannot be told apart.
    pub algorithms: Vec<String>,
    /// What people would say of the first.
    pub told: Vec<String>,
}

/// What an algorithm lacks, with what it has instead.
type Lack<'c> = (&'c Constraint, Option<Held>);

/// What some algorithms lack alike: the properties, who they are, and the constraints in words.
type Alike<'n> = (Vec<&'static str>, Vec<&'n str>, Vec<String>);

impl Decision {
    /// Decides by the records of `report`; `None` where none is of this study, or none says anything of what is asked.
    ///
    /// # Errors
    /// [`Error::Constraint`] for properties that there are not, and values that say nothing of them.
    pub fn decide(&self, report: &Report, request: &Request) -> Result<Option<Advice>, Error> {
        let mut constraints = self.constraints(report, request)?;
        let of_study = |name: &&str| {
            report.records().iter().any(|record| record.study == self.study && record.algorithm == **name)
        };
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
            return Err(Error::Constraint {
                what: format!("{} cannot be judged in {}", typed.in_words(), self.study),
                remedy: "these records say nothing of it for anybody; measure again, or give no records"
                    .to_owned(),
            });
        }
        let unjudged: Vec<String> = unknown.iter().map(Constraint::in_words).collect();
        if constraints.is_empty() && order.is_empty() && !unjudged.is_empty() {
            return Ok(None);
        }
        let mut fit: Vec<&str> = Vec::new();
        let mut unfit: Vec<(&str, Vec<Lack<'_>>)> = Vec::new();
        for algorithm in algorithms {
            let lacks: Vec<_> = constraints
                .iter()
                .map(|constraint| (constraint, (constraint.property.of)(report, algorithm)))
                .filter(|(constraint, held)| !constraint.suffices(held.as_ref()))
                .collect();
            match (lacks.is_empty(), request.replaces.as_deref() == Some(algorithm)) {
                (_, true) => {}
                (true, false) => fit.push(algorithm),
                (false, false) => unfit.push((algorithm, lacks)),
            }
        }
        let mut shown: Vec<Property> = order.clone();
        shown.extend([super::STATUS, super::WARNINGS]);
        for property in constraints.iter().map(|it| it.property) {
            if !shown.iter().any(|it| it.id == property.id) {
                shown.push(property);
            }
        }
        let survivors = ranked(report, fit, &order).into_iter().map(|(rank, algorithm)| Survivor {
            algorithm: algorithm.to_owned(),
            title: report.title(algorithm).to_owned(),
            rank,
            has: shown
                .iter()
                .map(|property| Shown::of(*property, (property.of)(report, algorithm)))
                .collect(),
        });
        let mut advice = Advice {
            study: self.study,
            sentence: String::new(),
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
                remedy: "the records do not say how strong it is; say --strength BITS, or any".to_owned(),
            })?;
            wanted.push((STRENGTH.id.to_owned(), bits.to_string()));
        }
        for (id, value) in &request.typed {
            wanted.retain(|(known, _)| known != id);
            wanted.push((id.clone(), value.clone()));
        }
        let read = |(id, value): &(String, String)| {
            let property = self.property(id).ok_or_else(|| self.unknown(id))?;
            Constraint::read(property, value).map_err(|wanted| Error::Constraint {
                what: format!("--{id} {value}"),
                remedy: format!("it takes {wanted}"),
            })
        };
        let all: Vec<Option<Constraint>> = wanted.iter().map(read).collect::<Result<_, _>>()?;
        Ok(all.into_iter().flatten().collect())
    }

    fn unknown(&self, id: &str) -> Error {
        let known: Vec<&str> = self.properties().map(|it| it.id).collect();
        Error::Constraint {
            what: format!("--{id} says nothing of {}", self.study),
            remedy: format!("what is asked there is one of {}", known.join(", ")),
        }
    }

    /// By what survivors are put in order. Time tells nothing of a hopeless machine.
    fn order(&self, report: &Report, request: &Request) -> Result<Vec<Property>, Error> {
        let typed = request.by.as_deref();
        let ids = typed.into_iter().chain(self.by.iter().copied().filter(|id| typed != Some(*id)));
        let mut order = Vec::new();
        for id in ids {
            let property = self.property(id).ok_or_else(|| self.unknown(id))?;
            if property.unit().is_none() {
                return Err(Error::Constraint {
                    what: format!("--by {id}"),
                    remedy: "an order takes figures, and these are words".to_owned(),
                });
            }
            order.push(property);
        }
        order.retain(|property| {
            let all = report.measured().into_iter().filter_map(|name| (property.of)(report, name));
            let mut leading = all.filter(may_lead).peekable();
            let is_timed = leading.peek().and_then(Held::record).is_some_and(is_timed);
            leading.peek().is_some() && !(is_timed && is_hopeless(report))
        });
        Ok(order)
    }

    /// The best of each set of algorithms that lack the same, where nobody lacks a part of that only.
    fn alternatives(
        &self,
        report: &Report,
        unfit: &[(&str, Vec<Lack<'_>>)],
        order: &[Property],
        replacing: bool,
    ) -> Vec<Alternative> {
        let ids = |lacks: &[Lack<'_>]| -> Vec<&'static str> {
            lacks.iter().map(|(constraint, _)| constraint.property.id).collect()
        };
        // Nobody gives up safety, and what a carrier cannot hold no wish can change.
        let is_thinkable = |lacks: &[Lack<'_>]| {
            lacks.iter().all(|(constraint, held)| match held.as_ref().map(|held| &held.value) {
                None | Some(Value::Refused(_)) => false,
                Some(Value::Words(words)) => !words.iter().any(|word| UNTHINKABLE.contains(&word.as_str())),
                Some(Value::Number(_)) => {
                    let id = constraint.property.id;
                    id != super::WARNINGS.id && !(replacing && id == STRENGTH.id)
                }
            })
        };
        let mut sets: Vec<Alike<'_>> = Vec::new();
        for (algorithm, lacks) in unfit.iter().filter(|(_, lacks)| is_thinkable(lacks)) {
            let lacking = ids(lacks);
            match sets.iter_mut().find(|(set, ..)| *set == lacking) {
                Some((_, members, _)) => members.push(algorithm),
                None => {
                    let words = lacks.iter().map(|(constraint, _)| constraint.in_words()).collect();
                    sets.push((lacking, vec![algorithm], words));
                }
            }
        }
        let is_least = |set: &[&str]| {
            !sets.iter().any(|(other, ..)| other.len() < set.len() && other.iter().all(|id| set.contains(id)))
        };
        let least = sets.iter().filter(|(set, ..)| is_least(set));
        let mut found: Vec<Alternative> = least
            .map(|(set, members, words)| {
                let ranked = ranked(report, members.clone(), order);
                let first = ranked.iter().filter(|(rank, _)| *rank == 1);
                Alternative {
                    without: words.clone(),
                    properties: set.clone(),
                    algorithms: first.map(|(_, name)| (*name).to_owned()).collect(),
                    told: ranked.first().map(|(_, name)| (self.told)(report, name)).unwrap_or_default(),
                }
            })
            .collect();
        found.sort_by_key(|it| it.properties.len());
        found
    }
}

/// Whether somebody may be first by that.
fn may_lead(held: &Held) -> bool {
    held.number().is_some() && held.record().is_none_or(is_leading)
}

/// Whether something was timed on a machine that was unfit for it.
pub(super) fn is_hopeless(report: &Report) -> bool {
    report.runs().iter().any(|run| run.verdict == HOPELESS)
        && report.records().iter().any(|it| it.samples > 0)
}

/// What nobody would choose for want of something better.
pub(super) const UNTHINKABLE: [&str; 3] = ["broken", "withdrawn", "superseded"];

/// The algorithms in order with their ranks: by the first property, and those that it cannot tell apart by the next. Those
/// of which nothing is known, or only a figure that nobody may be first by, come last.
fn ranked<'n>(report: &Report, algorithms: Vec<&'n str>, order: &[Property]) -> Vec<(usize, &'n str)> {
    let Some((property, others)) = order.split_first() else {
        return algorithms.into_iter().map(|name| (1, name)).collect();
    };
    let mut known: Vec<(&str, Held, f64)> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for name in algorithms {
        let held = (property.of)(report, name);
        match held.as_ref().filter(|held| may_lead(held)).and_then(Held::number) {
            Some(number) => known.extend(held.map(|held| (name, held, number))),
            None => unknown.push(name),
        }
    }
    let more_is_better = matches!(property.demand, super::Demand::AtLeast(_));
    known.sort_by(|(_, _, a), (_, _, b)| if more_is_better { b.total_cmp(a) } else { a.total_cmp(b) });
    let mut groups: Vec<Vec<(&str, Held, f64)>> = Vec::new();
    for it in known {
        match groups.last_mut().filter(|group| is_level(report, &group[0], &it)) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    let names =
        |group: Vec<(&'n str, Held, f64)>| group.into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
    let mut out: Vec<(usize, &str)> = Vec::new();
    for group in groups.into_iter().map(names).chain([unknown]) {
        let before = out.len();
        out.extend(ranked(report, group, others).into_iter().map(|(rank, name)| (before + rank, name)));
    }
    out
}

/// Whether the better of two cannot be told from the other.
fn is_level(report: &Report, better: &(&str, Held, f64), other: &(&str, Held, f64)) -> bool {
    match (better.1.record(), other.1.record()) {
        (Some(better), Some(other)) if is_timed(better) || is_timed(other) => {
            Difference::between(better, other, report.layout()) != Difference::Ahead
        }
        _ => better.2 == other.2,
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
        evidence.map_or_else(|| "no record says so".to_owned(), Evidence::in_words)
    }
}

fn by_name<S: Serializer>(constraints: &[Constraint], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(constraints.iter().map(|it| (it.property.id, &it.wanted)))
}
