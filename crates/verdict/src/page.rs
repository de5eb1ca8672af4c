//! What the page calls, as WebAssembly. It asks for room, writes there, and reads the answer in the same place. A page has one
//! thread, so no lock is ever waited for.

// Only to export names: there is no `unsafe` block, since the room is a vector that the page writes to.
#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::matrix::Matrix;

static ROOM: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static MATRIX: Mutex<Option<Matrix>> = Mutex::new(None);

fn open<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for so many bytes.
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    let mut room = open(&ROOM);
    *room = vec![0; length];
    room.as_mut_ptr()
}

/// Reads the matrix that stands there; whether it is one.
#[unsafe(no_mangle)]
extern "C" fn read() -> bool {
    let matrix = str::from_utf8(&open(&ROOM)).ok().and_then(Matrix::read);
    *open(&MATRIX) = matrix;
    open(&MATRIX).is_some()
}

/// Replaces the question that stands there by the answer, with a byte 0 behind it.
#[unsafe(no_mangle)]
extern "C" fn decide() -> *const u8 {
    let mut room = open(&ROOM);
    let matrix = open(&MATRIX);
    let answer = str::from_utf8(&room).ok().zip(matrix.as_ref()).and_then(|(it, matrix)| matrix.answer(it));
    *room = (answer.unwrap_or_default() + "\0").into_bytes();
    room.as_ptr()
}
