//! All tests of the crate: one program, so that the libraries are linked once.

mod ml_dsa_44;
mod resolver;
mod study;
mod transition;
