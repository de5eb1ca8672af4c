//! The stage that every study of signatures shares: one operation of many implementations, each with keys of its own.

use fieldtest_catalog::kind::Signature as Kind;
use fieldtest_catalog::signature::{SignatureFacts, Varying};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use fieldtest_measure::words::KeyOperation as Operation;
use fieldtest_measure::{self as measure, Benchmark, Estimator, operation};

use crate::StudyError;
use crate::group::{Act, Named, Order, Stage};
use crate::kit::{KEYS_OF_A_WORKER, Kit, Material, SIGNATURES_OF_A_WORKER, Signed};
use crate::seeded::Seeded;

/// Its name in orders.
pub(crate) const SIGNING: &str = "signing";

/// Operations of signatures.
#[derive(Debug)]
pub struct Signing;

/// A mean of what varies by nature; the rest takes the same steps every time.
fn estimator(operation: Operation, facts: &SignatureFacts) -> Estimator {
    let varying = match operation {
        Operation::Keygen => Varying::Keygen,
        Operation::Sign => Varying::Sign,
        Operation::Verify | Operation::VerifyOnce => Varying::Verify,
        Operation::PrepareSign | Operation::PrepareVerify => return Estimator::Median,
    };
    if facts.varies.contains(&varying) { Estimator::Mean } else { Estimator::Median }
}

/// Prepared keys with their tables lie in the caches until the block is over.
fn leaves_much(operation: Operation) -> bool {
    !matches!(operation, Operation::Sign | Operation::Verify)
}

impl Kit {
    /// Makes keys and signatures where there are none: as many as the operation needs.
    fn complete(
        mut self,
        named: &Named,
        messages: &[Vec<u8>],
        what: Operation,
        seed: u64,
    ) -> Result<Kit, StudyError> {
        if !self.keys.is_empty() {
            return Ok(self);
        }
        let refused =
            |error: Error| StudyError::WorkerTask(format!("{}, making keys: {error}", named.title()));
        let algorithm = fieldtest_catalog::find::<Kind>(&named.algorithm)?;
        let code = named.find::<Kind>()?.code.as_ref();
        let mut seeded = Seeded::new(seed, &named.algorithm, 0);
        let prepares = matches!(what, Operation::PrepareSign | Operation::PrepareVerify);
        for _ in 0..if prepares { KEYS_OF_A_WORKER } else { 1 } {
            let pair = seeded.key(algorithm, code).map_err(refused)?;
            self.keys.push((pair.secret, pair.public));
        }
        let signing = code.signing_key(&self.keys[0].0).map_err(refused)?;
        let verifies = matches!(what, Operation::Verify | Operation::VerifyOnce);
        let count = if verifies { SIGNATURES_OF_A_WORKER } else { 1 };
        for message in messages.iter().cycle().take(count) {
            let signature = seeded.sign(signing.as_ref(), message).map_err(refused)?;
            self.signed.push(Signed { message: message.clone(), signature });
        }
        Ok(self)
    }
}

impl Stage for Signing {
    fn name(&self) -> &'static str {
        SIGNING
    }

    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
        let what = Operation::from_word(&order.operation).ok_or_else(|| order.unknown())?;
        let material: Material = order.task()?;
        let messages = &material.messages;
        let complete = |(named, kit): (&Named, Kit)| kit.complete(named, messages, what, order.worker.seed);
        let kits = order.subjects.iter().zip(material.kits).map(complete);
        let kits = kits.collect::<Result<Vec<_>, _>>()?;
        let shops = order.subjects.iter().zip(&kits);
        let shops: Vec<Workshop<'_>> =
            shops.map(|(named, kit)| Workshop::new(named, kit, messages, what)).collect::<Result<_, _>>()?;
        let mut benchmarks: Vec<Benchmark<'_>> = shops.iter().map(|shop| shop.benchmark(what)).collect();
        act(&mut benchmarks)
    }
}

/// One implementation with its keys, ready to work.
struct Workshop<'a> {
    title: String,
    facts: &'static SignatureFacts,
    code: &'static dyn Signature,
    kit: &'a Kit,
    messages: &'a [Vec<u8>],
    /// The first key, prepared where the operation or its check needs it.
    signing: Option<Box<dyn SigningKey>>,
    verifying: Option<Box<dyn VerifyingKey>>,
}

impl<'a> Workshop<'a> {
    fn new(
        named: &Named,
        kit: &'a Kit,
        messages: &'a [Vec<u8>],
        what: Operation,
    ) -> Result<Self, StudyError> {
        let refused = |what: &'static str| {
            let title = named.title();
            move |error: Error| StudyError::WorkerTask(format!("{title}, {what}: {error}"))
        };
        let implementation = named.find::<Kind>()?;
        let code = implementation.code.as_ref();
        let (secret, public) = kit
            .keys
            .first()
            .filter(|_| !kit.signed.is_empty() && !messages.is_empty())
            .ok_or_else(|| StudyError::WorkerTask(format!("{} has no keys", named.title())))?;
        let signing = (what == Operation::Sign).then(|| code.signing_key(secret)).transpose();
        let verifies = matches!(what, Operation::Sign | Operation::Verify);
        let verifying = verifies.then(|| code.verifying_key(public)).transpose();
        Ok(Workshop {
            title: named.title(),
            facts: &fieldtest_catalog::find::<Kind>(&named.algorithm)?.facts.kind,
            code,
            kit,
            messages,
            signing: signing.map_err(refused("preparing a secret key"))?,
            verifying: verifying.map_err(refused("preparing a public key"))?,
        })
    }

    fn benchmark(&self, what: Operation) -> Benchmark<'_> {
        let (name, estimator) = (self.title.clone(), estimator(what, self.facts));
        let benchmark = match what {
            Operation::Keygen => Benchmark::new(name, estimator, self.keygen()),
            Operation::PrepareSign => Benchmark::new(name, estimator, self.prepare_sign()),
            Operation::Sign => Benchmark::new(name, estimator, self.sign()),
            Operation::PrepareVerify => Benchmark::new(name, estimator, self.prepare_verify()),
            Operation::Verify => Benchmark::new(name, estimator, self.verify()),
            Operation::VerifyOnce => Benchmark::new(name, estimator, self.verify_once()),
        };
        if leaves_much(what) { benchmark.leaving_much() } else { benchmark }
    }

    fn keygen(&self) -> impl measure::Operation {
        operation(
            |_| Ok(()),
            |()| self.code.generate(),
            |(), pair: Result<KeyPair, Error>| {
                let pair = pair?;
                match self.code.signing_key(&pair.secret)?.public_key() == pair.public {
                    true => Ok(()),
                    false => Err("the secret key belongs to another public key".into()),
                }
            },
        )
    }

    fn prepare_sign(&self) -> impl measure::Operation {
        operation(
            |index| Ok(index as usize % self.kit.keys.len()),
            |key: &mut usize| self.code.signing_key(&self.kit.keys[*key].0),
            |key, prepared: Result<Box<dyn SigningKey>, Error>| match prepared?.public_key()
                == self.kit.keys[key].1
            {
                true => Ok(()),
                false => Err("the prepared key has another public key".into()),
            },
        )
    }

    fn sign(&self) -> impl measure::Operation {
        operation(
            |index| Ok((index, Vec::with_capacity(self.kit.signed[0].signature.len()))),
            |(index, signature): &mut (u64, Vec<u8>)| match &self.signing {
                Some(key) => key.sign(self.message(*index), signature),
                None => Err(Error::Unsupported("signing without a key")),
            },
            |(index, signature), signed: Result<(), Error>| {
                signed?;
                match &self.verifying {
                    Some(key) => Ok(key.verify(self.message(index), &signature)?),
                    None => Err("there is no key to check with".into()),
                }
            },
        )
    }

    fn prepare_verify(&self) -> impl measure::Operation {
        operation(
            |index| Ok(index as usize % self.kit.keys.len()),
            |key: &mut usize| self.code.verifying_key(&self.kit.keys[*key].1),
            |key, prepared: Result<Box<dyn VerifyingKey>, Error>| {
                let Signed { message, signature } = &self.kit.signed[0];
                let accepted = prepared?.verify(message, signature).is_ok();
                match accepted == (key == 0) {
                    true => Ok(()),
                    false => Err("the prepared key verifies what is another's".into()),
                }
            },
        )
    }

    fn verify(&self) -> impl measure::Operation {
        operation(
            |index| Ok(index as usize % self.kit.signed.len()),
            |at: &mut usize| match &self.verifying {
                Some(key) => key.verify(&self.kit.signed[*at].message, &self.kit.signed[*at].signature),
                None => Err(Error::Unsupported("verifying without a key")),
            },
            |_, verified: Result<(), Error>| Ok(verified?),
        )
    }

    fn verify_once(&self) -> impl measure::Operation {
        operation(
            |index| Ok(index as usize % self.kit.signed.len()),
            |at: &mut usize| {
                let Signed { message, signature } = &self.kit.signed[*at];
                self.code.verify_once(&self.kit.keys[0].1, message, signature)
            },
            |_, verified: Result<(), Error>| Ok(verified?),
        )
    }

    fn message(&self, index: u64) -> &[u8] {
        &self.messages[index as usize % self.messages.len()]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use fieldtest_measure::worker::{WorkerResult, WorkerTask};

    use super::*;
    use crate::group::obey;

    #[test]
    fn what_varies_has_a_mean() {
        let facts = &fieldtest_catalog::find::<Kind>("ed25519").expect("in the catalog").facts.kind;
        let of = |varies: &[Varying]| {
            let facts = SignatureFacts { varies: varies.to_vec(), ..facts.clone() };
            Operation::ALL.map(|operation| estimator(operation, &facts) == Estimator::Mean)
        };
        // keygen, prepare-sign, sign, prepare-verify, verify, verify-once
        assert_eq!(Operation::ALL.map(leaves_much), [true, true, false, true, false, true]);
        assert_eq!(of(&[]), [false; 6]);
        assert_eq!(of(&[Varying::Keygen]), [true, false, false, false, false, false]);
        assert_eq!(of(&[Varying::Sign]), [false, false, true, false, false, false]);
        assert_eq!(of(&[Varying::Verify]), [false, false, false, false, true, true]);
    }

    fn named() -> Named {
        let algorithm = fieldtest_catalog::find::<Kind>("ed25519").expect("in the catalog");
        let implementation = algorithm.implementations[0].name.to_owned();
        Named { algorithm: "ed25519".to_owned(), implementation }
    }

    fn messages() -> Vec<Vec<u8>> {
        vec![b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]
    }

    fn complete(kit: Kit, what: Operation) -> Kit {
        kit.complete(&named(), &messages(), what, 7).expect("no failure")
    }

    const NOTHING: Kit = Kit { keys: Vec::new(), signed: Vec::new() };

    #[test]
    fn a_kit_is_completed_as_far_as_the_operation_needs_it() {
        for what in Operation::ALL {
            let kit = complete(NOTHING, what);
            let (keys, signed) = match what {
                Operation::PrepareSign | Operation::PrepareVerify => (3, 1),
                Operation::Verify | Operation::VerifyOnce => (1, 16),
                Operation::Keygen | Operation::Sign => (1, 1),
            };
            assert_eq!((kit.keys.len(), kit.signed.len()), (keys, signed), "{what}");
            let code = named().find::<Kind>().expect("found").code.as_ref();
            let key = code.verifying_key(&kit.keys[0].1).expect("a key");
            for (signed, message) in kit.signed.iter().zip(messages().iter().cycle()) {
                assert_eq!(signed.message, *message);
                key.verify(message, &signed.signature).expect("its signature");
            }
            // The seed gives it again, and what is there stays.
            assert_eq!(complete(NOTHING, what).keys, kit.keys);
        }
        let some = Kit { keys: vec![(vec![1], vec![2])], signed: Vec::new() };
        let kept = complete(some, Operation::Verify);
        assert_eq!((kept.keys, kept.signed.len()), (vec![(vec![1], vec![2])], 0));
    }

    fn worker(operation: &str, kits: Vec<Kit>, messages: Vec<Vec<u8>>) -> Result<WorkerResult, StudyError> {
        let order = Order {
            stage: SIGNING.to_owned(),
            operation: operation.to_owned(),
            subject: String::new(),
            subjects: vec![named(); kits.len()],
            input: postcard::to_stdvec(&Material { messages, kits }).expect("a form"),
            worker: WorkerTask {
                time: Duration::ZERO,
                window: Duration::from_micros(30),
                known: Vec::new(),
                first: 5,
                seed: 7,
            },
            processor: None,
            elapsed: true,
        };
        obey(&order, &[&Signing], &AtomicBool::new(false))
    }

    #[test]
    fn every_operation_is_timed_and_checked() {
        for what in Operation::ALL {
            let kits = vec![NOTHING, complete(NOTHING, Operation::PrepareSign), complete(NOTHING, what)];
            let result = worker(what.word(), kits, messages()).expect("no failure");
            assert_eq!((result.seen.len(), result.seen[0].name.as_str()), (3, named().title().as_str()));
            assert!(result.seen.iter().all(|seen| seen.blocks > 0 && !seen.windows.is_empty()), "{what}");
            // Where keys are left, however short the windows are.
            assert!(
                !leaves_much(what) || result.seen.iter().all(|seen| seen.known.in_a_block <= 2),
                "{what}"
            );
        }
    }

    #[test]
    fn messages_are_signed_in_block() {
        let (kit, messages, named) = (complete(NOTHING, Operation::Sign), messages(), named());
        let shop = Workshop::new(&named, &kit, &messages, Operation::Sign).expect("no failure");
        assert_eq!(
            [0, 1, 2, 3, 10].map(|index| shop.message(index)),
            [0, 1, 2, 0, 1].map(|at| &messages[at])
        );
    }

    #[test]
    fn what_is_wrong_is_found() {
        let [kit, other] = [7, 8].map(|seed| {
            NOTHING.complete(&named(), &messages(), Operation::PrepareSign, seed).expect("no failure")
        });
        let fails = |what: Operation, kit: Kit| worker(what.word(), vec![kit], messages()).is_err();
        let clone = || Kit { keys: kit.keys.clone(), signed: kit.signed.clone() };
        for what in Operation::ALL {
            assert!(!fails(what, clone()), "{what}");
            // Another's signature, and the public key of another secret one.
            let signed = Kit { signed: other.signed.clone(), ..clone() };
            let verifies =
                matches!(what, Operation::PrepareVerify | Operation::Verify | Operation::VerifyOnce);
            assert_eq!(fails(what, signed), verifies, "{what}");
            let mut mixed = clone();
            mixed.keys[0].1.clone_from(&other.keys[0].1);
            assert_eq!(fails(what, mixed), what != Operation::Keygen, "{what}");
            // A signature that every key of the kit accepts.
            let mut same = clone();
            same.keys[1] = same.keys[0].clone();
            assert_eq!(fails(what, same), what == Operation::PrepareVerify, "{what}");
            // Every signature has its block: one of three in a row is wrong.
            let third = Kit { signed: [&kit.signed[..], &kit.signed, &other.signed].concat(), ..clone() };
            let all = matches!(what, Operation::Verify | Operation::VerifyOnce);
            assert_eq!(fails(what, third), all, "{what}");
            let unsigned = Kit { signed: Vec::new(), ..clone() };
            assert!(matches!(
                worker(what.word(), vec![unsigned], messages()),
                Err(StudyError::WorkerTask(_))
            ));
            assert!(matches!(worker(what.word(), vec![clone()], Vec::new()), Err(StudyError::WorkerTask(_))));
        }
        assert!(matches!(worker("none", vec![clone()], messages()), Err(StudyError::WorkerTask(_))));
    }
}
