//! All tests of the crate: one program, so that the libraries are linked once.

mod aead;
#[path = "../common/aes_by.rs"]
mod aes_by;
mod agreement;
mod ciphers;
#[path = "../common/mod.rs"]
mod common;
mod cryptopp;
mod lengths;
mod xts;
