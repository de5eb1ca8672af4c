//! Signing the zone against validating it, a point per algorithm.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_report::Report;
use fieldtest_report::plot::Plot;
use fieldtest_report::plot::scatter::{self, Axis, Words};

use crate::words::Operation;

/// The plot, if two algorithms did both.
pub(super) fn plot(report: &Report, records: &[&Record]) -> Option<Plot> {
    let words = Words {
        title: "What the zone costs",
        caption: "Validating the whole zone against signing it, wall time with all cores, zone handling included, by the \
                  fastest signer of each algorithm. Down and to the left is better.",
    };
    let axis =
        |operation: Operation, words| Axis { operation: operation.word(), subject: Time::Wall.word(), words };
    scatter::plot(
        report,
        records,
        words,
        [axis(Operation::SignZone, "sign the zone"), axis(Operation::ValidateZone, "validate the zone")],
    )
}
