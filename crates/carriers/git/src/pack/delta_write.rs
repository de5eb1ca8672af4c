//! Deltas are written (gitformat-pack(5), "Deltified representation").

/// Instructions, copies that continue each other as one.
pub(crate) struct DeltaWriter<'d> {
    delta: &'d mut Vec<u8>,
    /// A copy that may go on: offset and length.
    copy: Option<(usize, usize)>,
    insert: Vec<u8>,
}

impl DeltaWriter<'_> {
    /// Overwrites `delta`, and begins it with the bytes of the base and of what is to be made of it.
    pub(crate) fn new(base_len: usize, len: usize, delta: &mut Vec<u8>) -> DeltaWriter<'_> {
        delta.clear();
        push_size(base_len, delta);
        push_size(len, delta);
        DeltaWriter { delta, copy: None, insert: Vec::new() }
    }

    /// `len` bytes of the base from `offset` on come next.
    pub(crate) fn copy(&mut self, offset: usize, len: usize) {
        match &mut self.copy {
            Some((begin, copied)) if self.insert.is_empty() && *begin + *copied == offset => *copied += len,
            _ => {
                self.write_copy();
                self.write_insert();
                self.copy = Some((offset, len));
            }
        }
    }

    /// These bytes come next.
    pub(crate) fn insert(&mut self, bytes: &[u8]) {
        self.insert.extend_from_slice(bytes);
    }

    pub(crate) fn finish(mut self) {
        self.write_copy();
        self.write_insert();
    }

    fn write_copy(&mut self) {
        /// The most that one instruction copies in packs of version 2.
        const LONGEST: usize = 0x1_0000;
        let Some((mut offset, mut len)) = self.copy.take() else { return };
        while len > 0 {
            let now = len.min(LONGEST);
            let code = self.delta.len();
            self.delta.push(0x80);
            // The length that is the commonest of all is written as none.
            let number = [(offset as u64, 4), (if now == LONGEST { 0 } else { now as u64 }, 3)];
            let bytes = number.iter().flat_map(|(value, bytes)| value.to_le_bytes().into_iter().take(*bytes));
            for (bit, byte) in bytes.enumerate().filter(|(_, byte)| *byte != 0) {
                self.delta.push(byte);
                if let Some(code) = self.delta.get_mut(code) {
                    *code |= 1 << bit;
                }
            }
            offset += now;
            len -= now;
        }
    }

    fn write_insert(&mut self) {
        for bytes in self.insert.chunks(127) {
            self.delta.push(bytes.len() as u8);
            self.delta.extend_from_slice(bytes);
        }
        self.insert.clear();
    }
}

/// 7 bits in each byte, low ones first.
fn push_size(size: usize, delta: &mut Vec<u8>) {
    let mut rest = size;
    while rest >= 0x80 {
        delta.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    delta.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::DeltaWriter;
    use crate::pack::delta::Delta;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn instructions_make_what_they_were_made_for(
            base in prop::collection::vec(any::<u8>(), 1..200_000),
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0_usize..100_000), 0..20),
        ) {
            let steps: Vec<_> = steps
                .into_iter()
                .map(|(is_copy, at, len)| {
                    let begin = at.index(base.len());
                    let len = if is_copy { len } else { len.min(300) };
                    (is_copy, begin, &base[begin..(begin + len).min(base.len())])
                })
                .collect();
            let result: Vec<u8> = steps.iter().flat_map(|(.., bytes)| *bytes).copied().collect();
            let mut delta = b"what was there before".to_vec();
            let mut writer = DeltaWriter::new(base.len(), result.len(), &mut delta);
            for (is_copy, begin, bytes) in steps {
                if is_copy { writer.copy(begin, bytes.len()) } else { writer.insert(bytes) }
            }
            writer.finish();
            // What makes nothing, or copies all of 64 KiB, is shorter than Git reads; callers write such objects whole.
            if delta.len() >= Delta::SHORTEST {
                let mut applied = Vec::new();
                Delta::parse(&delta).expect("sizes").apply(&base, &mut applied).expect("it applies");
                prop_assert_eq!(applied, result);
            }
        }
    }
}
