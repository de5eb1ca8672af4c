//! What each mode makes of a question: the lines of its answer.

use data_encoding::HEXUPPER;
use fieldtest_kinds::Error as KindsError;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use fieldtest_kinds::mac::Mac;

use crate::checked_question::Given;
use crate::monte_carlo::rounds;
use crate::question::{Entry, Field, Unit};
use crate::{Error, Mode};

const ANSWERED: &str = "this question already has its answer; remove the requested value, or replace it by ?";

/// To encrypt sectors, or to decrypt them.
type Apply = fn(&dyn CipherKey, Tweaks, usize, &mut [u8]) -> Result<(), KindsError>;

pub(crate) fn block_mode(given: &Given<'_>, cipher: &dyn Cipher) -> Result<Vec<String>, Error> {
    let (start, question) = (start(given)?, given.question);
    let (field, entry, name, apply): (_, _, _, Apply) =
        match (question.entry(Field::Plaintext), question.entry(Field::Ciphertext)) {
            (Some(entry), None) => {
                (Field::Plaintext, entry, "CT", |key, tweaks, size, data| key.encrypt(tweaks, size, data))
            }
            (None, Some(entry)) => {
                (Field::Ciphertext, entry, "PT", |key, tweaks, size, data| key.decrypt(tweaks, size, data))
            }
            (Some(_), Some(entry)) => return Err(entry.fault(ANSWERED)),
            (None, None) => return question.needs(Field::Plaintext, "PT or CT").map(|_| Vec::new()),
        };
    let mut data = given.octets(field, Field::TextLength)?;
    if data.is_empty() && given.text_length()?.is_none() {
        return Err(entry.fault(format!(
            "{} has no value; write its hexadecimal digits, or state that its length is 0",
            entry.name
        )));
    }
    if given.mode != Mode::Ctr && !data.len().is_multiple_of(16) {
        let (mode, bits) = (given.mode.name(), 8 * data.len());
        return Err(entry.fault(format!("{} has {bits} bits; {mode} takes whole blocks of 128", entry.name)));
    }
    if !data.is_empty() {
        let failed = |error: KindsError| entry.fault(error.to_string());
        let tweaks = Tweaks { first: u128::from_le_bytes(start), step: 0 };
        let key = cipher.prepare(&given.key).map_err(failed)?;
        apply(&*key, tweaks, data.len(), &mut data).map_err(failed)?;
    }
    Ok(vec![line(name, &data)])
}

/// All rounds of a Monte Carlo test, in place of the question.
pub(crate) fn monte_carlo(given: &Given<'_>, cipher: &dyn Cipher) -> Result<Vec<String>, Error> {
    let question = given.question;
    let key = question.needs(Field::Key, "a key (KEY)")?;
    let entry = question.needs(Field::Plaintext, "PT; the test goes one way, encryption")?;
    let plaintext = block(entry, &given.octets(Field::Plaintext, Field::TextLength)?)?;
    let rounds = rounds(cipher, given.mode, given.key.clone(), start(given)?, plaintext)
        .map_err(|error| key.fault(error.to_string()))?;
    let start_name = question.entry(Field::Start).map(|entry| entry.name);
    let mut said = Vec::new();
    for (number, round) in rounds.into_iter().enumerate() {
        if number > 0 {
            said.push(String::new());
        }
        said.push(format!("COUNT = {number}"));
        said.push(line(key.name, &round.key));
        if let Some(name) = start_name {
            said.push(line(name, &round.start));
        }
        said.push(line("PT", &round.plaintext));
        said.push(line("CT", &round.ciphertext));
    }
    Ok(said)
}

/// Seals where there is no tag yet, and opens where there is one. The ciphertext of CCM ends with its tag.
pub(crate) fn sealed(given: &Given<'_>, aead: &dyn Aead) -> Result<Vec<String>, Error> {
    let (is_ccm, question) = (given.mode == Mode::Ccm, given.question);
    let key_entry = question.needs(Field::Key, "a key (K, Key)")?;
    let failed = |error: KindsError| key_entry.fault(error.to_string());
    let key = aead.prepare(&given.key).map_err(failed)?;
    question.needs(Field::Start, "a nonce (N, IV)")?;
    let nonce = given.octets(Field::Start, Field::StartLength)?;
    let associated = given.octets(Field::Associated, Field::AssociatedLength)?;
    let (plaintext, ciphertext) = (question.entry(Field::Plaintext), question.entry(Field::Ciphertext));
    let verified = if is_ccm { ciphertext } else { question.entry(Field::Tag) };
    if let (Some(_), Some(answered)) = (plaintext, ciphertext.or(verified)) {
        return Err(answered.fault(ANSWERED));
    }
    if !given.verifies(verified, if is_ccm { "C" } else { "T" })? {
        if let Some(answered) = ciphertext {
            return Err(answered.fault(ANSWERED));
        }
        let mut message = given.text(Field::Plaintext, "a plaintext (P, PT)")?;
        let mut tag = vec![0; given.tag_length(None)?];
        key.seal(&nonce, &associated, &mut message, &mut tag).map_err(failed)?;
        return Ok(match is_ccm {
            true => vec![line("C", &[message, tag].concat())],
            false => vec![line("C", &message), line("T", &tag)],
        });
    }
    let (mut message, tag) = match verified {
        Some(entry) if is_ccm => split(given, entry)?,
        _ => {
            let tag = question.entry(Field::Tag).map(Entry::bytes).transpose()?.unwrap_or_default();
            given.tag_length(Some(&tag))?;
            (given.text(Field::Ciphertext, "a ciphertext (C)")?, tag)
        }
    };
    match key.open(&nonce, &associated, &mut message, &tag) {
        Ok(()) => Ok(vec![line(if is_ccm { "P" } else { "PT" }, &message)]),
        Err(KindsError::InvalidTag) => Ok(vec!["INVALID".to_owned()]),
        Err(error) => Err(failed(error)),
    }
}

/// A ciphertext of CCM, and the tag at its end. Stated is the length of its plaintext.
fn split(given: &Given<'_>, entry: &Entry<'_>) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut whole = entry.bytes()?;
    let length = given.tag_length(None)?;
    let Some(at) = whole.len().checked_sub(length) else {
        let shown = given.unit.shown(length);
        return Err(
            entry.fault(format!("{} is shorter than its tag of {shown}; correct one of them", entry.name))
        );
    };
    if let Some((text, stated)) = given.text_length()?
        && text != at
    {
        return Err(entry.fault(format!(
            "{} has {}, of which {} are the tag, but {} states {} of text; fix one of them",
            entry.name,
            given.unit.shown(whole.len()),
            given.unit.shown(length),
            stated.name,
            given.unit.shown(text),
        )));
    }
    let tag = whole.split_off(at);
    Ok((whole, tag))
}

/// Tags where there is no tag yet, and verifies where there is one.
pub(crate) fn tagged(given: &Given<'_>, mac: &dyn Mac) -> Result<Vec<String>, Error> {
    let question = given.question;
    let key_entry = question.needs(Field::Key, "a key (K)")?;
    let failed = |error: KindsError| key_entry.fault(error.to_string());
    let key = mac.prepare(&given.key).map_err(failed)?;
    let message = given.text(Field::Plaintext, "a message (M)")?;
    let entry = question.entry(Field::Tag);
    let verifies = given.verifies(entry, "T")?;
    let brought = entry.map(Entry::bytes).transpose()?;
    let mut tag = vec![0; given.tag_length(brought.as_deref())?];
    key.tag(&message, &mut tag).map_err(failed)?;
    // The answer says as much as the comparison's time.
    let fits = brought.as_ref() == Some(&tag);
    Ok(vec![match (verifies, given.unit, fits) {
        (false, Unit::Bits, _) => line("T", &tag),
        (true, Unit::Bits, true) => "VALID".to_owned(),
        (true, Unit::Bits, false) => "INVALID".to_owned(),
        // NIST's answers have words of their own.
        (false, Unit::Octets, _) => line("Mac", &tag),
        (true, Unit::Octets, true) => "Result = P".to_owned(),
        (true, Unit::Octets, false) => "Result = F".to_owned(),
    }])
}

fn line(name: &str, bytes: &[u8]) -> String {
    format!("{name} = {}", HEXUPPER.encode(bytes))
}

/// Initialisation vector or first counter block; zeros where the mode has none.
fn start(given: &Given<'_>) -> Result<[u8; 16], Error> {
    if given.mode == Mode::Ecb {
        return Ok([0; 16]);
    }
    let entry = given.question.needs(Field::Start, "an initialisation vector or counter (IV, CTR)")?;
    block(entry, &given.octets(Field::Start, Field::StartLength)?)
}

fn block(entry: &Entry<'_>, octets: &[u8]) -> Result<[u8; 16], Error> {
    <[u8; 16]>::try_from(octets)
        .map_err(|_| entry.fault(format!("{} has {} bits; a block has 128", entry.name, 8 * octets.len())))
}
