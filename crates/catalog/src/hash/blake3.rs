//! BLAKE3 by the algorithm's own library, on one thread.

use std::cell::RefCell;

use ::blake3::Hasher;
use fieldtest_kinds::Error;
use fieldtest_kinds::hash::Hash;

use super::function::{Function, State, write};
use super::kats::{Vector, counting, digests};
use super::{Family, List};
use crate::kat::{KnownAnswers, table};
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut list = List::proven_by(prove);
    list.add("blake3", "blake3", Blake3);
    vec![("blake3", list.all)]
}

struct Blake3;

/// Messages up to this many bytes are joined with their heads in a buffer that is kept. A head shifts the body against
/// the chunks of 1 KiB, and the library then hashes fewer of them side by side; copying costs less than that.
const JOINED: usize = 128 << 10;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Function for Blake3 {
    type State = Hasher;

    fn digest_len(&self) -> usize {
        ::blake3::OUT_LEN
    }

    fn start(&self) -> Hasher {
        Hasher::new()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        if head.is_empty() {
            return write(::blake3::hash(body).as_bytes(), digest);
        }
        if head.len() + body.len() <= JOINED {
            return BUFFER.with_borrow_mut(|buffer| {
                buffer.clear();
                buffer.extend_from_slice(head);
                buffer.extend_from_slice(body);
                write(::blake3::hash(buffer).as_bytes(), digest)
            });
        }
        let mut state = self.start();
        state.update(head);
        state.update(body);
        State::finish(state, digest)
    }
}

impl State for Hasher {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(self.finalize().as_bytes(), digest)
    }
}

fn prove(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::from("BLAKE3 reference, test_vectors/test_vectors.json");
    let rows = table::rows(include_str!("../../vectors/hash/blake3.txt"));
    digests(
        &mut set,
        hash,
        rows.map(|row| Vector { message: counting(row.count(0)), digest: row.bytes(1) }),
    )?;
    Ok(KatResult::of([set]))
}
