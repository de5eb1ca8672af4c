//! Which studies of several hosts were measured on different data, so that what differs may be the data's and not the hosts'.

use std::collections::HashMap;

use fieldtest_measure::record::Input;

use crate::Report;
use crate::number::grouped;

/// A sentence for each study of which two hosts had different data for the same result.
pub fn other_data(reports: &[Report]) -> Vec<String> {
    let mut first: HashMap<[&str; 3], (&str, &Input)> = HashMap::new();
    let mut found: Vec<(&str, String)> = Vec::new();
    for report in reports {
        let host = report.runs().first().map_or("", |run| &run.host.id);
        for record in report.records() {
            let Some(input) = &record.input else { continue };
            let what = [&record.study, &record.operation, &record.subject].map(String::as_str);
            let (other, theirs) = *first.entry(what).or_insert((host, input));
            let is_told = found.iter().any(|(study, _)| *study == record.study);
            if !is_told && theirs.sha256 != input.sha256 {
                let words = format!(
                    "{} was measured on different data, {} on {other} and {} on {host}: the difference may come from the data, not the host.",
                    record.study,
                    told(theirs),
                    told(input)
                );
                found.push((&record.study, words));
            }
        }
    }
    found.into_iter().map(|(_, words)| words).collect()
}

fn told(input: &Input) -> String {
    format!("{} ({} bytes)", input.name, grouped(&input.bytes.to_string()))
}
