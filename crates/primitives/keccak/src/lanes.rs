//! Several messages at once, whose lengths may all be different.
//!
//! Each message occupies a *lane*. A step absorbs as many blocks as the lane with the fewest in one piece has; a lane
//! whose message is over delivers its digest and takes the next one. The last message left is finished alone.

use crate::engine::{self, Several};
#[cfg(target_arch = "x86_64")]
use crate::engine::{AbsorbSeveral, States};
use crate::path::Path;
use crate::permutation::{State, last_rounds};
use crate::source::{Next, Source};

pub(crate) struct Task<'a> {
    pub(crate) source: Source<'a>,
    /// The bits that follow the message and the first bit of the padding, lowest first.
    pub(crate) suffix: u8,
    /// Where the output goes, however much there is room for.
    pub(crate) digest: &'a mut [u8],
}

/// Takes all tasks through a sponge with this many rounds. The first error ends it.
pub(crate) fn run<'a, const RATE: usize, E>(
    path: Path,
    rounds: usize,
    mut tasks: impl Iterator<Item = Result<Task<'a>, E>>,
) -> Result<(), E> {
    let iota = last_rounds(rounds);
    match engine::several::<RATE>(path) {
        Several::OneByOne => tasks.try_for_each(|task| {
            let mut buffer = [0; RATE];
            Stream::start(task?, &mut buffer).finish_alone(path, iota, [0; 25], &mut buffer);
            Ok(())
        }),
        #[cfg(target_arch = "x86_64")]
        Several::Four(absorb) => Lanes::<RATE, 4>::run(path, iota, absorb, tasks),
        #[cfg(target_arch = "x86_64")]
        Several::Eight(absorb) => Lanes::<RATE, 8>::run(path, iota, absorb, tasks),
    }
}

/// Up to `W` messages in progress; the first `active` lanes are occupied.
#[cfg(target_arch = "x86_64")]
struct Lanes<'a, const RATE: usize, const W: usize> {
    states: States<W>,
    buffers: [[u8; RATE]; W],
    streams: [Stream<'a, RATE>; W],
    active: usize,
}

#[cfg(target_arch = "x86_64")]
impl<'a, const RATE: usize, const W: usize> Lanes<'a, RATE, W> {
    fn run<E>(
        path: Path,
        iota: &[u64],
        absorb: AbsorbSeveral<RATE, W>,
        mut tasks: impl Iterator<Item = Result<Task<'a>, E>>,
    ) -> Result<(), E> {
        let mut lanes = Self {
            states: [[0; W]; 25],
            buffers: [[0; RATE]; W],
            streams: core::array::from_fn(|_| Stream::idle()),
            active: 0,
        };
        while lanes.active < W
            && let Some(task) = tasks.next()
        {
            lanes.streams[lanes.active] = Stream::start(task?, &mut lanes.buffers[lanes.active]);
            lanes.active += 1;
        }
        while lanes.active > 1 {
            let messages = core::array::from_fn(|lane| {
                // Lanes that are not occupied repeat the first; what they compute is ignored.
                let lane = if lane < lanes.active { lane } else { 0 };
                lanes.streams[lane].pending(&lanes.buffers[lane])
            });
            let count = absorb(&mut lanes.states, &messages, iota);
            // The highest first, so that the last lane, which takes the place of one that has nothing left to do, has
            // always been seen to.
            for lane in (0..lanes.active).rev() {
                if !lanes.streams[lane].advance(count, &mut lanes.buffers[lane]) {
                    let mut state = lanes.states.map(|side| side[lane]);
                    squeeze::<RATE>(path, iota, &mut state, lanes.streams[lane].digest);
                    match tasks.next() {
                        Some(task) => lanes.begin(lane, task?),
                        None => lanes.close(lane),
                    }
                }
            }
        }
        if lanes.active == 1 {
            let state = lanes.states.map(|side| side[0]);
            lanes.streams[0].finish_alone(path, iota, state, &mut lanes.buffers[0]);
        }
        Ok(())
    }

    fn begin(&mut self, lane: usize, task: Task<'a>) {
        self.states.iter_mut().for_each(|side| side[lane] = 0);
        self.streams[lane] = Stream::start(task, &mut self.buffers[lane]);
    }

    /// Gives the place of this lane to the last.
    fn close(&mut self, lane: usize) {
        self.active -= 1;
        if lane < self.active {
            self.states.iter_mut().for_each(|side| side[lane] = side[self.active]);
            self.buffers[lane] = self.buffers[self.active];
            self.streams.swap(lane, self.active);
        }
    }
}

/// What a lane has still to do.
struct Stream<'a, const RATE: usize> {
    source: Source<'a>,
    /// Blocks that are read where they lie; where there are none, the lane's buffer is next.
    blocks: &'a [[u8; RATE]],
    /// Whether the buffer has the last block.
    last: bool,
    suffix: u8,
    digest: &'a mut [u8],
}

impl<'a, const RATE: usize> Stream<'a, RATE> {
    #[cfg(target_arch = "x86_64")]
    fn idle() -> Self {
        Self { source: Source::new([&[]; 3]), blocks: &[], last: true, suffix: 0, digest: &mut [] }
    }

    fn start(task: Task<'a>, buffer: &mut [u8; RATE]) -> Self {
        let Task { source, suffix, digest } = task;
        let mut stream = Self { source, blocks: &[], last: false, suffix, digest };
        stream.fetch(buffer);
        stream
    }

    fn fetch(&mut self, buffer: &mut [u8; RATE]) {
        match self.source.next(buffer, self.suffix) {
            Next::InPlace(blocks) => self.blocks = blocks,
            Next::Joint => {}
            Next::Last => self.last = true,
        }
    }

    /// The blocks that can be absorbed in one go, never none.
    fn pending<'b>(&'b self, buffer: &'b [u8; RATE]) -> &'b [[u8; RATE]] {
        if self.blocks.is_empty() { core::slice::from_ref(buffer) } else { self.blocks }
    }

    /// Takes off the first `count` of them; false if the message is over.
    fn advance(&mut self, count: usize, buffer: &mut [u8; RATE]) -> bool {
        if self.blocks.is_empty() && self.last {
            return false;
        }
        self.blocks = self.blocks.get(count..).unwrap_or_default();
        if self.blocks.is_empty() && !self.last {
            self.fetch(buffer);
        }
        true
    }

    /// Absorbs what is left, and delivers the digest.
    fn finish_alone(&mut self, path: Path, iota: &[u64], mut state: State, buffer: &mut [u8; RATE]) {
        loop {
            let blocks = self.pending(buffer);
            let count = blocks.len();
            engine::absorb(path, &mut state, blocks, iota);
            if !self.advance(count, buffer) {
                return squeeze::<RATE>(path, iota, &mut state, self.digest);
            }
        }
    }
}

/// Squeezes the output out of the state that the last block was absorbed into (FIPS 202, section 4).
pub(crate) fn squeeze<const RATE: usize>(path: Path, iota: &[u64], state: &mut State, output: &mut [u8]) {
    for (index, piece) in output.chunks_mut(RATE).enumerate() {
        if index > 0 {
            engine::permute(path, state, iota);
        }
        for (bytes, lane) in piece.chunks_mut(8).zip(&*state) {
            bytes.copy_from_slice(&lane.to_le_bytes()[..bytes.len()]);
        }
    }
}
