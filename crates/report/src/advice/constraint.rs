//! What is asked of an algorithm, and whether it has that.

use fieldtest_text::units;
use serde::Serialize;

use super::property::{ANY, ANYONE, Demand, Held, Property, Value};

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
    pub(super) fn asks(&self, id: &str) -> bool {
        self.typed.iter().any(|(typed, _)| typed == id)
    }
}

/// What is asked of one property.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// The property.
    pub property: Property,
    /// What suffices.
    pub wanted: Wanted,
}

/// What suffices.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Wanted {
    /// A bound.
    Number(f64),
    /// Any of these words, or all of them, as the property demands.
    Words(Vec<String>),
}

impl Constraint {
    /// What was typed: a number, words with commas between them, or `any` for no constraint.
    ///
    /// # Errors
    /// Why it says nothing of this property.
    pub fn read(property: Property, typed: &str) -> Result<Option<Constraint>, String> {
        let typed = typed.trim();
        if typed == ANY {
            return Ok(None);
        }
        let wanted = match property.demand {
            Demand::AtMost(unit) | Demand::AtLeast(unit) => {
                let most = if unit == "share" { 1.0 } else { f64::MAX };
                let number = typed.parse().ok().or_else(|| units::plain(typed, unit));
                let number = number.filter(|it: &f64| (0.0..=most).contains(it));
                Wanted::Number(number.ok_or_else(|| {
                    let range = if unit == "share" { "from 0 to 1" } else { "of at least 0" };
                    format!("a number ({unit}) {range}, or {ANY}")
                })?)
            }
            Demand::OneOf(_) | Demand::AllOf => {
                let words: Vec<String> =
                    typed.split(',').map(|word| word.trim().to_owned()).filter(|it| !it.is_empty()).collect();
                let (is_known, known) = match property.demand {
                    Demand::OneOf(known) => {
                        (words.iter().all(|word| known.contains(&word.as_str())), known.join(", "))
                    }
                    _ => (true, "names".to_owned()),
                };
                if words.is_empty() || !is_known {
                    return Err(format!("one or more of {known}, separated by commas, or {ANY}"));
                }
                Wanted::Words(words)
            }
        };
        Ok(Some(Constraint { property, wanted }))
    }

    /// Whether that suffices. What is not known does not.
    pub fn suffices(&self, held: Option<&Held>) -> bool {
        match (held.map(|held| &held.value), &self.wanted) {
            (Some(Value::Number(number)), Wanted::Number(bound)) => match self.property.demand {
                Demand::AtLeast(_) => number >= bound,
                _ => number <= bound,
            },
            (Some(Value::Words(words)), Wanted::Words(wanted)) => match self.property.demand {
                Demand::AllOf => wanted.iter().all(|it| has(words, it)),
                _ => wanted.iter().any(|it| has(words, it)),
            },
            _ => false,
        }
    }

    /// What stands between the words of this property.
    fn between(&self) -> &'static str {
        if self.property.demand == Demand::AllOf { " and " } else { " or " }
    }

    /// What it asks for: `largest typical response up to 1232 bytes`.
    pub fn in_words(&self) -> String {
        let title = self.property.title;
        match (&self.wanted, self.property.demand) {
            (Wanted::Number(0.0), Demand::AtMost("count")) => format!("no {title}"),
            (Wanted::Number(bound), Demand::AtLeast(_)) => {
                format!("{title} at least {}", self.property.write_bound(*bound))
            }
            (Wanted::Number(bound), _) => format!("{title} up to {}", self.property.write_bound(*bound)),
            (Wanted::Words(words), _) if words[..] == ["yes"] => title.to_owned(),
            (Wanted::Words(words), _) if words[..] == ["no"] => format!("not {title}"),
            (Wanted::Words(words), _) => format!("{title} {}", words.join(self.between())),
        }
    }

    pub(super) fn unknown_word(&self, known: &[String]) -> Option<&str> {
        let Wanted::Words(words) = &self.wanted else { return None };
        let is_known = |wanted: &String| wanted == ANYONE || known.iter().any(|word| is(word, wanted));
        words.iter().find(|word| !is_known(word)).map(String::as_str)
    }

    /// What an algorithm has instead: `largest typical response 7519 bytes, over 1232`.
    pub(super) fn missed(&self, held: Option<&Held>) -> String {
        let title = self.property.title;
        let Some(held) = held else { return format!("{title} not known") };
        let has = self.property.write(held);
        match (&held.value, &self.wanted, self.property.demand) {
            (Value::Refused(_), ..) => has,
            (_, Wanted::Number(0.0), Demand::AtMost("count")) => {
                format!("{title}: {}", held.evidence.in_words())
            }
            (_, Wanted::Number(bound), Demand::AtLeast(_)) => {
                format!("{title} {has}, under {}", self.property.write_bound(*bound))
            }
            (_, Wanted::Number(bound), _) => {
                // Of a size, by how much: that is what has to be found elsewhere.
                let off = held.number().filter(|_| self.property.unit() == Some(SIZE)).map(|it| it - bound);
                let off = off.map(|off| format!("{} ", self.property.write_bound(off))).unwrap_or_default();
                format!("{title} {has}, {off}over {}", self.property.write_bound(*bound))
            }
            (Value::Words(words), ..) if words.is_empty() => format!("{title} {}", held.evidence.in_words()),
            (_, Wanted::Words(words), _) if words[..] == ["yes"] => format!("{title}: {has}"),
            (Value::Words(words), Wanted::Words(wanted), Demand::AllOf) => {
                let missing: Vec<&str> =
                    wanted.iter().filter(|it| !self::has(words, it)).map(String::as_str).collect();
                format!("{title} {has}, not {}", missing.join(" and "))
            }
            (_, Wanted::Words(words), _) => format!("{title} {has}, not {}", words.join(" or ")),
        }
    }
}

/// The unit of sizes. Times are no less apart than their intervals say, so that nobody is near by one.
pub(super) const SIZE: &str = "bytes";

fn has(words: &[String], wanted: &str) -> bool {
    (wanted == ANYONE && !words.is_empty()) || words.iter().any(|word| is(word, wanted))
}

/// Whether a word is meant: itself in any case, or its beginning up to a space, so that `BIND` finds `BIND 9`.
fn is(word: &str, wanted: &str) -> bool {
    let (word, wanted) = (word.to_lowercase(), wanted.to_lowercase());
    word == wanted || word.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with(' '))
}
