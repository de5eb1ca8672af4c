//! A prepared hash key and what it does.

use core::fmt;

use zeroize::ZeroizeOnDrop;

#[cfg(target_arch = "x86_64")]
use crate::path::Kind;
use crate::path::Path;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Powers, beside};
use crate::{Block, portable};

/// A hash key of GHASH (SP 800-38D, section 6.4). It is erased on drop.
#[derive(Clone)]
pub struct Ghash {
    path: Path,
    form: Form,
}

#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // nothing is allocated here, and the small one is seldom chosen
enum Form {
    Portable(portable::Key),
    #[cfg(target_arch = "x86_64")]
    Instructions(Powers),
}

/// Shows nothing of the key.
impl fmt::Debug for Ghash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ghash").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ZeroizeOnDrop for Ghash {}

impl Ghash {
    /// Prepares the hash subkey *H* for the fastest path.
    #[must_use]
    pub fn new(subkey: &Block) -> Self {
        Self::new_on(Path::best(), subkey)
    }

    /// [`new`](Self::new) for the given path.
    #[must_use]
    pub fn new_on(path: Path, subkey: &Block) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(powers) = Powers::new(path, subkey) {
            return Self { path, form: Form::Instructions(powers) };
        }
        Self { path, form: Form::Portable(portable::Key::new(subkey)) }
    }

    /// The path it was prepared for.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Goes on with the hash over some more blocks: for each of them `state = (state ^ block) • H`. It begins with zeros.
    pub fn update(&self, state: &mut Block, blocks: &[Block]) {
        match &self.form {
            Form::Portable(key) => key.update(state, blocks),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(powers) => powers.update(self.path, state, blocks),
        }
    }

    /// What hashes beside something else. Nothing, if the key's path is a narrower one.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[must_use]
    pub fn beside(&self) -> Option<beside::Key<'_>> {
        match &self.form {
            Form::Instructions(powers) if self.path.kind() == Kind::Vpclmul512 => Some(beside::Key(powers)),
            _ => None,
        }
    }

    /// [`update`](Self::update) with bytes, the last block of which is filled up with zeros.
    pub fn update_padded(&self, state: &mut Block, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks();
        if !blocks.is_empty() {
            self.update(state, blocks);
        }
        if !rest.is_empty() {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            self.update(state, &[last]);
        }
    }
}
