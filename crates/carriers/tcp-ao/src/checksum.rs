//! The Internet checksum (RFC 1071).

/// A running sum of 16-bit words. It is taken in the order of the host and turned at the end, which RFC 1071,
/// section 2 (B), allows.
pub(crate) struct Sum(u64);

impl Sum {
    /// The sum of `bytes`, with an odd last byte padded by a zero byte.
    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Sum {
        let mut sum = Sum(0);
        sum.add(bytes);
        sum
    }

    /// Adds `bytes`, which begin at an even place of what is summed.
    #[inline]
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        // 32-bit words have the same sum modulo 2^16 - 1 as their halves have, and a packet has far too few of them
        // for the 64-bit sum to overflow.
        let (words, rest) = bytes.as_chunks::<4>();
        self.0 += words.iter().map(|&word| u64::from(u32::from_ne_bytes(word))).sum::<u64>();
        let mut last = [0; 4];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        self.0 += u64::from(u32::from_ne_bytes(last));
    }

    #[inline]
    pub(crate) fn add_word(&mut self, word: u16) {
        self.0 += u64::from(word.to_be());
    }

    /// The complement of the sum: what the checksum field holds.
    #[inline]
    pub(crate) fn finish(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        u16::from_be(!(sum as u16))
    }
}
