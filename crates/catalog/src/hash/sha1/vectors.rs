//! Known answers of SHA-1, and what must be detected.

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::{Hash, Job};

use super::super::kats::{MonteCarlo, cavp, digests};
use crate::kat::{KnownAnswers, Mismatch, equal, table};
use crate::{KatResult, KatError};

const MONTE_CARLO: MonteCarlo = MonteCarlo {
    file: "SHA1Monte.rsp",
    digests_per_message: 3,
    seed_and_checkpoints: include_str!("../../../vectors/hash/cavp-sha-1-monte-carlo.txt"),
};

const COLLISIONS: &str = include_str!("../../../vectors/hash/sha-1-collisions.txt");

/// SHA-1 as it is, which gives both messages of a collision the same digest.
pub(super) fn prove(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut collisions = KnownAnswers::from("the SHAttered and SHA-mbles collisions");
    for row in table::rows(COLLISIONS) {
        collisions.case(row.text(0), || {
            for message in [row.bytes(1), row.bytes(2)] {
                let mut digest = [0; 20];
                hash.digest(&[], &message, &mut digest)?;
                equal("digest", &row.bytes(3), &digest)?;
            }
            Ok(())
        })?;
    }
    let [files, monte_carlo] = nist(hash)?;
    Ok(KatResult::of([files, monte_carlo, collisions]))
}

/// SHA-1 with detection: the digests of SHA-1, and an error instead of one for either message of a collision.
pub(super) fn prove_detecting(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut collisions = KnownAnswers::from("the SHAttered and SHA-mbles collisions, detected");
    for row in table::rows(COLLISIONS) {
        collisions.case(row.text(0), || {
            for message in [row.bytes(1), row.bytes(2)] {
                let (head, body) = message.split_at(17);
                let mut digest = [0; 20];
                detected(hash.digest(head, body, &mut digest))?;
                detected(hash.digest_many(&mut [Job { head, body, digest: &mut digest }]))?;
                let mut stream = hash.start();
                message.chunks(19).for_each(|piece| stream.update(piece));
                detected(stream.finish(&mut digest))?;
            }
            Ok(())
        })?;
    }
    let [files, monte_carlo] = nist(hash)?;
    Ok(KatResult::of([files, monte_carlo, collisions]))
}

fn detected(outcome: Result<(), Error>) -> Result<(), Mismatch> {
    match outcome {
        Err(Error::CollisionAttack) => Ok(()),
        Err(other) => Err(other.into()),
        Ok(()) => Err(Mismatch("the attack was not noticed".to_owned())),
    }
}

fn nist(hash: &dyn Hash) -> Result<[KnownAnswers; 2], KatError> {
    let mut files = KnownAnswers::from("NIST CAVP SHA1ShortMsg.rsp and SHA1LongMsg.rsp");
    digests(&mut files, hash, cavp(include_str!("../../../vectors/hash/cavp-sha-1.txt")))?;
    Ok([files, MONTE_CARLO.prove(hash)?])
}
