//! Ciphers of storage that are attached, and what is asked of one before anything of it is timed.

use std::sync::Arc;

use fieldtest_engine::Connection;
use fieldtest_engine::cipher::Engine;
use fieldtest_engine::library::Interface;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher as _, CipherKey, Tweaks};
use serde::Deserialize;

use super::kat::{Hex, attachment, batched, flipped, noise, own_answers};
use super::{Attach, Code, sized};
use crate::cipher::{CipherFacts, Width};
use crate::kat::{self, KnownAnswers, Mismatch};
use crate::kind::Cipher;
use crate::{KatError, KatResult};

/// Octets of a tweak at most.
const TWEAK: usize = 16;
/// Octets of a block, of which something changes with every bit.
const BLOCK: usize = 16;
const SECTOR: usize = 512;
/// Tweaks that cross a number's end, as those of sectors behind two tebibytes do in some.
const TWEAKS: Tweaks = Tweaks { first: (1 << 32) - 3, step: 1 };

/// An answer that its author vouches for, in hexadecimal digits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Answer {
    key: Hex,
    /// Shorter ones have zeros behind.
    tweak: Hex,
    plaintext: Hex,
    ciphertext: Hex,
}

impl Attach for Cipher {
    type Answer = Answer;

    fn check(facts: &CipherFacts) -> Result<(), String> {
        sized("key", facts.key)?;
        if facts.tweak > TWEAK {
            return Err(format!("invalid tweak '{}': expected at most {TWEAK} bytes", facts.tweak));
        }
        let parts = facts.dm_crypt.split('-').filter(|it| !it.is_empty()).count();
        match parts >= 3 && facts.dm_crypt.bytes().all(|it| it.is_ascii_graphic()) {
            true => Ok(()),
            false => Err(format!(
                "invalid dm-crypt '{}': expected cipher-mode-iv, such as aes-xts-plain64",
                facts.dm_crypt.escape_debug()
            )),
        }
    }

    fn interface(facts: &CipherFacts) -> Interface {
        Interface::Cipher(facts.key)
    }

    /// Containers find a cipher by cipher, mode and the key's length, however its sectors are numbered.
    fn claims(facts: &CipherFacts) -> Vec<(&'static str, String)> {
        let named = facts.dm_crypt.rsplit_once('-').map_or(&*facts.dm_crypt, |(named, _)| named);
        vec![("dm-crypt's name and key length", format!("{named}, {} bytes", facts.key))]
    }

    fn code(facts: &mut CipherFacts, connection: Connection, answers: Vec<Answer>, _: bool) -> Code<Cipher> {
        let engine = Engine::new(connection.clone(), facts.key);
        let (code, facts) = (Arc::new(engine.clone()), facts.clone());
        let prove = move || prove(&engine, &facts, &connection, &answers);
        Code { code, prove: Arc::new(prove) }
    }
}

fn prove(
    engine: &Engine,
    facts: &CipherFacts,
    connection: &Connection,
    answers: &[Answer],
) -> Result<KatResult, KatError> {
    let own = own_answers(answers, |answer| reproduce(engine, answer))?;
    let mut agrees = KnownAnswers::unofficial(
        "there and back: sectors of 512 and 4096 bytes, single and batched requests",
    );
    agrees.case(1, || there_and_back(engine, facts))?;
    let mut differs =
        KnownAnswers::unofficial("another key, another tweak and flipped bits give other sectors");
    differs.case(1, || others_differ(engine, facts))?;
    let mut whole = KatResult::of([own, agrees, differs]);
    whole.origins.push(attachment(connection)?);
    let (key, data) = (noise(facts.key, 1), noise(64 * SECTOR, 2));
    whole.origins.push(batched("a sector of 512 bytes", 64, |items| {
        let mut data = data[..items * SECTOR].to_vec();
        engine.prepare(&key)?.encrypt(TWEAKS, SECTOR, &mut data)
    })?);
    Ok(whole)
}

fn reproduce(engine: &Engine, answer: &Answer) -> Result<(), Mismatch> {
    let Answer { key: Hex(key), tweak: Hex(tweak), plaintext: Hex(plaintext), ciphertext: Hex(ciphertext) } =
        answer;
    let mut first = [0; TWEAK];
    let room =
        first.get_mut(..tweak.len()).ok_or_else(|| Mismatch(format!("a tweak of {} bytes", tweak.len())))?;
    room.copy_from_slice(tweak);
    let (key, tweaks) = (engine.prepare(key)?, Tweaks { first: u128::from_le_bytes(first), step: 1 });
    let mut data = plaintext.clone();
    key.encrypt(tweaks, plaintext.len(), &mut data)?;
    kat::equal("ciphertext", ciphertext, &data)?;
    key.decrypt(tweaks, plaintext.len(), &mut data)?;
    kat::equal("plaintext", plaintext, &data)
}

fn encrypted(key: &dyn CipherKey, tweaks: Tweaks, size: usize, plain: &[u8]) -> Result<Vec<u8>, Error> {
    let mut data = plain.to_vec();
    key.encrypt(tweaks, size, &mut data).map(|()| data)
}

fn there_and_back(engine: &Engine, facts: &CipherFacts) -> Result<(), Mismatch> {
    let key = engine.prepare(&noise(facts.key, 3))?;
    for (size, count) in [(SECTOR, 9), (4_096, 5)] {
        let plain = noise(size * count, 4);
        let tweaks = Tweaks { step: size as u64 / SECTOR as u64, ..TWEAKS };
        let all = encrypted(&*key, tweaks, size, &plain)?;
        // Backwards, so that what went before a sector is another one than among others.
        let sectors: Vec<(usize, &[u8])> = plain.chunks_exact(size).enumerate().collect();
        for (at, sector) in sectors.into_iter().rev() {
            let own = Tweaks { first: u128::from_le_bytes(tweaks.of(at as u64)), step: 1 };
            let alone = encrypted(&*key, own, size, sector)?;
            kat::equal(
                &format!("sector {at} of {size} bytes among others"),
                &alone,
                &all[at * size..][..size],
            )?;
        }
        let mut back = all;
        key.decrypt(tweaks, size, &mut back)?;
        kat::equal("sectors that were encrypted and decrypted", &plain, &back)?;
    }
    Ok(())
}

fn others_differ(engine: &Engine, facts: &CipherFacts) -> Result<(), Mismatch> {
    let same = |what: &str| Err(Mismatch(format!("{what} gives the same sector")));
    let plain = noise(SECTOR, 5);
    let key = engine.prepare(&noise(facts.key, 6))?;
    let sector = encrypted(&*key, TWEAKS, SECTOR, &plain)?;
    if sector == plain {
        return Err(Mismatch("a sector is encrypted to itself".to_owned()));
    }
    let half = facts.key / 2;
    for part in [0..facts.key, 0..half, half..facts.key].into_iter().filter(|part| !part.is_empty()) {
        let mut other = noise(facts.key, 6);
        other[part.clone()].copy_from_slice(&noise(facts.key, 7)[part]);
        // A key may be refused whose halves do not go together.
        let Ok(other) = engine.prepare(&other) else { continue };
        if encrypted(&*other, TWEAKS, SECTOR, &plain)? == sector {
            return same("a key of which a part is another");
        }
    }
    for octet in 0..facts.tweak {
        let next = Tweaks { first: TWEAKS.first ^ 1 << (8 * octet), ..TWEAKS };
        if encrypted(&*key, next, SECTOR, &plain)? == sector {
            return same(&format!("a flipped bit in byte {octet} of the tweak"));
        }
    }
    for ((at, mut damaged), (_, other)) in flipped(&sector).zip(flipped(&plain)) {
        key.decrypt(TWEAKS, SECTOR, &mut damaged)?;
        if damaged == plain {
            return same(&format!("a flipped bit in byte {at}"));
        }
        let other = encrypted(&*key, TWEAKS, SECTOR, &other)?;
        let unchanged = other.chunks(BLOCK).zip(sector.chunks(BLOCK)).any(|(one, two)| one == two);
        if other == sector || (facts.width == Width::Wide && unchanged) {
            return Err(Mismatch(format!("a flipped bit in byte {at} changes less than it says")));
        }
    }
    Ok(())
}
