//! What the results of a report do not say, as far as it can be told from the records.

use fieldtest_measure::words;

use crate::report::Report;
use crate::result::is_approximate;

pub(super) fn limits(report: &Report) -> Vec<String> {
    let mut limits = vec![
        "How secure an algorithm is. The status and the remarks are dated; newer attacks are missing.".to_owned(),
        "Whether an implementation leaks its secrets. Passed known-answer tests show that it computes correctly, \
         not that its time or its memory accesses are independent of the key."
            .to_owned(),
        "The ranking on another machine. It depends on the processor and its extensions; results of two \
         machines are not compared."
            .to_owned(),
    ];
    if report.runs.iter().any(|run| run.host.counter != "cycles") {
        limits.push(counted_cycles(report));
    }
    if report.runs.iter().any(|run| run.verdict != "quiet") {
        limits.push(
            "The results of a quiet machine. See the findings at the top; the intervals include the observed noise, \
             not the bias of other load."
                .to_owned(),
        );
    }
    if report.records.iter().any(is_approximate) {
        limits.push(
            "More than was measured, for the results with a ≈: they were estimated, extrapolated from a part, or projected from \
             sizes on counted traffic that is assumed to stay unchanged."
                .to_owned(),
        );
    }
    let is_explained = |study: &str| {
        report.study_section(study).is_some_and(|study_section| study_section.explains_published)
    };
    if report
        .records
        .iter()
        .any(|record| record.estimator == words::PUBLISHED && !is_explained(&record.study))
    {
        limits.push(
            "How this machine compares with published results. Those are from another machine and are shown only for \
             orientation."
                .to_owned(),
        );
    }
    limits.extend(report.study_sections().iter().flat_map(|study_section| study_section.limits(report)));
    if report.records.iter().any(|record| record.proof.as_ref().is_some_and(|proof| proof.vectors == 0)) {
        limits.push(
            "That every implementation is the algorithm it is named after: without official test vectors \
             it was cross-checked, or only agrees with itself, as the table of known-answer tests says."
                .to_owned(),
        );
    }
    limits
}

/// What times are where the machine counts no cycles.
fn counted_cycles(report: &Report) -> String {
    let mut measured = report.records.iter().filter(|record| record.implementation.is_some());
    // Some studies tell cycles even so.
    let is_by_chain = |study: &str| {
        measured.clone().any(|record| record.study == study && record.unit.starts_with("cycles"))
    };
    let study_sections =
        report.study_sections().iter().filter(|study_section| is_by_chain(study_section.study));
    let by_chain: Vec<&str> = study_sections.map(|study_section| study_section.title).collect();
    let nanoseconds = measured.any(|record| record.unit == "ns");
    let rest = match (by_chain.is_empty(), nanoseconds) {
        (false, false) => "",
        (false, true) => {
            " All other times are nanoseconds and follow the clock frequency, which may have changed between results."
        }
        (true, _) => {
            return "Core cycles. This machine shows no cycle counter, so times are nanoseconds and follow the clock \
                    frequency, which may have changed between results."
                .to_owned();
        }
    };
    format!(
        "Counted core cycles. This machine has no accessible cycle counter: the cycles under {} are ratios to a chain of dependent \
         additions, one cycle each, timed around each window.{rest}",
        by_chain.join(" and ")
    )
}
