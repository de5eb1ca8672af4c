//! Where an algorithm is available: what is known, and what is on this host.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Kind;
use fieldtest_measure::words::{AVAILABLE, Place};

use crate::Book;

/// Software of this host, its version, and the algorithms that it has, by the catalog's names.
pub type OnHost<'a> = (&'static str, &'a str, &'a [&'static str]);

/// Enters 1 for each place that has the algorithm, and 0 for each that has not. `known` are the places that were looked
/// at, with the words since when they have it.
pub fn enter<'a, K: Kind>(
    book: &mut Book,
    facts: &Facts<K>,
    known: impl IntoIterator<Item = (&'static str, Option<&'a str>)>,
    host: impl IntoIterator<Item = OnHost<'a>>,
) {
    let mut flag = |place: Place<'_>, is_there: bool, note: Option<&str>| {
        let mut record =
            book.figure(&facts.name, AVAILABLE, &place.to_string(), f64::from(u8::from(is_there)), "flag");
        record.notes.extend(note.map(str::to_owned));
        book.record(record);
    };
    for (place, since) in known {
        flag(Place::Known(place), since.is_some(), since);
    }
    for (place, version, algorithms) in host {
        let is_there = algorithms.iter().any(|name| *name == facts.name);
        flag(Place::Here(place), is_there, Some(version));
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::kind::Hash;

    use super::*;
    use crate::scripted::{algorithm, book, records};

    #[test]
    fn every_place_has_it_or_has_not() {
        let (facts, mut book) = (algorithm::<Hash>("sha-256", "made-up", &[]).facts, book());
        let known = [("Linux", Some("since 6.1")), ("GnuTLS", None)];
        let host: [OnHost<'_>; 2] =
            [("OpenSSL", "3.0", &["other", "made-up"]), ("Botan", "2.19", &["other"])];
        enter(&mut book, facts, known, host);
        let found: Vec<_> = records(&book)
            .into_iter()
            .map(|it| (it.operation.as_str(), it.subject.clone(), it.value, it.notes.concat()))
            .collect();
        let expected = [
            (Place::Known("Linux"), 1.0, "since 6.1"),
            (Place::Known("GnuTLS"), 0.0, ""),
            (Place::Here("OpenSSL"), 1.0, "3.0"),
            (Place::Here("Botan"), 0.0, "2.19"),
        ];
        assert_eq!(
            found,
            expected.map(|(place, value, note)| (AVAILABLE, place.to_string(), value, note.to_owned()))
        );
    }
}
