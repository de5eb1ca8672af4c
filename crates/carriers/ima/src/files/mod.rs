//! The files of a tree: found, opened beneath its root, and read once; what is counted of them.

pub(crate) mod addressed;
pub(crate) mod content;
pub(crate) mod partial;
pub(crate) mod report;
pub(crate) mod root;
pub(crate) mod walk;
