//! Algorithms that cost nothing and protect nothing: what is tried is the carriers' reading, and it must not fail
//! whatever an algorithm answers.

use std::marker::PhantomData;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use fieldtest_kinds::hash::{Hash, Stream};
use fieldtest_kinds::mac::{Mac, MacKey};
use fieldtest_kinds::signature::{
    DigestAlgorithm, KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use sha2::Digest;

/// FNV-1a, which is quick and depends on every byte.
fn mix(parts: &[&[u8]]) -> u64 {
    parts
        .concat()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A MAC with tags of up to 32 bytes.
pub(crate) struct FakeMac;

struct FakeMacKey(u64);

impl Mac for FakeMac {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        traffic_key.clear();
        traffic_key.extend_from_slice(&mix(&[master_key, context]).to_le_bytes());
        Ok(())
    }

    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(FakeMacKey(mix(&[traffic_key]))))
    }

    fn longest_tag(&self) -> usize {
        32
    }
}

impl MacKey for FakeMacKey {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let sum = mix(&[&self.0.to_le_bytes(), message]).to_le_bytes();
        tag.iter_mut().zip(sum.iter().cycle()).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

/// A signature scheme whose public key is its secret key, in any of the forms, so that keys of that form go through
/// the code that is for them.
#[derive(Clone, Copy)]
pub(crate) struct FakeSignature(pub(crate) PublicKeyForm);

struct FakeKey(Vec<u8>);

impl FakeKey {
    fn signature_of(&self, message: &[u8]) -> Vec<u8> {
        mix(&[&self.0, message]).to_le_bytes().repeat(8)
    }
}

impl Signature for FakeSignature {
    fn public_key_form(&self) -> PublicKeyForm {
        self.0
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        Ok(KeyPair { secret: vec![7; 32], public: vec![7; 32] })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        Ok(Box::new(FakeKey(secret.to_vec())))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        Ok(Box::new(FakeKey(public.to_vec())))
    }
}

impl SigningKey for FakeKey {
    fn public_key(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        *signature = self.signature_of(message);
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(message, signature)
    }

    fn sign_digest(&self, _: DigestAlgorithm, digest: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(digest, signature)
    }
}

impl VerifyingKey for FakeKey {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        match signature == self.signature_of(message) {
            true => Ok(()),
            false => Err(Error::InvalidSignature),
        }
    }

    fn verify_digest(&self, _: DigestAlgorithm, digest: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.verify(digest, signature)
    }
}

/// A cipher that flips bits, for keys of any length.
pub(crate) struct FakeCipher(pub(crate) usize);

struct FakeCipherKey(u8);

impl Cipher for FakeCipher {
    fn key_len(&self) -> usize {
        self.0
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        Ok(Box::new(FakeCipherKey(mix(&[key]) as u8)))
    }
}

impl CipherKey for FakeCipherKey {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        assert!(sector_size > 0 && data.len().is_multiple_of(sector_size), "whole sectors");
        let _ = tweaks;
        data.iter_mut().for_each(|byte| *byte ^= self.0);
        Ok(())
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.encrypt(tweaks, sector_size, data)
    }
}

/// Git's SHA-1.
pub(crate) fn sha1() -> Arc<dyn Hash> {
    Arc::new(Digested::<sha1::Sha1>(PhantomData))
}

/// Git's SHA-256.
pub(crate) fn sha256() -> Arc<dyn Hash> {
    Arc::new(Digested::<sha2::Sha256>(PhantomData))
}

struct Digested<D>(PhantomData<fn() -> D>);

struct State<D>(D);

impl<D: Digest + Send + 'static> Hash for Digested<D> {
    fn digest_len(&self) -> usize {
        <D as Digest>::output_size()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        let mut stream = self.start();
        stream.update(head);
        stream.update(body);
        stream.finish(digest)
    }

    fn start(&self) -> Box<dyn Stream> {
        Box::new(State(D::new()))
    }
}

impl<D: Digest + Send> Stream for State<D> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>, digest: &mut [u8]) -> Result<(), Error> {
        assert_eq!(digest.len(), <D as Digest>::output_size(), "room for a digest");
        digest.copy_from_slice(&self.0.finalize());
        Ok(())
    }
}
