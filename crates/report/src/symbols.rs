//! The marks of a report: how an algorithm stands, how grave a remark is, how the machine was, whether something is
//! there. Each has a symbol and a word; colour only repeats them. A symbol means one thing in a report: circles how
//! settled an algorithm is, ✕ that it is unsafe, bars how much of a limit is taken, ⊘ that it is over any, ✓ that all is
//! well. ~ and – had two meanings each: an estimate is ≈ and what was not measured ∅.

use std::borrow::Cow;

use crate::table::{Mark, Tone};

/// A mark of fixed words.
pub const fn mark(symbol: &'static str, word: &'static str, tone: Tone) -> Mark {
    Mark { symbol: Cow::Borrowed(symbol), word: Cow::Borrowed(word), tone }
}

impl Mark {
    /// Both beside one result: `~◫`. The more serious one stood there alone, and a result without an interval did not say that
    /// it was contended, too.
    #[must_use]
    pub fn and(self, other: Mark) -> Mark {
        Mark {
            symbol: self.symbol + other.symbol,
            word: self.word + "; " + other.word,
            tone: if self.tone as u8 >= other.tone as u8 { self.tone } else { other.tone },
        }
    }

    /// The marks that [`and`](Self::and) joined; itself where there was one.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (String, &str)> {
        let words =
            if self.symbol.chars().count() > 1 { self.word.split("; ").collect() } else { vec![&*self.word] };
        self.symbol.chars().map(String::from).zip(words)
    }

    /// How a footnote begins that explains the mark.
    pub(crate) fn footnote(&self) -> String {
        format!("{} {}", self.symbol, self.word)
    }
}

/// An algorithm that is not to be used here, whatever it costs and however it stands elsewhere.
pub const UNSAFE: Mark = mark("✕", "unsafe", Tone::Bad);

/// The symbol of words that this version does not know; `?` is a difference that is not significant.
const UNKNOWN: &str = "◌";

/// A result that the time was too short for.
pub const UNMEASURED: Mark = mark("∅", "not measured", Tone::Quiet);

/// A timed result that the time was too short for to know how far it may be off.
pub const UNCERTAIN: Mark = mark("~", "no interval: too few measurements", Tone::Poor);

/// A result of a core that somebody else used as well.
pub const CONTENDED: Mark = mark("◫", "contended: other threads used the processor", Tone::Poor);

/// Code that does not keep to the run's `--extensions`.
pub const UNRESTRICTED: Mark =
    mark("‡", "not restricted: may use all extensions of the processor", Tone::Poor);

/// Code that is an experiment, and nothing to be installed.
pub const EXPERIMENT: Mark = mark("†", "experimental, not audited", Tone::Fair);

/// Whether something is there.
pub fn available(is: bool) -> Mark {
    if is { mark("✓", "yes", Tone::Good) } else { mark("–", "no", Tone::Quiet) }
}

/// Code whose time is independent of its secrets.
pub const CONSTANT_TIME: Mark = mark("✓", "constant", Tone::Good);
/// Code that looks tables up with secret indices.
pub const TABLES: Mark = mark("▦", "by tables", Tone::Poor);

/// The mark of a word, if it is among these: symbol, word, tone.
fn known(word: &str, all: &[(&'static str, &'static str, Tone)]) -> Mark {
    match all.iter().find(|(_, known, _)| *known == word) {
        Some((symbol, word, tone)) => mark(symbol, word, *tone),
        None => Mark { symbol: Cow::Borrowed(UNKNOWN), word: Cow::Owned(word.to_owned()), tone: Tone::Quiet },
    }
}

/// How an algorithm stands, by the word that the records use.
pub fn status(word: &str) -> Mark {
    const ALL: [(&str, &str, Tone); 7] = [
        ("●", "standard", Tone::Good),
        ("◐", "provisional", Tone::Fair),
        ("○", "candidate", Tone::Fair),
        ("△", "research", Tone::Fair),
        ("◇", "superseded", Tone::Poor),
        ("□", "withdrawn", Tone::Poor),
        ("✕", "broken", Tone::Bad),
    ];
    known(if word.is_empty() { "unknown" } else { word }, &ALL)
}

/// The words for how an algorithm stands, from the most settled to the ruled out.
pub const STATUSES: [&str; 7] =
    ["standard", "provisional", "candidate", "research", "superseded", "withdrawn", "broken"];

/// Where a status stands in [`STATUSES`]; unknown ones come last.
pub fn status_rank(word: &str) -> usize {
    STATUSES.iter().position(|known| *known == word).unwrap_or(STATUSES.len())
}

/// How grave a remark is, by the word that the records use.
pub fn severity(word: &str) -> Mark {
    known(word, &[("i", "info", Tone::Quiet), ("!", "warning", Tone::Poor), ("✕", "broken", Tone::Bad)])
}

/// Where a severity stands from the gravest to the lightest; unknown ones come last.
pub fn severity_rank(word: &str) -> usize {
    ["broken", "warning", "info"].iter().position(|known| *known == word).unwrap_or(3)
}

/// What sort of algorithm it is, by the word that the records use.
pub fn kind(word: &str) -> &str {
    match word {
        "mac" => "MAC",
        other => other,
    }
}

/// How fit the machine was for measuring, by the word that the records use.
pub fn verdict(word: &str) -> Mark {
    known(word, &[("✓", "quiet", Tone::Good), ("∿", "noisy", Tone::Poor), ("⊗", "unfit", Tone::Bad)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_means_one_thing() {
        let mut all = vec![UNSAFE, UNMEASURED, UNCERTAIN, CONTENDED, UNRESTRICTED, EXPERIMENT, TABLES];
        all.extend([available(true), available(false)]);
        all.extend(STATUSES.map(status));
        all.extend(["info", "warning", "broken"].map(severity));
        all.extend(["quiet", "noisy", "unfit"].map(verdict));
        for mark in &all {
            let same = all.iter().filter(|other| other.symbol == mark.symbol);
            let tones: Vec<Tone> = same.clone().map(|other| other.tone).collect();
            // All is well, or it is ruled out, by any reason.
            let words = same.filter(|other| other.word != mark.word).count();
            assert!(words == 0 || ["✓", "✕"].contains(&&*mark.symbol), "{mark:?}");
            assert!(tones.iter().all(|tone| *tone as u8 == mark.tone as u8), "{mark:?}");
        }
    }
}
