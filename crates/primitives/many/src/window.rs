//! Messages that are taken together.

use crate::Message;

/// How many messages are looked at to find the longest.
pub const WINDOW: usize = 256;

/// Lengths are compared in units of so many bytes, which no hash function's blocks are shorter than: messages of about one
/// length then keep together as they probably lie in memory.
const UNIT: usize = 64;

/// Up to [`WINDOW`] messages. They are pushed, sorted, and taken until none is left, the longest first.
pub struct Window<'a> {
    messages: [Option<Message<'a>>; WINDOW],
    /// Length in units and place of those that have not been taken, the next at the end.
    order: [u64; WINDOW],
    left: usize,
}

impl<'a> Window<'a> {
    /// One without messages.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self { messages: [const { None }; WINDOW], order: [0; WINDOW], left: 0 }
    }

    /// Messages that have not been taken.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.left
    }

    /// Whether all have been taken.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Adds a message to a window that has not been sorted since it was empty; a full window ignores it.
    #[inline]
    pub fn push(&mut self, message: Message<'a>) {
        let index = self.left;
        if let (Some(place), Some(order)) = (self.messages.get_mut(index), self.order.get_mut(index)) {
            *order = ((message.head.len() + message.body.len()) / UNIT * WINDOW + index) as u64;
            *place = Some(message);
            self.left += 1;
        }
    }

    /// Puts the messages into the order in which they will be taken.
    #[inline]
    pub fn sort(&mut self) {
        if let Some(order) = self.order.get_mut(..self.left) {
            order.sort_unstable();
        }
    }

    /// The messages in the order in which they will be taken.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Message<'a>> {
        let order = self.order.get(..self.left).unwrap_or_default().iter().rev();
        order.filter_map(|order| self.messages.get(*order as usize % WINDOW)?.as_ref())
    }

    /// Takes the longest.
    #[inline]
    pub fn take(&mut self) -> Option<Message<'a>> {
        self.left = self.left.checked_sub(1)?;
        let order = self.order.get(self.left)?;
        self.messages.get_mut(*order as usize % WINDOW)?.take()
    }
}

impl Default for Window<'_> {
    fn default() -> Self {
        Self::new()
    }
}
