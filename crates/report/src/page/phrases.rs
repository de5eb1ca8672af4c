//! What the page says in many places and keeps in one: the phrases of tooltips, which the script puts in again, and the
//! words of marks, which marks refer to.

use std::collections::{BTreeMap, HashMap};

/// What stands between the phrases of a tooltip.
const BETWEEN: &str = ", ";
/// What the number of a phrase begins with.
const NUMBER: char = '#';
/// Where a phrase has a gap for a figure, and what a figure for a gap begins with.
const GAP: char = '~';
/// Bytes that a phrase has to save to be kept apart.
const WORTH: usize = 192;

/// Phrases by number, the most frequent first, as their numbers are the shortest.
#[derive(Default)]
pub(super) struct Phrases {
    numbers: HashMap<String, usize>,
    /// The phrases in the order of their numbers, a line each.
    pub(super) lines: String,
}

impl Phrases {
    /// Those that are worth a number in these tooltips: as they stand, or else with gaps for their figures.
    pub(super) fn of<'a>(tooltips: impl Iterator<Item = &'a str>) -> Phrases {
        let mut whole: BTreeMap<String, usize> = BTreeMap::new();
        for phrase in tooltips.flat_map(|tooltip| tooltip.split(BETWEEN)) {
            *whole.entry(phrase.to_owned()).or_default() += 1;
        }
        let mut rest: BTreeMap<String, usize> = BTreeMap::new();
        // What looks like a number or a gap must not be taken for one.
        let is_kept = |phrase: &str, count: usize| {
            phrase.contains([NUMBER, GAP]) || count * phrase.len() > phrase.len() + WORTH
        };
        whole.retain(|phrase, count| {
            let keep = is_kept(phrase, *count);
            if !keep {
                *rest.entry(with_gaps(phrase).0).or_default() += *count;
            }
            keep
        });
        rest.retain(|phrase, count| {
            let saved = phrase.len().saturating_sub(phrase.matches(GAP).count());
            phrase.contains(GAP) && *count * saved > phrase.len() + WORTH
        });
        let mut kept: Vec<(String, usize)> = whole.into_iter().chain(rest).collect();
        kept.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let lines: Vec<&str> = kept.iter().map(|(phrase, _)| phrase.as_str()).collect();
        let numbers = lines.iter().enumerate().map(|(number, phrase)| ((*phrase).to_owned(), number));
        Phrases { numbers: numbers.collect(), lines: lines.join("\n") }
    }

    /// A tooltip with numbers in the place of phrases, and the figures for their gaps: `#0#3f~12~13, of two keys#1`.
    pub(super) fn shorten(&self, tooltip: &str) -> String {
        let mut short = String::new();
        for (at, phrase) in tooltip.split(BETWEEN).enumerate() {
            let whole = self.numbers.get(phrase).map(|number| (number, Vec::new()));
            let found = whole.or_else(|| {
                let (gaps, figures) = with_gaps(phrase);
                Some((self.numbers.get(&gaps)?, figures))
            });
            let Some((number, figures)) = found else {
                short.push_str(if at > 0 { BETWEEN } else { "" });
                short.push_str(phrase);
                continue;
            };
            short.push(NUMBER);
            short.push_str(&base_36(*number));
            for figure in figures {
                short.push(GAP);
                short.push_str(figure);
            }
        }
        short
    }
}

/// A phrase with gaps in the place of its figures, and these: `12 of 13.5 bytes` has two.
fn with_gaps(phrase: &str) -> (String, Vec<&str>) {
    let (mut gaps, mut figures, mut rest) = (String::new(), Vec::new(), phrase);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(from.len());
        let figure = from[..end].trim_end_matches('.');
        gaps.push_str(before);
        gaps.push(GAP);
        figures.push(figure);
        rest = &from[figure.len()..];
    }
    gaps.push_str(rest);
    (gaps, figures)
}

/// A number by digits and letters, as the script's `parseInt(text, 36)` reads it.
fn base_36(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit((number % 36) as u32, 36));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the script reads it.
    fn read(short: &str, lines: &[&str]) -> String {
        let mut parts = short.split(NUMBER);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (reference, rest) = part.split_at(part.find(BETWEEN).unwrap_or(part.len()));
            let mut reference = reference.split(GAP);
            let number = reference.next().expect("a number");
            let mut line = lines[usize::from_str_radix(number, 36).expect("a number")].to_owned();
            for figure in reference {
                line = line.replacen(GAP, figure, 1);
            }
            text.push_str(&format!("{BETWEEN}{line}{rest}"));
        }
        text
    }

    #[test]
    fn tooltips_can_be_read_again() {
        let long = "on a generated zone of so many delegations".to_owned();
        let tooltips: Vec<String> = (0..100)
            .map(|number| format!("{number}.5 of 100 windows, {long}, item #{}, about ~5, exact", number % 2))
            .chain([
                "exact".to_owned(),
                String::new(),
                "12. of ~ windows".to_owned(),
                "1.5. of 2 windows".to_owned(),
            ])
            .collect();
        let phrases = Phrases::of(tooltips.iter().map(String::as_str));
        let lines: Vec<&str> = phrases.lines.split('\n').collect();
        assert_eq!(
            lines,
            ["exact", "about ~5", &long, "~ of ~ windows", "item #0", "item #1", "12. of ~ windows"]
        );
        for tooltip in &tooltips {
            let back = read(&phrases.shorten(tooltip), &lines);
            assert_eq!(back.strip_prefix(BETWEEN).unwrap_or(&back), tooltip);
        }
        assert!(phrases.shorten(&tooltips[7]).starts_with("#3~7.5~100#2#5#1#0"));
        let none = Phrases::of(["estimated, 12 bytes"].into_iter());
        assert_eq!(
            (none.shorten("estimated, 12 bytes").as_str(), none.lines.as_str()),
            ("estimated, 12 bytes", "")
        );
    }

    #[test]
    fn numbers_by_digits_and_letters() {
        assert_eq!([0, 35, 36, 1295, 1296].map(base_36), ["0", "z", "10", "zz", "100"]);
    }
}
