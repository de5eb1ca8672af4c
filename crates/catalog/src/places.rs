//! Where algorithms were looked for: systems, libraries, registries and bodies, each with the day on which it was last looked
//! up and with what was read there. What facts state of an algorithm in a place has that date and that source.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Somewhere that algorithms were looked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// What people call it.
    pub name: String,
    /// The day of the look, as an ISO date.
    pub date: String,
    /// What was read.
    pub source: String,
}

/// What facts state of an algorithm by the names of places: since when, under which name. A place that is missing does not
/// have it.
pub type Stated = BTreeMap<String, String>;

static PLACES: LazyLock<BTreeMap<String, Vec<Place>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../facts/places.toml"))
        .expect("a test reads the file, which is part of the program")
});

/// The places of a list of `facts/places.toml`, in its order.
pub fn places(list: &str) -> &'static [Place] {
    PLACES.get(list).map_or(&[], Vec::as_slice)
}

impl Place {
    /// What is stated of it with date and source: `since 6.7 [Linux, net/ipv4/tcp_ao.c, 2026-11-22]`.
    pub fn told(&self, stated: &str) -> String {
        format!("{stated} [{}, {}]", self.source, self.date)
    }
}

/// What is stated of each place of a list, `no` where nothing is, as pairs of words for a reader.
pub(crate) fn rows(list: &str, stated: &Stated) -> impl Iterator<Item = (&'static Place, String)> {
    let known = |place: &Place| stated.get(&place.name).map_or("no", String::as_str);
    places(list).iter().map(move |place| (place, place.told(known(place))))
}

/// As [`rows`] of the places that have it, with `of` before their names, and the others in one.
pub(crate) fn having(list: &str, of: &str, stated: &Stated) -> Vec<(String, String)> {
    let has = |place: &Place| stated.contains_key(&place.name);
    let there = rows(list, stated).filter(|(place, _)| has(place));
    let mut all: Vec<_> = there.map(|(place, told)| (format!("{of}in {}", place.name), told)).collect();
    let others: Vec<String> = places(list)
        .iter()
        .filter(|place| !has(place))
        .map(|place| format!("{} ({})", place.name, place.date))
        .collect();
    if !others.is_empty() {
        all.push((format!("{of}not found in"), others.join(", ")));
    }
    all
}

/// Panics where facts name a place that was not looked at.
#[cfg(test)]
pub(crate) fn check<'a>(list: &str, algorithm: &str, stated: impl IntoIterator<Item = &'a String>) {
    for name in stated {
        assert!(
            places(list).iter().any(|place| place.name == *name),
            "{algorithm}: {name} was not looked at"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_date_and_a_source() {
        for (list, places) in PLACES.iter() {
            for place in places {
                assert!(crate::facts::is_day(&place.date) && !place.source.is_empty(), "{list}: {place:?}");
                let of_this_name = places.iter().filter(|it| it.name == place.name);
                assert_eq!(of_this_name.count(), 1, "{list}: {}", place.name);
            }
        }
    }
}
