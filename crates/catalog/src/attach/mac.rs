//! MACs that are attached, and what is asked of one before anything of it is timed.

use std::sync::Arc;

use fieldtest_engine::Connection;
use fieldtest_engine::library::Interface;
use fieldtest_engine::mac::{Engine, Sizes};
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Job, Mac as _, MacKey};
use serde::Deserialize;

use super::kat::{Hex, attachment, batched, flipped, noise, own_answers, sweep};
use super::{Attach, Code, sized};
use crate::kat::{self, KnownAnswers, Mismatch};
use crate::kind::Mac;
use crate::mac::MacFacts;
use crate::{KatError, KatResult};

/// Octets of messages: segments of all lengths, and more than a pipe takes at once.
const LENGTHS: [usize; 12] = [0, 1, 15, 16, 17, 60, 64, 65, 128, 1_460, 9_000, 70_000];
/// Octets of a master key that every derivation takes.
const MASTER: usize = 32;

/// An answer that its author vouches for, in hexadecimal digits: a derivation, a tag or both.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) struct Answer {
    /// Master key and context.
    derived: Option<[Vec<u8>; 2]>,
    traffic_key: Vec<u8>,
    /// Message and tag.
    tagged: Option<[Vec<u8>; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    master_key: Option<Hex>,
    context: Option<Hex>,
    traffic_key: Hex,
    message: Option<Hex>,
    tag: Option<Hex>,
}

impl TryFrom<Written> for Answer {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Answer, &'static str> {
        let Written { master_key, context, traffic_key: Hex(traffic_key), message, tag } = written;
        let both = |one: Option<Hex>, other: Option<Hex>| match (one, other) {
            (Some(Hex(one)), Some(Hex(other))) => Ok(Some([one, other])),
            (None, None) => Ok(None),
            _ => Err("an answer is incomplete; give master-key and context, message and tag, or all of them"),
        };
        let (derived, tagged) = (both(master_key, context)?, both(message, tag)?);
        Ok(Answer { derived, traffic_key, tagged })
    }
}

impl Attach for Mac {
    type Answer = Answer;

    fn check(facts: &MacFacts) -> Result<(), String> {
        sized("tag", facts.tag)?;
        let key = facts.traffic_key.ok_or("'traffic-key' is missing; add it, in bytes")?;
        sized("traffic-key", key)?;
        match facts.binds_length {
            true => Err("invalid binds-length 'true': expected false, as engines make whole tags".to_owned()),
            false => Ok(()),
        }
    }

    fn interface(facts: &MacFacts) -> Interface {
        Interface::Mac(sizes(facts))
    }

    fn claims(_: &MacFacts) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn code(facts: &mut MacFacts, connection: Connection, answers: Vec<Answer>, _: bool) -> Code<Mac> {
        let engine = Engine::new(connection.clone(), sizes(facts));
        let code = Arc::new(engine.clone());
        Code { code, prove: Arc::new(move || prove(&engine, &connection, &answers)) }
    }
}

fn sizes(facts: &MacFacts) -> Sizes {
    Sizes { traffic_key: facts.traffic_key.unwrap_or_default(), tag: facts.tag }
}

fn prove(engine: &Engine, connection: &Connection, answers: &[Answer]) -> Result<KatResult, KatError> {
    let own = own_answers(answers, |Answer { derived, traffic_key, tagged }| {
        if let Some([master_key, context]) = derived {
            kat::equal("traffic key", traffic_key, &derive(engine, master_key, context)?)?;
        }
        if let Some([message, tag]) = tagged {
            kat::equal("tag", tag, &alone(engine, &*engine.prepare(traffic_key)?, message)?)?;
        }
        Ok(())
    })?;
    let mut agrees =
        KnownAnswers::unofficial("agreement with itself: messages single and batched, under two keys");
    agrees.case(1, || agrees_with_itself(engine))?;
    let mut damaged =
        KnownAnswers::unofficial("another key, another context and flipped bits give other tags");
    for (at, length) in [300, 9_000].into_iter().enumerate() {
        damaged.case(at + 1, || differs(engine, &noise(length, 6)))?;
    }
    damaged.case("contexts and messages of other lengths", || differs_at_every_length(engine))?;
    let mut whole = KatResult::of([own, agrees, damaged]);
    whole.origins.push(attachment(connection)?);
    let mut cost = None;
    KnownAnswers::unofficial("a key").case(1, || {
        cost = Some(engine.prepare(&derive(engine, &noise(MASTER, 1), b"cost")?)?);
        Ok(())
    })?;
    if let Some(key) = cost {
        let message = noise(60, 2);
        whole.origins.push(batched("a message of 60 bytes", 256, |items| {
            all(engine, &vec![(&*key, &message[..]); items]).map(drop)
        })?);
    }
    Ok(whole)
}

fn derive(engine: &Engine, master_key: &[u8], context: &[u8]) -> Result<Vec<u8>, Error> {
    let mut key = Vec::new();
    engine.derive(master_key, context, &mut key).map(|()| key)
}

fn alone(engine: &Engine, key: &dyn MacKey, message: &[u8]) -> Result<Vec<u8>, Error> {
    let mut tag = vec![0; engine.longest_tag()];
    key.tag(message, &mut tag).map(|()| tag)
}

fn all(engine: &Engine, pairs: &[(&dyn MacKey, &[u8])]) -> Result<Vec<Vec<u8>>, Error> {
    let mut tags = vec![vec![0; engine.longest_tag()]; pairs.len()];
    let mut jobs: Vec<Job<'_>> =
        pairs.iter().zip(&mut tags).map(|(&(key, message), tag)| Job { key, message, tag }).collect();
    engine.tag_many(&mut jobs)?;
    Ok(tags)
}

fn agrees_with_itself(engine: &Engine) -> Result<(), Mismatch> {
    let master = noise(MASTER, 3);
    let key = |context: &[u8]| engine.prepare(&derive(engine, &master, context)?);
    let keys = [key(b"one end")?, key(b"the other")?];
    let messages = LENGTHS.map(|length| noise(length, 4));
    let pairs: Vec<(&dyn MacKey, &[u8])> =
        messages.iter().rev().zip(keys.iter().cycle()).map(|(message, key)| (&**key, &message[..])).collect();
    for ((key, message), among) in pairs.iter().zip(all(engine, &pairs)?) {
        let whole = alone(engine, *key, message)?;
        kat::equal(&format!("tag of {} bytes among others", message.len()), &whole, &among)?;
    }
    Ok(())
}

/// That each octet of a connection's context counts, over IPv4 and IPv6 (RFC 5926, section 3.1.1: 20 and 44 octets), and a bit in messages of
/// many lengths. A derivation that ignored what IPv6 adds passed while only IPv4's context was asked for.
fn differs_at_every_length(engine: &Engine) -> Result<(), Mismatch> {
    let master = noise(MASTER, 9);
    for octets in [20, 44] {
        let context = noise(octets, 10);
        let traffic = derive(engine, &master, &context)?;
        for at in 0..octets {
            let mut other = context.clone();
            other[at] ^= 1;
            if derive(engine, &master, &other)? == traffic {
                return Err(Mismatch(format!(
                    "byte {at} of a context of {octets} bytes does not change the traffic key"
                )));
            }
        }
    }
    let key = engine.prepare(&derive(engine, &master, b"context")?)?;
    for length in sweep() {
        let mut message = noise(length, 11);
        let tag = alone(engine, &*key, &message)?;
        let Some(last) = message.last_mut() else { continue };
        *last ^= 1;
        if alone(engine, &*key, &message)? == tag {
            return Err(Mismatch(format!(
                "the last byte of a message of {length} bytes does not change the tag"
            )));
        }
    }
    Ok(())
}

fn differs(engine: &Engine, message: &[u8]) -> Result<(), Mismatch> {
    let master = noise(MASTER, 5);
    let traffic = derive(engine, &master, b"context")?;
    let key = engine.prepare(&traffic)?;
    let tag = alone(engine, &*key, message)?;
    kat::equal("traffic key of a second derivation", &traffic, &derive(engine, &master, b"context")?)?;
    let mut other_keys = vec![
        ("another context", derive(engine, &master, b"contest")?),
        ("another master key", derive(engine, &noise(MASTER, 7), b"context")?),
    ];
    other_keys.extend(flipped(&traffic).map(|(_, other)| ("a bit of the key", other)));
    let same = |what: &str| Err(Mismatch(format!("with {what} the tag is the same")));
    for (what, other) in other_keys {
        if alone(engine, &*engine.prepare(&other)?, message)? == tag {
            return same(what);
        }
    }
    let mut others = vec![message[..message.len() - 1].to_vec(), [message, &[0]].concat()];
    others.extend(flipped(message).map(|(_, other)| other));
    let pairs: Vec<(&dyn MacKey, &[u8])> = others.iter().map(|other| (&*key, &other[..])).collect();
    if all(engine, &pairs)?.contains(&tag) { same("another message") } else { Ok(()) }
}
