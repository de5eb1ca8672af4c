//! All tests of the crate but those that need a process of their own: one program, so that the libraries are linked once.

// The C functions are called as C calls them; all pointers are to the tests' own memory.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, missing_docs)]

mod any_calls;
mod misuse;
#[path = "../support/mod.rs"]
mod support;
mod there_and_back;
