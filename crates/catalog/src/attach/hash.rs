//! Hash functions that are attached, and what is asked of one before anything of it is timed.

use std::collections::BTreeSet;
use std::sync::Arc;

use fieldtest_engine::Connection;
use fieldtest_engine::hash::Engine;
use fieldtest_engine::library::Interface;
use fieldtest_kinds::Error;
use fieldtest_kinds::hash::{Hash as _, Job};
use serde::Deserialize;

use super::kat::{Hex, attachment, batched, flipped, noise, own_answers, sweep};
use super::{Attach, Code, sized};
use crate::hash::HashFacts;
use crate::kat::{self, KnownAnswers, Mismatch};
use crate::kind::Hash;
use crate::{KatError, KatResult};

/// Octets of messages: about the blocks that hash functions have, and more than a pipe takes at once.
const LENGTHS: [usize; 14] = [0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 136, 1_000, 4_096, 70_000];

/// An answer that its author vouches for, in hexadecimal digits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Answer {
    message: Hex,
    digest: Hex,
}

impl Attach for Hash {
    type Answer = Answer;

    fn check(facts: &HashFacts) -> Result<(), String> {
        sized("digest", facts.digest)
    }

    fn interface(facts: &HashFacts) -> Interface {
        Interface::Hash(facts.digest)
    }

    fn claims(facts: &HashFacts) -> Vec<(&'static str, String)> {
        let git = facts.git.iter();
        git.flat_map(|git| {
            [("Git's object format", git.name.clone()), ("Git's number", format!("{:#010x}", git.id))]
        })
        .collect()
    }

    fn code(facts: &mut HashFacts, connection: Connection, answers: Vec<Answer>, _: bool) -> Code<Hash> {
        let engine = Engine::new(connection.clone(), facts.digest);
        let code = Arc::new(engine.clone());
        Code { code, prove: Arc::new(move || prove(&engine, &connection, &answers)) }
    }
}

fn prove(engine: &Engine, connection: &Connection, answers: &[Answer]) -> Result<KatResult, KatError> {
    let own = own_answers(answers, |Answer { message: Hex(message), digest: Hex(digest) }| {
        kat::equal("digest", digest, &alone(engine, message)?)?;
        another_bit(engine, message)
    })?;
    let mut agrees =
        KnownAnswers::unofficial("agreement with itself: messages single, batched, and in pieces");
    agrees.case(1, || agrees_with_itself(engine))?;
    let mut damaged =
        KnownAnswers::unofficial("messages with flipped bits, cut and lengthened have other digests");
    for (at, length) in [300, 9_000].into_iter().enumerate() {
        damaged.case(at + 1, || another_bit(engine, &noise(length, 1)))?;
    }
    damaged.case(3, || all_differ(engine))?;
    damaged.case("messages of other lengths", || {
        sweep().into_iter().try_for_each(|length| {
            let mut message = noise(length, 4);
            let digest = alone(engine, &message)?;
            let Some(last) = message.last_mut() else { return Ok(()) };
            *last ^= 1;
            let same = alone(engine, &message)? == digest && engine.digest_len() >= 8;
            if same {
                Err(Mismatch(format!("two messages of {length} bytes have the same digest")))
            } else {
                Ok(())
            }
        })
    })?;
    let mut whole = KatResult::of([own, agrees, damaged]);
    whole.origins.push(attachment(connection)?);
    let message = noise(64, 2);
    whole.origins.push(batched("a message of 64 bytes", 256, |items| {
        all(engine, &vec![&message[..]; items]).map(drop)
    })?);
    Ok(whole)
}

fn alone(engine: &Engine, message: &[u8]) -> Result<Vec<u8>, Error> {
    let mut digest = vec![0; engine.digest_len()];
    engine.digest(message, &[], &mut digest).map(|()| digest)
}

fn all(engine: &Engine, messages: &[&[u8]]) -> Result<Vec<Vec<u8>>, Error> {
    let mut digests = vec![vec![0; engine.digest_len()]; messages.len()];
    let job = |(message, digest)| Job { head: message, body: &[], digest };
    let mut jobs: Vec<Job<'_>> =
        messages.iter().copied().zip(digests.iter_mut().map(Vec::as_mut_slice)).map(job).collect();
    engine.digest_many(&mut jobs)?;
    Ok(digests)
}

fn agrees_with_itself(engine: &Engine) -> Result<(), Mismatch> {
    let messages = LENGTHS.map(|length| noise(length, 3));
    // Backwards, so that what went before a message is something else than when it is alone.
    let backwards: Vec<&[u8]> = messages.iter().rev().map(Vec::as_slice).collect();
    for (message, among) in backwards.iter().zip(all(engine, &backwards)?) {
        let what = |how: &str| format!("digest of {} bytes {how}", message.len());
        let whole = alone(engine, message)?;
        kat::equal(&what("among others"), &whole, &among)?;
        let mut pieces = engine.start();
        message.chunks(50).for_each(|piece| pieces.update(piece));
        let mut found = vec![0; engine.digest_len()];
        pieces.finish(&mut found)?;
        kat::equal(&what("in pieces"), &whole, &found)?;
    }
    Ok(())
}

/// That a thousand messages have as many digests, as long as digests are of 8 octets: of 2^16 that there were, seven pairs would meet.
fn all_differ(engine: &Engine) -> Result<(), Mismatch> {
    let messages: Vec<[u8; 4]> = (0..1_000_u32).map(u32::to_be_bytes).collect();
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let digests: BTreeSet<Vec<u8>> = all(engine, &messages)?.into_iter().collect();
    match digests.len() < messages.len() && engine.digest_len() >= 8 {
        true => Err(Mismatch("two of a thousand messages have the same digest".to_owned())),
        false => Ok(()),
    }
}

/// That a message's digest is none of those of messages that differ by a bit or an octet.
fn another_bit(engine: &Engine, message: &[u8]) -> Result<(), Mismatch> {
    let mut others = vec![message.to_vec(), [message, &[0]].concat()];
    others.extend(message.split_last().map(|(_, rest)| rest.to_vec()));
    others.extend(flipped(message).map(|(_, other)| other));
    let messages: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
    let digests: BTreeSet<Vec<u8>> = all(engine, &messages)?.into_iter().collect();
    match digests.len() == others.len() {
        true => Ok(()),
        false => Err(Mismatch("two messages that differ have the same digest".to_owned())),
    }
}
