//! Reads the traffic statistics that root server operators publish (RSSAC002, version 5: “RSSAC Advisory on
//! Measurements of the Root Server System”), one metric of one server and day in a flat YAML file.
//!
//! The files are maps of numbers, in one level or two, and always written the same way; this reads just that form.
//! Metrics: `traffic-sizes` (section 2.4 of the advisory), `rcode-volume`, `traffic-volume` and others like them.

use std::collections::BTreeMap;

/// One file: a metric of one server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// `version`, as in `rssac002v5`.
    pub version: String,
    /// `service`, as in `a.root-servers.net`.
    pub service: String,
    /// `start-period`, the day in the form of ISO 8601.
    pub start: String,
    /// `metric`, as in `traffic-sizes`.
    pub metric: String,
    /// The numbers that stand on the first level: for `rcode-volume` by RCODE, for `traffic-volume` by counter.
    pub counts: BTreeMap<String, u64>,
    /// The sections: for `traffic-sizes` the histograms, by name (`udp-response-sizes`).
    pub sections: BTreeMap<String, Vec<Bin>>,
}

/// A bin of a size histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bin {
    /// The smallest size in octets.
    pub low: u32,
    /// The largest size; `None` for the open bin at the end.
    pub high: Option<u32>,
    /// Messages.
    pub count: u64,
}

/// Why a file is no RSSAC002 statistics.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RssacError {
    /// A line that is not of the form.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A key that every file has is missing.
    #[error("'{0}' is missing; give a report in the format of RSSAC002")]
    Missing(&'static str),
}

impl Statistics {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Self, RssacError> {
        let mut found = Statistics::default();
        let mut section: Option<String> = None;
        for (at, raw) in text.lines().enumerate() {
            let fault = |what: String| RssacError::Line { line: at + 1, what };
            let line = raw.split('#').next().unwrap_or_default().trim_end();
            if line.is_empty() || line == "---" || line == "..." {
                continue;
            }
            let indented = line.starts_with([' ', '\t']);
            let (key, value) = split(line.trim_start()).ok_or_else(|| {
                fault(format!(
                    "'{}' is not 'key: value'; give a report in the format of RSSAC002",
                    shown(line)
                ))
            })?;
            if indented {
                let name =
                    section.as_ref().ok_or_else(|| fault("an indented line outside a section".into()))?;
                let bin = bin(key, value).map_err(fault)?;
                let bins = found.sections.entry(name.clone()).or_default();
                if bins.last().is_some_and(|last| last.high.is_none_or(|high| bin.low <= high)) {
                    return Err(fault(format!("the range '{}' overlaps the one before", shown(key))));
                }
                bins.push(bin);
                continue;
            }
            section = None;
            let target = match key {
                "version" => &mut found.version,
                "service" => &mut found.service,
                "start-period" => &mut found.start,
                "metric" => &mut found.metric,
                // A section: its lines follow, or it is empty.
                _ if value.is_empty() || value == "{}" => {
                    if found.sections.insert(key.to_string(), Vec::new()).is_some() {
                        return Err(fault(format!("a second section '{}'", shown(key))));
                    }
                    section = Some(key.to_string());
                    continue;
                }
                _ => {
                    let count = number(value).map_err(fault)?;
                    if found.counts.insert(key.to_string(), count).is_some() {
                        return Err(fault(format!("a second '{}'", shown(key))));
                    }
                    continue;
                }
            };
            *target = value.to_string();
        }
        for (name, value) in
            [("version", &found.version), ("service", &found.service), ("metric", &found.metric)]
        {
            if value.is_empty() {
                return Err(RssacError::Missing(name));
            }
        }
        Ok(found)
    }
}

/// Key and value of a line, without quotes.
fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = match line.strip_prefix('\'').or_else(|| line.strip_prefix('"')) {
        Some(quoted) => {
            let (key, rest) = quoted.split_once(['\'', '"'])?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        None => line.split_once(':')?,
    };
    let value = value.trim();
    let unquoted = ['\'', '"']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote).and_then(|value| value.strip_suffix(*quote)));
    (!key.is_empty()).then_some((key.trim(), unquoted.unwrap_or(value)))
}

/// `288-303: 17`, or `4096-: 17` at the end.
fn bin(range: &str, count: &str) -> Result<Bin, String> {
    let fault = || format!("invalid range of sizes '{}': expected one such as 288-303", shown(range));
    let (low, high) = range.split_once('-').ok_or_else(fault)?;
    let low: u32 = low.trim().parse().map_err(|_| fault())?;
    let high = match high.trim() {
        "" => None,
        high => Some(high.parse::<u32>().map_err(|_| fault())?),
    };
    if high.is_some_and(|high| high < low) {
        return Err(fault());
    }
    Ok(Bin { low, high, count: number(count)? })
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{}' is not a count", shown(text)))
}

fn shown(text: &str) -> String {
    let text = text.trim();
    text.char_indices().nth(40).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: &str = "---\nversion: rssac002v5\nservice: a.root-servers.net\n\
        start-period: '2025-06-10T00:00:00Z'\nmetric: traffic-sizes\nudp-request-sizes: {}\n\
        udp-response-sizes:\n  16-31: 5\n  32-47: 7 # a comment\n  4096-: 1\n";

    #[test]
    fn reads_sizes() {
        let read = Statistics::parse(SIZES).unwrap();
        assert_eq!(read.service, "a.root-servers.net");
        assert_eq!(read.start, "2025-06-10T00:00:00Z");
        assert!(read.sections["udp-request-sizes"].is_empty());
        assert_eq!(
            read.sections["udp-response-sizes"],
            [
                Bin { low: 16, high: Some(31), count: 5 },
                Bin { low: 32, high: Some(47), count: 7 },
                Bin { low: 4096, high: None, count: 1 }
            ]
        );
    }

    #[test]
    fn reads_counts() {
        let text = "version: rssac002v5\nservice: b\nmetric: rcode-volume\n'0': 12\n\"3\": 4\n";
        let read = Statistics::parse(text).unwrap();
        assert_eq!((read.counts["0"], read.counts["3"]), (12, 4));
    }

    #[test]
    fn faults_name_their_line() {
        let line = |text: &str| match Statistics::parse(text) {
            Err(RssacError::Line { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(line(&SIZES.replace("32-47: 7", "32-47: seven")), 9);
        assert_eq!(line(&SIZES.replace("32-47: 7", "47-32: 7")), 9);
        assert_eq!(line(&SIZES.replace("32-47: 7", "20-47: 7")), 9);
        assert_eq!(line(&SIZES.replace("32-47: 7", "no colon")), 9);
        assert_eq!(line("version: a\n  1-2: 3\n"), 2);
        assert_eq!(line("version: a\nx: 1\nx: 2\n"), 3);
        assert_eq!(Statistics::parse("version: a\nservice: b\n"), Err(RssacError::Missing("metric")));
    }

    proptest! {
        #[test]
        fn never_panics(text in "[ \n:'\"#{}0-9a-z-]{0,200}") {
            let _ = Statistics::parse(&text);
        }
    }
}
