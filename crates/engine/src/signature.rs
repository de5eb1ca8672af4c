//! An engine as a signature algorithm.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::Connection;
use crate::protocol::{Operation, SEED};

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

/// A signature algorithm that is a program.
#[derive(Debug, Clone)]
pub struct Engine {
    connection: Connection,
    sizes: Sizes,
    deterministic: bool,
}

impl Engine {
    /// One of these sizes, which says of itself whether a message has one signature.
    pub fn new(connection: Connection, sizes: Sizes, deterministic: bool) -> Engine {
        Engine { connection, sizes, deterministic }
    }

    /// Whether it says of itself that a message has one signature.
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    fn pair(&self, seed: &[u8]) -> Result<KeyPair, Error> {
        let fields = self.connection.ask(Operation::Generate, &[seed], 2)?;
        let [secret, public] =
            <[Vec<u8>; 2]>::try_from(fields).map_err(|_| self.connection.fault("no key pair"))?;
        self.connection.length("a secret key", &secret, self.sizes.secret_key)?;
        self.connection.length("a public key", &public, self.sizes.public_key)?;
        Ok(KeyPair { secret, public })
    }
}

impl Signature for Engine {
    fn generate(&self) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        getrandom::fill(&mut *seed)
            .map_err(|error| Error::Library(format!("the system provides no random bytes: {error}")))?;
        self.pair(&*seed)
    }

    fn generate_from(&self, random: &mut Randomness<'_>) -> Result<KeyPair, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        random(&mut *seed);
        self.pair(&*seed)
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let Sizes { secret_key, public_key, .. } = self.sizes;
        if secret.len() != secret_key {
            return Err(Error::MalformedKey(format!(
                "a secret key has {secret_key} bytes, but this one has {}",
                secret.len()
            )));
        }
        let public = self.connection.ask(Operation::Public, &[secret], 1)?.swap_remove(0);
        self.connection.length("a public key", &public, public_key)?;
        Ok(Box::new(Signing { engine: self.clone(), secret: Zeroizing::new(secret.to_vec()), public }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let length = self.sizes.public_key;
        if public.len() != length {
            return Err(Error::MalformedKey(format!(
                "a public key has {length} bytes, but this one has {}",
                public.len()
            )));
        }
        Ok(Box::new(Verifying { engine: self.clone(), public: public.to_vec() }))
    }
}

struct Signing {
    engine: Engine,
    secret: Zeroizing<Vec<u8>>,
    public: Vec<u8>,
}

impl SigningKey for Signing {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        let found = self.engine.connection.ask(Operation::Sign, &[&self.secret, message], 1)?.swap_remove(0);
        let most = self.engine.sizes.signature;
        if !(1..=most).contains(&found.len()) {
            return Err(self.engine.connection.fault(format!(
                "it returned a signature of {} bytes, but declares 1 to {most}",
                found.len()
            )));
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
    engine: Engine,
    public: Vec<u8>,
}

impl VerifyingKey for Verifying {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.engine.connection.ask(Operation::Verify, &[&self.public, message, signature], 0).map(drop)
    }
}
