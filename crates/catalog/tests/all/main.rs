//! All tests of the crate: one program, so that the libraries are linked once and slow algorithms are waited for side by
//! side.

mod digests;
mod every_implementation;
mod hash_based;
mod mac;
mod malformed_input;
mod post_quantum;
