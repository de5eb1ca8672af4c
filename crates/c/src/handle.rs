//! Handles: memory that begins with a word which says of what kind it is.

use crate::error::{FT_EHANDLE, FT_ENULL, Failure};
use crate::memory::put;

/// A kind of handle. The type itself is what C sees and has no content; behind its pointer lies a [`Tagged`].
pub(crate) trait Handle: Sized {
    /// What lies behind it. Several threads may have the same handle.
    type Inner: Send + Sync;
    const TAG: [u8; 8];
}

/// What a handle is freed as: most double frees meet it, which is not to be relied on.
const FREED: [u8; 8] = *b"ft-freed";

#[repr(C)]
pub(crate) struct Tagged<T> {
    tag: [u8; 8],
    pub(crate) inner: T,
}

/// What a handle is made of, for one that lives as long as the process.
pub(crate) fn tagged<H: Handle>(inner: H::Inner) -> Tagged<H::Inner> {
    Tagged { tag: H::TAG, inner }
}

/// Makes a handle that its user frees, and writes it, or NULL where nothing is made.
///
/// # Safety
/// The pointer is NULL or leads to a place for a handle.
pub(crate) unsafe fn give<H: Handle>(
    place: *mut *mut H,
    make: impl FnOnce() -> Result<H::Inner, Failure>,
) -> Result<(), Failure> {
    // SAFETY: as promised above. Whoever ignores the code meets NULL.
    unsafe { put(place, std::ptr::null_mut()) }?;
    let handle: *mut H = Box::into_raw(Box::new(tagged::<H>(make()?))).cast();
    // SAFETY: as promised above.
    unsafe { put(place, handle) }
}

pub(crate) fn owned<H: Handle>(tagged: &'static Tagged<H::Inner>) -> *const H {
    std::ptr::from_ref(tagged).cast()
}

/// What lies behind a handle.
///
/// # Safety
/// The pointer is NULL or leads to a handle of any kind that is not freed before the result's last use.
#[inline]
pub(crate) unsafe fn borrow<'a, H: Handle>(handle: *const H) -> Result<&'a H::Inner, Failure> {
    // SAFETY: as promised above.
    unsafe { find(handle) }.map(|tagged| {
        // SAFETY: the tag is that of this kind, so this is what lies there.
        unsafe { &(*tagged).inner }
    })
}

/// Frees a handle. NULL is nothing to free.
///
/// # Safety
/// As [`borrow`], and nobody uses the handle any more.
pub(crate) unsafe fn free<H: Handle>(handle: *mut H) -> Result<(), Failure> {
    if handle.is_null() {
        return Ok(());
    }
    // SAFETY: as promised above.
    let tagged = unsafe { find(handle) }?.cast_mut();
    // SAFETY: the tag says that `give` made it, and nobody else has it. A plain write before memory is freed would be left out
    // by the compiler.
    unsafe {
        std::ptr::write_volatile(&raw mut (*tagged).tag, FREED);
        drop(Box::from_raw(tagged));
    }
    Ok(())
}

/// Where it lies, if it is a handle of this kind.
///
/// # Safety
/// As [`borrow`].
#[inline]
unsafe fn find<H: Handle>(handle: *const H) -> Result<*const Tagged<H::Inner>, Failure> {
    let tagged: *const Tagged<H::Inner> = handle.cast();
    if tagged.is_null() {
        return Err(Failure::plain(FT_ENULL));
    }
    // SAFETY: every handle begins with its tag, whatever its kind. It is read as bytes, and alignment is looked at first.
    if !tagged.is_aligned() || unsafe { (&raw const (*tagged).tag).read() } != H::TAG {
        return Err(Failure::plain(FT_EHANDLE));
    }
    Ok(tagged)
}
