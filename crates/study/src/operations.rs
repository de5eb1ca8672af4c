//! The operations of a signature algorithm, timed on given messages: what `speed` and every carrier's study share.

use std::time::{Duration, Instant};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use fieldtest_measure::record::Input;
use fieldtest_measure::{self as measure, Contender, Estimator, operation};

use crate::{Bench, Book, StudyError, Subject};

/// What can be timed of a signature algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// A key pair from the system's randomness.
    Keygen,
    /// A secret key's bytes to a key that is ready to sign.
    PrepareSign,
    /// One signature with a prepared key.
    Sign,
    /// A public key's bytes to a key that is ready to verify.
    PrepareVerify,
    /// One verification with a prepared key.
    Verify,
}

impl Operation {
    /// All of them, in the order of a key's life.
    pub const ALL: [Operation; 5] = [
        Operation::Keygen,
        Operation::PrepareSign,
        Operation::Sign,
        Operation::PrepareVerify,
        Operation::Verify,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Keygen => "keygen",
            Operation::PrepareSign => "prepare-sign",
            Operation::Sign => "sign",
            Operation::PrepareVerify => "prepare-verify",
            Operation::Verify => "verify",
        }
    }

    /// Key generation and signing reject and try again in half of the schemes, so their figure is a mean; the rest
    /// takes the same steps every time.
    fn estimator(self) -> Estimator {
        match self {
            Operation::Keygen | Operation::Sign => Estimator::Mean,
            _ => Estimator::Median,
        }
    }
}

/// Keys and signatures of one implementation, made once and used by all its operations.
pub struct Workshop<'a> {
    subject: &'a Subject,
    messages: &'a [Vec<u8>],
    pairs: Vec<KeyPair>,
    signing: Vec<Box<dyn SigningKey>>,
    verifying: Vec<Box<dyn VerifyingKey>>,
    /// Signature `i` is over message `i` under key `i`, both modulo their number.
    signatures: Vec<Vec<u8>>,
}

/// Keys and signatures are made until there are this many, or until this time is spent on each.
const MAX_KEYS: usize = 16;
const MAX_SIGNATURES: usize = 128;
const PREPARATION: Duration = Duration::from_millis(60);

impl<'a> Workshop<'a> {
    /// Makes keys and signatures for `subject`: many of them where that is quick, at least one.
    pub fn new(subject: &'a Subject, messages: &'a [Vec<u8>]) -> Result<Self, StudyError> {
        let code = code(subject);
        let (mut pairs, mut signing, mut verifying, mut signatures) = (vec![], vec![], vec![], vec![]);
        let start = Instant::now();
        while pairs.is_empty() || (pairs.len() < MAX_KEYS && start.elapsed() < PREPARATION) {
            let pair = code.generate().map_err(|e| subject.failed("generating a key", e))?;
            signing.push(
                code.signing_key(&pair.secret).map_err(|e| subject.failed("preparing a secret key", e))?,
            );
            verifying.push(
                code.verifying_key(&pair.public).map_err(|e| subject.failed("preparing a public key", e))?,
            );
            pairs.push(pair);
        }
        let start = Instant::now();
        while signatures.is_empty() || (signatures.len() < MAX_SIGNATURES && start.elapsed() < PREPARATION) {
            let at = signatures.len();
            let mut signature = Vec::new();
            signing[at % signing.len()]
                .sign(&messages[at % messages.len()], &mut signature)
                .map_err(|e| subject.failed("signing", e))?;
            signatures.push(signature);
        }
        Ok(Workshop { subject, messages, pairs, signing, verifying, signatures })
    }

    /// The implementation.
    pub fn subject(&self) -> &'a Subject {
        self.subject
    }

    fn contender(&self, what: Operation) -> Contender<'_> {
        let name = self.subject.name();
        match what {
            Operation::Keygen => Contender::new(name, what.estimator(), self.keygen()),
            Operation::PrepareSign => Contender::new(name, what.estimator(), self.prepare_sign()),
            Operation::Sign => Contender::new(name, what.estimator(), self.sign()),
            Operation::PrepareVerify => Contender::new(name, what.estimator(), self.prepare_verify()),
            Operation::Verify => Contender::new(name, what.estimator(), self.verify()),
        }
    }

    fn keygen(&self) -> impl measure::Operation {
        operation(
            |_| Ok(()),
            |()| code(self.subject).generate(),
            |(), pair: Result<KeyPair, Error>| {
                let pair = pair?;
                let public = code(self.subject).signing_key(&pair.secret)?.public_key();
                if public == pair.public {
                    Ok(())
                } else {
                    Err("the secret key belongs to another public key".into())
                }
            },
        )
    }

    fn prepare_sign(&self) -> impl measure::Operation {
        operation(
            |index| Ok(self.key(index)),
            |key: &mut usize| code(self.subject).signing_key(&self.pairs[*key].secret),
            |key, prepared: Result<Box<dyn SigningKey>, Error>| {
                let same = prepared?.public_key() == self.pairs[key].public;
                if same { Ok(()) } else { Err("the prepared key has another public key".into()) }
            },
        )
    }

    fn sign(&self) -> impl measure::Operation {
        operation(
            |index| Ok((index, Vec::with_capacity(self.subject.algorithm.facts.kind.signature))),
            |(index, signature): &mut (u64, Vec<u8>)| {
                self.signing[self.key(*index)].sign(self.message(*index), signature)
            },
            |(index, signature), signed: Result<(), Error>| {
                signed?;
                Ok(self.verifying[self.key(index)].verify(self.message(index), &signature)?)
            },
        )
    }

    fn prepare_verify(&self) -> impl measure::Operation {
        operation(
            |index| Ok(self.key(index)),
            |key: &mut usize| code(self.subject).verifying_key(&self.pairs[*key].public),
            |key, prepared: Result<Box<dyn VerifyingKey>, Error>| {
                // Signature `key` was made with this key, if there are as many signatures as keys.
                match self.signatures.get(key) {
                    Some(signature) => Ok(prepared?.verify(self.message(key as u64), signature)?),
                    None => Ok(prepared.map(drop)?),
                }
            },
        )
    }

    fn verify(&self) -> impl measure::Operation {
        operation(
            |index| Ok(index % self.signatures.len() as u64),
            |at: &mut u64| {
                self.verifying[self.key(*at)].verify(self.message(*at), &self.signatures[*at as usize])
            },
            |_, verified: Result<(), Error>| Ok(verified?),
        )
    }

    fn key(&self, index: u64) -> usize {
        (index % self.pairs.len() as u64) as usize
    }

    fn message(&self, index: u64) -> &[u8] {
        &self.messages[(index % self.messages.len() as u64) as usize]
    }

    /// How long one operation takes, roughly, by the clock.
    fn trial(&self, what: Operation) -> Result<Duration, StudyError> {
        fn once(mut operation: impl measure::Operation) -> Result<Duration, measure::Failure> {
            let mut input = operation.prepare(0)?;
            let start = Instant::now();
            let output = operation.run(&mut input);
            let elapsed = start.elapsed();
            operation.check(input, output)?;
            Ok(elapsed)
        }
        let elapsed = match what {
            Operation::Keygen => once(self.keygen()),
            Operation::PrepareSign => once(self.prepare_sign()),
            Operation::Sign => once(self.sign()),
            Operation::PrepareVerify => once(self.prepare_verify()),
            Operation::Verify => once(self.verify()),
        };
        elapsed.map_err(|source| self.subject.failed(what.name(), Error::Library(source.to_string())))
    }
}

fn code(subject: &Subject) -> &dyn Signature {
    subject.implementation.code.as_ref()
}

/// Implementations that take much longer than the others would leave them few rounds, so they are measured apart,
/// each group with the baseline in it. An operation shorter than the bound belongs to the group.
const GROUPS: [(Duration, f64); 3] =
    [(Duration::from_millis(2), 0.5), (Duration::from_millis(40), 0.25), (Duration::MAX, 0.25)];

/// Times `what` for every workshop and enters one record each, with the ratio to the baseline beside it.
///
/// `baseline` is the position of the workshop that the others are compared with.
pub fn measure_operation(
    bench: &mut Bench<'_>,
    book: &mut Book,
    workshops: &[Workshop<'_>],
    baseline: usize,
    what: Operation,
    input: &Input,
    budget: Duration,
) -> Result<(), StudyError> {
    let trials = workshops.iter().map(|shop| shop.trial(what)).collect::<Result<Vec<_>, _>>()?;
    let group_of =
        |trial: Duration| GROUPS.iter().position(|(bound, _)| trial < *bound).unwrap_or(GROUPS.len() - 1);
    let members = |group: usize| -> Vec<usize> {
        (0..workshops.len()).filter(|&at| at != baseline && group_of(trials[at]) == group).collect()
    };
    let occupied: f64 = (0..GROUPS.len()).filter(|&g| !members(g).is_empty()).map(|g| GROUPS[g].1).sum();
    let mut baseline_entered = false;
    for (group, (_, share)) in GROUPS.iter().enumerate() {
        let mut places = vec![baseline];
        places.extend(members(group));
        if bench.interrupted() || (places.len() == 1 && (occupied > 0.0 || baseline_entered)) {
            continue;
        }
        let plan = measure::Plan {
            target: bench.target,
            budget: budget.mul_f64(if occupied > 0.0 { share / occupied } else { 1.0 }),
            min_rounds: 15,
            seed: bench.seed,
            baseline: 0,
            ..measure::Plan::default()
        };
        let mut contenders: Vec<Contender<'_>> =
            places.iter().map(|&at| workshops[at].contender(what)).collect();
        let say = &mut *bench.say;
        let measurement =
            measure::measure(&plan, &bench.counter, &mut contenders, bench.interrupt, &mut |progress| {
                let widest = progress
                    .widest
                    .map_or(String::new(), |w| format!(", widest interval ±{:.1} %", w * 100.0));
                say(&format!("{}: {} rounds{widest}", what.name(), progress.rounds));
            })?;
        for (contender, &at) in places.iter().enumerate() {
            // The baseline is in every group; its figure comes from the first, which has the most rounds.
            if at == baseline && baseline_entered {
                continue;
            }
            baseline_entered |= at == baseline;
            enter(book, &workshops[at], &workshops[baseline], &measurement, contender, what, input);
        }
    }
    Ok(())
}

fn enter(
    book: &mut Book,
    shop: &Workshop<'_>,
    baseline: &Workshop<'_>,
    measurement: &measure::Measurement,
    contender: usize,
    what: Operation,
    input: &Input,
) {
    let Some(estimate) = measurement.estimate(contender) else { return };
    let bounds = |interval: measure::Interval| [interval.low, interval.high];
    let mut record =
        book.measured(shop.subject, (what.name(), ""), (estimate.value(), measurement.unit), input);
    record.interval = estimate.interval().map(bounds);
    record.estimator = estimate.estimator.name().to_owned();
    record.samples = estimate.rounds as u64;
    record.notes = measurement.notes(contender);
    book.record(record);
    if let Some(ratio) = measurement.ratio(contender, 0).filter(|_| contender > 0) {
        let against = format!("against {}", baseline.subject.name());
        let operation = format!("{}-ratio", what.name());
        let mut record = book.measured(shop.subject, (&operation, &against), (ratio.value, "ratio"), input);
        record.interval = ratio.interval.map(bounds);
        record.estimator = ratio.estimator.name().to_owned();
        record.samples = ratio.rounds as u64;
        book.record(record);
    }
}
