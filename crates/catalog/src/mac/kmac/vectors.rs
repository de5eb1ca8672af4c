//! Known answers of KMAC: NIST's samples, TCP-AO's, and the Wycheproof project's.

use fieldtest_kinds::mac::Mac;

use super::super::kats::{draft_07, tags, wycheproof};
use crate::kat::KnownAnswers;
use crate::adapt::hex;
use crate::{KatResult, KatError};

/// KMAC_samples.pdf of NIST's "Examples with Intermediate Values", the two that have no customization string.
const ORIGIN: &str = "NIST, KMAC_samples.pdf";

/// Sample 1, of the message 00, 01, 02, 03.
const KMAC128: &str = "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e";

/// Sample 5, of the message 00, 01, …, c7.
const KMAC256: &str = "75358cf39e41494e949707927cee0af20a3ff553904c86b08f21cc414bcfd691589d27cf5e15369cbbff8b9a4c2eb17800855d0235ff635da82533ec6b759b69";

pub(super) fn prove_256(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let draft = draft_07(mac, include_str!("../../../vectors/mac/draft07-kmac256-128.txt"))?;
    Ok(KatResult::of([sample(mac, 0xc7, KMAC256)?, draft, wycheproof(mac, "kmac256_no_customization", None)?]))
}

pub(super) fn prove_128(mac: &dyn Mac) -> Result<KatResult, KatError> {
    Ok(KatResult::of([sample(mac, 3, KMAC128)?, wycheproof(mac, "kmac128_no_customization", None)?]))
}

/// A sample under the key 40, 41, …, 5f.
fn sample(mac: &dyn Mac, last: u8, tag: &str) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(ORIGIN);
    tags(&mut set, mac, [((0x40..=0x5f).collect(), (0..=last).collect(), hex(tag))])?;
    Ok(set)
}
