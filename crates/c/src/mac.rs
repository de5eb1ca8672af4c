//! Tags of messages under a shared key, and the derivation of keys as TCP-AO has it (RFC 5925, section 7).
//!
//! From a master key and a context a traffic key is derived; a prepared traffic key then tags messages. Who has no use for
//! the derivation prepares a key of its own. A tag has the size "tag" of its algorithm where protocols carry it, and the
//! implementation may have longer ones.

use std::ffi::c_int;

use fieldtest_kinds::mac::{self, Job};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::catalog::Implementation;
use crate::error::{FT_EARGUMENT, FT_EWRONG, Failure, call};
use crate::handle::{Handle, borrow, free, give};
use crate::hash::{filled, spread};
use crate::memory::{Bytes, Output, bytes, copy, list, room_of};

/// A key that is prepared for many messages.
pub struct MacKey {
    _opaque: [u8; 0],
}

/// Behind [`MacKey`].
pub(crate) struct Prepared {
    code: &'static dyn mac::Mac,
    key: Box<dyn mac::MacKey>,
    longest: usize,
}

impl Handle for MacKey {
    type Inner = Prepared;
    const TAG: [u8; 8] = *b"ft-mackk";
}

impl Prepared {
    /// That there are tags of this length. One of no bytes would be right for every message.
    #[inline]
    fn check(&self, tag: usize) -> Result<(), Failure> {
        match (1..=self.longest).contains(&tag) {
            true => Ok(()),
            false => Err(Failure::new(
                FT_EARGUMENT,
                format!("invalid tag length {tag}: expected 1 to {} bytes", self.longest),
            )),
        }
    }
}

/// Derives a traffic key from a master key and a context.
///
/// Returns FT_EKEY if there are no master keys of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_mac_derive(
    implementation: *const Implementation,
    master_key: *const u8,
    master_length: usize,
    context: *const u8,
    context_length: usize,
    traffic_key: *mut u8,
    traffic_capacity: usize,
    traffic_length: *mut usize,
) -> c_int {
    call(|| {
        let output =
            Output { data: traffic_key, capacity: traffic_capacity, length: traffic_length }.check()?;
        // SAFETY: a handle and bytes, as this function asks for.
        let (code, master, context) = unsafe {
            (
                borrow(implementation)?.mac()?,
                bytes(master_key, master_length)?,
                bytes(context, context_length)?,
            )
        };
        let mut derived = Zeroizing::new(Vec::new());
        code.derive(master, context, &mut derived)?;
        // SAFETY: room for output, as this function asks for.
        unsafe { output.write(&derived) }
    })
}

/// Prepares a key for many messages. ft_mac_key_free() frees it.
///
/// Returns FT_EKEY if there are no keys of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_mac_key_new(
    implementation: *const Implementation,
    traffic_key: *const u8,
    traffic_length: usize,
    key: *mut *mut MacKey,
) -> c_int {
    call(|| {
        let made = || {
            // SAFETY: a handle and bytes, as this function asks for.
            let (code, traffic_key) =
                unsafe { (borrow(implementation)?.mac()?, bytes(traffic_key, traffic_length)?) };
            Ok(Prepared { code, key: code.prepare(traffic_key)?, longest: code.longest_tag() })
        };
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { give(key, made) }
    })
}

/// Tags a message. The tag has as many bytes as are asked for.
///
/// Returns FT_EARGUMENT if there are no tags of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_mac_tag(
    key: *const MacKey,
    message: *const u8,
    message_length: usize,
    tag: *mut u8,
    tag_length: usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and bytes, as this function asks for.
        let (key, message) = unsafe { (borrow(key)?, bytes(message, message_length)?) };
        key.check(tag_length)?;
        filled(tag_length, |made| {
            key.key.tag(message, made)?;
            // SAFETY: room for the tag, as this function asks for.
            unsafe { copy(made, tag) }
        })
    })
}

/// Tags many messages under one key, which some implementations do several at once. Tag i begins at tags + i * tag_length.
///
/// Returns FT_EARGUMENT if there are no tags of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_mac_tag_many(
    key: *const MacKey,
    messages: *const Bytes,
    count: usize,
    tags: *mut u8,
    tag_length: usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and messages, as this function asks for.
        let (key, messages) = unsafe { (borrow(key)?, list(messages, count)?) };
        key.check(tag_length)?;
        room_of(count, tag_length)?;
        let mut made = vec![0; tag_length * count];
        let mut jobs: Vec<Job<'_>> = messages
            .iter()
            .zip(made.chunks_exact_mut(tag_length))
            .map(|(message, tag)| Job { key: key.key.as_ref(), message, tag })
            .collect();
        key.code.tag_many(&mut jobs)?;
        // SAFETY: room for so many tags, as this function asks for.
        unsafe { spread(&made, tag_length, tags, tag_length) }
    })
}

/// Verifies a tag over a message, in a time that does not depend on where it is wrong.
///
/// Returns FT_OK if it is right and FT_EWRONG if it is not, and FT_EARGUMENT if there are no tags of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_mac_verify(
    key: *const MacKey,
    message: *const u8,
    message_length: usize,
    tag: *const u8,
    tag_length: usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and bytes, as this function asks for.
        let (key, message, tag) =
            unsafe { (borrow(key)?, bytes(message, message_length)?, bytes(tag, tag_length)?) };
        key.check(tag_length)?;
        filled(tag_length, |right| {
            key.key.tag(message, right)?;
            match bool::from((*right).ct_eq(tag)) {
                true => Ok(()),
                false => Err(Failure::plain(FT_EWRONG)),
            }
        })
    })
}

/// Frees a prepared key and wipes it, as far as the implementation does so. NULL is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_mac_key_free(key: *mut MacKey) -> c_int {
    // SAFETY: a handle that nobody uses any more, as this function asks for.
    call(|| unsafe { free(key) })
}
