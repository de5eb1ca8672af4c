//! The header block of a member: `struct posix_header` (POSIX.1-2024, pax, "ustar Interchange Format"), with the
//! extensions of GNU tar for numbers.

use std::ops::Range;

pub(super) const BLOCK: usize = 512;

const NAME: Range<usize> = 0..100;
const MODE: Range<usize> = 100..108;
const UID: Range<usize> = 108..116;
const GID: Range<usize> = 116..124;
const SIZE: Range<usize> = 124..136;
const MTIME: Range<usize> = 136..148;
const CHECKSUM: Range<usize> = 148..156;
const TYPE: usize = 156;
const MAGIC: Range<usize> = 257..265;
const PREFIX: Range<usize> = 345..500;

/// Magic and version of POSIX; GNU's are `ustar  \0`, and before that there were none.
const POSIX: &[u8; 8] = b"ustar\x0000";

#[derive(Clone, Copy)]
pub(super) struct Block(pub [u8; BLOCK]);

impl Block {
    /// The header of an extended header with `size` bytes, for a member with this one. Its only field that differs
    /// from run to run is the member's own time.
    pub(super) fn extended(&self, size: u64) -> Block {
        let mut block = Block([0; BLOCK]);
        let mut name = b"PaxHeaders/".to_vec();
        name.extend(self.text(NAME));
        name.truncate(NAME.len());
        let end = name.len();
        block.put(0..end, &name);
        block.put(MODE, b"0000644\0");
        block.put(UID, b"0000000\0");
        block.put(GID, b"0000000\0");
        block.put(MTIME, self.field(MTIME));
        block.put(TYPE..TYPE + 1, b"x");
        block.put(MAGIC, POSIX);
        block.set_size(size);
        block
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|byte| *byte == 0)
    }

    pub(super) fn is_gnu(&self) -> bool {
        self.field(MAGIC) == b"ustar  \0"
    }

    pub(super) fn type_flag(&self) -> u8 {
        self.0[TYPE]
    }

    /// The name, with the prefix that POSIX headers have before it.
    pub(super) fn path(&self) -> Vec<u8> {
        let name = self.text(NAME);
        let prefix = if self.field(MAGIC) == POSIX { self.text(PREFIX) } else { &[] };
        match prefix {
            [] => name.to_vec(),
            prefix => [prefix, b"/", name].concat(),
        }
    }

    /// The bytes that follow, if the field holds a number.
    pub(super) fn size(&self) -> Option<u64> {
        number(self.field(SIZE))
    }

    /// Writes the size and the checksum. A number that octal digits do not hold is written in base 256.
    pub(super) fn set_size(&mut self, size: u64) {
        let octal = format!("{size:011o}\0");
        if octal.len() == SIZE.len() {
            self.put(SIZE, octal.as_bytes());
        } else {
            let mut field = [0; 12];
            field[0] = 0x80;
            field[4..].copy_from_slice(&size.to_be_bytes());
            self.put(SIZE, &field);
        }
        let sum = format!("{:06o}\0 ", self.sum(i64::from));
        self.put(CHECKSUM, sum.as_bytes());
    }

    /// Whether the checksum is right, by bytes without or, as some old programs computed it, with a sign.
    pub(super) fn is_checksum_right(&self) -> bool {
        let stated = number(self.field(CHECKSUM)).and_then(|sum| i64::try_from(sum).ok());
        stated.is_some_and(|stated| {
            stated == self.sum(i64::from) || stated == self.sum(|byte| i64::from(byte.cast_signed()))
        })
    }

    fn sum(&self, value: impl Fn(u8) -> i64) -> i64 {
        let blanked = |(at, byte): (usize, &u8)| if CHECKSUM.contains(&at) { b' ' } else { *byte };
        self.0.iter().enumerate().map(blanked).map(value).sum()
    }

    fn field(&self, at: Range<usize>) -> &[u8] {
        &self.0[at]
    }

    fn text(&self, at: Range<usize>) -> &[u8] {
        let field = self.field(at);
        field.split(|byte| *byte == 0).next().unwrap_or(field)
    }

    fn put(&mut self, at: Range<usize>, bytes: &[u8]) {
        self.0[at].copy_from_slice(bytes);
    }
}

/// A field's number: octal digits between spaces or before a NUL, or base 256 after a first bit that is set.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if let [first @ 0x80..=0xbf, rest @ ..] = field {
        return rest.iter().try_fold(u64::from(first & 0x3f), |number, byte| {
            Some(number.checked_mul(256)? | u64::from(*byte))
        });
    }
    let digits = field.split(|byte| *byte == 0).next()?.trim_ascii();
    digits.iter().try_fold(0u64, |number, digit| match digit {
        b'0'..=b'7' => number.checked_mul(8)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_their_forms() {
        for (field, expected) in [
            (&b"0000644\0"[..], Some(0o644)),
            (b"   17 \0", Some(15)),
            (b"77777777777\0", Some((1 << 33) - 1)),
            (b"\x80\0\0\0\0\0\0\x02\0\0\0\0", Some(1 << 33)),
            (b"\0\0\0\0", Some(0)),
            (b"12a\0", None),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", None),
            (b"\x80\x01\0\0\0\0\0\0\0\0\0\0", None),
        ] {
            assert_eq!(number(field), expected, "{field:?}");
        }
    }

    #[test]
    fn sizes_and_checksums_lead_back() {
        let mut member = Block([0; BLOCK]);
        member.put(0..3, b"a/b");
        for size in [0, 511, (1 << 33) - 1, 1 << 33, u64::MAX] {
            let mut block = member.extended(size);
            assert_eq!((block.size(), block.type_flag()), (Some(size), b'x'));
            assert_eq!(block.path(), b"PaxHeaders/a/b");
            assert!(block.is_checksum_right());
            block.0[0] ^= 1;
            assert!(!block.is_checksum_right());
        }
    }
}
