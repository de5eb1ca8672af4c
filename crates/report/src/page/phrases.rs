//! What the page says in many places and keeps in one: the phrases of tooltips, which the script puts in again, and the
//! words of marks, which marks refer to.

use std::collections::{BTreeMap, HashMap};

/// What stands between the phrases of a tooltip.
const BETWEEN: &str = ", ";
/// What the number of a phrase begins with.
const NUMBER: char = '#';
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
    /// Those that are worth a number in these tooltips.
    pub(super) fn of<'a>(tooltips: impl Iterator<Item = &'a str>) -> Phrases {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for phrase in tooltips.flat_map(|tooltip| tooltip.split(BETWEEN)) {
            *counts.entry(phrase).or_default() += 1;
        }
        let mut kept: Vec<(&str, usize)> = counts
            .into_iter()
            // What looks like a number must not be taken for one.
            .filter(|(phrase, count)| phrase.contains(NUMBER) || count * phrase.len() > phrase.len() + WORTH)
            .collect();
        kept.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let lines: Vec<&str> = kept.iter().map(|(phrase, _)| *phrase).collect();
        let numbers = lines.iter().enumerate().map(|(number, phrase)| ((*phrase).to_owned(), number));
        Phrases { numbers: numbers.collect(), lines: lines.join("\n") }
    }

    /// A tooltip with numbers in the place of phrases: `#0#3f, 12 of 13 windows#1`.
    pub(super) fn shorten(&self, tooltip: &str) -> String {
        let mut short = String::new();
        for (at, phrase) in tooltip.split(BETWEEN).enumerate() {
            match self.numbers.get(phrase) {
                Some(number) => {
                    short.push(NUMBER);
                    short.push_str(&base_36(*number));
                }
                None => {
                    short.push_str(if at > 0 { BETWEEN } else { "" });
                    short.push_str(phrase);
                }
            }
        }
        short
    }
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
            let (number, rest) =
                part.split_at(part.find(|c: char| !c.is_alphanumeric()).unwrap_or(part.len()));
            let line = lines[usize::from_str_radix(number, 36).expect("a number")];
            text.push_str(&format!("{BETWEEN}{line}{rest}"));
        }
        text
    }

    #[test]
    fn tooltips_can_be_read_again() {
        let long = "on a generated zone of so many delegations".to_owned();
        let tooltips: Vec<String> = (0..100)
            .map(|number| format!("{number} of 100 windows, {long}, item #{}, exact", number % 2))
            .chain(["exact".to_owned(), String::new()])
            .collect();
        let phrases = Phrases::of(tooltips.iter().map(String::as_str));
        let lines: Vec<&str> = phrases.lines.split('\n').collect();
        assert_eq!(lines, ["exact", &long, "item #0", "item #1"]);
        for tooltip in &tooltips {
            let back = read(&phrases.shorten(tooltip), &lines);
            assert_eq!(back.strip_prefix(BETWEEN).unwrap_or(&back), tooltip);
        }
        assert!(phrases.shorten(&tooltips[7]).starts_with("7 of 100 windows#1#3#0"));
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
