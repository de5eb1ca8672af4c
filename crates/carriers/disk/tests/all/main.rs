//! All tests of the crate but the one that needs a process of its own: one program, so that the libraries are linked
//! once.

#[path = "../common/mod.rs"]
mod common;
mod container;
mod copy;
mod cryptsetup;
mod detached;
mod hostile;
mod lengths;
mod loops;
mod luks1;
mod nbd;
mod slots;
mod volume;
