//! All tests of the crate: one program, so that the libraries are linked once.

mod capture;
mod report;
mod study;
#[path = "../synthetic/mod.rs"]
mod synthetic;
