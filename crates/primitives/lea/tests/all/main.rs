//! All tests of the crate: one program, so that the libraries are linked once.

mod kcmvp;
mod paths;
mod vectors;
