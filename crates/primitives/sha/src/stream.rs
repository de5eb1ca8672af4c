//! A message that comes in pieces.

use core::fmt;

use fieldtest_many::DigestLength;

use crate::block::{BLOCK, Block, Rest, State, Tail, write_digest};
use crate::hash::{Hash, absorb};
use crate::path::Path;

/// A hash under way. Nothing of it is erased on drop: it is not for secrets.
#[derive(Clone)]
pub struct Hasher<H: Hash> {
    path: Path,
    state: State,
    /// The end of the message so far that does not fill a block.
    rest: Block,
    /// Bytes of the message so far.
    length: usize,
    hash: core::marker::PhantomData<H>,
}

impl<H: Hash> Hasher<H> {
    /// Begins an empty message.
    #[must_use]
    pub fn new() -> Self {
        Self::new_on(Path::best())
    }

    /// [`Self::new`] by the given path.
    #[must_use]
    pub fn new_on(path: Path) -> Self {
        Self { path, state: H::INITIAL, rest: [0; BLOCK], length: 0, hash: core::marker::PhantomData }
    }

    /// Appends to the message. Whole blocks are read where they lie.
    pub fn update(&mut self, mut piece: &[u8]) {
        let begun = self.length % BLOCK;
        self.length += piece.len();
        if begun > 0 {
            let (_, free) = self.rest.split_at_mut(begun);
            let Some((beginning, after)) = piece.split_at_checked(free.len()) else {
                free[..piece.len()].copy_from_slice(piece);
                return;
            };
            free.copy_from_slice(beginning);
            piece = after;
            let block = self.rest;
            self.absorb(&[block]);
        }
        let (blocks, rest) = piece.as_chunks();
        self.absorb(blocks);
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    /// Ends the message and overwrites `digest`.
    ///
    /// # Errors
    /// [`DigestLength`] if `digest` is not [`Hash::DIGEST`] bytes long; it is left as it was.
    pub fn finish(mut self, digest: &mut [u8]) -> Result<(), DigestLength> {
        DigestLength::check(digest, H::DIGEST)?;
        let rest = self.length % BLOCK;
        let mut tail = Tail::EMPTY;
        tail.end(Rest { absorbed: self.length - rest, body: &self.rest[..rest] });
        self.absorb(tail.pending());
        write_digest(digest, &self.state);
        Ok(())
    }

    fn absorb(&mut self, blocks: &[Block]) {
        absorb::<H>(self.path.single(), core::slice::from_mut(&mut self.state), &[blocks]);
    }
}

impl<H: Hash> Default for Hasher<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Hash> fmt::Debug for Hasher<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher")
            .field("path", &self.path)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
