//! Where a cipher is to be had: what is known, and what is on this host.

use fieldtest_catalog::Facts;
use fieldtest_catalog::cipher::CipherFacts;
use fieldtest_catalog::cipher::availability::Finding;
use fieldtest_catalog::kind::Cipher;

use crate::Book;

/// Enters 1 for each place that has the cipher, and 0 for each that has not.
pub(super) fn enter(book: &mut Book, facts: &Facts<Cipher>, host: &[Finding]) {
    let mut flag = |subject: &str, is_there: bool, note: Option<&str>| {
        let mut record =
            book.figure(&facts.name, "available", subject, f64::from(u8::from(is_there)), "flag");
        record.notes.extend(note.map(str::to_owned));
        book.record(record);
    };
    for place in CipherFacts::ASKED {
        let since = facts.kind.available_in(place);
        flag(place, since.is_some(), since);
    }
    for finding in host {
        let is_there = finding.ciphers.iter().any(|name| *name == facts.name);
        flag(&format!("this host's {}", finding.place), is_there, Some(&finding.version));
    }
}
