//! A message in parts, cut into blocks.

/// What is still to be absorbed of a message that is its parts one after another.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    parts: [&'a [u8]; 3],
}

/// What comes next of a message.
pub(crate) enum Next<'a, const RATE: usize> {
    /// Blocks that can be read where they lie.
    InPlace(&'a [[u8; RATE]]),
    /// A block where parts meet, in the buffer.
    Joint,
    /// The last block, padded, in the buffer.
    Last,
}

impl<'a> Source<'a> {
    pub(crate) fn new(parts: [&'a [u8]; 3]) -> Self {
        Self { parts }
    }

    /// At most `length` bytes from `start` on.
    pub(crate) fn slice(&self, mut start: usize, mut length: usize) -> Self {
        let parts = self.parts.map(|part| {
            let (before, part) = part.split_at(start.min(part.len()));
            start -= before.len();
            let (part, _) = part.split_at(length.min(part.len()));
            length -= part.len();
            part
        });
        Self { parts }
    }

    /// The same message with an end of its own in place of the third part, which must be empty.
    pub(crate) fn with_end(&self, end: &'a [u8]) -> Self {
        let [first, second, third] = self.parts;
        debug_assert!(third.is_empty());
        Self { parts: [first, second, end] }
    }

    /// Takes off what comes next; what has to be put together goes to the buffer. The last block is padded by `suffix`
    /// and a final one bit (FIPS 202, section 5.1).
    pub(crate) fn next<const RATE: usize>(&mut self, buffer: &mut [u8; RATE], suffix: u8) -> Next<'a, RATE> {
        let mut filled = 0;
        for part in &mut self.parts {
            if filled == 0 {
                let (blocks, rest) = part.as_chunks();
                if !blocks.is_empty() {
                    *part = rest;
                    return Next::InPlace(blocks);
                }
            }
            let free = buffer.get_mut(filled..).unwrap_or_default();
            let (now, later) = part.split_at(part.len().min(free.len()));
            for (to, from) in free.iter_mut().zip(now) {
                *to = *from;
            }
            filled += now.len();
            *part = later;
        }
        let Some([end, zeros @ ..]) = buffer.get_mut(filled..) else { return Next::Joint };
        *end = suffix;
        zeros.fill(0);
        buffer[RATE - 1] |= 0x80;
        Next::Last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cross_the_parts() {
        let bytes: [u8; 10] = core::array::from_fn(|index| index as u8);
        let source = Source::new([&bytes[..3], &bytes[3..4], &bytes[4..]]);
        for start in 0..=12 {
            for length in 0..=12 {
                let slice = source.slice(start, length).parts.concat();
                let end = (start + length).min(10);
                assert_eq!(slice, &bytes[start.min(end)..end], "{length} from {start}");
            }
        }
    }
}
