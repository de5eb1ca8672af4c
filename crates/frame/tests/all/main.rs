//! All tests of the crate but those that need a process of their own: one program, so that the libraries are linked once.

mod earlier;
mod output;
mod panics;
mod signals;
