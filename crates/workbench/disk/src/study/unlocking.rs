//! What a passphrase costs: a container's key slot is opened with it.

use std::time::Duration;

use fieldtest_catalog::cipher as catalog;
use fieldtest_disk::{Access, Container, Cost, Hash, KeyslotParameters};
use fieldtest_study::whole_job::Cost as Took;
use fieldtest_study::whole_job::figure::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{Bench, Book, StudyError};
use tempfile::TempDir;

use super::container_work::{CHEAP_ITERATIONS, PASSPHRASE, create};
use super::{PAGE, fault};
use crate::algorithms::Default;
use crate::words::Operation;

/// The key derivations with costs as cryptsetup lays down for a small machine: it takes up to 1 GiB for Argon2id by
/// default, and four passes at least.
const COSTS: [(&str, Cost); 2] = [
    ("argon2id t=4 m=65536 p=4", Cost::Argon2 { id: true, time: 4, memory: 65_536, lanes: 4 }),
    ("pbkdf2-sha256 1000000", Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 1_000_000 }),
];

/// Enters the seconds from a passphrase to the volume key. They belong to no cipher of the data: they stand with the
/// one that the key slot is encrypted with.
pub(super) fn run(bench: &mut Bench<'_>, book: &mut Book, budget: Duration) -> Result<(), StudyError> {
    let slot = KeyslotParameters::new(Cost::default());
    let (spec, key_len) = (slot.encryption.as_str(), slot.key_len as usize);
    let own = |it: &&catalog::Algorithm| it.facts.kind.dm_crypt == spec && it.facts.kind.key == key_len;
    let Some(algorithm) = catalog::all().iter().find(own) else {
        return Err(fault(format!("the catalog has no {spec}, which key slots are encrypted with")));
    };
    let directory = TempDir::with_prefix("fieldtest-disk-").map_err(fault)?;
    let mut jobs = Vec::new();
    for (name, cost) in COSTS {
        if bench.interrupted() {
            return Ok(());
        }
        let path = directory.path().join(name.replace(' ', "-"));
        create(&path, (spec, key_len), (PAGE, PAGE), cost, &Default)?.keep(false).map_err(fault)?;
        let container = Container::open(&path, Access::Read).map_err(fault)?;
        let turn = move |_| {
            Ok(Took::of(|| container.unlock(PASSPHRASE, None, &Default).map(drop).map_err(fault))?.1.wall)
        };
        jobs.push(Job { doing: format!("disk, unlocking with {name}"), fits: true, turn: Box::new(turn) });
    }
    let found = rounds::run(bench, &mut jobs, budget)?;
    for ((name, _), seconds) in COSTS.iter().zip(&found) {
        let Some(mean) = Mean::of(seconds, bench.widening) else { continue };
        let mut record = book.figure(&algorithm.facts.name, Operation::Unlock.word(), name, 0.0, "s");
        record.notes.push(format!(
            "one key slot opened by the clock: key derivation, area decrypted and merged, a digest of {CHEAP_ITERATIONS} \
             iterations; {} threads",
            rayon::current_num_threads()
        ));
        book.record(mean.told_in(record, [0.0, f64::INFINITY]));
    }
    Ok(())
}
