//! What every field does with RDATA in wire form when it becomes text.

/// The RDATA is shorter or longer than its type's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The octets of a field of fixed length.
pub(super) fn take<'r>(rest: &mut &'r [u8], len: usize) -> Result<&'r [u8], Malformed> {
    let (taken, left) = rest.split_at_checked(len).ok_or(Malformed)?;
    *rest = left;
    Ok(taken)
}

pub(super) fn take_u16(rest: &mut &[u8]) -> Result<u16, Malformed> {
    take(rest, 2).map(|b| u16::from_be_bytes([b[0], b[1]]))
}

pub(super) fn take_u32(rest: &mut &[u8]) -> Result<u32, Malformed> {
    take(rest, 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

pub(crate) fn push_number(value: u32, out: &mut Vec<u8>) {
    let mut digits = [0u8; 10];
    let (mut at, mut left) = (digits.len(), value);
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

pub(super) fn push_encoding(encoding: &data_encoding::Encoding, octets: &[u8], out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + encoding.encode_len(octets.len()), 0);
    encoding.encode_mut(octets, &mut out[at..]);
}
