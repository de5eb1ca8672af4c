//! All tests of the crate: one program, so that the libraries are linked once.

mod agreement;
mod edges;
mod rfc6979;
mod wycheproof;
