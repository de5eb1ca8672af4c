//! All tests of the crate: one program, so that the libraries are linked once.

mod agreement;
#[cfg(all(feature = "getrandom", feature = "pkcs8", feature = "signature"))]
mod rustcrypto;
mod vectors;
