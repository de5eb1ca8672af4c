#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

use core::fmt;

mod window;

pub use window::{WINDOW, Window};

/// One message of a batch.
#[derive(Debug)]
pub struct Message<'a> {
    /// How the message begins.
    pub head: &'a [u8],
    /// The rest of it, which is read where it lies.
    pub body: &'a [u8],
    /// Where the digest goes, of a length that the hash function has.
    pub digest: &'a mut [u8],
}

/// The messages of each window in turn, the longest first.
pub struct LongestFirst<'a, M> {
    messages: M,
    window: Window<'a>,
}

impl<'a, M: Iterator<Item = Message<'a>>> LongestFirst<'a, M> {
    /// Those of a batch.
    #[inline]
    pub fn of(messages: M) -> Self {
        Self { messages, window: Window::new() }
    }
}

impl<'a, M: Iterator<Item = Message<'a>>> Iterator for LongestFirst<'a, M> {
    type Item = Message<'a>;

    #[inline]
    fn next(&mut self) -> Option<Message<'a>> {
        if self.window.is_empty() {
            while self.window.len() < WINDOW
                && let Some(message) = self.messages.next()
            {
                self.window.push(message);
            }
            self.window.sort();
        }
        self.window.take()
    }
}

/// A digest of another length was asked for than the hash function has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestLength {
    /// Bytes of the place that was given.
    pub given: usize,
    /// Bytes of the digest.
    pub digest: usize,
}

impl DigestLength {
    /// Whether a place for a digest has this length.
    ///
    /// # Errors
    /// Both lengths, if not.
    #[inline]
    pub fn check(place: &[u8], digest: usize) -> Result<(), Self> {
        if place.len() == digest { Ok(()) } else { Err(Self { given: place.len(), digest }) }
    }
}

impl fmt::Display for DigestLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a place of {} bytes was given for a digest of {}: give one of that size",
            self.given, self.digest
        )
    }
}

impl core::error::Error for DigestLength {}
