//! All tests of the crate but those that need a process of their own: one program, so that the libraries are linked once.

mod batch;
mod capture;
#[path = "../common/mod.rs"]
mod common;
mod gateway;
mod packets;
mod rfc9235;
mod session;
#[path = "../common/stack.rs"]
mod stack;
