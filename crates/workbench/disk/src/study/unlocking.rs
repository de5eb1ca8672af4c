//! What a passphrase costs: a container's key slot is opened with it.

use std::time::Duration;

use fieldtest_catalog::cipher as catalog;
use fieldtest_disk::{Access, Container, Cost, Hash, KeyslotParameters};
use fieldtest_frame::output::count;
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::whole_job::{self, Cost as Took};
use fieldtest_study::{Bench, RecordWriter, StudyError};
use tempfile::TempDir;

use super::container_work::{CHEAP_ITERATIONS, PASSPHRASE, create};
use super::source::Disk;
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
///
/// Those of a disk's key slots stand beside them.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    disk: Option<&Disk>,
    budget: Duration,
) -> Result<(), StudyError> {
    let algorithm = of_slots()?;
    let (spec, key_len) = (algorithm.facts.kind.dm_crypt.as_str(), algorithm.facts.kind.key);
    let directory = TempDir::with_prefix("fieldtest-disk-").map_err(fault)?;
    let mut all: Vec<Attempt> = COSTS.map(|(name, cost)| Attempt::of(name, cost)).into();
    for own in disk.and_then(|disk| disk.luks.as_ref()).map_or(&[][..], |luks| &luks.costs) {
        let slots: Vec<String> = own.slots.iter().map(u32::to_string).collect();
        let path = disk.map_or(String::new(), |disk| disk.path.display().to_string());
        let of = format!("key slot {} of {path}", slots.join(", "));
        let digest = own.digest_iterations.max(CHEAP_ITERATIONS);
        // What is the same as one of ours is told once, with the digest of the disk.
        all.retain(|known| known.name != own.name || known.of.is_some());
        all.push(Attempt { digest, of: Some(of), ..Attempt::of(&own.name, own.cost) });
    }
    let mut jobs = Vec::new();
    let mut attempts = Vec::new();
    for (at, attempt) in all.into_iter().enumerate() {
        if bench.interrupted() {
            return Ok(());
        }
        let name = &attempt.name;
        let path = directory.path().join(format!("container-{at}"));
        let made = create(&path, (spec, key_len), (PAGE, PAGE), (attempt.cost, attempt.digest), &Default);
        let made = made.and_then(|new| new.keep(false).map_err(fault));
        if let Err(error) = made {
            let mut record = writer.result(&algorithm.facts.name, Operation::Unlock.word(), name, 0.0, "s");
            record.notes.extend(attempt.of);
            whole_job::enter_unmeasured(writer, record, &format!("{name}: {error}"));
            continue;
        }
        let container = Container::open(&path, Access::Read).map_err(fault)?;
        let turn = move |_| {
            Ok(Took::of(|| container.unlock(PASSPHRASE, None, &Default).map(drop).map_err(fault))?.1.wall)
        };
        jobs.push(Job { doing: format!("disk, unlocking with {name}"), fits: true, turn: Box::new(turn) });
        attempts.push(attempt);
    }
    let found = rounds::run(bench, &mut jobs, budget)?;
    for (Attempt { name, digest, of, .. }, seconds) in attempts.into_iter().zip(&found) {
        let Some(mean) = Mean::of(seconds, bench.surroundings) else { continue };
        let mut record = writer.result(&algorithm.facts.name, Operation::Unlock.word(), &name, 0.0, "s");
        record.notes.push(format!(
            "one keyslot opened by the clock: key derivation, area decrypted and merged, a digest of {digest} iterations; \
             {}",
            count(rayon::current_num_threads(), "thread")
        ));
        record.notes.extend(of);
        writer.record(mean.told_in(record, [0.0, f64::INFINITY]));
    }
    Ok(())
}

/// A key derivation that is tried.
struct Attempt {
    name: String,
    cost: Cost,
    digest: u32,
    /// Whose it is, where it is not ours.
    of: Option<String>,
}

impl Attempt {
    fn of(name: &str, cost: Cost) -> Attempt {
        Attempt { name: name.to_owned(), cost, digest: CHEAP_ITERATIONS, of: None }
    }
}

/// The algorithm that key slots are encrypted with, which records stand with that belong to no cipher of data.
pub(super) fn of_slots() -> Result<&'static catalog::Algorithm, StudyError> {
    let slot = KeyslotParameters::new(Cost::default());
    let (spec, key_len) = (slot.encryption.as_str(), slot.key_len as usize);
    let own = |it: &&catalog::Algorithm| it.facts.kind.dm_crypt == spec && it.facts.kind.key == key_len;
    let found = catalog::all().iter().find(own);
    found.ok_or_else(|| fault(format!("the catalog has no {spec}, which encrypts keyslots")))
}
