//! An engine as a signature algorithm.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::process::{Process, Program};
use crate::protocol::{self, Operation, Outcome, SEED, VERSION};

/// Octets of keys and signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Of a public key.
    pub public_key: usize,
    /// Of a secret key.
    pub secret_key: usize,
    /// Of the longest signature.
    pub signature: usize,
}

/// A signature algorithm that is a program. It is started at the first request, and again after a fault; requests go one after the
/// other.
#[derive(Debug, Clone)]
pub struct Engine(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    algorithm: String,
    program: Program,
    sizes: Sizes,
    /// Whether a message has one signature.
    deterministic: bool,
    running: Mutex<Option<Process>>,
}

impl Engine {
    /// An engine that is not started yet.
    #[must_use]
    pub fn new(algorithm: String, program: Program, sizes: Sizes, deterministic: bool) -> Engine {
        Engine(Arc::new(Inner { algorithm, program, sizes, deterministic, running: Mutex::new(None) }))
    }

    /// Whether it says of itself that a message has one signature.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.0.deterministic
    }

    /// The median time of so many requests for nothing: what being attached costs each request.
    ///
    /// # Errors
    /// As for any request.
    pub fn attachment(&self, requests: usize) -> Result<Duration, Error> {
        let mut times = Vec::with_capacity(requests);
        for _ in 0..requests.max(1) {
            let begun = Instant::now();
            self.0.ask(Operation::Nothing, &[], 0)?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }

    fn pair(&self, seed: &[u8]) -> Result<KeyPair, Error> {
        let fields = self.0.ask(Operation::Generate, &[seed], 2)?;
        let [secret, public] = <[Vec<u8>; 2]>::try_from(fields).map_err(|_| self.0.fault("no key pair"))?;
        self.0.length("a secret key", &secret, self.0.sizes.secret_key)?;
        self.0.length("a public key", &public, self.0.sizes.public_key)?;
        Ok(KeyPair { secret, public })
    }
}

impl Inner {
    fn fault(&self, what: impl std::fmt::Display) -> Error {
        Error::Library(format!("the engine of {} ({}): {what}", self.algorithm, self.program.title))
    }

    fn length(&self, what: &str, octets: &[u8], wanted: usize) -> Result<(), Error> {
        match octets.len() == wanted {
            true => Ok(()),
            false => Err(self.fault(format!(
                "it gave {what} of {} octets, and says that they are {wanted}",
                octets.len()
            ))),
        }
    }

    /// Asks, and takes an answer of so many fields. An engine that did what no engine may do is ended.
    fn ask(&self, operation: Operation, fields: &[&[u8]], expected: usize) -> Result<Vec<Vec<u8>>, Error> {
        let request = Zeroizing::new(protocol::request(operation, fields).map_err(|what| self.fault(what))?);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match running.take() {
            Some(process) => process,
            None => self.start()?,
        };
        let answer = Zeroizing::new(process.ask(&request).map_err(|fault| self.fault(fault))?);
        let (outcome, fields) =
            protocol::answer(&answer).map_err(|what| self.fault(format!("it sent {what}")))?;
        let found = match outcome {
            Outcome::Invalid if operation == Operation::Verify => Err(Error::InvalidSignature),
            Outcome::Invalid => return Err(self.fault("it called something a wrong signature that is none")),
            Outcome::Failed => Err(self.fault(format!("it says “{}”", why(&fields)))),
            Outcome::Done if fields.len() == expected => Ok(fields.into_iter().map(<[u8]>::to_vec).collect()),
            Outcome::Done => {
                return Err(
                    self.fault(format!("it answered with {} fields instead of {expected}", fields.len()))
                );
            }
        };
        *running = Some(process);
        found
    }

    fn start(&self) -> Result<Process, Error> {
        let mut process = Process::start(&self.program).map_err(|fault| self.fault(fault))?;
        let words: [&[u8]; 2] = [&[VERSION], self.algorithm.as_bytes()];
        let hello = protocol::request(Operation::Hello, &words).map_err(|what| self.fault(what))?;
        let answer = process.ask(&hello).map_err(|fault| self.fault(fault))?;
        match protocol::answer(&answer) {
            Ok((Outcome::Done, fields)) if fields == words => Ok(process),
            Ok((Outcome::Failed, fields)) => Err(self.fault(format!("it says “{}” to hello", why(&fields)))),
            _ => {
                Err(self
                    .fault(format!("it does not speak version {VERSION} of the protocol for this algorithm")))
            }
        }
    }
}

/// What an engine says of its failure: as much as a message takes.
fn why(fields: &[&[u8]]) -> String {
    let text = fields.first().map(|text| String::from_utf8_lossy(text)).unwrap_or_default();
    text.chars().take(300).collect()
}

impl Signature for Engine {
    fn generate(&self) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        getrandom::fill(&mut *seed)
            .map_err(|error| Error::Library(format!("no randomness from the system: {error}")))?;
        self.pair(&*seed)
    }

    fn generate_from(&self, random: &mut Randomness<'_>) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        random(&mut *seed);
        self.pair(&*seed)
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let Sizes { secret_key, public_key, .. } = self.0.sizes;
        if secret.len() != secret_key {
            return Err(Error::MalformedKey(format!(
                "a secret key has {secret_key} bytes, and these are {}",
                secret.len()
            )));
        }
        let public = self.0.ask(Operation::Public, &[secret], 1)?.swap_remove(0);
        self.0.length("a public key", &public, public_key)?;
        Ok(Box::new(Signing { engine: self.0.clone(), secret: Zeroizing::new(secret.to_vec()), public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let length = self.0.sizes.public_key;
        if public.len() != length {
            return Err(Error::MalformedKey(format!(
                "a public key has {length} bytes, and these are {}",
                public.len()
            )));
        }
        Ok(Box::new(Verifying { engine: self.0.clone(), public: public.to_vec() }))
    }
}

struct Signing {
    engine: Arc<Inner>,
    secret: Zeroizing<Vec<u8>>,
    public: Vec<u8>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let found = self.engine.ask(Operation::Sign, &[&self.secret, message], 1)?.swap_remove(0);
        let most = self.engine.sizes.signature;
        if !(1..=most).contains(&found.len()) {
            return Err(self
                .engine
                .fault(format!("it gave a signature of {} octets, and says 1 to {most}", found.len())));
        }
        *signature = found;
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        match self.engine.deterministic {
            true => self.sign(message, signature),
            false => Err(Error::Unsupported("deterministic signing")),
        }
    }
}

struct Verifying {
    engine: Arc<Inner>,
    public: Vec<u8>,
}

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.engine.ask(Operation::Verify, &[&self.public, message, signature], 0).map(drop)
    }
}
