//! Compressed bitmaps (gitformat-bitmap(5), “Appendix A: Serialization format for an EWAH bitmap”).

use super::chunks::{long, word};

/// A bitmap: bit 0 is the lowest of the first word.
pub(super) type Words = Vec<u64>;

/// Reads a bitmap of at most so many bits, and returns it with the bytes that it took.
pub(super) fn read(bytes: &[u8], bits: usize) -> Result<(Words, usize), &'static str> {
    const CUT_OFF: &str = "the bitmap is cut off";
    let declared = word(bytes, 0).ok_or(CUT_OFF)? as usize;
    let count = word(bytes, 1).ok_or(CUT_OFF)? as usize;
    let stored = bytes.get(8..8 + 8 * count).ok_or(CUT_OFF)?;
    let last = word(bytes.get(8 + 8 * count..).unwrap_or_default(), 0).ok_or(CUT_OFF)?;
    // Writers round up to whole words.
    let most = bits.div_ceil(64);
    if declared > 64 * most {
        return Err("the bitmap has more bits than there are objects");
    }
    if count > 0 && last as usize >= count {
        return Err("the bitmap's last run lies outside of it");
    }
    let mut words = Words::with_capacity(most);
    let mut at = 0;
    while let Some(run) = long(stored, at) {
        let (bit, zeros, literals) = (run & 1, (run >> 1) as u32 as usize, (run >> 33) as usize);
        if words.len() + zeros + literals > most {
            return Err("the bitmap is longer than there are objects");
        }
        words.resize(words.len() + zeros, if bit == 1 { u64::MAX } else { 0 });
        for nth in 0..literals {
            words.push(long(stored, at + 1 + nth).ok_or("the bitmap's literal words are cut off")?);
        }
        at += 1 + literals;
    }
    words.resize(most, 0);
    // Bits that stand for no object.
    if let (Some(last), rest @ 1..) = (words.last_mut(), bits % 64) {
        if *last >> rest != 0 && *last >> rest != u64::MAX >> rest {
            return Err("the bitmap has bits behind the last object");
        }
        *last &= (1 << rest) - 1;
    }
    Ok((words, 12 + 8 * count))
}

/// Whether a bit is set.
pub(super) fn has(words: &[u64], bit: u32) -> bool {
    words.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

/// Sets a bit; false if it was set.
pub(super) fn set(words: &mut [u64], bit: u32) -> bool {
    let Some(word) = words.get_mut(bit as usize / 64) else { return false };
    let before = *word;
    *word |= 1 << (bit % 64);
    before != *word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(bits: u32, stored: &[u64], last: u32) -> Vec<u8> {
        let mut bytes = [bits.to_be_bytes(), (stored.len() as u32).to_be_bytes()].concat();
        bytes.extend(stored.iter().flat_map(|word| word.to_be_bytes()));
        bytes.extend(last.to_be_bytes());
        bytes
    }

    #[test]
    fn runs_and_literals() {
        // One word of ones, then two literal words.
        let bytes = written(160, &[1 | 1 << 1 | 2 << 33, 5, 0xffff_ffff], 0);
        let (words, len) = read(&bytes, 160).unwrap();
        assert_eq!((words, len), (vec![u64::MAX, 5, 0xffff_ffff], bytes.len()));
        assert!(read(&bytes, 128).is_err(), "more than there are objects");
        assert!(
            read(&written(160, &[1 | 1 << 1 | 2 << 33, 5], 0), 160).is_err(),
            "a literal word is missing"
        );
        assert!(read(&written(64, &[0], 1), 64).is_err());
        // A run of 2^32 - 1 words must not be made.
        assert!(read(&written(64, &[1 | 0xffff_ffff << 1], 0), 64).is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..80), bits in 0_usize..300) {
            let _ = read(&bytes, bits);
        }
    }
}
