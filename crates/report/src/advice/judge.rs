//! What was asked and could not be judged, and the verdict with the records behind it.

use fieldtest_measure::words::INTERRUPTED;
use fieldtest_text::{near, units};
use fieldtest_verdict::{Accepted, Alternative, Rejected, Study};
use serde::{Serialize, Serializer};

use super::matrix::Studied;
use super::property::{Demand, Evidence, Held, Property};
use super::{ANY, COMMON, Constraint, Decision, Request, STRENGTH};
use crate::Error;
use crate::report::{QUIET, Report};

/// What to do where no record says anything of a property.
const USUAL: &str = "give records of a study of this version that measured it on suitable data";

/// The verdict.
#[derive(Debug, Serialize)]
pub struct Advice {
    /// The study that it is on.
    pub study: &'static str,
    /// The recommendation in a line that can be repeated.
    pub sentence: String,
    /// Whom it names: who is first, or who comes nearest.
    pub named: Vec<String>,
    /// What they cost, at most three lines.
    pub facts: Vec<String>,
    /// What each way of relaxing constraints would allow, where nobody meets all of them.
    pub relaxed: Vec<String>,
    /// What to know before one follows it.
    pub caveats: Vec<String>,
    /// The command to try next; empty where there is none.
    pub next: String,
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
    #[serde(serialize_with = "alternatives")]
    pub alternatives: Vec<Alternative>,
    /// Who has not, and why.
    pub excluded: Vec<Excluded>,
    /// The sentence in a few words.
    #[serde(skip)]
    pub headline: String,
    /// Whose results are marked as those of experimental code.
    #[serde(skip)]
    pub(super) remark: Option<String>,
    /// The algorithm that another is to replace.
    #[serde(skip)]
    replaces: Option<String>,
    #[serde(skip)]
    asked: String,
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
    /// The title of the property that leaves this open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_open_by: Option<String>,
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

impl Decision {
    /// Decides by the records of `report`; `None` where none is of this study, or of the algorithm to be replaced, or none says
    /// anything of what is asked.
    ///
    /// # Errors
    /// [`Error::Constraint`] for properties that there are not, and values that say nothing of them.
    pub fn decide(&self, report: &Report, request: &Request) -> Result<Option<Advice>, Error> {
        self.check(request)?;
        self.studied(report).map_or(Ok(None), |studied| studied.decide(request))
    }

    /// Refuses what was typed where no report could make sense of it, so that nobody waits for one.
    ///
    /// # Errors
    /// [`Error::Constraint`] for a property that is not this carrier's, and a value that the property does not take.
    pub fn check(&self, request: &Request) -> Result<(), Error> {
        self.check_by(request, None)
    }

    /// The same, and what was typed where these records cannot answer it.
    fn check_by(&self, request: &Request, study: Option<&Study>) -> Result<(), Error> {
        let refuse = |what: String, remedy: String| Err(Error::Constraint { what, remedy });
        let made_by = |id: &str| self.made.iter().find(|(made, _)| *made == id).map(|(_, how)| *how);
        let column = |id: &str| study.and_then(|it| it.properties.get(it.at(id)?));
        for (id, value) in &request.typed {
            let property =
                self.property(id).ok_or_else(|| self.unknown(&format!("--{id}"), self.properties()))?;
            let column = column(id).cloned();
            // Records of earlier versions do not say everything; who is to blame for that is not the algorithms.
            let is_missing = column.as_ref().is_some_and(|it| !it.known);
            let column = column.unwrap_or_else(|| property.column(Vec::new()));
            let wanted = match (column.read(0, &plain(property, value)), property.demand) {
                // Of facts, a catalog that says nothing has nothing to say.
                (Ok(Some(_)) | Err(Some(_)), _) if is_missing && COMMON.iter().any(|it| it.id == *id) => {
                    let remedy =
                        "its algorithms have no such fact; name other carriers with --carrier".to_owned();
                    return refuse(format!("--{id} does not apply to {}", self.study), remedy);
                }
                (Ok(Some(_)) | Err(Some(_)), _) if is_missing => {
                    return refuse(
                        format!("cannot evaluate {} in {}", property.title, self.study),
                        format!("the records do not contain it; {}", made_by(id).unwrap_or(USUAL)),
                    );
                }
                (Ok(_), _) => continue,
                (Err(Some(word)), Demand::AllOf) => match study {
                    // A name that nobody has may be one that was looked at: the records say that.
                    None => continue,
                    Some(_) => {
                        let meant = near::meant(&word, column.listed.iter().map(String::as_str));
                        let remedy = match meant.is_empty() {
                            true => format!("; choose from {}", column.listed.join(", ")),
                            false => meant,
                        };
                        let what = format!("invalid --{id} '{word}'");
                        return refuse(what, format!("unknown in {}{remedy}", self.study));
                    }
                },
                (_, Demand::AtMost("share")) => "a number (share) from 0 to 1".to_owned(),
                (_, Demand::AtLeast("category")) => "a number (category) from 0 to 5".to_owned(),
                (_, Demand::AtMost(unit) | Demand::AtLeast(unit)) => {
                    format!("a number ({unit}) of at least 0")
                }
                (_, Demand::AllOf) => "one or more of names, separated by commas".to_owned(),
                (_, Demand::OneOf(["yes", "no"])) => "yes, no".to_owned(),
                (_, Demand::OneOf(words)) => {
                    let unknown = value.split(',').map(str::trim).find(|it| !words.contains(it));
                    let meant = near::meant(unknown.unwrap_or_default(), words.iter().copied());
                    match meant.is_empty() {
                        true => format!("one or more of {}, separated by commas", words.join(", ")),
                        false => return refuse(format!("invalid --{id} '{value}'"), meant[2..].to_owned()),
                    }
                }
            };
            return refuse(format!("invalid --{id} '{value}'"), format!("expected {wanted}, or {ANY}"));
        }
        let Some(id) = &request.by else { return Ok(()) };
        let typed = format!("--by {id}");
        let numbers = || self.properties().filter(|it| it.unit().is_some());
        match (self.property(id).ok_or_else(|| self.unknown(&typed, numbers()))?.unit(), made_by(id)) {
            (None, _) => {
                let known: Vec<&str> = numbers().map(|it| it.id).collect();
                refuse(
                    format!("cannot rank by '{id}'"),
                    format!("it is not a number; choose from {}", known.join(", ")),
                )
            }
            (_, how) if column(id).is_some_and(|it| !it.known) => {
                refuse(typed, format!("the records do not contain it; {}", how.unwrap_or(USUAL)))
            }
            _ => Ok(()),
        }
    }

    fn unknown(&self, typed: &str, known: impl Iterator<Item = Property>) -> Error {
        let known: Vec<&str> = known.map(|it| it.id).collect();
        Error::Constraint {
            what: format!("{typed} does not apply to {}", self.study),
            remedy: format!("choose from {}", known.join(", ")),
        }
    }

    /// That the machine was not quiet while something of this study was timed. What follows from facts holds all the same.
    fn caution(&self, report: &Report) -> Option<String> {
        let run = report.runs().iter().find(|run| run.verdict != QUIET).filter(|_| self.is_timed(report));
        let machine = run.map(|run| {
            let mut findings = run.findings.iter().filter(|it| *it != INTERRUPTED);
            let why = findings.next().map(|finding| format!(": {finding}")).unwrap_or_default();
            format!("The machine was {} while it measured{why}", run.verdict)
        });
        let cut = report.is_interrupted().then(|| INTERRUPTED.to_owned());
        let all: Vec<String> = cut.into_iter().chain(machine).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }
}

/// A number that was typed with a unit, in the property's own.
fn plain(property: Property, typed: &str) -> String {
    let number = property.unit().and_then(|unit| units::plain(typed.trim(), unit));
    number.map_or_else(|| typed.to_owned(), |it| it.to_string())
}

impl Studied<'_> {
    pub(super) fn decide(&self, request: &Request) -> Result<Option<Advice>, Error> {
        let (decision, report, study) = (self.decision, self.report, self.study());
        if request.replaces.as_ref().is_some_and(|name| !study.algorithms.iter().any(|it| it.name == *name)) {
            return Ok(None);
        }
        let typed = request
            .typed
            .iter()
            .filter_map(|(id, value)| Some((id.clone(), plain(decision.property(id)?, value))));
        decision.check_by(request, Some(study))?;
        if let Some(name) = request.replaces.as_deref().filter(|_| request.asks(STRENGTH.id).is_none())
            && (STRENGTH.of)(report, name).is_none_or(|held| held.number().is_none())
        {
            return Err(Error::Constraint {
                what: format!("--replaces {name}"),
                remedy: "its strength is unknown; give --strength BITS, or --strength any".to_owned(),
            });
        }
        let request = Request { typed: typed.collect(), ..request.clone() };
        let found = self.matrix.decide(study, &request);
        let says_nothing = found.constraints.is_empty() && found.by.is_empty();
        if says_nothing && !found.unjudged.is_empty() && !self.matrix.unfit {
            return Ok(None);
        }
        let name = |it: usize| study.algorithms[it].name.clone();
        let title = |it: usize| study.algorithms[it].title.clone();
        let id = |at: &usize| self.property(*at).id;
        let shown = |algorithm: usize, all: &[usize]| {
            let held = |at: &usize| self.held[algorithm][*at].clone();
            all.iter().map(|at| Shown::of(self.property(*at), held(at))).collect()
        };
        let survivor = |it: Accepted| Survivor {
            algorithm: name(it.algorithm),
            title: title(it.algorithm),
            rank: it.rank,
            place: it.place,
            not_ranked: it.not_ranked,
            left_open_by: it.left_open_by,
            has: shown(it.algorithm, &found.shown),
        };
        let excluded = |it: Rejected| Excluded {
            algorithm: name(it.algorithm),
            title: title(it.algorithm),
            lacks: shown(it.algorithm, &it.lacks),
            why: it.why,
        };
        Ok(Some(Advice {
            study: decision.study,
            sentence: found.sentence,
            named: found.named,
            facts: found.facts,
            relaxed: found.relaxed,
            caveats: found.caveats,
            next: found.next,
            caution: decision.caution(report),
            constraints: found.constraints,
            unjudged: found.unjudged.into_iter().map(|it| it.text).collect(),
            by: found.by.iter().map(id).collect(),
            survivors: found.accepted.into_iter().map(survivor).collect(),
            alternatives: found.alternatives,
            excluded: found.rejected.into_iter().map(excluded).collect(),
            headline: found.headline,
            remark: found.remark,
            replaces: found.understood.replaces,
            asked: found.asked,
        }))
    }
}

impl Advice {
    /// What is in use today: what is to be replaced, or else what is likely.
    pub(crate) fn today(&self, report: &Report, decision: &Decision) -> Vec<String> {
        self.replaces.iter().cloned().chain((decision.today)(report)).collect()
    }

    /// What was asked for, in words.
    pub fn asked(&self) -> &str {
        &self.asked
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
    let wanted = |it: &Constraint| it.bound.map_or_else(|| it.words.clone().into(), serde_json::Value::from);
    serializer.collect_map(constraints.iter().map(|it| (&it.id, wanted(it))))
}

fn alternatives<S: Serializer>(all: &[Alternative], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(|it| {
        let mut json = serde_json::json!({
            "without": it.without, "usual": it.usual, "properties": it.properties, "algorithms": it.algorithms, "facts": it.facts,
            "misses": it.misses,
        });
        if let Some(it) = &it.nearest {
            json["nearest"] = serde_json::json!({
                "algorithm": it.algorithm, "property": it.property, "has": it.has, "off": it.off, "text": it.text,
            });
        }
        json
    }))
}
