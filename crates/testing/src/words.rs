//! What the tests of every study's words ask.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{
    AVAILABLE, Against, KeyOperation, Over, UNFIT, UNMEASURED, of_lead, of_ratio,
};
use fieldtest_report::StudySections;
use fieldtest_study::Part;

use crate::section::leaves_nothing;
use crate::study::study;

/// Whether a subject is one of an operation's, where that is one of the study's own.
pub type Own = fn(operation: &str, subject: &str) -> Option<bool>;

/// Every record that the study writes has words that are read again, and is in a table of its chapter.
pub fn writes_what_is_read(study_sections: StudySections, part: &dyn Part, own: Own) {
    let mut records = study(false, part);
    let of_keys = part.about().kinds == ["signature"];
    for record in &records {
        assert!(is_known(record, of_keys, own), "{} {}", record.operation, record.subject);
    }
    // What the carrier cannot hold is told among the other results.
    records.retain(|record| record.operation != UNFIT);
    leaves_nothing(study_sections, part.carrier(), records);
}

fn is_known(record: &Record, of_keys: bool, own: Own) -> bool {
    let (operation, subject) = match of_lead(&record.operation).filter(|_| !of_keys) {
        Some(operation) => (operation, Over::read(&record.subject).map_or("?", |over| over.of)),
        None => (record.operation.as_str(), record.subject.as_str()),
    };
    own(operation, subject).unwrap_or_else(|| match of_ratio(operation) {
        _ if operation == AVAILABLE || operation == UNMEASURED => !subject.is_empty(),
        Some(of) => of_keys && KeyOperation::from_word(of).is_some() && Against::read(subject).is_some(),
        None => of_keys && KeyOperation::from_word(operation).is_some() && subject.is_empty(),
    })
}
