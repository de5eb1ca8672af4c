//! What is asked of an algorithm, and whether it has that.

use crate::json::objects;
use crate::matrix::{Cell, Property};
use crate::number::written;

/// What stands for all words that an algorithm can have, but not for none.
pub const ANYONE: &str = "anyone";
/// What is typed for no constraint.
pub const ANY: &str = "any";

objects! {
    /// What somebody asks.
    pub struct Request {
        /// Constraints as they were typed, by property; they go before the usual ones.
        pub typed: Vec<(String, String)>,
        /// The algorithm to be replaced, by the catalog's name: what takes its place is no weaker.
        pub replaces: Option<String>,
        /// The property to rank by, instead of the usual ones.
        pub by: Option<String>,
    }

    /// What is asked of one property.
    pub struct Constraint {
        /// The place of the property.
        pub property: usize,
        /// Its name.
        pub id: String,
        /// What suffices of a number.
        pub bound: Option<f64>,
        /// What suffices of words: any of these, or all of them, as the property demands.
        pub words: Vec<String>,
        /// The same in words: `largest typical response up to 1232 bytes`.
        pub text: String,
    }
}

impl Request {
    /// What was typed about a property.
    pub fn asks(&self, id: &str) -> Option<&str> {
        self.typed.iter().find(|(typed, _)| typed == id).map(|(_, value)| value.as_str())
    }
}

impl Property {
    /// What was typed about the property in this place: a number, words with commas between them, or `any` for no constraint.
    ///
    /// # Errors
    /// The word that is none of the property's; `None` if that is no value at all.
    pub fn read(&self, at: usize, typed: &str) -> Result<Option<Constraint>, Option<String>> {
        let typed = typed.trim();
        if typed == ANY {
            return Ok(None);
        }
        if let Some(unit) = &self.unit {
            let most = match unit.as_str() {
                "share" => 1.0,
                "category" => 5.0,
                _ => f64::MAX,
            };
            let bound = typed.parse().ok().filter(|it: &f64| (0.0..=most).contains(it)).ok_or(None)?;
            let text = match (self.is_none(bound), self.least) {
                (true, _) => format!("no {}", self.title),
                (_, true) => format!("{} at least {}", self.title, self.write(bound)),
                (_, false) => format!("{} up to {}", self.title, self.write(bound)),
            };
            let (id, words) = (self.id.clone(), Vec::new());
            return Ok(Some(Constraint { property: at, id, bound: Some(bound), words, text }));
        }
        let words: Vec<String> = typed.split(',').map(|word| word.trim().to_owned()).collect();
        if words.iter().any(String::is_empty) {
            return Err(None);
        }
        let is_known =
            |wanted: &str| (self.all && wanted == ANYONE) || self.listed.iter().any(|it| is(it, wanted));
        if let Some(unknown) = words.iter().find(|it| !is_known(it)) {
            return Err(Some(unknown.clone()));
        }
        let text = self.asked(&words);
        Ok(Some(Constraint { property: at, id: self.id.clone(), bound: None, words, text }))
    }

    /// A number with the property's unit.
    pub(crate) fn write(&self, number: f64) -> String {
        written(self.unit.as_deref().unwrap_or_default(), number)
    }

    /// Times are no less apart than their intervals say, so that nobody is near by one.
    pub(crate) fn is_size(&self) -> bool {
        self.unit.as_deref() == Some("bytes")
    }

    /// Whether a bound asks for none of what is counted.
    fn is_none(&self, bound: f64) -> bool {
        bound == 0.0 && !self.least && self.unit.as_deref() == Some("count")
    }

    /// The categories that NIST has for strength.
    pub(crate) fn is_category(&self) -> bool {
        self.unit.as_deref() == Some("category")
    }

    /// Words that are asked for, as a sentence has them: `implemented by Git and Gitea`.
    pub(crate) fn asked(&self, words: &[String]) -> String {
        match words {
            [word] if word == "yes" => self.title.clone(),
            [word] if word == "no" => format!("not {}", self.title),
            _ => format!("{} {}", self.title, words.join(self.between())),
        }
    }

    /// Of several words that are all asked for, those that it has.
    pub(crate) fn met(&self, asked: &Constraint, cell: Option<&Cell>) -> Vec<String> {
        let cell = cell.filter(|_| self.all && asked.words.len() > 1);
        let has = |word: &&String| cell.is_some_and(|cell| has(cell, word));
        asked.words.iter().filter(has).cloned().collect()
    }

    /// What stands between words of this property.
    fn between(&self) -> &'static str {
        if self.all { " and " } else { " or " }
    }

    /// Whether that suffices. What is not known does not.
    pub(crate) fn suffices(&self, asked: &Constraint, cell: Option<&Cell>) -> bool {
        let Some(cell) = cell else { return false };
        match (cell.number, asked.bound) {
            (Some(number), Some(bound)) if self.least => number >= bound,
            (Some(number), Some(bound)) => number <= bound,
            (None, None) if self.all => asked.words.iter().all(|it| has(cell, it)),
            (None, None) => asked.words.iter().any(|it| has(cell, it)),
            _ => false,
        }
    }

    /// What an algorithm has instead: `largest typical response 7519 bytes, over 1232`.
    pub(crate) fn missed(&self, asked: &Constraint, cell: Option<&Cell>) -> String {
        let title = &self.title;
        let Some(cell) = cell else { return format!("{title} not known") };
        let has = &cell.text;
        match asked.bound {
            _ if cell.is_refused() => has.clone(),
            Some(bound) if self.is_none(bound) => format!("{title}: {}", cell.evidence),
            Some(bound) if self.least => format!("{title} {has}, under {}", self.write(bound)),
            Some(bound) => {
                // Of a size, by how much: that is what has to be found elsewhere.
                let off = cell.number.filter(|_| self.is_size()).map(|it| self.write(it - bound) + " ");
                format!("{title} {has}, {}over {}", off.unwrap_or_default(), self.write(bound))
            }
            None if cell.words().is_empty() => format!("{title} {}", cell.evidence),
            None if asked.words == ["yes"] => format!("{title}: {has}"),
            None => {
                let missing = asked.words.iter().filter(|it| !(self.all && self::has(cell, it)));
                let missing: Vec<&str> = missing.map(String::as_str).collect();
                format!("{title} {has}, not {}", missing.join(self.between()))
            }
        }
    }
}

fn has(cell: &Cell, wanted: &str) -> bool {
    (wanted == ANYONE && !cell.words().is_empty()) || cell.words().iter().any(|word| is(word, wanted))
}

/// Whether a word is meant: itself in any case, or its beginning up to a space, so that `BIND` finds `BIND 9`.
fn is(word: &str, wanted: &str) -> bool {
    let head = word.split_at_checked(wanted.len());
    head.is_some_and(|(it, rest)| {
        it.eq_ignore_ascii_case(wanted) && (rest.is_empty() || rest.starts_with(' '))
    })
}
