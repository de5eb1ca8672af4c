//! The type bitmaps of NSEC, NSEC3 and CSYNC (RFC 4034, section 4.1.2).

use crate::rtype::Rtype;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Appends the bitmap of these types, which are sorted on the way.
pub(crate) fn push(types: &mut [Rtype], out: &mut Vec<u8>) {
    types.sort_unstable();
    let mut window = None;
    // Where the length octet of the current window stands.
    let mut length_at = 0;
    for Rtype(number) in types.iter().copied() {
        let [high, low] = number.to_be_bytes();
        if window != Some(high) {
            window = Some(high);
            out.extend_from_slice(&[high, 0]);
            length_at = out.len() - 1;
        }
        let octet = usize::from(low / 8);
        out.resize(out.len().max(length_at + 2 + octet), 0);
        out[length_at + 1 + octet] |= 0x80 >> (low % 8);
        out[length_at] = octet as u8 + 1;
    }
}

/// The types of a bitmap in ascending order; ends after the first fault.
pub(crate) fn iter(bitmap: &[u8]) -> impl Iterator<Item = Result<Rtype, Malformed>> + '_ {
    let mut rest = bitmap;
    let mut window: &[u8] = &[];
    let (mut high, mut last, mut bit) = (0u8, None, 0usize);
    std::iter::from_fn(move || {
        loop {
            while bit < window.len() * 8 {
                let here = bit;
                bit += 1;
                if window[here / 8] & (0x80 >> (here % 8)) != 0 {
                    return Some(Ok(Rtype(u16::from_be_bytes([high, here as u8]))));
                }
            }
            let [number, len, after @ ..] = rest else {
                let faulty = !rest.is_empty();
                rest = &[];
                window = &[];
                return faulty.then_some(Err(Malformed));
            };
            let len = usize::from(*len);
            // Windows ascend, and each has 1 to 32 octets of which the last is not zero.
            let fits =
                (1..=32).contains(&len) && after.len() >= len && last.is_none_or(|last| *number > last);
            if !fits || after[len - 1] == 0 {
                rest = &[];
                window = &[];
                return Some(Err(Malformed));
            }
            (high, last, bit) = (*number, Some(*number), 0);
            (window, rest) = after.split_at(len);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_with_windows() {
        let mut types = [Rtype::CAA, Rtype::A, Rtype::NSEC, Rtype::RRSIG, Rtype(1234)];
        let mut out = Vec::new();
        push(&mut types, &mut out);
        assert_eq!(iter(&out).collect::<Result<Vec<_>, _>>().unwrap(), types);
        // The example of RFC 4034, section 4.3: A MX RRSIG NSEC TYPE1234.
        let mut out = Vec::new();
        push(&mut [Rtype::A, Rtype::MX, Rtype::RRSIG, Rtype::NSEC, Rtype(1234)], &mut out);
        let mut expected = vec![0, 6, 0x40, 1, 0, 0, 0, 3, 4, 27];
        expected.extend_from_slice(&[0; 26]);
        expected.push(0x20);
        assert_eq!(out, expected);
    }

    #[test]
    fn refuses_malformed() {
        for bad in
            [&[0u8, 0][..], &[0, 1], &[0, 2, 1, 0], &[0, 33], &[1], &[1, 1, 1, 0, 1, 1], &[0, 1, 1, 0, 1, 1]]
        {
            assert!(iter(bad).any(|item| item.is_err()), "{bad:?}");
        }
        assert_eq!(iter(&[]).count(), 0);
    }
}
