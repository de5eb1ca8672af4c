//! All tests of the crate: one program, so that the libraries are linked once.

mod ml_dsa_44;
mod resolver;
mod study;
mod transition;

use fieldtest_measure::record::{Line, Record};
use fieldtest_testing::synthetic;

fn lines(records: &[Record]) -> Vec<Line> {
    let records = records.iter().cloned().map(Line::Record);
    std::iter::once(Line::Run(synthetic::run())).chain(records).collect()
}
