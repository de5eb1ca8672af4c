//! What is told of a job while it runs.

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Items that are done.
    pub done: usize,
    /// Items in all.
    pub items: usize,
    /// Of those that are done, the ones that were done now.
    pub now: usize,
    /// Items that were refused now.
    pub refused: usize,
    /// Whether the user asked for the end before all was done.
    pub stopped: bool,
}
