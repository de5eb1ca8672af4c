//! Digests of messages: whole ones, many at once, and those that come in pieces.
//!
//! A digest has the size "digest" of its algorithm.

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use fieldtest_kinds::hash::{self, Job};

use crate::catalog::Implementation;
use crate::error::{FT_EFINISHED, Failure, call};
use crate::handle::{Handle, borrow, free, give};
use crate::memory::{Bytes, Output, bytes, copy, list, no_room, room_of};

/// A message in pieces, on its way to a digest. Pieces of several threads come in the order in which the threads call.
pub struct Stream {
    _opaque: [u8; 0],
}

/// Behind [`Stream`].
pub(crate) struct Pieces {
    /// `None` when the message was finished.
    stream: Mutex<Option<Box<dyn hash::Stream>>>,
    digest: usize,
}

impl Handle for Stream {
    type Inner = Pieces;
    const TAG: [u8; 8] = *b"ft-strea";
}

impl Pieces {
    fn with<T>(
        &self,
        work: impl FnOnce(&mut Option<Box<dyn hash::Stream>>) -> Option<T>,
    ) -> Result<T, Failure> {
        // A panic of an implementation was told to whoever called it.
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut stream).ok_or_else(|| Failure::plain(FT_EFINISHED))
    }
}

/// Bytes of the longest digest that goes through the stack.
const USUAL: usize = 64;

/// The digest of a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_digest(
    implementation: *const Implementation,
    message: *const u8,
    message_length: usize,
    digest: *mut u8,
    digest_capacity: usize,
    digest_length: *mut usize,
) -> c_int {
    call(|| {
        let output = Output { data: digest, capacity: digest_capacity, length: digest_length }.check()?;
        // SAFETY: a handle and bytes, as this function asks for.
        let (code, message) = unsafe { (borrow(implementation)?.hash()?, bytes(message, message_length)?) };
        // SAFETY: room for output, as this function asks for.
        unsafe { output.reserve(code.digest_len()) }?;
        filled(code.digest_len(), |made| {
            code.digest(b"", message, made)?;
            // SAFETY: as above.
            unsafe { output.write(made) }
        })
    })
}

/// The digests of many messages, which some implementations make several at once. Digest i begins at digests + i * stride.
///
/// Returns FT_EBUFFER if a digest is longer than the stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_digest_many(
    implementation: *const Implementation,
    messages: *const Bytes,
    count: usize,
    digests: *mut u8,
    stride: usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and messages, as this function asks for.
        let (code, messages) = unsafe { (borrow(implementation)?.hash()?, list(messages, count)?) };
        let length = code.digest_len();
        if length > stride {
            return Err(no_room(stride, length));
        }
        room_of(count, stride)?;
        let mut made = vec![0; length * count];
        let mut jobs: Vec<Job<'_>> = messages
            .iter()
            .zip(made.chunks_exact_mut(length))
            .map(|(message, digest)| Job { head: b"", body: message, digest })
            .collect();
        code.digest_many(&mut jobs)?;
        // SAFETY: room for so many digests, as this function asks for.
        unsafe { spread(&made, length, digests, stride) }
    })
}

/// Begins a message that comes in pieces. ft_stream_free() frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_stream_new(
    implementation: *const Implementation,
    stream: *mut *mut Stream,
) -> c_int {
    call(|| {
        let pieces = || {
            // SAFETY: a handle, as this function asks for.
            let code = unsafe { borrow(implementation) }?.hash()?;
            Ok(Pieces { stream: Mutex::new(Some(code.start())), digest: code.digest_len() })
        };
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { give(stream, pieces) }
    })
}

/// Appends to the message.
///
/// Returns FT_EFINISHED after ft_stream_finish().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_stream_update(
    stream: *const Stream,
    piece: *const u8,
    piece_length: usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and bytes, as this function asks for.
        let (pieces, piece) = unsafe { (borrow(stream)?, bytes(piece, piece_length)?) };
        pieces.with(|stream| stream.as_mut().map(|stream| stream.update(piece)))
    })
}

/// Ends the message and writes its digest. The handle is then good for ft_stream_free() alone, unless the code is FT_EBUFFER.
///
/// Returns FT_EFINISHED if that was done before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_stream_finish(
    stream: *const Stream,
    digest: *mut u8,
    digest_capacity: usize,
    digest_length: *mut usize,
) -> c_int {
    call(|| {
        let output = Output { data: digest, capacity: digest_capacity, length: digest_length }.check()?;
        // SAFETY: a handle, as this function asks for.
        let pieces = unsafe { borrow(stream) }?;
        // SAFETY: room for output, as this function asks for.
        unsafe { output.reserve(pieces.digest) }?;
        let whole = pieces.with(Option::take)?;
        filled(pieces.digest, |made| {
            whole.finish(made)?;
            // SAFETY: as above.
            unsafe { output.write(made) }
        })
    })
}

/// Frees a message in pieces, finished or not. NULL is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_stream_free(stream: *mut Stream) -> c_int {
    // SAFETY: a handle that nobody uses any more, as this function asks for.
    call(|| unsafe { free(stream) })
}

/// Works on so many bytes of the library's own: the caller's output may overlap with its input.
#[inline]
pub(crate) fn filled(
    length: usize,
    work: impl FnOnce(&mut [u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match [0; USUAL].get_mut(..length) {
        Some(usual) => work(usual),
        None => work(&mut vec![0; length]),
    }
}

/// Writes outputs of one length, one stride from each other.
///
/// # Safety
/// The pointer is NULL or leads to room for all of them.
pub(crate) unsafe fn spread(
    made: &[u8],
    length: usize,
    place: *mut u8,
    stride: usize,
) -> Result<(), Failure> {
    for (at, one) in made.chunks_exact(length).enumerate() {
        // SAFETY: as promised above.
        unsafe { copy(one, if place.is_null() { place } else { place.add(at * stride) }) }?;
    }
    Ok(())
}
