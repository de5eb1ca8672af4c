//! The sequence number extension: the upper half of a 64-bit sequence number whose lower half is on the wire
//! (RFC 5925, section 6.2; RFC 9187).

/// The extended sequence numbers of one direction of a connection.
///
/// It holds the highest extended number so far; a segment's number is the nearest one with the same lower
/// half. That gives all 29 pairs of RFC 9187, section 6. The pseudo-code of RFC 5925, section 6.2, gets 21 of
/// them wrong. The highest and not the latest: replayed old segments have right MACs and would drag the
/// window back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sne {
    highest: u64,
}

impl Sne {
    /// A direction that begins at its initial sequence number, where the extension is 0.
    #[inline]
    pub fn new(isn: u32) -> Sne {
        Sne { highest: u64::from(isn) }
    }

    /// A direction joined in mid-stream: `extended` is any recent extension and sequence number, as
    /// `extension << 32 | sequence`.
    pub fn at(extended: u64) -> Sne {
        Sne { highest: extended }
    }

    /// The highest extended sequence number so far.
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// The extended number of a segment, without taking note of it. Before the initial sequence number the extension
    /// wraps around to `0xffff_ffff`.
    #[inline]
    pub fn extend(&self, sequence: u32) -> u64 {
        let distance = sequence.wrapping_sub(self.highest as u32) as i32;
        self.highest.wrapping_add_signed(i64::from(distance))
    }

    /// The extension of a segment, without taking note of it.
    #[inline]
    pub fn of(&self, sequence: u32) -> u32 {
        (self.extend(sequence) >> 32) as u32
    }

    /// Takes note of a segment that is sent, or received and found authentic.
    #[inline]
    pub fn advance(&mut self, sequence: u32) {
        if (sequence.wrapping_sub(self.highest as u32) as i32) > 0 {
            self.highest = self.extend(sequence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of extension and sequence number of RFC 9187, section 6, in the order in which they arrive.
    const PAIRS: [(u32, u32); 29] = [
        (0, 0x0000_0000),
        (0, 0x3000_0000),
        (0, 0x9000_0000),
        (0, 0x7000_0000),
        (0, 0xa000_0000),
        (1, 0x0000_0001),
        (0, 0xe000_0000),
        (1, 0x0000_0000),
        (1, 0x7fff_ffff),
        (1, 0x0000_0000),
        (1, 0x5000_0000),
        (1, 0x8000_0000),
        (1, 0x0000_0001),
        (1, 0x4000_0000),
        (1, 0x9000_0000),
        (1, 0xb000_0000),
        (2, 0x0fff_ffff),
        (2, 0x2000_0000),
        (2, 0x9000_0000),
        (2, 0x7000_0000),
        (2, 0xa000_0000),
        (3, 0x0000_4000),
        (2, 0xd000_0000),
        (3, 0x2000_0000),
        (3, 0x9000_0000),
        (3, 0x7000_0000),
        (3, 0xa000_0000),
        (4, 0x0000_4000),
        (3, 0xd000_0000),
    ];

    #[test]
    fn rfc_9187_section_6() {
        let mut sne = Sne::new(0);
        for (place, (extension, sequence)) in PAIRS.into_iter().enumerate() {
            assert_eq!(sne.of(sequence), extension, "pair {place}, sequence {sequence:08x}");
            sne.advance(sequence);
        }
    }

    #[test]
    fn replayed_old_segments_do_not_move_the_window_back() {
        let mut sne = Sne::at(0x5_0000_1000);
        for back in [0x6000_0000, 0x7fff_0000] {
            sne.advance(0x1000_u32.wrapping_sub(back));
        }
        assert_eq!(sne.of(0x2000), 5);
    }
}
