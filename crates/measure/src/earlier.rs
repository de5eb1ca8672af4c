//! What earlier versions of this program wrote in other words.

use fieldtest_text::own::name_of_today;

use crate::record::{EARLIER, Line, Record, SCHEMA};
use crate::words::{CONTENDED, CORE_LOST, OTHER_LOAD};

/// Notes of version 1.
const NOTES: [(&str, &str); 3] = [
    ("the core was never undisturbed for long enough: a figure of a shared core", CONTENDED),
    ("the thread lost its core in every window: a figure of a busy machine", CORE_LOST),
    ("others used the processors beside it: a figure of a busy machine", OTHER_LOAD),
];

/// Gives a line the words that it would have today: of verdicts and notes, and of this project's own implementations, where a
/// record says which code ran and at the end of a subject that says against what: `against ed25519 (ours)`.
pub(crate) fn in_words_of_today(line: &mut Line) {
    if let Line::Run(run) = line
        && let Some(minor) = run.schema.strip_prefix(EARLIER)
    {
        run.schema = format!("{SCHEMA}{minor}");
        if run.verdict == "hopeless" {
            run.verdict = "unfit".to_owned();
        }
    }
    let Line::Record(Record { implementation, subject, notes, .. }) = line else { return };
    for note in notes {
        if let Some((_, today)) = NOTES.iter().find(|(earlier, _)| note == earlier) {
            *note = (*today).to_owned();
        }
    }
    if let Some(implementation) = implementation
        && let Some(name) = name_of_today(&implementation.name)
    {
        implementation.name = name;
    }
    if let Some((what, name)) = subject.strip_suffix(')').and_then(|of| of.rsplit_once('('))
        && let Some(name) = name_of_today(name)
    {
        *subject = format!("{what}({name})");
    }
}
