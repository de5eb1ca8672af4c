//! Several messages at once, of different keys and lengths.
//!
//! Each message occupies a *lane*: its state, the blocks it has still to absorb, and what follows them. A step
//! absorbs as many blocks as the lane with the fewest has; a lane that has none left goes on to its outer hash, or
//! delivers its tag and takes the next message. When no message is left to take, the lanes close ranks and narrower
//! engines do the rest, so that unequal lengths waste little.
//!
//! A lane knows no HMAC apart from what comes after its last block; hashing many plain messages is a lane that
//! begins with the initial state and has nothing to follow.

use core::marker::PhantomData;

use crate::block::{BLOCK, Block, State, Tail, write_digest};
use crate::hash::{Hash, absorb};
use crate::hmac::{Hmac, TagTooLong, check_length};
use crate::path::Path;

/// One message of a batch.
#[derive(Debug)]
pub struct Lane<'a, K> {
    /// The prepared key.
    pub key: &'a K,
    /// The whole message.
    pub message: &'a [u8],
    /// Where the tag goes; its length is the length of the tag.
    pub tag: &'a mut [u8],
}

/// Tags many messages; `view` says where a job has its key, its message and its tag. Keys and lengths may all
/// differ. Nothing is allocated.
///
/// # Errors
/// [`TagTooLong`] if a tag is longer than [`Hmac::LONGEST_TAG`]; no tag of the batch may be used then.
pub fn tag_many<'j, H: Hash, J>(
    jobs: &'j mut [J],
    view: impl Fn(&'j mut J) -> Lane<'j, Hmac<H>>,
) -> Result<(), TagTooLong> {
    tag_many_on(Path::best(), jobs, view)
}

/// [`tag_many`] by the given path.
///
/// # Errors
/// As [`tag_many`].
pub fn tag_many_on<'j, H: Hash, J>(
    path: Path,
    jobs: &'j mut [J],
    view: impl Fn(&'j mut J) -> Lane<'j, Hmac<H>>,
) -> Result<(), TagTooLong> {
    let mut streams = jobs.iter_mut().map(view);
    // As many lanes as there are messages or, where an engine may be left partly empty, as it has.
    match path.engine(streams.len(), H::EIGHT_FROM).lanes() {
        1 => streams.try_for_each(|lane| lane.key.tag_on(path, lane.message, lane.tag)),
        2..=4 => Lanes::<H, 4>::run(path, streams),
        5..=8 => Lanes::<H, 8>::run(path, streams),
        _ => Lanes::<H, 16>::run(path, streams),
    }
}

/// Up to `W` messages in progress; the first `active` lanes are occupied.
struct Lanes<'a, H: Hash, const W: usize> {
    states: [State; W],
    /// Apart from the streams, so that emptying them is one clearing of memory.
    tails: [Tail; W],
    streams: [Stream<'a>; W],
    active: usize,
    hash: PhantomData<H>,
}

impl<'a, H: Hash, const W: usize> Lanes<'a, H, W> {
    /// Takes every message through the lanes.
    fn run(path: Path, mut messages: impl Iterator<Item = Lane<'a, Hmac<H>>>) -> Result<(), TagTooLong> {
        let mut lanes = Self {
            states: [H::INITIAL; W],
            tails: [const { Tail::EMPTY }; W],
            streams: core::array::from_fn(|_| Stream::idle()),
            active: 0,
            hash: PhantomData,
        };
        while lanes.active < W
            && let Some(message) = messages.next()
        {
            lanes.active += 1;
            lanes.start(lanes.active - 1, message)?;
        }
        while lanes.active > 0 {
            let exhausted = lanes.step(path);
            lanes.turn_over(exhausted, &mut messages)?;
        }
        Ok(())
    }

    #[inline(always)] // a message handed over in memory would be read again before it has reached the cache
    fn start(&mut self, lane: usize, message: Lane<'a, Hmac<H>>) -> Result<(), TagTooLong> {
        check_length::<H>(message.tag)?;
        self.states[lane] = message.key.inner;
        let (body, rest) = message.message.as_chunks();
        self.tails[lane].fill(rest, BLOCK + BLOCK * body.len());
        self.streams[lane] = Stream { body, outer: Some(&message.key.outer), tag: message.tag };
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
    fn turn_over(
        &mut self,
        mut exhausted: u32,
        messages: &mut impl Iterator<Item = Lane<'a, Hmac<H>>>,
    ) -> Result<(), TagTooLong> {
        while let Some(lane) = exhausted.checked_ilog2() {
            exhausted &= !(1 << lane);
            let lane = lane as usize;
            let (stream, state) = (&mut self.streams[lane], &mut self.states[lane]);
            if let Some(outer) = stream.outer.take() {
                self.tails[lane].fill_outer(state, H::DIGEST);
                *state = *outer;
                continue;
            }
            write_digest(stream.tag, state);
            if let Some(message) = messages.next() {
                self.start(lane, message)?;
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

/// What a lane has still to do, apart from its tail: the end of the message, then the block of the outer hash.
struct Stream<'a> {
    /// Whole blocks of the message.
    body: &'a [Block],
    /// The state of the outer hash, while the inner one is under way.
    outer: Option<&'a State>,
    tag: &'a mut [u8],
}

impl Stream<'_> {
    fn idle() -> Self {
        Self { body: &[], outer: None, tag: &mut [] }
    }

    /// The blocks that can be absorbed in one go.
    #[inline]
    fn pending<'b>(&'b self, tail: &'b Tail) -> &'b [Block] {
        if self.body.is_empty() { tail.pending() } else { self.body }
    }

    /// Takes off the first `count` of them; true if nothing is left.
    #[inline]
    fn advance(&mut self, tail: &mut Tail, count: usize) -> bool {
        if self.body.is_empty() {
            tail.advance(count);
            tail.pending().is_empty()
        } else {
            self.body = self.body.get(count..).unwrap_or_default();
            false // the tail is yet to come
        }
    }
}
