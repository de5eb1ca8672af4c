//! Where the sequence numbers of one direction are, as far as verified segments show, and which extension the next one
//! can have.
//!
//! A capture shows the lower halves of sequence numbers. Where a segment joins what is there already, its extension
//! follows, and another one is a fault of the sender even if the MAC is right with it (RFC 5925, section 6.2). Where it
//! does not, gigabytes may be missing between them, and any extension can be right that is not below the initial
//! sequence number.

use crate::sne::Sne;
use crate::tcp::Segment;

/// Bytes between two segments that are one stretch: some lost packets, and little enough to be met by chance behind a gap
/// of gigabytes in one case of 4096.
const NEAR: u32 = 1 << 20;

/// Nanoseconds that a packet of a capture in order may seem to be earlier than the one before it.
const DISORDER: u64 = 1_000_000_000;

/// Ends of segments that are remembered: retransmissions begin at one of them.
const ENDS: usize = 4;

/// Stretches left behind that are remembered.
const MOST_LEFT: usize = 16;

/// A verified segment, or one to judge.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) number: u64,
    pub(super) time: u64,
    /// Its sequence number, and the one after its last byte.
    sequence: u32,
    end: u32,
    /// A SYN, which has extension 0 by definition.
    syn: bool,
}

impl Mark {
    pub(super) fn new(number: u64, time: u64, segment: &Segment<'_>) -> Self {
        let flags = segment.flags();
        let length = segment.payload().len() as u32 + u32::from(flags.syn()) + u32::from(flags.fin());
        let sequence = segment.sequence();
        Self { number, time, sequence, end: sequence.wrapping_add(length), syn: flags.syn() }
    }

    /// The number that acknowledges it, if it has any byte.
    pub(super) fn acknowledged_by(&self) -> Option<u32> {
        (self.end != self.sequence).then_some(self.end)
    }
}

/// Segments that join each other.
#[derive(Clone)]
struct Stretch {
    /// The highest number, sent or acknowledged.
    sne: Sne,
    /// Ends of verified segments, the latest first.
    ends: [u32; ENDS],
    acknowledged: u32,
    /// The end of the latest segment that joins and has a wrong MAC: others that join it are no better placed.
    failed: u32,
    /// When its latest segment was captured.
    time: u64,
}

impl Stretch {
    fn new(mark: Mark, extension: u32) -> Self {
        Self {
            sne: Sne::at(u64::from(extension) << 32 | u64::from(mark.sequence)),
            ends: [mark.end; ENDS],
            acknowledged: mark.end,
            failed: mark.end,
            time: mark.time,
        }
    }

    #[inline]
    fn go_on(&mut self, mark: Mark) {
        self.sne.advance(mark.sequence);
        let [latest, second, third, _] = self.ends;
        if latest != mark.end {
            self.ends = [mark.end, latest, second, third];
            self.failed = mark.end;
        }
        self.time = mark.time;
    }

    /// The extension that a number has here.
    #[inline]
    fn natural(&self, mark: Mark) -> u32 {
        if mark.syn { 0 } else { self.sne.of(mark.sequence) }
    }

    /// Whether a segment joins this one, so that it can have no other extension. One that is earlier shows that the file
    /// is not in order.
    fn joins(&self, mark: Mark) -> bool {
        let [latest, ..] = self.ends;
        let near = |from: u32| mark.sequence.wrapping_sub(from) < NEAR;
        mark.time.saturating_add(DISORDER) >= self.time
            && (self.ends.contains(&mark.sequence)
                || [latest, self.sne.highest() as u32, self.acknowledged, self.failed].into_iter().any(near))
    }

    /// Whether a segment could be one of these with the extension that it has here, before or behind the others.
    fn is_near(&self, mark: Mark) -> bool {
        (mark.sequence.wrapping_sub(self.sne.highest() as u32) as i32).unsigned_abs() < NEAR
    }

    /// Takes note of an acknowledgement, which shows what the capture may have missed.
    #[inline]
    fn acknowledge(&mut self, number: u32) {
        let [latest, ..] = self.ends;
        if number.wrapping_sub(self.acknowledged) < NEAR || number.wrapping_sub(latest) < NEAR {
            self.acknowledged = number;
            self.sne.advance(number);
        }
    }
}

#[derive(Default)]
pub(super) struct Stretches {
    current: Option<Stretch>,
    /// Those before, each with the segment that left it.
    left: Vec<(Stretch, Mark)>,
    /// Searches for an extension that were in vain.
    pub(super) searches: u8,
}

impl Stretches {
    /// The numbers that the next segments are counted from.
    pub(super) fn sne(&self) -> Option<Sne> {
        self.current.as_ref().map(|it| it.sne)
    }

    /// The extension that follows from the latest segments.
    #[inline]
    pub(super) fn natural(&self, mark: Mark) -> Option<u32> {
        self.current.as_ref().map(|it| it.natural(mark))
    }

    /// The extensions that it had in the stretches before, the latest first.
    pub(super) fn earlier(&self, mark: Mark) -> Vec<u32> {
        self.left.iter().rev().map(|(it, _)| it.natural(mark)).collect()
    }

    pub(super) fn joins(&self, mark: Mark) -> bool {
        self.current.as_ref().is_some_and(|it| it.joins(mark))
    }

    /// Whether a segment can have this extension; `isn` is the initial sequence number of its sender, below which there
    /// is none, and `refuted` says that no gap is before it.
    #[inline]
    pub(super) fn allow(&self, mark: Mark, extension: u32, isn: u32, refuted: bool) -> bool {
        let extended = u64::from(extension) << 32 | u64::from(mark.sequence);
        if extended < u64::from(isn) || extension > u32::MAX / 2 {
            return false;
        }
        match &self.current {
            None => true,
            Some(current) if current.natural(mark) == extension => true,
            Some(current) => {
                !refuted && !current.joins(mark)
                    || self.left.iter().any(|(it, _)| it.natural(mark) == extension && it.joins(mark))
            }
        }
    }

    /// Takes note of a verified segment. The packets before which there is no gap after all: it joins what stood before
    /// them, and they are where it would have been. What is far from there is of another part of the session, which
    /// stands here because the file is not in order.
    #[inline]
    pub(super) fn note(&mut self, mark: Mark, extension: u32) -> Vec<u64> {
        match &mut self.current {
            Some(current) if current.sne.of(mark.sequence) == extension => {
                current.go_on(mark);
                Vec::new()
            }
            _ => self.leave(mark, extension),
        }
    }

    #[cold]
    fn leave(&mut self, mark: Mark, extension: u32) -> Vec<u64> {
        let Some(current) = &self.current else {
            self.current = Some(Stretch::new(mark, extension));
            return Vec::new();
        };
        let in_order = mark.time.saturating_add(DISORDER) >= current.time;
        let back = self.left.iter().rposition(|(it, _)| it.sne.of(mark.sequence) == extension);
        let Some(back) = back else {
            if self.left.len() >= MOST_LEFT {
                self.left.remove(0);
            }
            let left = self.current.replace(Stretch::new(mark, extension));
            self.left.extend(left.map(|left| (left, mark)));
            return Vec::new();
        };
        let between = self.left.get(back..).unwrap_or_default();
        let mut refuted = Vec::new();
        if let Some((it, _)) = between.first()
            && in_order
            && it.joins(mark)
        {
            refuted.extend(between.iter().filter(|(_, gone)| it.is_near(*gone)).map(|(_, gone)| gone.number));
        }
        let none_is_real = !refuted.is_empty() && refuted.len() == between.len();
        let (mut stretch, _) = self.left.remove(back);
        stretch.go_on(mark);
        let left = self.current.replace(stretch);
        if none_is_real {
            self.left.truncate(back);
        } else {
            self.left.extend(left.map(|left| (left, mark)));
        }
        refuted
    }

    pub(super) fn failed(&mut self, mark: Mark) {
        if let Some(current) = &mut self.current
            && !mark.syn
            && current.joins(mark)
        {
            current.failed = mark.end;
        }
    }

    #[inline]
    pub(super) fn acknowledge(&mut self, number: u32) {
        if let Some(current) = &mut self.current {
            current.acknowledge(number);
        }
    }
}
