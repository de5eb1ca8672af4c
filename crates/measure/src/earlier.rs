//! What earlier versions of this program wrote in other words.

use fieldtest_kinds::own::name_of_today;

use crate::record::{Line, Record};

/// Gives this project's own implementations the name that they have today: where a record says which code ran, and at the
/// end of a subject that says against what: `against ed25519 (ours)`.
pub(crate) fn in_words_of_today(line: &mut Line) {
    let Line::Record(Record { implementation, subject, .. }) = line else { return };
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
