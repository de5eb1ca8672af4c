//! The nonce of algorithms that need one, taken from the message.

use fieldtest_kinds::Error;

/// The first `N` bytes of a message, and the rest.
///
/// # Errors
/// [`Error::Library`] if the message is shorter.
pub(super) fn split<const N: usize>(message: &[u8]) -> Result<(&[u8; N], &[u8]), Error> {
    message.split_first_chunk().ok_or_else(|| {
        let found = message.len();
        Error::Library(format!("the nonce is the message's first {N} bytes, and it has {found}: give more"))
    })
}
