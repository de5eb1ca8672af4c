//! The study of Git over hash functions that do not exist.

use fieldtest_measure::record::{Candidate, Line, Record};
use fieldtest_testing::synthetic::{input, noted, of_kind, published, record, remark, study, timed};

/// Name, digest bytes, status, made-up cycles for a byte of long messages.
type Row = (&'static str, u64, &'static str, f64);

/// The made-up hash functions. The cheapest is unsafe; the repository is named by `moss-160`.
pub(crate) const HASHES: [Row; 4] = [
    ("moss-160", 20, "broken", 0.51),
    ("fern-256", 32, "standard", 2.02),
    ("reed-256", 32, "candidate", 1.53),
    ("sedge-512", 64, "superseded", 7.54),
];

/// Places that are looked up, those of the host behind.
const PLACES: [&str; 5] =
    ["Made-up SSL", "Git", "Made-up language", "this host's Made-up SSL", "this host's sum"];

/// All lines of a run of the study `git` over [`HASHES`].
pub(crate) fn lines() -> Vec<Line> {
    let mut numbers = 0..;
    let records = |row: &Row| records(numbers.next().unwrap_or_default(), row);
    study("fieldtest git study --seed 7", &HASHES, hash, records)
}

fn hash(&(name, digest, status, _): &Row) -> Candidate {
    let text = "Two made-up messages collide at 2^61.2, and a third is near.";
    let notes = (status == "broken").then(|| remark("2029-06", "broken", text));
    let standing = (name, status, "a compression function");
    of_kind("hash", standing, &[("digest", digest)], notes.into_iter().collect())
}

fn records(at: usize, row: &Row) -> Vec<Record> {
    let (name, digest, _, cost) = *row;
    let of = |operation: &str, subject: &str, value: f64, unit: &str| {
        record("git", name, operation, subject, value, unit)
    };
    let bytes = digest as f64;
    let mut records = vec![
        of("storage", "trees", 100_003.0 + 1_001.0 * bytes, "bytes"),
        of("storage", "pack index", 9_005.0 + 501.0 * bytes, "bytes"),
        of("storage", "both names", 503.0 * (20.0 + bytes), "bytes"),
        of("storage", "more for each object", 3.0 * (bytes - 20.0) + 0.25, "bytes"),
    ];
    for (number, place) in PLACES.iter().enumerate() {
        let it = of("available", place, f64::from(u8::from(!(number + at).is_multiple_of(3))), "flag");
        records.push(noted(it, &[&format!("{}.{at}", number + 3)]));
    }
    for (subject, value, unit) in [
        ("256 a laboratory", 100_007.0 * (at + 1) as f64, "KiB/s"),
        ("1024 a laboratory", 200_009.0 * (at + 1) as f64, "KiB/s"),
        ("long another", cost / 1.25, "ticks/byte"),
    ] {
        let notes = ["a made-up list", &format!("counted in {unit}")];
        records.push(published(of("hash-published", subject, value, unit), &notes));
    }
    let repository = input("a made-up repository", 30_421_596, 2_345);
    for (number, size) in ["64", "1024", "16384", "repository"].into_iter().enumerate() {
        for (way, share) in [("single", 1.0), ("many", 0.59)] {
            let value = |slower: f64| cost * share * slower + 3.0 / (number + 1) as f64;
            let subject = format!("{size} {way}");
            for (implementation, slower) in [("fieldtest", 1.0), ("a-library", 1.31), ("b-library", 4.7)] {
                records.push(timed(
                    of("hash", &subject, value(slower), "cycles/byte"),
                    implementation,
                    "median",
                ));
            }
            let lead =
                of("hash-lead", &format!("{subject} over a-library"), value(1.31) / value(1.0), "ratio");
            records.push(timed(lead, "fieldtest", "median"));
        }
    }
    let mut whole = |operation: &str, implementation: Option<&str>, seconds: f64| {
        for (subject, seconds) in [("wall", seconds), ("cpu", seconds * 1.9)] {
            let mut it = noted(of(operation, subject, seconds, "s"), &["2 threads"]);
            if let Some(name) = implementation {
                it = timed(it, name, "mean");
            }
            it.input = Some(repository.clone());
            records.push(it);
        }
    };
    if at == 0 {
        whole("decode", None, 0.013);
    }
    whole("rehash", Some("fieldtest"), 0.013 + 0.011 * cost);
    whole("rehash", Some("a-library"), 0.013 + 0.017 * cost);
    whole("map", Some("fieldtest"), 0.019 + 0.011 * cost);
    for (implementation, hashing) in [("fieldtest", 0.011 * cost), ("a-library", 0.017 * cost)] {
        let share = of("hashing", "cpu", hashing / (0.013 + hashing), "share");
        records.push(timed(share, implementation, "mean"));
    }
    records
}
