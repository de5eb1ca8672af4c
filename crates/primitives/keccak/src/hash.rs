//! The hash functions.

use core::fmt;

use fieldtest_many::{DigestLength, LongestFirst, Message};

use crate::kt128;
use crate::lanes::{self, Task};
use crate::path::Path;
use crate::source::Source;
use crate::sponge::Sponge;

/// A hash function of this crate.
#[allow(private_bounds)] // the trait is sealed: what it needs is this crate's own
pub trait Hash: Absorb + 'static {
    /// Bytes of a digest, where they are fixed. A function without has digests of any length.
    const DIGEST: Option<usize>;
}

/// What a hash function does with messages.
pub(crate) trait Absorb {
    type State: Clone + Send + Sync;

    fn start(path: Path) -> Self::State;

    fn update(state: &mut Self::State, piece: &[u8]);

    fn finish(state: Self::State, digest: &mut [u8]);

    /// Whether a place for a digest has a length that there are digests of.
    fn check(digest: &[u8]) -> Result<(), DigestLength>;

    /// Hashes all messages. The first place for a digest that has another length ends it.
    fn run<'a>(path: Path, messages: impl Iterator<Item = Message<'a>>) -> Result<(), DigestLength>;
}

/// SHA3-256 (FIPS 202, section 6.1).
#[derive(Clone, Copy, Debug)]
pub enum Sha3_256 {}

/// SHAKE128 (FIPS 202, section 6.2) with digests of any length.
#[derive(Clone, Copy, Debug)]
pub enum Shake128 {}

/// KT128 of KangarooTwelve (RFC 9861, section 3) with digests of any length and no customization; see
/// [`kt128`](crate::kt128()) for that.
#[derive(Clone, Copy, Debug)]
pub enum Kt128 {}

/// The functions of FIPS 202: bytes per block, digest and suffix (section 6).
macro_rules! fips_202 {
    ($name:ident, $rate:literal, $digest:expr, $suffix:literal) => {
        impl Hash for $name {
            const DIGEST: Option<usize> = $digest;
        }

        impl Absorb for $name {
            type State = Sponge<$rate>;

            fn start(path: Path) -> Self::State {
                Sponge::new(path, 24)
            }

            fn update(state: &mut Self::State, piece: &[u8]) {
                state.update(piece);
            }

            fn finish(state: Self::State, digest: &mut [u8]) {
                state.finish($suffix, digest);
            }

            fn check(digest: &[u8]) -> Result<(), DigestLength> {
                DigestLength::check(digest, <Self as Hash>::DIGEST.unwrap_or(digest.len()))
            }

            fn run<'a>(path: Path, messages: impl Iterator<Item = Message<'a>>) -> Result<(), DigestLength> {
                let task = |Message { head, body, digest }: Message<'a>| {
                    Self::check(digest)?;
                    Ok(Task { source: Source::new([head, body, &[]]), suffix: $suffix, digest })
                };
                lanes::run::<$rate, _>(path, 24, LongestFirst::of(messages).map(task))
            }
        }
    };
}

fips_202!(Sha3_256, 136, Some(32), 0x06);
fips_202!(Shake128, 168, None, 0x1f);

impl Hash for Kt128 {
    const DIGEST: Option<usize> = None;
}

impl Absorb for Kt128 {
    type State = kt128::Hasher;

    fn start(path: Path) -> Self::State {
        kt128::Hasher::new(path)
    }

    fn update(state: &mut Self::State, piece: &[u8]) {
        state.update(piece);
    }

    fn finish(state: Self::State, digest: &mut [u8]) {
        state.finish(&[], digest);
    }

    fn check(_: &[u8]) -> Result<(), DigestLength> {
        Ok(())
    }

    fn run<'a>(path: Path, messages: impl Iterator<Item = Message<'a>>) -> Result<(), DigestLength> {
        kt128::run(path, messages)
    }
}

/// A hash under way. Nothing of it is erased on drop: it is not for secrets.
#[derive(Clone)]
pub struct Hasher<H: Hash> {
    state: H::State,
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
        Self { state: H::start(path) }
    }

    /// Appends to the message.
    pub fn update(&mut self, piece: &[u8]) {
        H::update(&mut self.state, piece);
    }

    /// Ends the message and overwrites `digest`.
    ///
    /// # Errors
    /// [`DigestLength`] if the function has no digests of this length; `digest` is left as it was.
    pub fn finish(self, digest: &mut [u8]) -> Result<(), DigestLength> {
        H::check(digest)?;
        H::finish(self.state, digest);
        Ok(())
    }
}

impl Hasher<Kt128> {
    /// [`Self::finish`] with a customization string.
    pub fn finish_customized(self, customization: &[u8], digest: &mut [u8]) {
        self.state.finish(customization, digest);
    }
}

impl<H: Hash> Default for Hasher<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Hash> fmt::Debug for Hasher<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").finish_non_exhaustive()
    }
}

/// The digest of the message that is `head` followed by `body`, by the given path; `digest` is overwritten.
///
/// # Errors
/// [`DigestLength`] if the function has no digests of this length; `digest` is left as it was.
pub fn hash_on<H: Hash>(path: Path, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), DigestLength> {
    let mut hasher = Hasher::<H>::new_on(path);
    hasher.update(head);
    hasher.update(body);
    hasher.finish(digest)
}

/// The digest of a message, where the place for it is known to have the right length.
pub(crate) fn unchecked<H: Hash>(message: &[u8], digest: &mut [u8]) {
    let mut state = H::start(Path::best());
    H::update(&mut state, message);
    H::finish(state, digest);
}
