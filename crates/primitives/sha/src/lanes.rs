//! Several messages at once, of different lengths and, for HMAC, of different keys.
//!
//! Each message occupies a *lane*: its state, the blocks it has still to absorb, and what follows them. A step
//! absorbs as many blocks as the lane with the fewest has; a lane that has none left goes on to what follows, or
//! delivers its digest and takes the next message. When no message is left to take, the lanes close ranks and narrower
//! engines do the rest, so that unequal lengths waste little.

use core::marker::PhantomData;

use crate::block::{Block, State, Tail, write_digest};
use crate::hash::{Hash, absorb};
use crate::path::Path;

/// A message on its way into a lane of `H`.
pub(crate) trait Task<'a, H> {
    /// What follows when the blocks and the tail have been absorbed.
    type Then: Then<'a, H>;

    /// What may be wrong with it.
    type Error;

    /// Sets the state to begin with and the tail.
    fn start(self, state: &mut State, tail: &mut Tail) -> Result<Stream<'a, Self::Then>, Self::Error>;
}

/// What follows when the blocks and the tail have been absorbed. The default is nothing.
pub(crate) trait Then<'a, H>: Default {
    /// Begins it: sets the tail, and the state if it does not go on, and returns the blocks before that; or nothing,
    /// because the state is that of the digest.
    fn begin(&mut self, state: &mut State, tail: &mut Tail) -> Option<&'a [Block]>;
}

/// Takes every task through `lanes` lanes, or the next larger number that there is a type for. The first error ends it.
#[inline(always)] // so that the tasks are composed where they are taken
pub(crate) fn run<'a, H: Hash, T: Task<'a, H>>(
    path: Path,
    lanes: usize,
    tasks: impl Iterator<Item = T>,
) -> Result<(), T::Error> {
    match lanes {
        ..=4 => Lanes::<H, T::Then, 4>::run(path, tasks),
        5..=8 => Lanes::<H, T::Then, 8>::run(path, tasks),
        _ => Lanes::<H, T::Then, 16>::run(path, tasks),
    }
}

/// Up to `W` messages in progress; the first `active` lanes are occupied.
struct Lanes<'a, H: Hash, N, const W: usize> {
    states: [State; W],
    /// Apart from the streams, so that emptying them is one clearing of memory.
    tails: [Tail; W],
    streams: [Stream<'a, N>; W],
    active: usize,
    hash: PhantomData<H>,
}

impl<'a, H: Hash, N: Then<'a, H>, const W: usize> Lanes<'a, H, N, W> {
    fn run<T: Task<'a, H, Then = N>>(path: Path, mut tasks: impl Iterator<Item = T>) -> Result<(), T::Error> {
        let mut lanes = Self {
            states: [H::INITIAL; W],
            tails: [const { Tail::EMPTY }; W],
            streams: core::array::from_fn(|_| Stream::idle::<H>()),
            active: 0,
            hash: PhantomData,
        };
        while lanes.active < W
            && let Some(task) = tasks.next()
        {
            lanes.active += 1;
            lanes.start(lanes.active - 1, task)?;
        }
        while lanes.active > 0 {
            let exhausted = lanes.step(path);
            lanes.turn_over(exhausted, &mut tasks)?;
        }
        Ok(())
    }

    #[inline(always)] // a task handed over in memory would be read again before it has reached the cache
    fn start<T: Task<'a, H, Then = N>>(&mut self, lane: usize, task: T) -> Result<(), T::Error> {
        self.streams[lane] = task.start(&mut self.states[lane], &mut self.tails[lane])?;
        Ok(())
    }

    /// Absorbs at least one block into every occupied lane. Returns the lanes that have none left, a bit for each.
    fn step(&mut self, path: Path) -> u32 {
        let mut exhausted = 0;
        let mut first = 0;
        while first < self.active {
            let engine = path.engine(self.active - first, H::EIGHT_FROM);
            let occupied = engine.lanes().min(self.active - first);
            let lanes = first..first + occupied;
            // Where an engine is partly empty, its other lanes repeat the first; what they compute is ignored.
            let mut pending = [self.streams[first].pending(&self.tails[first]); W];
            for (lane, pending) in lanes.clone().zip(&mut pending) {
                *pending = self.streams[lane].pending(&self.tails[lane]);
            }
            let count = absorb::<H>(engine, &mut self.states[first..], &pending);
            debug_assert_ne!(count, 0, "{engine:?} for {} lanes from {first}", self.active);
            for lane in lanes {
                exhausted |= u32::from(self.streams[lane].advance(&mut self.tails[lane], count)) << lane;
            }
            first += occupied;
        }
        exhausted
    }

    /// Lets the exhausted lanes go on to what follows. The highest comes first, so that the last lane, which takes
    /// the place of one that has nothing left to do, has always been seen to.
    fn turn_over<T: Task<'a, H, Then = N>>(
        &mut self,
        mut exhausted: u32,
        tasks: &mut impl Iterator<Item = T>,
    ) -> Result<(), T::Error> {
        while let Some(lane) = exhausted.checked_ilog2() {
            exhausted &= !(1 << lane);
            let lane = lane as usize;
            let (stream, state) = (&mut self.streams[lane], &mut self.states[lane]);
            if let Some(blocks) = stream.then.begin(state, &mut self.tails[lane]) {
                stream.blocks = blocks;
                continue;
            }
            write_digest(stream.digest, state);
            if let Some(task) = tasks.next() {
                self.start(lane, task)?;
            } else {
                self.active -= 1;
                if lane < self.active {
                    self.states.swap(lane, self.active);
                    self.tails.swap(lane, self.active);
                    self.streams.swap(lane, self.active);
                }
            }
        }
        Ok(())
    }
}

/// What a lane has still to do, apart from its tail, which comes after the blocks.
pub(crate) struct Stream<'a, N> {
    pub(crate) blocks: &'a [Block],
    /// What follows the tail.
    pub(crate) then: N,
    /// Where the digest goes, or as much of it as there is room for.
    pub(crate) digest: &'a mut [u8],
}

impl<'a, N> Stream<'a, N> {
    fn idle<H>() -> Self
    where
        N: Then<'a, H>,
    {
        Self { blocks: &[], then: N::default(), digest: &mut [] }
    }

    /// The blocks that can be absorbed in one go.
    #[inline]
    fn pending<'b>(&'b self, tail: &'b Tail) -> &'b [Block] {
        if self.blocks.is_empty() { tail.pending() } else { self.blocks }
    }

    /// Takes off the first `count` of them; true if neither blocks nor tail are left.
    #[inline]
    fn advance(&mut self, tail: &mut Tail, count: usize) -> bool {
        if self.blocks.is_empty() {
            tail.advance(count);
            tail.pending().is_empty()
        } else {
            self.blocks = self.blocks.get(count..).unwrap_or_default();
            false // the tail is yet to come
        }
    }
}
