//! Keys and signatures of one implementation, made once and taken along by every visit.

use std::time::{Duration, Instant};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey};
use fieldtest_measure::levels::FEWEST;
use fieldtest_measure::words::KeyOperation as Operation;

use crate::kit::{KEYS_OF_A_VISIT, Kit, Material, SIGNATURES_OF_A_VISIT, Signed};
use crate::seeded::Seeded;
use crate::{StudyError, Subject};

/// Keys and signatures are made until there are this many, or until this time is spent on each.
const MAX_KEYS: usize = 16;
const MAX_SIGNATURES: usize = 128;
const PREPARATION: Duration = Duration::from_millis(60);
/// Messages that are signed in a visit.
const MESSAGES_OF_A_VISIT: usize = 16;
/// Visits make keys and signatures of their own where that takes no longer.
const QUICK: Duration = Duration::from_millis(5);

/// Keys of one implementation, with signatures.
pub struct KeyStore<'a> {
    subject: &'a Subject,
    messages: &'a [Vec<u8>],
    pairs: Vec<KeyPair>,
    signing: Vec<Box<dyn SigningKey>>,
    /// Signature `i` is over message `i` under key `i`, both modulo their number.
    signatures: Vec<Vec<u8>>,
    /// Whether visits make their own.
    quick: bool,
}

impl<'a> KeyStore<'a> {
    /// Makes keys and signatures for `subject`: many of them where that is quick, at least one; the same for the same
    /// seed, as far as implementations allow.
    ///
    /// # Errors
    /// What the implementation refuses.
    pub fn new(subject: &'a Subject, messages: &'a [Vec<u8>], seed: u64) -> Result<Self, StudyError> {
        let code = code(subject);
        let (mut pairs, mut signing, mut signatures, mut draws) = (vec![], vec![], vec![], vec![]);
        let start = Instant::now();
        while pairs.is_empty() || (pairs.len() < MAX_KEYS && start.elapsed() < PREPARATION) {
            let mut seeded = Seeded::new(seed, &subject.algorithm.facts.name, pairs.len() as u64);
            let pair =
                seeded.key(subject.algorithm, code).map_err(|e| subject.failed("generating a key", e))?;
            draws.push(seeded);
            signing.push(
                code.signing_key(&pair.secret).map_err(|e| subject.failed("preparing a secret key", e))?,
            );
            pairs.push(pair);
        }
        let mut store = KeyStore { subject, messages, pairs, signing, signatures: vec![], quick: false };
        let keys = start.elapsed() / store.pairs.len() as u32;
        let start = Instant::now();
        while signatures.is_empty() || (signatures.len() < MAX_SIGNATURES && start.elapsed() < PREPARATION) {
            let draws = &mut draws[signatures.len() % store.pairs.len()];
            signatures.push(store.sign(signatures.len(), draws)?);
        }
        store.quick =
            keys + start.elapsed() / signatures.len() as u32 * SIGNATURES_OF_A_VISIT as u32 <= QUICK;
        store.signatures = signatures;
        Ok(store)
    }

    /// The implementation.
    pub fn subject(&self) -> &'a Subject {
        self.subject
    }

    fn sign(&self, at: usize, seeded: &mut Seeded) -> Result<Vec<u8>, StudyError> {
        let (key, message) = (at % self.pairs.len(), at % self.messages.len());
        seeded
            .sign(self.signing[key].as_ref(), &self.messages[message])
            .map_err(|e| self.subject.failed("signing", e))
    }

    /// Whether there are so many different inputs of `what` that visits tell how far a figure of it may be off: the steps that a
    /// verification takes are those of its signature.
    pub(crate) fn carries_an_interval(&self, what: Operation) -> bool {
        let verifies = matches!(what, Operation::Verify | Operation::VerifyOnce);
        !verifies || self.quick || self.signatures.len() >= FEWEST
    }

    /// How many keys and signatures there are, for a reader.
    pub(crate) fn extent(&self) -> String {
        if self.quick {
            return format!(
                "a key of its own in every process, {SIGNATURES_OF_A_VISIT} signatures to verify with it"
            );
        }
        let some = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
        format!(
            "{} and {} to verify",
            some(self.pairs.len(), "key"),
            some(self.signatures.len(), "signature")
        )
    }

    /// What the stores at these positions give a visit, as [`crate::signing`] reads it: one key that signs and
    /// verifies, another for every visit as long as there are more.
    pub(crate) fn material(stores: &[KeyStore<'_>], at: &[usize], visit: u64) -> Vec<u8> {
        let kits =
            at.iter().filter_map(|&at| stores.get(at)).map(|store| store.kit(visit as usize)).collect();
        let messages = stores.first().map_or(vec![], |store| {
            let count = store.messages.len();
            let from = visit as usize * MESSAGES_OF_A_VISIT % count;
            (from..from + MESSAGES_OF_A_VISIT).map(|at| store.messages[at % count].clone()).collect()
        });
        // Vectors of bytes always have a form.
        postcard::to_stdvec(&Material { messages, kits }).unwrap_or_default()
    }

    fn kit(&self, visit: usize) -> Kit {
        if self.quick {
            return Kit { keys: Vec::new(), signed: Vec::new() };
        }
        let keys = self.pairs.len();
        // Every signature has its turn: those of key 0 in the visits 0, `keys`, ….
        let key = if self.signatures.len() < keys { visit % self.signatures.len() } else { visit % keys };
        let pair = |at: usize| (self.pairs[at % keys].secret.clone(), self.pairs[at % keys].public.clone());
        let signed = (key..self.signatures.len()).step_by(keys).map(|at| Signed {
            message: self.messages[at % self.messages.len()].clone(),
            signature: self.signatures[at].clone(),
        });
        Kit { keys: (key..key + keys.min(KEYS_OF_A_VISIT)).map(pair).collect(), signed: signed.collect() }
    }

    /// How long one operation takes, roughly, by the clock.
    pub(crate) fn trial(&self, what: Operation) -> Result<Duration, StudyError> {
        let code = code(self.subject);
        let pair = &self.pairs[0];
        let once = |work: &dyn Fn() -> Result<(), Error>| {
            let start = Instant::now();
            work().map_err(|e| self.subject.failed(what.word(), e)).map(|()| start.elapsed())
        };
        match what {
            Operation::Keygen => once(&|| code.generate().map(drop)),
            Operation::PrepareSign => once(&|| code.signing_key(&pair.secret).map(drop)),
            Operation::Sign => once(&|| self.signing[0].sign(&self.messages[0], &mut Vec::new())),
            Operation::PrepareVerify => once(&|| code.verifying_key(&pair.public).map(drop)),
            Operation::Verify => {
                let key =
                    code.verifying_key(&pair.public).map_err(|e| self.subject.failed(what.word(), e))?;
                once(&|| key.verify(&self.messages[0], &self.signatures[0]))
            }
            Operation::VerifyOnce => {
                once(&|| code.verifying_key(&pair.public)?.verify(&self.messages[0], &self.signatures[0]))
            }
        }
    }
}

fn code(subject: &Subject) -> &dyn Signature {
    subject.implementation.code.as_ref()
}
