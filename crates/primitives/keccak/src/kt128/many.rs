//! Many messages, in two passes: first all their leaves side by side, whichever message they belong to, then the final
//! nodes and the messages of one chunk.

use fieldtest_many::{Message, WINDOW, Window};

use super::{CHUNK, FINAL_NODE, Hasher, LEAF, Length, MARK, ONE_CHUNK, RATE, ROUNDS, VALUE};
use crate::lanes::{self, Task};
use crate::path::Path;
use crate::source::Source;

/// Bytes for the chaining values, and what goes with them, of the messages that are taken together.
const ENDS: usize = 16 << 10;

/// How a message ends for KT128: with the length of an empty customization string.
const NO_CUSTOMIZATION: &[u8] = &[0];

/// Takes all messages through KT128. Nothing can be wrong with them.
pub(crate) fn run<'a, E>(path: Path, mut messages: impl Iterator<Item = Message<'a>>) -> Result<(), E> {
    let mut window = Window::new();
    let mut ends = [0; ENDS];
    let mut carried: Option<Message<'a>> = None;
    loop {
        let mut space = ENDS;
        while window.len() < WINDOW
            && let Some(message) = carried.take().or_else(|| messages.next())
        {
            let length = end_length(leaves(&message));
            if length > ENDS {
                // Its own leaves fill the lanes.
                let mut hasher = Hasher::new(path);
                hasher.update(message.head);
                hasher.update(message.body);
                hasher.finish(&[], message.digest);
            } else if length > space {
                carried = Some(message);
                break;
            } else {
                space -= length;
                window.push(message);
            }
        }
        if window.is_empty() && carried.is_none() {
            return Ok(());
        }
        window.sort();
        hash_leaves(path, &window, &mut ends)?;
        hash_nodes(path, &mut window, &ends)?;
    }
}

/// The leaves of a message: its chunks but the first.
fn leaves(message: &Message<'_>) -> usize {
    (message.head.len() + message.body.len() + NO_CUSTOMIZATION.len()).div_ceil(CHUNK) - 1
}

/// Bytes that the final node has after the first chunk, none if there are no leaves.
fn end_length(leaves: usize) -> usize {
    match leaves {
        0 => 0,
        leaves => MARK.len() + VALUE * leaves + Length::of(leaves).as_bytes().len() + 2,
    }
}

fn source<'a>(message: &Message<'a>) -> Source<'a> {
    Source::new([message.head, message.body, NO_CUSTOMIZATION])
}

/// Writes the ends of the final nodes, one after another.
fn hash_leaves<E>(path: Path, window: &Window<'_>, mut ends: &mut [u8]) -> Result<(), E> {
    let leaves = window.iter().flat_map(|message| {
        let leaves = leaves(message);
        let (end, later) = core::mem::take(&mut ends).split_at_mut(end_length(leaves));
        ends = later;
        let (mark, rest) = end.split_at_mut(MARK.len().min(end.len()));
        mark.copy_from_slice(&MARK[..mark.len()]);
        let (values, last) = rest.split_at_mut(VALUE * leaves);
        let length = Length::of(leaves);
        for (to, from) in last.iter_mut().zip(length.as_bytes().iter().chain(&[0xff, 0xff])) {
            *to = *from;
        }
        let source = source(message);
        values.as_chunks_mut::<VALUE>().0.iter_mut().enumerate().map(move |(index, value)| {
            Ok(Task { source: source.slice((index + 1) * CHUNK, CHUNK), suffix: LEAF, digest: value })
        })
    });
    lanes::run::<RATE, _>(path, ROUNDS, leaves)
}

/// Empties the window.
fn hash_nodes<E>(path: Path, window: &mut Window<'_>, mut ends: &[u8]) -> Result<(), E> {
    let nodes = core::iter::from_fn(|| window.take()).map(|message| {
        let source = source(&message);
        let (end, later) = ends.split_at(end_length(leaves(&message)));
        ends = later;
        Ok(if end.is_empty() {
            Task { source, suffix: ONE_CHUNK, digest: message.digest }
        } else {
            Task { source: source.slice(0, CHUNK).with_end(end), suffix: FINAL_NODE, digest: message.digest }
        })
    });
    lanes::run::<RATE, _>(path, ROUNDS, nodes)
}
