//! Signature algorithms that are attached, and what is asked of one before anything of it is timed.

use std::sync::Arc;

use fieldtest_engine::Connection;
use fieldtest_engine::library::{self, Interface};
use fieldtest_engine::signature::{Engine, Sizes};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{Signature as _, VerifyingKey};
use serde::Deserialize;

use super::kat::{Hex, attachment, flipped, noise, own_answers, sweep};
use super::{Attach, Code, sized};
use crate::kat::{self, KnownAnswers, Mismatch};
use crate::kind::Signature;
use crate::signature::{Randomness, SignatureFacts};
use crate::{KatError, KatResult};

/// Algorithm numbers that a zone may have: 252 and more have a meaning of their own (RFC 4034, appendix A.1), 0 is for deletions
/// (RFC 8078).
pub(super) const NUMBERS: std::ops::RangeInclusive<u8> = 1..=251;

/// The table of IANA's numbers, and those that have been given there, some of them to algorithms that nobody uses any longer (DNS Security
/// Algorithm Numbers, as of 2026-11).
const IANA: &str = "iana";
const ASSIGNED: [u8; 16] = [1, 2, 3, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16, 17, 18, 23];

/// Octets of messages: none, less than a block of anything, several blocks, and more than a pipe takes at once.
const LENGTHS: [usize; 4] = [0, 7, 300, 70_000];

/// What such a number is called.
pub(super) const OF_DNSSEC: &str = "DNSSEC's number";

impl Attach for Signature {
    type Answer = Answer;

    fn check(facts: &SignatureFacts) -> Result<(), String> {
        for (what, bytes) in [
            ("public-key", facts.public_key),
            ("secret-key", facts.secret_key),
            ("signature", facts.signature),
        ] {
            sized(what, bytes)?;
        }
        if let Some(oid) = facts.oid.as_ref().filter(|oid| !is_oid(oid)) {
            return Err(format!(
                "invalid oid '{}': expected an object identifier, such as 1.3.6.1.4.1.32473.1",
                oid.escape_debug()
            ));
        }
        let all = || facts.dnssec.iter().flat_map(|dnssec| &dnssec.code_points);
        if let Some((table, number)) =
            all().find(|(table, number)| *table != IANA && ASSIGNED.contains(number))
        {
            return Err(format!(
                "IANA has assigned {number} to another algorithm, with which resolvers would check your signatures; choose 123 to 251 \
                 under '{table}', or use '{IANA}' if it is that algorithm"
            ));
        }
        match all().map(|(_, number)| number).find(|number| !NUMBERS.contains(number)) {
            Some(number) => Err(format!(
                "invalid algorithm number {number}: expected {} to {}",
                NUMBERS.start(),
                NUMBERS.end()
            )),
            None => Ok(()),
        }
    }

    fn interface(facts: &SignatureFacts) -> Interface {
        Interface::Signature(sizes(facts))
    }

    fn claims(facts: &SignatureFacts) -> Vec<(&'static str, String)> {
        let numbers = facts.dnssec.iter().flat_map(|dnssec| dnssec.code_points.values());
        let numbers = numbers.map(|number| (OF_DNSSEC, number.to_string()));
        numbers.chain(facts.oid.iter().map(|oid| ("the object identifier", oid.clone()))).collect()
    }

    fn tables(facts: &SignatureFacts) -> Vec<&str> {
        facts.dnssec.iter().flat_map(|dnssec| dnssec.code_points.keys().map(String::as_str)).collect()
    }

    fn code(
        facts: &mut SignatureFacts,
        connection: Connection,
        answers: Vec<Answer>,
        is_library: bool,
    ) -> Code<Signature> {
        if is_library {
            facts.secret_key = library::stored(sizes(facts)).secret_key;
        }
        let deterministic = facts.randomness == Some(Randomness::Never);
        let engine = Engine::new(connection.clone(), sizes(facts), deterministic);
        let code = Arc::new(engine.clone());
        let prove = move || prove(&engine, &connection, &answers, is_library);
        Code { code, prove: Arc::new(prove) }
    }
}

fn sizes(facts: &SignatureFacts) -> Sizes {
    Sizes { public_key: facts.public_key, secret_key: facts.secret_key, signature: facts.signature }
}

/// Whether this is an object identifier in dots (RFC 4512, section 1.4): at least two numbers, of which the first is 0 to 2 and the second
/// below 40 under 0 and 1 (X.660).
fn is_oid(text: &str) -> bool {
    let number = |arc: &str| match arc.starts_with('0') && arc != "0" {
        true => None,
        false => arc.bytes().all(|it| it.is_ascii_digit()).then(|| arc.parse::<u32>().ok()).flatten(),
    };
    let arcs: Option<Vec<u32>> = text.split('.').map(number).collect();
    arcs.is_some_and(|arcs| match arcs[..] {
        [0 | 1, second, ..] => second < 40,
        [2, _, ..] => true,
        _ => false,
    })
}

/// An answer that its author vouches for, in hexadecimal digits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Answer {
    /// Of which the key pair is made.
    seed: Option<Hex>,
    secret_key: Option<Hex>,
    public_key: Hex,
    message: Hex,
    signature: Hex,
}

/// What can be asked of anybody's algorithm: its author's answers, a round trip, and that it does what it says of itself.
fn prove(
    engine: &Engine,
    connection: &Connection,
    answers: &[Answer],
    is_library: bool,
) -> Result<KatResult, KatError> {
    let own = own_answers(answers, |answer| reproduce(engine, answer, is_library))?;
    let mut said = KnownAnswers::unofficial("a message has one signature, as it says");
    if engine.is_deterministic() {
        said.case(1, || has_one_signature(engine))?;
    }
    let round_trip = kat::round_trip("agreement with itself", engine)?;
    let mut damaged = KnownAnswers::unofficial(
        "accepts its signatures; refuses signatures and messages with flipped bits, cut and lengthened, keys of which a half is another's, and \
         malformed keys",
    );
    for length in LENGTHS {
        let case = format!("a message of {length} bytes");
        damaged.case(case, || accepts_and_refuses(engine, connection, &noise(length, length as u8)))?;
    }
    damaged.case("messages of other lengths", || signs_every_length(engine))?;
    let cost = attachment(connection)?;
    let mut whole = KatResult::of([own, said, damaged]);
    whole.origins.extend(round_trip.origins);
    whole.origins.push(cost);
    Ok(whole)
}

/// One answer of its author's: the key pair where there is what it is made of, the signature where there is but one, that it
/// verifies, and that none does in which a bit is another.
fn reproduce(engine: &Engine, answer: &Answer, is_library: bool) -> Result<(), Mismatch> {
    let Answer {
        seed,
        secret_key,
        public_key: Hex(public),
        message: Hex(message),
        signature: Hex(signature),
    } = answer;
    // As it is stored: a library's with the public key behind it.
    let mut secret = secret_key.as_ref().map(|Hex(secret)| match is_library {
        true => [&secret[..], public].concat(),
        false => secret.clone(),
    });
    if let Some(Hex(seed)) = seed {
        let pair = engine.generate_from(&mut |octets: &mut [u8]| {
            octets.fill(0);
            let length = seed.len().min(octets.len());
            octets[..length].copy_from_slice(&seed[..length]);
        })?;
        kat::equal("public key", public, &pair.public)?;
        if let Some(secret) = &secret {
            kat::equal("secret key", secret, &pair.secret)?;
        }
        secret.get_or_insert(pair.secret);
    }
    if let Some(secret) = secret {
        let key = engine.signing_key(&secret)?;
        kat::equal("public key", public, &key.public_key())?;
        if engine.is_deterministic() {
            let mut found = Vec::new();
            key.sign(message, &mut found)?;
            kat::equal("signature", signature, &found)?;
        }
    }
    let key = engine.verifying_key(public)?;
    kat::accepted(key.verify(message, signature))?;
    nothing_else(key.as_ref(), message, signature)
}

/// That no other signature verifies, and that the engine says so: whoever ends at a wrong signature has not refused it.
fn nothing_else(key: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Mismatch> {
    let refused = |what: &str, found: &[u8]| match key.verify(message, found) {
        Err(Error::InvalidSignature) => Ok(()),
        Ok(()) => Err(Mismatch(format!("a signature with {what} was accepted"))),
        Err(error) => Err(Mismatch(format!("of a signature with {what}: {error}"))),
    };
    for (at, damaged) in flipped(signature) {
        refused(&format!("a flipped bit in byte {at}"), &damaged)?;
    }
    refused("a byte less", &signature[..signature.len().saturating_sub(1)])?;
    refused("a byte more", &[signature, &[0]].concat())?;
    // Zeros are a signature of everything where an implementation forgets to check a range (CVE-2022-21449).
    [0, 1, 0xff]
        .iter()
        .try_for_each(|octet| refused(&format!("bytes {octet:#04x} only"), &vec![*octet; signature.len()]))
}

/// That messages of many lengths have a signature which verifies, and not where a bit of the message is another.
fn signs_every_length(engine: &Engine) -> Result<(), Mismatch> {
    let pair = engine.generate()?;
    let (signing, verifying) = (engine.signing_key(&pair.secret)?, engine.verifying_key(&pair.public)?);
    for length in sweep() {
        let (mut message, mut signature) = (noise(length, 8), Vec::new());
        signing.sign(&message, &mut signature)?;
        let at_length =
            |error: &dyn std::fmt::Display| Mismatch(format!("a message of {length} bytes: {error}"));
        verifying.verify(&message, &signature).map_err(|error| at_length(&error))?;
        let Some(last) = message.last_mut() else { continue };
        *last ^= 1;
        match verifying.verify(&message, &signature) {
            Err(Error::InvalidSignature) => {}
            Ok(()) => return Err(at_length(&"another one has its signature")),
            Err(error) => return Err(at_length(&error)),
        }
    }
    Ok(())
}

/// That a signature of its own verifies, and is of all of this message and of all of the key, as [`nothing_else`] of all of the signature.
fn accepts_and_refuses(engine: &Engine, connection: &Connection, message: &[u8]) -> Result<(), Mismatch> {
    let [pair, stranger] = [engine.generate()?, engine.generate()?];
    let mut signature = Vec::new();
    engine.signing_key(&pair.secret)?.sign(message, &mut signature)?;
    let key = engine.verifying_key(&pair.public)?;
    // Before all others: what is said of a damaged one means nothing where the whole one does not verify.
    kat::accepted(key.verify(message, &signature))?;
    nothing_else(key.as_ref(), message, &signature)?;
    let refused = |what: &str, other: &[u8]| match key.verify(other, &signature) {
        Err(Error::InvalidSignature) => Ok(()),
        Ok(()) => Err(Mismatch(format!("a signature was accepted for a message with {what}"))),
        Err(error) => Err(Mismatch(format!("of a signature for a message with {what}: {error}"))),
    };
    for (at, other) in flipped(message) {
        refused(&format!("a flipped bit in byte {at}"), &other)?;
    }
    if let Some((_, shorter)) = message.split_last() {
        refused("a byte less", shorter)?;
    }
    refused("a byte more", &[message, &[0]].concat())?;
    let (length, half) = (pair.public.len(), pair.public.len() / 2);
    for (what, public) in [
        ("that is another's", stranger.public.clone()),
        ("whose second half is another's", [&pair.public[..half], &stranger.public[half..]].concat()),
        ("whose first half is another's", [&stranger.public[..half], &pair.public[half..]].concat()),
        ("of only zeros", vec![0; length]),
        ("of only ones", vec![0xff; length]),
        ("without its last byte", pair.public[..length - 1].to_vec()),
        ("with a byte more", [&pair.public[..], &[0]].concat()),
    ] {
        // That this is no key is an answer too; the end of the process is none.
        let ended = connection.ended();
        match engine.verifying_key(&public).and_then(|key| key.verify(message, &signature)) {
            Ok(()) => return Err(Mismatch(format!("a signature was accepted under a key {what}"))),
            Err(error) if connection.ended() > ended => {
                return Err(Mismatch(format!("under a key {what}: {error}")));
            }
            Err(_) => {}
        }
    }
    Ok(())
}

/// The same message, with another in between.
fn has_one_signature(engine: &Engine) -> Result<(), Mismatch> {
    let key = engine.signing_key(&engine.generate()?.secret)?;
    let [mut first, mut other, mut second] = [const { Vec::new() }; 3];
    key.sign(b"message", &mut first)?;
    key.sign(b"massage", &mut other)?;
    key.sign(b"message", &mut second)?;
    kat::equal("second signature of a message", &first, &second)
}

#[cfg(test)]
mod tests {
    use super::is_oid;

    #[test]
    fn object_identifiers() {
        for right in ["1.3.6.1.4.1.32473.220", "2.999", "0.9", "2.16.840.1.101.3.4.3.17"] {
            assert!(is_oid(right), "{right}");
        }
        for wrong in [
            "",
            "1",
            "1.",
            ".1",
            "3.1",
            "1.40",
            "1.3.06",
            "1.3.x",
            "1.3.-1",
            "1.3.+1",
            "1.3.4294967296",
            "1 .3",
        ] {
            assert!(!is_oid(wrong), "{wrong}");
        }
    }
}
