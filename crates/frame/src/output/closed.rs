//! Streams that were closed when the program began (`>&-`).
//!
//! Rust's runtime opens `/dev/null` in their place before `main`, so that what is written to them vanishes without an
//! error. Whether they were there has to be asked before it does so.
//!
//! `unsafe`: the loader is told of a function that it calls before the runtime begins, and that looks at descriptors by
//! their numbers.

#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of standard input, output and error.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Whether one of the first three descriptors was closed when the program began.
pub(super) fn at_start(number: i32) -> bool {
    (0..3).contains(&number) && CLOSED.load(Ordering::Relaxed) >> number & 1 == 1
}

pub(super) fn error() -> io::Error {
    io::Error::other("it was closed when the program started; open it, or redirect it to /dev/null")
}

/// The loader calls what is in this section before `main` (System V ABI, “Initialization and Termination Functions”).
// SAFETY: the section holds addresses of functions of the C calling convention; whatever arguments this one is called
// with are left alone. It needs nothing that the runtime would have to make first.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    for number in 0..3_u8 {
        // SAFETY: the number is only asked about, and belongs to nobody yet who could close it meanwhile.
        let stream = unsafe { std::os::fd::BorrowedFd::borrow_raw(number.into()) };
        if rustix::io::fcntl_getfd(stream).is_err() {
            CLOSED.fetch_or(1 << number, Ordering::Relaxed);
        }
    }
}
