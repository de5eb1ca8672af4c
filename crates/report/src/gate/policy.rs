//! What a gate lets pass: how much worse a result may be, by its kind, and exceptions with their reasons.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use crate::compare::Name;

/// A policy. Without a file all have their defaults: nothing exact may get worse, measured counts by 1%, times by 10%.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Policy {
    /// Sizes, answers over TCP, blocks, options: what has no measurement error decides alone.
    pub exact: Exact,
    /// Counts, shares and memory that were measured.
    pub counted: Measured,
    /// Times.
    pub timed: Timed,
    /// The first that matches a result decides about it.
    #[serde(rename = "exception")]
    pub exceptions: Vec<Exception>,
}

/// Exact results.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Exact {
    /// By how much they may get worse.
    pub worse_by: Share,
    /// What becomes of one that only the base has.
    pub missing: Open,
    /// What becomes of exact results of which the two runs had different input.
    pub other_input: Open,
}

impl Default for Exact {
    fn default() -> Self {
        Exact { worse_by: Share(0.0), missing: Open::Fail, other_input: Open::Fail }
    }
}

/// Measured counts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Measured {
    /// By how much they may get worse, with the whole of their intervals.
    pub worse_by: Share,
    /// What becomes of those whose interval contains that.
    pub undecided: Open,
    /// By how much the values of those may get worse that have no interval.
    pub without_interval: Share,
}

impl Default for Measured {
    fn default() -> Self {
        Measured { worse_by: Share(0.01), undecided: Open::Pass, without_interval: Share::ANY }
    }
}

/// Times. A type of its own for its default: on a shared machine 1% would stop every other change.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Timed {
    /// By how much longer they may take: fails if the difference is significant and its whole interval is above.
    pub worse_by: Share,
    /// What becomes of those that may take longer by more, that have no interval, or that only the base has.
    pub undecided: Open,
    /// By how much longer those may take that have no interval. One key of RSA may take ten times as long as the next, so by
    /// default this does not decide.
    pub without_interval: Share,
}

impl Default for Timed {
    fn default() -> Self {
        Timed { worse_by: Share(0.10), undecided: Open::Pass, without_interval: Share::ANY }
    }
}

/// What becomes of a result that cannot be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Open {
    /// The gate stops, with an exit code of its own.
    Fail,
    /// It is listed, and the gate stays open.
    Pass,
}

/// Results that have a rule of their own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exception {
    /// Which study; any if absent, as below. `*` stands for any characters.
    #[serde(default)]
    pub study: Option<String>,
    /// Which algorithm.
    #[serde(default)]
    pub algorithm: Option<String>,
    /// Which implementation.
    #[serde(default)]
    pub implementation: Option<String>,
    /// Which operation.
    #[serde(default)]
    pub operation: Option<String>,
    /// Of what.
    #[serde(default)]
    pub subject: Option<String>,
    /// By how much it may get worse; `any` for whatever happens, missing included.
    pub worse_by: Share,
    /// Why, for those who read the result.
    #[serde(deserialize_with = "not_blank")]
    pub reason: String,
}

impl Exception {
    pub(super) fn is_about(&self, name: &Name) -> bool {
        let pairs = [
            (&self.study, &name.study),
            (&self.algorithm, &name.algorithm),
            (&self.implementation, &name.implementation),
            (&self.operation, &name.operation),
            (&self.subject, &name.subject),
        ];
        pairs.into_iter().all(|(wanted, found)| wanted.as_ref().is_none_or(|wanted| matches(wanted, found)))
    }
}

impl Policy {
    /// The exception that decides about a result, if there is one.
    pub(super) fn exception(&self, name: &Name) -> Option<&Exception> {
        self.exceptions.iter().find(|exception| exception.is_about(name))
    }
}

/// A share that is typed as a percentage, `1.5%`, or as `any`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl Share {
    pub(super) const ANY: Share = Share(f64::INFINITY);

    /// Whether anything is allowed.
    pub(super) fn is_any(self) -> bool {
        self == Share::ANY
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Share, D::Error> {
        from.deserialize_str(ReadShare)
    }
}

/// Has its own words for values of other types: `5` was answered by `expected text`, and then `"5"` by this.
struct ReadShare;

impl de::Visitor<'_> for ReadShare {
    type Value = Share;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a percentage from 0% in quotes, such as \"5%\", or \"any\"")
    }

    fn visit_str<E: de::Error>(self, typed: &str) -> Result<Share, E> {
        let percent = typed.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
        match percent {
            _ if typed == "any" => Ok(Share::ANY),
            Some(percent) if (0.0..=1e6).contains(&percent) => Ok(Share(percent / 100.0)),
            _ => Err(E::invalid_value(de::Unexpected::Str(typed), &self)),
        }
    }
}

fn not_blank<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let typed = String::deserialize(from)?;
    match typed.trim().is_empty() {
        true => Err(de::Error::invalid_value(de::Unexpected::Str(&typed), &"the reason for the exception")),
        false => Ok(typed),
    }
}

/// Whether `pattern`, in which `*` stands for any characters, covers the whole of `text`.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, text, is) in [
            ("sign", "sign", true),
            ("sign", "signs", false),
            ("sign*", "signs", true),
            ("*", "", true),
            ("*x", "axbx", true),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("**", "any", true),
        ] {
            assert_eq!(matches(pattern, text), is, "{pattern} {text}");
        }
    }
}
