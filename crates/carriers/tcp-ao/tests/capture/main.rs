//! Captures: read, verified, diagnosed and signed.

#[path = "../common/mod.rs"]
mod common;

mod diagnosing;
mod formats;
mod linux;
mod signing;
mod traffic;
mod verifying;
