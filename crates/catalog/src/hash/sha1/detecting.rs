//! SHA-1 that notices messages of which a colliding one can exist (M. Stevens and D. Shumow, "Speeding up detection of
//! SHA-1 collision attacks using unavoidable attack conditions", 2017).

use fieldtest_kinds::Error;

use super::super::function::{Function, State, write};

const DIGEST: usize = 20;

/// The crate `sha1dc`, which detects in SIMD and with the SHA extensions.
pub(super) struct Sha1Dc;

impl Function for Sha1Dc {
    type State = sha1dc::Hasher;

    fn digest_len(&self) -> usize {
        DIGEST
    }

    fn start(&self) -> sha1dc::Hasher {
        sha1dc::Hasher::new()
    }
}

impl State for sha1dc::Hasher {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        match self.finalize() {
            Ok(found) => write(found.as_bytes(), digest),
            Err(_) => Err(Error::CollisionAttack),
        }
    }
}

/// RustCrypto's crate `sha1-checked`, which does what the authors' C code does.
pub(super) struct Sha1Checked;

impl Function for Sha1Checked {
    type State = sha1_checked::Sha1;

    fn digest_len(&self) -> usize {
        DIGEST
    }

    fn start(&self) -> sha1_checked::Sha1 {
        sha1_checked::Sha1::new()
    }
}

impl State for sha1_checked::Sha1 {
    fn update(&mut self, piece: &[u8]) {
        sha1_checked::Digest::update(self, piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        let found = self.try_finalize();
        if found.has_collision() { Err(Error::CollisionAttack) } else { write(found.hash(), digest) }
    }
}
