//! What SHA-1 and SHA-256 have in common: 64-byte blocks, 32-bit words, and the padding (FIPS 180-4, section 5.1.1).

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

pub(crate) type Block = [u8; BLOCK];

/// The chaining words of a hash. SHA-1 uses the first five and leaves the others zero.
pub(crate) type State = [u32; 8];

/// Overwrites a secret so that the compiler keeps it. The volatile writes of `Zeroize` go byte by byte, which for a
/// block takes as long as its compression.
#[inline]
pub(crate) fn wipe<T: Copy>(secret: &mut T, empty: T) {
    *secret = empty;
    zeroize::optimization_barrier(secret);
}

/// The sixteen big-endian words of a block.
pub(crate) fn words(block: &Block) -> [u32; 16] {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// Writes the beginning of the digest that a state stands for, at most 32 bytes of it.
///
/// Each word goes where it belongs at once: a digest put together first and copied then would have to be read again
/// in other pieces than it was written in, for which processors wait until it has reached the cache.
#[inline]
pub(crate) fn write_digest(to: &mut [u8], state: &State) {
    let (whole, rest) = to.as_chunks_mut();
    for (bytes, word) in whole.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    if let Some(word) = state.get(whole.len()) {
        for (byte, value) in rest.iter_mut().zip(word.to_be_bytes()) {
            *byte = value;
        }
    }
}

/// Blocks that have to be put together: where the two parts of a message meet, and the last one or two, which are what
/// its whole blocks leave over and the padding. They are filled in place, because a copy would have to wait for the
/// bytes just written.
pub(crate) struct Tail {
    /// The last block is always the second.
    blocks: [Block; 2],
    /// How many of the blocks, counted from the last, are still to be absorbed.
    left: usize,
}

impl Tail {
    pub(crate) const EMPTY: Self = Self { blocks: [[0; BLOCK]; 2], left: 0 };

    /// Cuts the message that is `head` followed by `body`. Unless the head
    /// is empty or the body short, the tail becomes the block where they meet; what comes after it is for
    /// [`end`](Self::end).
    #[inline(always)]
    pub(crate) fn begin<'a>(&mut self, head: &'a [u8], body: &'a [u8]) -> Cut<'a> {
        if head.is_empty() {
            return Cut { blocks: self.end(Rest { absorbed: 0, body }), after: None };
        }
        let (blocks, rest) = head.as_chunks();
        let absorbed = BLOCK * blocks.len();
        match body.split_at_checked(BLOCK - rest.len()) {
            Some((beginning, body)) => {
                let [_, block] = &mut self.blocks;
                join(block, rest, beginning);
                self.left = 1;
                Cut { blocks, after: Some(Rest { absorbed: absorbed + BLOCK, body }) }
            }
            None => {
                self.fill(rest, body, absorbed);
                Cut { blocks, after: None }
            }
        }
    }

    /// Becomes the tail of what is left of a message, and returns the whole blocks before that.
    #[inline]
    pub(crate) fn end<'a>(&mut self, Rest { absorbed, body }: Rest<'a>) -> &'a [Block] {
        let (blocks, rest) = body.as_chunks();
        self.fill(rest, &[], absorbed + BLOCK * blocks.len());
        blocks
    }

    /// Becomes the tail of a message that ends in `rest` and `end`, together less than a block, after `absorbed` bytes
    /// in whole blocks.
    #[inline(always)] // the second piece is mostly empty, which saves its part of the copying
    fn fill(&mut self, rest: &[u8], end: &[u8], absorbed: usize) {
        let length = rest.len() + end.len();
        let [first, second] = &mut self.blocks;
        let block = if length < BLOCK - 8 {
            self.left = 1;
            &mut *second
        } else {
            self.left = 2;
            *second = [0; BLOCK];
            first
        };
        *block = [0; BLOCK];
        join(block, rest, end);
        if let Some(end) = block.get_mut(length) {
            *end = 0x80;
        }
        second[BLOCK - 8..].copy_from_slice(&(8 * (absorbed + length) as u64).to_be_bytes());
    }

    /// Becomes the last block of the outer hash of HMAC: after the padded key, the first `length` bytes of the
    /// inner hash's digest, whole words.
    #[inline]
    pub(crate) fn fill_outer(&mut self, digest: &State, length: usize) {
        let [_, block] = &mut self.blocks;
        *block = [0; BLOCK];
        write_digest(&mut block[..length], digest);
        block[length] = 0x80;
        block[BLOCK - 8..].copy_from_slice(&(8 * (BLOCK + length) as u64).to_be_bytes());
        self.left = 1;
    }

    /// The blocks that are still to be absorbed.
    #[inline]
    pub(crate) fn pending(&self) -> &[Block] {
        self.blocks.get(2 - self.left..).unwrap_or_default()
    }

    /// Takes off the first `count` of them.
    #[inline]
    pub(crate) fn advance(&mut self, count: usize) {
        self.left -= count;
    }

    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.blocks, [[0; BLOCK]; 2]);
        self.left = 0;
    }
}

/// Where a message has been cut: what can be absorbed where it lies, before the tail, and what comes after the tail.
pub(crate) struct Cut<'a> {
    /// Whole blocks of one part of the message.
    pub(crate) blocks: &'a [Block],
    /// What is left after the tail, if the tail is not the message's end.
    pub(crate) after: Option<Rest<'a>>,
}

/// What is left of a message.
pub(crate) struct Rest<'a> {
    /// Bytes before it, in whole blocks.
    pub(crate) absorbed: usize,
    pub(crate) body: &'a [u8],
}

/// Writes two pieces of at most a block together to the beginning of a block.
#[inline]
fn join(block: &mut Block, first: &[u8], second: &[u8]) {
    copy_short(block, first);
    copy_short(block.get_mut(first.len()..).unwrap_or_default(), second);
}

/// Copies at most 64 bytes as two overlapping pieces of one fixed size: `memcpy` of a variable length costs a
/// call and a jump, which is a tenth of a compression.
#[inline]
fn copy_short(to: &mut [u8], from: &[u8]) {
    #[inline]
    fn pieces<const N: usize>(to: &mut [u8], from: &[u8]) -> bool {
        let (Some(head), Some(tail)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else {
            return false;
        };
        let Some(to) = to.get_mut(..from.len()) else { return false };
        if let Some(to) = to.first_chunk_mut::<N>() {
            *to = *head;
        }
        if let Some(to) = to.last_chunk_mut::<N>() {
            *to = *tail;
        }
        true
    }
    let _ = pieces::<32>(to, from)
        || pieces::<16>(to, from)
        || pieces::<8>(to, from)
        || pieces::<4>(to, from)
        || pieces::<2>(to, from)
        || pieces::<1>(to, from);
}
