//! Where an algorithm is available: what is known, and what is on this host.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Kind;
use fieldtest_catalog::places::{Stated, places};
use fieldtest_measure::words::{AVAILABLE, Place};

use crate::RecordWriter;

/// Software of this host, its version, and the algorithms that it has, by the catalog's names.
pub type OnHost<'a> = (&'static str, &'a str, &'a [&'static str]);

/// Enters 1 for each place that has the algorithm, and 0 for each that has not. `list` are the [places] that were looked at,
/// `stated` those that have it, with the words since when.
pub fn enter<'a, K: Kind>(
    writer: &mut RecordWriter,
    facts: &Facts<K>,
    list: &str,
    stated: Option<&Stated>,
    host: impl IntoIterator<Item = OnHost<'a>>,
) {
    let mut flag = |place: Place<'_>, is_there: bool, note: String| {
        let mut record =
            writer.result(&facts.name, AVAILABLE, &place.to_string(), f64::from(u8::from(is_there)), "flag");
        record.notes.push(note);
        writer.record(record);
    };
    for place in places(list) {
        let since = stated.and_then(|stated| stated.get(&place.name));
        flag(Place::Known(&place.name), since.is_some(), place.told(since.map_or("no", String::as_str)));
    }
    for (place, version, algorithms) in host {
        let is_there = algorithms.iter().any(|name| *name == facts.name);
        flag(Place::Here(place), is_there, version.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::kind::Hash;

    use super::*;
    use crate::scripted::{algorithm, records, writer};

    #[test]
    fn every_place_has_it_or_has_not() {
        let (facts, mut writer) = (algorithm::<Hash>("sha-256", "made-up", &[]).facts, writer());
        let stated = Stated::from([("NIST".to_owned(), "since 2001".to_owned())]);
        let host: [OnHost<'_>; 2] =
            [("OpenSSL", "3.0", &["other", "made-up"]), ("Botan", "2.19", &["other"])];
        enter(&mut writer, facts, "approval", Some(&stated), host);
        let found: Vec<_> = records(&writer)
            .into_iter()
            .map(|it| {
                let since = it.notes.concat().split(" [").next().unwrap_or_default().to_owned();
                (it.operation.as_str(), it.subject.clone(), it.value, since)
            })
            .collect();
        let expected = [
            (Place::Known("NIST"), 1.0, "since 2001"),
            (Place::Known("KCMVP"), 0.0, "no"),
            (Place::Known("ISO/IEC"), 0.0, "no"),
            (Place::Here("OpenSSL"), 1.0, "3.0"),
            (Place::Here("Botan"), 0.0, "2.19"),
        ];
        assert_eq!(
            found,
            expected.map(|(place, value, note)| (AVAILABLE, place.to_string(), value, note.to_owned()))
        );
    }
}
