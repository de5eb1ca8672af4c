//! Comparison of secrets.

use core::hint::black_box;

/// Whether both are the same, in a time that depends on their lengths only. Words are compared, not bytes: the tag of
/// every segment and of every sector is.
#[inline(always)]
pub fn constant_time_eq(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some((a, [])), Some((b, []))) = (a.split_first_chunk::<12>(), b.split_first_chunk::<12>()) {
        return equal_12(a, b);
    }
    let ((a_words, a_rest), (b_words, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let words = a_words.iter().zip(b_words);
    let differing = words.fold(0, |sum, (a, b)| sum | (u32::from_ne_bytes(*a) ^ u32::from_ne_bytes(*b)));
    let rest = a_rest.iter().zip(b_rest);
    let differing = rest.fold(differing, |sum, (a, b)| sum | u32::from(a ^ b));
    // The compiler must not see that only zero or not matters before everything is summed up.
    black_box(differing) == 0
}

/// The length of tags that RFC 5926 has, without a loop.
#[inline(always)]
fn equal_12(a: &[u8; 12], b: &[u8; 12]) -> bool {
    let halves = |&[a, b, c, d, e, f, g, h, i, j, k, l]: &[u8; 12]| {
        (u64::from_ne_bytes([a, b, c, d, e, f, g, h]), u32::from_ne_bytes([i, j, k, l]))
    };
    let ((a_long, a_short), (b_long, b_short)) = (halves(a), halves(b));
    black_box((a_long ^ b_long) | u64::from(a_short ^ b_short)) == 0
}

#[cfg(test)]
mod tests {
    use super::constant_time_eq;

    #[test]
    fn every_byte_counts() {
        for len in 0..=36 {
            let mut bytes = [0; 36];
            let tag = &mut bytes[..len];
            tag.iter_mut().zip(0..).for_each(|(byte, number)| *byte = number);
            assert!(constant_time_eq(tag, tag));
            for place in 0..tag.len() {
                let mut other = [0; 36];
                other[..len].copy_from_slice(tag);
                other[place] ^= 0x80;
                assert!(!constant_time_eq(tag, &other[..len]), "length {len}, byte {place}");
            }
            assert!(!constant_time_eq(tag, &[0; 37]));
        }
    }
}
