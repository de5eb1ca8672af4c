//! All tests of the crate: one program, so that the libraries are linked once.

#[path = "../common/mod.rs"]
mod common;
mod corruption;
mod formats;
mod key_files;
mod negative;
mod peers;
mod random_zones;
mod refused;
mod requests;
mod signing;
mod sizes;
mod sizes_of_signed_zones;
mod types;
mod unusable;
