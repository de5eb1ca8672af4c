//! From a passphrase to the key of a key slot's area, and how costly that shall be.

use std::time::{Duration, Instant};

use crate::argon2;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::header::json::{Argon2 as Argon2Costs, Kdf};
use crate::secret::{Secret, random};

/// The most memory that cryptsetup lets Argon2 have, in KiB: 4 GiB.
const MOST_MEMORY: u32 = 4 << 20;

/// The least memory that cryptsetup chooses by itself, in KiB: 32 MiB.
const LEAST_MEMORY: u32 = 32 << 10;

/// The most lanes that cryptsetup takes.
const MOST_LANES: u32 = 4;

/// The fewest passes that cryptsetup chooses by itself.
const LEAST_PASSES: u32 = 4;

/// The fewest iterations of PBKDF2 that cryptsetup takes.
const LEAST_ITERATIONS: u32 = 1000;

/// Bytes of a new salt, as cryptsetup makes them.
pub(crate) const SALT: usize = 32;

/// How costly a new key slot is to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cost {
    /// Argon2id, as long as this machine needs for it; memory first, then passes. cryptsetup's default is two
    /// seconds, 1 GiB and up to four lanes.
    Argon2idFor {
        /// To try one passphrase.
        time: Duration,
        /// KiB at most; never more than half of what is free here.
        memory: u32,
    },
    /// Argon2id or Argon2i with given costs.
    Argon2 {
        /// Argon2id rather than Argon2i.
        id: bool,
        /// Passes.
        time: u32,
        /// KiB.
        memory: u32,
        /// Lanes.
        lanes: u32,
    },
    /// PBKDF2, as long as this machine needs for it.
    Pbkdf2For {
        /// Of the HMAC.
        hash: Hash,
        /// To try one passphrase.
        time: Duration,
    },
    /// PBKDF2 with given iterations.
    Pbkdf2 {
        /// Of the HMAC.
        hash: Hash,
        /// At least 1000.
        iterations: u32,
    },
}

impl Default for Cost {
    fn default() -> Self {
        Cost::Argon2idFor { time: Duration::from_secs(2), memory: 1 << 20 }
    }
}

impl Cost {
    /// Settles the costs, by measuring where a time was given, and draws a salt.
    ///
    /// # Errors
    /// [`Error::KeyDerivation`] if the costs are none that cryptsetup takes; [`Error::Randomness`].
    pub(crate) fn settle(self) -> Result<Kdf> {
        let salt = random(SALT)?;
        let kdf = match self {
            Cost::Argon2 { id, time, memory, lanes } => {
                by_argon2(id, Argon2Costs { time, memory, cpus: lanes, salt })
            }
            Cost::Argon2idFor { time, memory } => by_argon2(true, calibrate_argon2(time, memory, salt)?),
            Cost::Pbkdf2 { hash, iterations } => pbkdf2(hash, iterations, salt),
            Cost::Pbkdf2For { hash, time } => pbkdf2(hash, iterations_for(hash, time)?, salt),
        };
        offered(&kdf)?;
        Ok(kdf)
    }
}

fn by_argon2(id: bool, costs: Argon2Costs) -> Kdf {
    if id { Kdf::Argon2id(costs) } else { Kdf::Argon2i(costs) }
}

fn pbkdf2(hash: Hash, iterations: u32, salt: Vec<u8>) -> Kdf {
    Kdf::Pbkdf2 { hash: hash.name().to_owned(), iterations, salt }
}

/// Derives a key of `length` bytes.
///
/// # Errors
/// [`Error::KeyDerivation`] for costs that cannot be, or more memory than is free; [`Error::Unsupported`] for a function
/// that is unknown here.
pub(crate) fn derive(kdf: &Kdf, passphrase: &[u8], length: usize) -> Result<Secret> {
    possible(kdf)?;
    let mut key = Secret::zeroed(length)?;
    match kdf {
        Kdf::Pbkdf2 { hash, iterations, salt } => {
            Hash::from_name(hash)?.pbkdf2(passphrase, salt, *iterations, &mut key)?;
        }
        Kdf::Argon2i(costs) => argon2::run(false, costs, passphrase, &mut key)?,
        Kdf::Argon2id(costs) => argon2::run(true, costs, passphrase, &mut key)?,
        Kdf::Unknown => return Err(unknown()),
    }
    Ok(key)
}

fn unknown() -> Error {
    Error::Unsupported {
        what: "the key derivation function of the keyslot".into(),
        remedy: "those that are: argon2id, argon2i, pbkdf2",
    }
}

/// Refuses costs that cryptsetup takes for no new key slot.
fn offered(kdf: &Kdf) -> Result<()> {
    let fail = |reason: String| Err(Error::KeyDerivation(reason));
    match kdf {
        Kdf::Argon2i(costs) | Kdf::Argon2id(costs) if costs.memory > MOST_MEMORY => {
            fail(format!("{} KiB of memory exceed the limit of 4 GiB; give less", costs.memory))
        }
        Kdf::Argon2i(costs) | Kdf::Argon2id(costs) if costs.cpus > MOST_LANES => {
            fail(format!("invalid number of lanes {}: expected 1 to {MOST_LANES}", costs.cpus))
        }
        Kdf::Pbkdf2 { iterations, .. } if *iterations < LEAST_ITERATIONS => {
            fail(format!("invalid number of iterations {iterations}: expected at least {LEAST_ITERATIONS}"))
        }
        kdf => possible(kdf),
    }
}

/// Refuses what cannot be computed, here or at all. A key slot that is there may be cheaper than new ones.
fn possible(kdf: &Kdf) -> Result<()> {
    let fail = |reason: String| Err(Error::KeyDerivation(reason));
    let salt = match kdf {
        Kdf::Argon2i(costs) | Kdf::Argon2id(costs) => {
            if costs.cpus == 0 || costs.time == 0 {
                return fail("Argon2 needs at least one lane and one pass".into());
            }
            let free = available_memory();
            if let Some(free) = free.filter(|&free| u64::from(costs.memory) > free) {
                return fail(format!(
                    "it needs {} KiB of memory, but only {free} KiB are free; stop other programs, or use another machine",
                    costs.memory
                ));
            }
            &costs.salt
        }
        Kdf::Pbkdf2 { iterations: 0, .. } => return fail("PBKDF2 needs at least one iteration".into()),
        Kdf::Pbkdf2 { salt, .. } => salt,
        Kdf::Unknown => return Err(unknown()),
    };
    match salt.len() {
        SALT => Ok(()),
        length => fail(format!("its salt has {length} bytes: LUKS2 salts have {SALT}")),
    }
}

/// Measures runs of growing memory until one takes an eighth of the time, and scales it: the work of Argon2 is
/// proportional to memory times passes, once the memory is larger than the caches. A run of the whole time
/// would double the wait for each new key slot.
fn calibrate_argon2(time: Duration, most: u32, salt: Vec<u8>) -> Result<Argon2Costs> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let cpus = u32::try_from(cores).unwrap_or(MOST_LANES).min(MOST_LANES);
    let half = available_memory().map_or(u32::MAX, |free| u32::try_from(free / 2).unwrap_or(u32::MAX));
    let most = most.min(half).clamp(LEAST_MEMORY, MOST_MEMORY);
    let mut trial = Argon2Costs { time: LEAST_PASSES, memory: LEAST_MEMORY, cpus, salt };
    let taken = loop {
        let start = Instant::now();
        argon2::run(true, &trial, b"measurement", &mut [0; 32])?;
        let taken = start.elapsed();
        if taken >= time / 8 || trial.memory == most {
            break taken;
        }
        trial.memory = (trial.memory * 2).min(most);
    };
    let longer = time.as_secs_f64() / taken.as_secs_f64().max(1e-6);
    let work = longer * f64::from(trial.memory) * f64::from(LEAST_PASSES);
    // Casts of floating-point numbers saturate.
    let memory = ((work / f64::from(LEAST_PASSES)) as u32).clamp(LEAST_MEMORY, most);
    let passes = ((work / f64::from(memory)) as u32).max(LEAST_PASSES);
    Ok(Argon2Costs { time: passes, memory, ..trial })
}

/// How many iterations of PBKDF2 this machine does in a time.
pub(crate) fn iterations_for(hash: Hash, time: Duration) -> Result<u32> {
    let mut iterations = 1 << 12;
    loop {
        let start = Instant::now();
        hash.pbkdf2(b"measurement", &[0; SALT], iterations, &mut [0; 20])?;
        let taken = start.elapsed().as_secs_f64();
        if taken > 0.02 || iterations > 1 << 28 {
            let scaled = time.as_secs_f64() / taken * f64::from(iterations);
            return Ok((scaled as u32).max(LEAST_ITERATIONS));
        }
        iterations *= 2;
    }
}

/// KiB of memory that programs can have, if the system says it.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_outside_the_limits_are_refused() {
        let argon2 = |time, memory, lanes| Cost::Argon2 { id: true, time, memory, lanes }.settle();
        assert!(
            argon2(4, MOST_MEMORY + 1, 1).is_err() && argon2(4, 64, 0).is_err() && argon2(4, 64, 5).is_err()
        );
        assert!(Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 999 }.settle().is_err());
        assert!(derive(&Kdf::Unknown, b"", 32).is_err());
        let none = Kdf::Argon2id(Argon2Costs { time: 0, memory: 64, cpus: 1, salt: vec![0; 32] });
        assert!(derive(&none, b"", 32).is_err());
    }

    #[test]
    fn a_time_becomes_costs() {
        let time = Duration::from_millis(60);
        let kdf = Cost::Argon2idFor { time, memory: LEAST_MEMORY }.settle().unwrap();
        assert!(matches!(kdf, Kdf::Argon2id(costs) if costs.memory == LEAST_MEMORY && costs.time >= 4));
        let kdf = Cost::Pbkdf2For { hash: Hash::Sha256, time }.settle().unwrap();
        assert!(matches!(kdf, Kdf::Pbkdf2 { iterations, .. } if iterations > 10_000));
    }
}
