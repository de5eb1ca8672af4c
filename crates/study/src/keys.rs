//! Keys and signatures of one implementation, made once and taken along by every worker.

use std::time::{Duration, Instant};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use fieldtest_measure::estimate::FEWEST;
use fieldtest_measure::words::KeyOperation as Operation;

use crate::kit::{KEYS_OF_A_WORKER, Kit, Material, SIGNATURES_OF_A_WORKER, Signed};
use crate::seeded::Seeded;
use crate::{StudyError, Subject};

/// Keys and signatures are made until there are this many, or until this time is spent on each.
const MAX_KEYS: usize = 16;
const MAX_SIGNATURES: usize = 128;
const PREPARATION: Duration = Duration::from_millis(60);
const MESSAGES_OF_A_WORKER: usize = 16;
/// Workers make keys and signatures of their own where that takes no longer.
const QUICK: Duration = Duration::from_millis(5);

/// Whether this is so where a key takes so long, and a signature.
fn is_quick(key: Duration, signature: Duration) -> bool {
    key + signature * SIGNATURES_OF_A_WORKER as u32 <= QUICK
}

/// Keys of one implementation, with signatures.
pub struct KeyStore<'a> {
    subject: &'a Subject,
    messages: &'a [Vec<u8>],
    pairs: Vec<KeyPair>,
    signing: Vec<Box<dyn SigningKey>>,
    /// Signature `i` is over message `i` under key `i`, both modulo their number.
    signatures: Vec<Vec<u8>>,
    /// Whether workers make their own.
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
        store.quick = is_quick(keys, start.elapsed() / signatures.len() as u32);
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

    /// Whether there are so many different inputs of `what` that workers tell how far a result of it may be off: the steps that a
    /// verification takes are those of its signature.
    pub(crate) fn carries_an_interval(&self, what: Operation) -> bool {
        let verifies = matches!(what, Operation::Verify | Operation::VerifyOnce);
        !verifies || self.quick || self.signatures.len() >= FEWEST
    }

    /// How many keys and signatures there are, for a reader.
    pub(crate) fn extent(&self) -> String {
        if self.quick {
            return format!(
                "a separate key in every process, {SIGNATURES_OF_A_WORKER} signatures to verify with it"
            );
        }
        let some = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
        format!(
            "{} and {} to verify",
            some(self.pairs.len(), "key"),
            some(self.signatures.len(), "signature")
        )
    }

    /// What the stores at these positions give a worker, as [`crate::signing`] reads it: one key that signs and
    /// verifies, another for every worker as long as there are more.
    pub(crate) fn material(stores: &[KeyStore<'_>], at: &[usize], worker: u64) -> Vec<u8> {
        let kits =
            at.iter().filter_map(|&at| stores.get(at)).map(|store| store.kit(worker as usize)).collect();
        let messages = stores.first().map_or(vec![], |store| {
            let count = store.messages.len();
            let from = worker as usize * MESSAGES_OF_A_WORKER;
            (from..from + MESSAGES_OF_A_WORKER).map(|at| store.messages[at % count].clone()).collect()
        });
        // Vectors of bytes always have a form.
        postcard::to_stdvec(&Material { messages, kits }).unwrap_or_default()
    }

    fn kit(&self, worker: usize) -> Kit {
        if self.quick {
            return Kit { keys: Vec::new(), signed: Vec::new() };
        }
        let keys = self.pairs.len();
        // Every signature has its block: those of key 0 in the workers 0, `keys`, ….
        let key = worker % keys.min(self.signatures.len());
        let pair = |at: usize| (self.pairs[at % keys].secret.clone(), self.pairs[at % keys].public.clone());
        let signed = (key..self.signatures.len()).step_by(keys).map(|at| Signed {
            message: self.messages[at % self.messages.len()].clone(),
            signature: self.signatures[at].clone(),
        });
        Kit { keys: (key..key + keys.min(KEYS_OF_A_WORKER)).map(pair).collect(), signed: signed.collect() }
    }

    /// How long one operation takes, roughly, by the clock.
    pub(crate) fn trial(&self, what: Operation) -> Result<Duration, StudyError> {
        let (code, pair) = (code(self.subject), &self.pairs[0]);
        let timed = || -> Result<Duration, Error> {
            let verifying = code.verifying_key(&pair.public)?;
            let keys = (pair, self.signing[0].as_ref(), verifying.as_ref());
            let start = Instant::now();
            operate(what, code, keys, (&self.messages[0], &self.signatures[0]))?;
            Ok(start.elapsed())
        };
        timed().map_err(|error| self.subject.failed(what.word(), error))
    }
}

/// Does it once, with keys of `pair` and a signature that they made.
pub(crate) fn operate(
    what: Operation,
    code: &dyn Signature,
    (pair, signing, verifying): (&KeyPair, &dyn SigningKey, &dyn VerifyingKey),
    (message, signature): (&[u8], &[u8]),
) -> Result<(), Error> {
    match what {
        Operation::Keygen => code.generate().map(drop),
        Operation::PrepareSign => code.signing_key(&pair.secret).map(drop),
        Operation::Sign => signing.sign(message, &mut Vec::new()),
        Operation::PrepareVerify => code.verifying_key(&pair.public).map(drop),
        Operation::Verify => verifying.verify(message, signature),
        Operation::VerifyOnce => code.verify_once(&pair.public, message, signature),
    }
}

fn code(subject: &Subject) -> &dyn Signature {
    subject.implementation.code.as_ref()
}

#[cfg(test)]
pub(crate) mod tests {
    use fieldtest_catalog::kind;

    use super::*;
    use crate::scripted::{algorithm, subjects};

    fn subject() -> Subject {
        subjects(&[algorithm::<kind::Signature>("ed25519", "made-up", &["one"])]).swap_remove(0)
    }

    /// A store of real keys, with so many signatures.
    pub(crate) fn signed<'a>(subject: &'a Subject, messages: &'a [Vec<u8>], count: usize) -> KeyStore<'a> {
        let store = KeyStore::new(subject, messages, 1).expect("keys");
        let signatures = vec![store.signatures[0].clone(); count];
        KeyStore { signatures, quick: false, ..store }
    }

    #[test]
    fn a_key_and_sixteen_signatures_are_quick_in_5_ms_and_made_for_60_elsewhere() {
        let is_quick =
            |key, signature| super::is_quick(Duration::from_micros(key), Duration::from_micros(signature));
        assert!(is_quick(1000, 250) && is_quick(5000, 0));
        assert!(!is_quick(1001, 250) && !is_quick(1000, 251) && !is_quick(5001, 0));
        assert_eq!((PREPARATION, MAX_KEYS, MAX_SIGNATURES), (Duration::from_millis(60), 16, 128));
    }

    /// So many keys, signatures and messages, each with its number.
    fn store<'a>(subject: &'a Subject, messages: &'a [Vec<u8>], keys: u8, signatures: u8) -> KeyStore<'a> {
        KeyStore {
            subject,
            messages,
            pairs: (0..keys).map(|at| KeyPair { secret: vec![at, 0], public: vec![at, 1] }).collect(),
            signing: Vec::new(),
            signatures: (0..signatures).map(|at| vec![at]).collect(),
            quick: false,
        }
    }

    fn messages(count: u8) -> Vec<Vec<u8>> {
        (0..count).map(|at| vec![100 + at]).collect()
    }

    /// The numbers of a kit's keys, and of its signatures with their messages.
    fn numbers(kit: &Kit) -> (Vec<u8>, Vec<(u8, u8)>) {
        for (secret, public) in &kit.keys {
            assert_eq!((secret[0], secret[1], public[1]), (public[0], 0, 1));
        }
        let signed = kit.signed.iter().map(|it| (it.signature[0], it.message[0] - 100));
        (kit.keys.iter().map(|(secret, _)| secret[0]).collect(), signed.collect())
    }

    #[test]
    fn every_signature_has_its_block() {
        let (subject, messages) = (subject(), messages(3));
        // Of two keys, one for every worker, with every second signature.
        let two = store(&subject, &messages, 2, 5);
        assert_eq!(numbers(&two.kit(0)), (vec![0, 1], vec![(0, 0), (2, 2), (4, 1)]));
        assert_eq!(numbers(&two.kit(1)), (vec![1, 0], vec![(1, 1), (3, 0)]));
        assert_eq!(numbers(&two.kit(6)), numbers(&two.kit(0)));
        // Of many keys three, those after the last being the first again.
        let many = store(&subject, &messages, 5, 9);
        assert_eq!(numbers(&many.kit(4)), (vec![4, 0, 1], vec![(4, 1)]));
        assert_eq!(numbers(&many.kit(7)), (vec![2, 3, 4], vec![(2, 2), (7, 1)]));
        // Keys that signed nothing are none to verify with.
        let few = store(&subject, &messages, 5, 2);
        assert_eq!(numbers(&few.kit(5)), (vec![1, 2, 3], vec![(1, 1)]));
        let as_many = store(&subject, &messages, 3, 3);
        assert_eq!(numbers(&as_many.kit(5)), (vec![2, 0, 1], vec![(2, 2)]));
        let quick = KeyStore { quick: true, ..two };
        assert_eq!(numbers(&quick.kit(1)), (vec![], vec![]));
    }

    #[test]
    fn a_worker_has_sixteen_messages_of_its_own() {
        let (subject, messages) = (subject(), messages(40));
        let stores = [1, 2, 3].map(|keys| store(&subject, &messages, keys, keys));
        let of = |at: &[usize], worker| -> (Vec<u8>, Vec<usize>) {
            let material: Material =
                postcard::from_bytes(&KeyStore::material(&stores, at, worker)).expect("a form");
            let messages = material.messages.iter().map(|it| it[0] - 100).collect();
            (messages, material.kits.iter().map(|it| it.keys.len()).collect())
        };
        assert_eq!(of(&[2, 0], 0), ((0..16).collect(), vec![3, 1]));
        assert_eq!(of(&[1], 2), ((32..40).chain(0..8).collect(), vec![2]));
        assert_eq!(of(&[], 3), ((8..24).collect(), vec![]));
    }

    #[test]
    fn few_signatures_carry_no_interval_of_verifying() {
        let (subject, messages) = (subject(), messages(1));
        let verifying = [Operation::Verify, Operation::VerifyOnce];
        for (signatures, quick, carries) in [(5, false, false), (6, false, true), (5, true, true)] {
            let store = KeyStore { quick, ..store(&subject, &messages, 1, signatures) };
            for what in Operation::ALL {
                let expected = carries || !verifying.contains(&what);
                assert_eq!(store.carries_an_interval(what), expected, "{what} {signatures} {quick}");
            }
        }
    }

    #[test]
    fn a_reader_is_told_how_many_there_are() {
        let (subject, messages) = (subject(), messages(1));
        let words = |keys, signatures| {
            let extent = store(&subject, &messages, keys, signatures).extent();
            extent.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        let (one, more) = (words(1, 2), words(4, 1));
        assert_eq!(
            (&one[..2], &one[3..5]),
            (&["1", "key"].map(String::from)[..], &["2", "signatures"].map(String::from)[..])
        );
        assert_eq!(
            (&more[..2], &more[3..5]),
            (&["4", "keys"].map(String::from)[..], &["1", "signature"].map(String::from)[..])
        );
        let quick = KeyStore { quick: true, ..store(&subject, &messages, 1, 1) }.extent();
        assert!(quick.contains("16"), "{quick}");
    }

    #[test]
    fn what_is_made_verifies_and_is_made_again() {
        // One whose keys follow from the seed.
        let algorithm = fieldtest_catalog::find::<kind::Signature>("ed25519").expect("in the catalog");
        let (subject, messages) = (subjects(&[algorithm]).swap_remove(0), messages(3));
        let make = |seed| KeyStore::new(&subject, &messages, seed).expect("keys");
        let (store, again, other) = (make(1), make(1), make(2));
        assert!(std::ptr::eq(store.subject(), &subject));
        for what in Operation::ALL {
            assert!(store.trial(what).expect("no failure") > Duration::ZERO, "{what}");
        }
        // However many the time was enough for.
        let code = code(&subject);
        for (at, signature) in store.signatures.iter().enumerate() {
            let key = code.verifying_key(&store.pairs[at % store.pairs.len()].public).expect("a key");
            key.verify(&messages[at % 3], signature).expect("its signature");
        }
        assert_eq!(store.pairs[0].secret, again.pairs[0].secret);
        assert_ne!(store.pairs[0].secret, other.pairs[0].secret);
        assert!(store.pairs.len() <= MAX_KEYS && store.signatures.len() <= MAX_SIGNATURES);
    }
}
