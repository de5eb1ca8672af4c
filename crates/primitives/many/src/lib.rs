#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

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
