//! All tests of the crate: one program, so that the libraries are linked once.

mod kcmvp;
mod paths;
#[cfg(feature = "cipher")]
mod rustcrypto;
mod vectors;
