//! The caller's memory: what is read from it and what is written to it.

use std::ffi::{CStr, c_char};

use crate::error::{FT_EARGUMENT, FT_EBUFFER, FT_ENULL, Failure};

/// A run of bytes, for functions that take many of them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    /// Where it begins; may be NULL where there are none.
    pub data: *const u8,
    /// How many there are.
    pub length: usize,
}

/// The caller's bytes.
///
/// # Safety
/// The pointer leads to so many bytes, which do not change before the result's last use, or is NULL.
#[inline]
pub(crate) unsafe fn bytes<'a>(data: *const u8, length: usize) -> Result<&'a [u8], Failure> {
    // SAFETY: bytes have any alignment and value; the rest is as promised above.
    unsafe { items(data, length) }
}

/// The caller's items, such as the messages of a batch.
///
/// # Safety
/// As [`bytes`], with the alignment of the items.
#[inline]
pub(crate) unsafe fn items<'a, T>(data: *const T, count: usize) -> Result<&'a [T], Failure> {
    match count {
        0 => Ok(&[]),
        _ if data.is_null() => Err(Failure::plain(FT_ENULL)),
        _ if !data.is_aligned() || count > limit::<T>() => Err(impossible(count)),
        // SAFETY: as promised above, and Rust's limit of a slice is kept.
        _ => Ok(unsafe { std::slice::from_raw_parts(data, count) }),
    }
}

/// The caller's bytes that are changed in place.
///
/// # Safety
/// As [`bytes`], and nobody else uses them meanwhile.
#[inline]
pub(crate) unsafe fn bytes_mut<'a>(data: *mut u8, length: usize) -> Result<&'a mut [u8], Failure> {
    match length {
        0 => Ok(&mut []),
        _ if data.is_null() => Err(Failure::plain(FT_ENULL)),
        _ if length > limit::<u8>() => Err(impossible(length)),
        // SAFETY: as promised above, and Rust's limit of a slice is kept.
        _ => Ok(unsafe { std::slice::from_raw_parts_mut(data, length) }),
    }
}

/// That there can be room for so many outputs, one stride from each other.
pub(crate) fn room_of(count: usize, stride: usize) -> Result<(), Failure> {
    // Before any work: where the product overflows, outputs would be written behind the caller's memory.
    match stride.checked_mul(count) {
        Some(all) if all <= limit::<u8>() => Ok(()),
        _ => Err(impossible(stride)),
    }
}

/// The messages of a batch.
///
/// # Safety
/// As [`bytes`], for the list and for each of its runs.
pub(crate) unsafe fn list<'a>(list: *const Bytes, count: usize) -> Result<Vec<&'a [u8]>, Failure> {
    // SAFETY: as promised above.
    unsafe { items(list, count)?.iter().map(|it| bytes(it.data, it.length)).collect() }
}

/// The caller's text.
///
/// # Safety
/// The pointer is NULL or leads to a text that ends with a NUL and does not change before the result's last use.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::plain(FT_ENULL));
    }
    // SAFETY: as promised above.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|error| Failure::new(FT_EARGUMENT, format!("a name is not UTF-8: {error}")))
}

/// Writes a result that is no run of bytes.
///
/// # Safety
/// The pointer is NULL or leads to memory that may be written.
#[inline]
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::plain(FT_ENULL));
    }
    // SAFETY: as promised above; C's structures may be packed.
    unsafe { place.write_unaligned(value) };
    Ok(())
}

#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) data: *mut u8,
    pub(crate) capacity: usize,
    /// Where the number of bytes is written.
    pub(crate) length: *mut usize,
}

impl Output {
    /// That it can be written at all, before work is done.
    #[inline]
    pub(crate) fn check(self) -> Result<Self, Failure> {
        if self.length.is_null() || (self.data.is_null() && self.capacity > 0) {
            return Err(Failure::plain(FT_ENULL));
        }
        Ok(self)
    }

    /// Writes how many bytes there are to come, and says whether there is room.
    ///
    /// # Safety
    /// The output is what its fields say, or NULL.
    #[inline]
    pub(crate) unsafe fn reserve(self, needed: usize) -> Result<(), Failure> {
        // SAFETY: as promised above.
        unsafe { put(self.length, needed) }?;
        match self.capacity < needed {
            true => Err(no_room(self.capacity, needed)),
            false => Ok(()),
        }
    }

    /// Writes the bytes if there is room.
    ///
    /// # Safety
    /// As [`reserve`](Self::reserve).
    #[inline]
    pub(crate) unsafe fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: as promised above.
        unsafe {
            self.reserve(bytes.len())?;
            copy(bytes, self.data)
        }
    }
}

/// Writes bytes into memory that is known to be as long. It may overlap with what was read.
///
/// # Safety
/// The pointer is NULL or leads to so many bytes that may be written.
#[inline]
pub(crate) unsafe fn copy(bytes: &[u8], place: *mut u8) -> Result<(), Failure> {
    if bytes.is_empty() {
        return Ok(());
    }
    if place.is_null() {
        return Err(Failure::plain(FT_ENULL));
    }
    // SAFETY: as promised above; the bytes are the library's own.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
    Ok(())
}

#[cold]
pub(crate) fn no_room(capacity: usize, needed: usize) -> Failure {
    Failure::new(FT_EBUFFER, format!("the output has {needed} bytes, and there is room for {capacity}"))
}

/// As many items as Rust's slices have at most.
const fn limit<T>() -> usize {
    isize::MAX as usize / if size_of::<T>() == 0 { 1 } else { size_of::<T>() }
}

#[cold]
fn impossible(length: usize) -> Failure {
    Failure::new(FT_EARGUMENT, format!("there is no run of {length} items there"))
}
