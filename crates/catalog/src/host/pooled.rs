//! Adapters for libraries whose functions work in a context of the library's own, which one thread uses at a time. Making
//! one costs more than a short message, so that it is kept for the next.

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use fieldtest_kinds::hash::Job;
use fieldtest_kinds::mac::MacKey;

use crate::cipher::{Mode, check_key, xts_halves};
use crate::hash::{Function, State, wrong_length};
use crate::mac::keyed::{too_long, write};
use crate::pool::Pool;

/// Bytes of the longest output of any function here.
const LONGEST: usize = 64;

/// A context in which one message after the other is hashed, or tagged under one key.
pub(crate) trait Worker: Send + 'static {
    /// Begins a message; what was there of another one is dropped.
    fn begin(&mut self) -> Result<(), Error>;

    /// Appends to the message that was begun. The message of a MAC comes in one piece.
    fn update(&mut self, piece: &[u8]) -> Result<(), Error>;

    /// Ends the message. `output` is as long as the whole output.
    fn finish(&mut self, output: &mut [u8]) -> Result<(), Error>;
}

/// A hash function, or a key of a MAC, by what makes contexts of it.
pub(crate) struct Pooled<M, W> {
    make: M,
    output: usize,
    idle: Pool<W>,
}

impl<W: Worker, M: Fn() -> Result<W, Error> + Send + Sync + 'static> Pooled<M, W> {
    /// A function with outputs of so many bytes.
    ///
    /// # Errors
    /// Whatever `make` refuses: the first context is made here.
    pub(super) fn new(output: usize, make: M) -> Result<Self, Error> {
        let pooled = Pooled { make, output, idle: Pool::default() };
        pooled.idle.put((pooled.make)()?);
        Ok(pooled)
    }

    fn hash(&self, worker: &mut W, [head, body]: [&[u8]; 2], digest: &mut [u8]) -> Result<(), Error> {
        if digest.len() != self.output {
            return Err(wrong_length(self.output, digest.len()));
        }
        worker.begin()?;
        worker.update(head)?;
        worker.update(body)?;
        worker.finish(digest)
    }
}

impl<W: Worker, M: Fn() -> Result<W, Error> + Send + Sync + 'static> Function for Pooled<M, W> {
    type State = Pieces<W>;

    fn digest_len(&self) -> usize {
        self.output
    }

    fn start(&self) -> Pieces<W> {
        let begun = (self.make)().and_then(|mut worker| {
            worker.begin()?;
            Ok(worker)
        });
        Pieces { worker: begun, output: self.output }
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.idle.with(&self.make, |worker| self.hash(worker, [head, body], digest))
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        self.idle.with(&self.make, |worker| {
            jobs.iter_mut().try_for_each(|job| self.hash(worker, [job.head, job.body], job.digest))
        })
    }
}

/// A message that comes in pieces; what failed on the way is said at its end.
pub(crate) struct Pieces<W> {
    worker: Result<W, Error>,
    output: usize,
}

impl<W: Worker> State for Pieces<W> {
    fn update(&mut self, piece: &[u8]) {
        if let Ok(worker) = &mut self.worker
            && let Err(error) = worker.update(piece)
        {
            self.worker = Err(error);
        }
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        let mut worker = self.worker?;
        if digest.len() != self.output {
            return Err(wrong_length(self.output, digest.len()));
        }
        worker.finish(digest)
    }
}

impl<W: Worker, M: Fn() -> Result<W, Error> + Send + Sync + 'static> MacKey for Pooled<M, W> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        if tag.len() > self.output {
            return Err(too_long(tag.len(), self.output));
        }
        let mut whole = [0; LONGEST];
        let whole = &mut whole[..self.output];
        self.idle.with(&self.make, |worker| {
            worker.begin()?;
            worker.update(message)?;
            worker.finish(whole)
        })?;
        write(whole, tag)
    }
}

/// What a context of a cipher does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encryption,
    Decryption,
}

/// A context of a cipher that has its key and its direction.
pub(crate) trait SectorWorker: Send + 'static {
    /// Most bytes that one call is given where sectors do not matter.
    const MOST: usize;

    /// Encrypts or decrypts one sector in place; without a tweak, any number of blocks.
    fn crypt(&mut self, tweak: Option<&[u8; 16]>, sector: &mut [u8]) -> Result<(), Error>;
}

/// What makes contexts of a prepared key.
pub(crate) type Maker<W> = Box<dyn Fn() -> Result<W, Error> + Send + Sync>;

/// A cipher with its mode, by what prepares a key for a direction.
pub(crate) struct PooledCipher<P> {
    prepare: P,
    mode: Mode,
    key_len: usize,
}

impl<W: SectorWorker, P> PooledCipher<P>
where
    P: Fn(&[u8], Direction) -> Result<Maker<W>, Error> + Send + Sync + 'static,
{
    /// Nothing, if the library does not take keys of that length.
    pub(crate) fn new(mode: Mode, key_len: usize, prepare: P) -> Option<Self> {
        // Not all zeros: libraries refuse XTS keys with equal halves.
        let key: Vec<u8> = (0..=u8::MAX).take(key_len).collect();
        prepare(&key, Direction::Encryption).and_then(|make| make()).ok()?;
        Some(PooledCipher { prepare, mode, key_len })
    }
}

impl<W: SectorWorker, P> Cipher for PooledCipher<P>
where
    P: Fn(&[u8], Direction) -> Result<Maker<W>, Error> + Send + Sync + 'static,
{
    fn key_len(&self) -> usize {
        self.key_len
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        check_key(self.key_len, key)?;
        if self.mode == Mode::Xts {
            xts_halves(key)?;
        }
        let one_way = |direction| -> Result<OneWay<W>, Error> {
            Ok(OneWay { make: (self.prepare)(key, direction)?, idle: Pool::default() })
        };
        Ok(Box::new(Key {
            mode: self.mode,
            encryption: one_way(Direction::Encryption)?,
            decryption: one_way(Direction::Decryption)?,
        }))
    }
}

struct Key<W> {
    mode: Mode,
    encryption: OneWay<W>,
    decryption: OneWay<W>,
}

/// What makes contexts with the key, and those that no thread is using.
pub(super) struct OneWay<W> {
    make: Maker<W>,
    idle: Pool<W>,
}

impl<W> OneWay<W> {
    /// With a context that is made at once.
    pub(super) fn begun(make: Maker<W>) -> Result<Self, Error> {
        let this = OneWay { make, idle: Pool::default() };
        this.idle.put((this.make)()?);
        Ok(this)
    }

    pub(super) fn with(&self, work: impl FnOnce(&mut W) -> Result<(), Error>) -> Result<(), Error> {
        self.idle.with(&self.make, work)
    }
}

impl<W: SectorWorker> OneWay<W> {
    fn crypt(&self, mode: Mode, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        mode.sizes().check(sector_size, data)?;
        self.with(|worker| {
            if mode == Mode::Ecb {
                return data.chunks_mut(W::MOST).try_for_each(|part| worker.crypt(None, part));
            }
            (0..)
                .zip(data.chunks_exact_mut(sector_size))
                .try_for_each(|(number, sector)| worker.crypt(Some(&tweaks.of(number)), sector))
        })
    }
}

impl<W: SectorWorker> CipherKey for Key<W> {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.encryption.crypt(self.mode, tweaks, sector_size, data)
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.decryption.crypt(self.mode, tweaks, sector_size, data)
    }
}
