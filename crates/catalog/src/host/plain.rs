//! Adapters for libraries whose state lies in memory of the caller: it is made for each message, and nothing is kept.

// Memory that foreign code fills is made here.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::mem::MaybeUninit;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use zeroize::Zeroize;

use crate::hash::{Function, State, wrong_length};
use crate::mac::keyed::{too_long, write};

/// Bytes of the longest output of any function here.
const LONGEST: usize = 64;

/// Memory for a library's state of up to so many bytes, aligned for every instruction set. A library that says how much
/// it needs is asked before it is given any.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(crate) struct Memory<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> Memory<BYTES> {
    pub(super) fn new() -> Self {
        Memory([MaybeUninit::uninit(); BYTES])
    }

    /// What a library is given.
    pub(super) fn at(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    /// What a library is given that only reads.
    pub(super) fn read(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    /// The first bytes of it alone: copying more than the library uses would be its cost and not the library's.
    pub(super) fn copy(&self, used: usize) -> Self {
        let mut copy = Memory::new();
        copy.0[..used].copy_from_slice(&self.0[..used]);
        copy
    }

    pub(super) fn wipe(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

/// A hash function, or a key of a MAC, over state that is plain bytes: a copy of it goes its own way.
pub(crate) trait Plain: Send + Sync + 'static {
    type State: Send + 'static;

    /// Bytes of the whole output, at most 64.
    fn output(&self) -> usize;

    /// The state before the first byte.
    fn begin(&self) -> Self::State;

    fn update(&self, state: &mut Self::State, piece: &[u8]);

    /// Ends the message. `output` is as long as the whole output.
    fn finish(&self, state: &mut Self::State, output: &mut [u8]);
}

#[derive(Clone, Copy)]
pub(crate) struct PlainHash<P>(pub(super) P);

impl<P: Plain + Copy> Function for PlainHash<P> {
    type State = Pieces<P>;

    fn digest_len(&self) -> usize {
        self.0.output()
    }

    fn start(&self) -> Pieces<P> {
        Pieces { state: self.0.begin(), function: self.0 }
    }
}

pub(crate) struct Pieces<P: Plain> {
    function: P,
    state: P::State,
}

impl<P: Plain> State for Pieces<P> {
    fn update(&mut self, piece: &[u8]) {
        self.function.update(&mut self.state, piece);
    }

    fn finish(mut self, digest: &mut [u8]) -> Result<(), Error> {
        if digest.len() != self.function.output() {
            return Err(wrong_length(self.function.output(), digest.len()));
        }
        self.function.finish(&mut self.state, digest);
        Ok(())
    }
}

pub(crate) struct PlainKey<P>(pub(super) P);

impl<P: Plain> MacKey for PlainKey<P> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let output = self.0.output();
        if tag.len() > output {
            return Err(too_long(tag.len(), output));
        }
        let mut whole = [0; LONGEST];
        let mut state = self.0.begin();
        self.0.update(&mut state, message);
        self.0.finish(&mut state, &mut whole[..output]);
        write(&whole[..output], tag)
    }
}
