//! What proofs of engines of all kinds have alike.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER_PERMISSIVE;
use fieldtest_engine::Connection;
use fieldtest_kinds::Error;
use serde::Deserialize;

use crate::KatError;
use crate::kat::{KnownAnswers, Mismatch};

/// Requests for nothing of which the median is told.
const REQUESTS: usize = 101;
/// Requests of which the least time is told.
const TRIES: usize = 11;

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Hex(pub(super) Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = &'static str;

    fn try_from(digits: String) -> Result<Hex, &'static str> {
        let octets = HEXLOWER_PERMISSIVE.decode(digits.as_bytes());
        octets.map(Hex).map_err(|_| "expected pairs of hexadecimal digits, such as 00ff")
    }
}

/// Its author's own answers, each reproduced.
pub(super) fn own_answers<A>(
    answers: &[A],
    reproduce: impl Fn(&A) -> Result<(), Mismatch>,
) -> Result<KnownAnswers, KatError> {
    let mut own =
        KnownAnswers::unofficial(format!("its author's own answers, {}, none official", answers.len()));
    for (at, answer) in answers.iter().enumerate() {
        own.case(at + 1, || reproduce(answer))?;
    }
    Ok(own)
}

/// A hundred places, spread over so many octets: an engine that takes milliseconds is to be proven in a second.
fn spread(octets: usize) -> impl Iterator<Item = usize> {
    (0..octets).step_by(octets.div_ceil(100).max(1))
}

/// These octets as often as [`spread`] has places, each with the bit of a place flipped.
pub(super) fn flipped(octets: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    spread(octets.len()).map(|at| {
        let mut other = octets.to_vec();
        other[at] ^= 1 << (at % 8);
        (at, other)
    })
}

/// Lengths around every power of two up to 64 KiB, and four in a row: code for a length is mostly wrong next to one of these, or at
/// some remainder. Each takes a few operations, so that an engine of milliseconds is still checked in a
/// second. With three lengths, an engine passed that verified nothing above 1,000 octets.
pub(super) fn sweep() -> BTreeSet<usize> {
    (0..=16).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]).chain(1_000..1_004).collect()
}

/// Octets without a pattern.
pub(super) fn noise(octets: usize, seed: u8) -> Vec<u8> {
    (0..octets as u32)
        .map(|at| ((at ^ u32::from(seed) << 9).wrapping_mul(2_654_435_761) >> 21) as u8)
        .collect()
}

/// What the way there and back costs, to be said.
pub(super) fn attachment(connection: &Connection) -> Result<String, KatError> {
    let mut cost = Duration::ZERO;
    KnownAnswers::unofficial("requests for nothing").case(1, || {
        cost = connection.attachment(REQUESTS)?;
        Ok(())
    })?;
    Ok(format!(
        "attached by pipes: a request for nothing takes {:.1} µs there and back, which every operation of it has in it",
        cost.as_secs_f64() * 1e6
    ))
}

/// What an item takes in a request of its own and in one of many, to be said: `work` makes a request of so many.
pub(super) fn batched(
    item: &str,
    many: usize,
    work: impl Fn(usize) -> Result<(), Error>,
) -> Result<String, KatError> {
    let mut each = [f64::INFINITY; 2];
    KnownAnswers::unofficial("requests for many at once").case(1, || {
        for (each, items) in each.iter_mut().zip([1, many]) {
            for _ in 0..TRIES {
                let begun = Instant::now();
                work(items)?;
                *each = each.min(begun.elapsed().as_secs_f64() / items as f64);
            }
        }
        Ok(())
    })?;
    let [alone, among] = each.map(|seconds| seconds * 1e6);
    Ok(format!(
        "{item} takes {alone:.1} µs in a separate request and {among:.2} µs as one of {many} in a request"
    ))
}
