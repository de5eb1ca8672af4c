//! The stage that every study of signatures shares: one operation of many implementations, each with keys of its own.

use fieldtest_catalog::kind::Signature as Kind;
use fieldtest_catalog::signature::{SignatureFacts, Varying};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use fieldtest_measure::words::KeyOperation as Operation;
use fieldtest_measure::{self as measure, Contender, Estimator, operation};

use crate::StudyError;
use crate::contest::{Act, Named, Order, Stage};
use crate::kit::{KEYS_OF_A_VISIT, Kit, Material, SIGNATURES_OF_A_VISIT, Signed};
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
        let refused = |error: Error| StudyError::Visit(format!("{}, making keys: {error}", named.title()));
        let algorithm = fieldtest_catalog::find::<Kind>(&named.algorithm)?;
        let code = named.find::<Kind>()?.code.as_ref();
        let mut seeded = Seeded::new(seed, &named.algorithm, 0);
        let prepares = matches!(what, Operation::PrepareSign | Operation::PrepareVerify);
        for _ in 0..if prepares { KEYS_OF_A_VISIT } else { 1 } {
            let pair = seeded.key(algorithm, code).map_err(refused)?;
            self.keys.push((pair.secret, pair.public));
        }
        let signing = code.signing_key(&self.keys[0].0).map_err(refused)?;
        let verifies = matches!(what, Operation::Verify | Operation::VerifyOnce);
        let count = if verifies { SIGNATURES_OF_A_VISIT } else { 1 };
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
        let complete = |(named, kit): (&Named, Kit)| kit.complete(named, messages, what, order.visit.seed);
        let kits = order.subjects.iter().zip(material.kits).map(complete);
        let kits = kits.collect::<Result<Vec<_>, _>>()?;
        let shops = order.subjects.iter().zip(&kits);
        let shops: Vec<Workshop<'_>> =
            shops.map(|(named, kit)| Workshop::new(named, kit, messages, what)).collect::<Result<_, _>>()?;
        let mut contenders: Vec<Contender<'_>> = shops.iter().map(|shop| shop.contender(what)).collect();
        act(&mut contenders)
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
            move |error: Error| StudyError::Visit(format!("{title}, {what}: {error}"))
        };
        let implementation = named.find::<Kind>()?;
        let code = implementation.code.as_ref();
        let (secret, public) = kit
            .keys
            .first()
            .filter(|_| !kit.signed.is_empty() && !messages.is_empty())
            .ok_or_else(|| StudyError::Visit(format!("{} has no keys", named.title())))?;
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

    fn contender(&self, what: Operation) -> Contender<'_> {
        let (name, estimator) = (self.title.clone(), estimator(what, self.facts));
        match what {
            Operation::Keygen => Contender::new(name, estimator, self.keygen()).leaving_much(),
            Operation::PrepareSign => Contender::new(name, estimator, self.prepare_sign()).leaving_much(),
            Operation::Sign => Contender::new(name, estimator, self.sign()),
            Operation::PrepareVerify => Contender::new(name, estimator, self.prepare_verify()).leaving_much(),
            Operation::Verify => Contender::new(name, estimator, self.verify()),
            Operation::VerifyOnce => Contender::new(name, estimator, self.verify_once()).leaving_much(),
        }
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
                self.code.verifying_key(&self.kit.keys[0].1)?.verify(message, signature)
            },
            |_, verified: Result<(), Error>| Ok(verified?),
        )
    }

    fn message(&self, index: u64) -> &[u8] {
        &self.messages[index as usize % self.messages.len()]
    }
}
