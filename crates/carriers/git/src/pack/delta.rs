//! Deltas: an object as copies from another and bytes of its own (gitformat-pack(5), “Deltified representation”).

use crate::Problem;

/// One instruction of a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction<'a> {
    /// These bytes of the base.
    Copy {
        /// Where they begin.
        offset: usize,
        /// How many.
        len: usize,
    },
    /// These bytes.
    Insert(&'a [u8]),
}

/// A delta, inflated: the sizes at its beginning are read, the instructions come one after another.
#[derive(Debug, Clone)]
pub struct Delta<'a> {
    /// Bytes of the object that it is to be applied to.
    pub base_size: u64,
    /// Bytes of what it makes.
    pub result_size: u64,
    instructions: &'a [u8],
}

impl<'a> Delta<'a> {
    /// Bytes that both sizes take at most.
    pub const LONGEST_SIZES: usize = 20;

    /// Git reads no shorter one (`DELTA_SIZE_MIN`).
    pub const SHORTEST: usize = 4;

    /// Reads the sizes.
    ///
    /// # Errors
    /// [`Problem::Delta`].
    pub fn parse(delta: &'a [u8]) -> Result<Delta<'a>, Problem> {
        if delta.len() < Self::SHORTEST {
            return Err(Problem::Delta("it has fewer than 4 bytes, which Git does not read"));
        }
        let (base_size, rest) = size(delta)?;
        let (result_size, instructions) = size(rest)?;
        Ok(Delta { base_size, result_size, instructions })
    }

    /// The next instruction; none at the end.
    ///
    /// # Errors
    /// [`Problem::Delta`].
    #[inline]
    pub fn next_instruction(&mut self) -> Result<Option<Instruction<'a>>, Problem> {
        let Some((&code, mut rest)) = self.instructions.split_first() else { return Ok(None) };
        let instruction = if code & 0x80 != 0 {
            let mut number = [0_u8; 8];
            for (bit, byte) in number.iter_mut().take(7).enumerate() {
                if code & (1 << bit) != 0 {
                    let (&next, after) = rest.split_first().ok_or(CUT)?;
                    *byte = next;
                    rest = after;
                }
            }
            let [a, b, c, d, e, f, g, _] = number;
            let len = usize::from(e) | usize::from(f) << 8 | usize::from(g) << 16;
            Instruction::Copy {
                offset: u32::from_le_bytes([a, b, c, d]) as usize,
                // No bits for a length stand for the one that is the commonest of all.
                len: if len == 0 { 0x1_0000 } else { len },
            }
        } else if code != 0 {
            let (bytes, after) = rest.split_at_checked(usize::from(code)).ok_or(CUT)?;
            rest = after;
            Instruction::Insert(bytes)
        } else {
            return Err(Problem::Delta("an instruction is zero, which is reserved"));
        };
        self.instructions = rest;
        Ok(Some(instruction))
    }

    /// Applies it to `base`; `result` is overwritten.
    ///
    /// # Errors
    /// [`Problem::Delta`], [`Problem::Memory`].
    pub fn apply(mut self, base: &[u8], result: &mut Vec<u8>) -> Result<(), Problem> {
        const LONGER: Problem = Problem::Delta("it produces more bytes than it declares");
        result.clear();
        if self.base_size != base.len() as u64 {
            return Err(Problem::Delta("its base has another size than it declares"));
        }
        let memory = Problem::Memory(self.result_size);
        let size = usize::try_from(self.result_size).map_err(|_| memory.clone())?;
        // No instruction of a byte makes more than 2^24 bytes; a damaged size must not take the machine's memory.
        if size >> 24 > self.instructions.len() {
            return Err(Problem::Delta("it produces fewer bytes than it declares"));
        }
        result.try_reserve_exact(size).map_err(|_| memory)?;
        while let Some(instruction) = self.next_instruction()? {
            let bytes = match instruction {
                Instruction::Copy { offset, len } => base
                    .get(offset..)
                    .and_then(|base| base.get(..len))
                    .ok_or(Problem::Delta("it copies from beyond the end of its base"))?,
                Instruction::Insert(bytes) => bytes,
            };
            if bytes.len() > size - result.len() {
                return Err(LONGER);
            }
            result.extend_from_slice(bytes);
        }
        if result.len() == size {
            Ok(())
        } else {
            Err(Problem::Delta("it produces fewer bytes than it declares"))
        }
    }
}

const CUT: Problem = Problem::Delta("it ends within an instruction");

/// A number of 7 bits a byte, the lowest first.
fn size(bytes: &[u8]) -> Result<(u64, &[u8]), Problem> {
    let mut size = 0_u64;
    for (at, byte) in bytes.iter().enumerate() {
        let bits = u64::from(byte & 0x7f);
        let shift = 7 * at;
        if shift > 63 || (bits << shift) >> shift != bits {
            return Err(Problem::Delta("a size has more than 64 bits"));
        }
        size |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok((size, bytes.get(at + 1..).unwrap_or_default()));
        }
    }
    Err(Problem::Delta("it ends within its sizes"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn apply(delta: &[u8], base: &[u8]) -> Result<Vec<u8>, Problem> {
        let mut result = b"what was there before".to_vec();
        Delta::parse(delta)?.apply(base, &mut result)?;
        Ok(result)
    }

    #[test]
    fn copies_and_insertions() {
        // Copy 3 from 2, insert "xy", copy 1 from 0 (no offset byte at all).
        let delta = [6, 6, 0x91, 2, 3, 2, b'x', b'y', 0x90, 1];
        assert_eq!(apply(&delta, b"abcdef"), Ok(b"cdexya".to_vec()));
    }

    #[test]
    fn a_copy_without_a_length_is_64_kib() {
        let base: Vec<u8> = (0..0x1_0001_u32).map(|at| at as u8).collect();
        let delta = [0x81, 0x80, 0x04, 0x80, 0x80, 0x04, 0x81, 1];
        assert_eq!(apply(&delta, &base).as_deref(), Ok(&base[1..]));
    }

    #[test]
    fn damage_is_named() {
        for delta in [
            &[][..],
            &[0x80],
            &[6],
            &[6, 0x80],
            &[5, 1, 0x90, 1],
            &[6, 1],
            &[6, 1, 0x00],
            &[6, 1, 0x90, 2],
            &[6, 2, 0x90, 1],
            &[6, 2, 0x91, 5, 2],
            &[6, 2, 0x91, 5],
            &[6, 2, 2, b'x'],
            &[6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x90, 1],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ] {
            assert!(matches!(apply(delta, b"abcdef"), Err(Problem::Delta(_))), "{delta:x?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(
            delta in prop::collection::vec(any::<u8>(), 0..64),
            base in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let _ = apply(&delta, &base);
        }

        #[test]
        fn instructions_make_what_apply_makes(
            codes in prop::collection::vec((any::<bool>(), 0_usize..200, 1_usize..100), 0..20),
        ) {
            let base: Vec<u8> = (0..=255).cycle().take(300).collect();
            let mut wanted = Vec::new();
            let mut instructions = Vec::new();
            for (copy, offset, len) in codes {
                if copy {
                    instructions.extend([0x91, offset as u8, len as u8]);
                    wanted.extend_from_slice(&base[offset..offset + len]);
                } else {
                    instructions.push(len as u8);
                    instructions.extend_from_slice(&base[..len]);
                    wanted.extend_from_slice(&base[..len]);
                }
            }
            let mut delta = vec![0xac, 0x02, (wanted.len() & 0x7f) as u8 | 0x80, (wanted.len() >> 7) as u8];
            delta.extend(&instructions);
            prop_assert_eq!(apply(&delta, &base), Ok(wanted));
        }
    }
}
