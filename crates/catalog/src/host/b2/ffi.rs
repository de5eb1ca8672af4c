//! The calls into `libb2`, found at run time, behind types that are safe to use.
//!
//! Every function and every size here is as in `blake2.h` of 0.98.1, whose file name stands for them.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use fieldtest_kinds::Error;
use libloading::Library;

use crate::host::library::{functions, too_old};
use crate::host::plain::{Memory, Plain};

functions! {
    fn blake2s_init_key(*mut c_void, usize, *const u8, usize) -> c_int;
    fn blake2s_update(*mut c_void, *const u8, usize) -> c_int;
    fn blake2s_final(*mut c_void, *mut u8, usize) -> c_int;
    fn blake2b_init(*mut c_void, usize) -> c_int;
    fn blake2b_init_key(*mut c_void, usize, *const u8, usize) -> c_int;
    fn blake2b_update(*mut c_void, *const u8, usize) -> c_int;
    fn blake2b_final(*mut c_void, *mut u8, usize) -> c_int;
    fn blake2bp_init(*mut c_void, usize) -> c_int;
    fn blake2bp_update(*mut c_void, *const u8, usize) -> c_int;
    fn blake2bp_final(*mut c_void, *mut u8, usize) -> c_int;
}

/// Bytes of the structures, which are packed: words of state, counters, flags, two blocks, a length and two bytes; four of
/// them, a root and four blocks of buffer for BLAKE2bp.
const BLAKE2S: usize = 4 * (8 + 2 + 2) + 2 * 64 + 4 + 2;
const BLAKE2B: usize = 8 * (8 + 2 + 2) + 2 * 128 + 4 + 2;
const BLAKE2BP: usize = 5 * BLAKE2B + 4 * 128 + 4 + 1;

pub(crate) struct B2 {
    functions: Functions,
}

impl B2 {
    pub(super) fn of(library: &'static Library) -> Result<Self, String> {
        Ok(B2 { functions: Functions::load(library).map_err(too_old)? })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Blake2s,
    Blake2b,
    Blake2bp,
}

type Update = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;
type Final = unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> c_int;

impl Function {
    /// What follows a state that was begun.
    fn calls(self, library: &B2) -> (Update, Final) {
        let it = &library.functions;
        match self {
            Function::Blake2s => (it.blake2s_update, it.blake2s_final),
            Function::Blake2b => (it.blake2b_update, it.blake2b_final),
            Function::Blake2bp => (it.blake2bp_update, it.blake2bp_final),
        }
    }
}

/// BLAKE2b or BLAKE2bp with digests of 32 bytes and without a key.
#[derive(Clone, Copy)]
pub(crate) struct HashCode {
    pub(super) library: &'static B2,
    pub(super) function: Function,
}

/// Bytes of a digest.
const DIGEST: usize = 32;

impl Plain for HashCode {
    type State = Memory<BLAKE2BP>;

    fn output(&self) -> usize {
        DIGEST
    }

    fn begin(&self) -> Memory<BLAKE2BP> {
        let mut state = Memory::new();
        let it = &self.library.functions;
        let init = if self.function == Function::Blake2bp { it.blake2bp_init } else { it.blake2b_init };
        // SAFETY: the memory has room for the larger of the states. It fails for lengths of digests that there are not.
        unsafe { init(state.at(), DIGEST) };
        state
    }

    fn update(&self, state: &mut Memory<BLAKE2BP>, piece: &[u8]) {
        // SAFETY: the state was begun, and the piece is as long as stated.
        unsafe { self.function.calls(self.library).0(state.at(), piece.as_ptr(), piece.len()) };
    }

    fn finish(&self, state: &mut Memory<BLAKE2BP>, output: &mut [u8]) {
        // SAFETY: as above; the buffer is as long as stated.
        unsafe { self.function.calls(self.library).1(state.at(), output.as_mut_ptr(), output.len()) };
    }
}

/// The state behind a key of BLAKE2s or BLAKE2b.
pub(crate) struct KeyedState {
    library: &'static B2,
    function: Function,
    output: usize,
    keyed: Memory<BLAKE2B>,
}

impl KeyedState {
    pub(super) fn new(
        library: &'static B2,
        function: Function,
        output: usize,
        key: &[u8],
    ) -> Result<Self, Error> {
        let mut keyed = Memory::new();
        let it = &library.functions;
        let init = if function == Function::Blake2s { it.blake2s_init_key } else { it.blake2b_init_key };
        // SAFETY: the memory has room for the larger of the states; the key is as long as stated.
        let outcome = unsafe { init(keyed.at(), output, key.as_ptr(), key.len()) };
        if outcome == 0 {
            return Ok(KeyedState { library, function, output, keyed });
        }
        Err(Error::Library("libb2 refuses a key of this length".to_owned()))
    }
}

impl Drop for KeyedState {
    fn drop(&mut self) {
        self.keyed.wipe();
    }
}

impl Plain for KeyedState {
    type State = Memory<BLAKE2B>;

    fn output(&self) -> usize {
        self.output
    }

    fn begin(&self) -> Memory<BLAKE2B> {
        self.keyed.copy(if self.function == Function::Blake2s { BLAKE2S } else { BLAKE2B })
    }

    fn update(&self, state: &mut Memory<BLAKE2B>, piece: &[u8]) {
        // SAFETY: the state is a copy of one that has its key; the piece is as long as stated.
        unsafe { self.function.calls(self.library).0(state.at(), piece.as_ptr(), piece.len()) };
    }

    fn finish(&self, state: &mut Memory<BLAKE2B>, output: &mut [u8]) {
        // SAFETY: as above; the buffer is as long as stated.
        unsafe { self.function.calls(self.library).1(state.at(), output.as_mut_ptr(), output.len()) };
    }
}
