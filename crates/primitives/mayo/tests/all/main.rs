//! All tests of the crate: one program, so that the libraries are linked once.

mod lengths;
mod official;
mod paths;
