//! All tests of the crate: one program, so that the libraries are linked once.

mod disk;
mod report;
#[path = "../synthetic/mod.rs"]
mod synthetic;
