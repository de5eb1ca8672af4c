//! Captures: read, verified, diagnosed and signed.

mod compressed;
mod damaged;
mod diagnosing;
mod earlier;
mod extensions;
mod forged_handshake;
mod formats;
mod forms;
mod fragments;
mod framing;
mod key_ids;
mod lengths;
mod linux;
pub(crate) mod mangle;
mod path;
mod recovering;
mod signing;
mod traffic;
mod tunnels;
mod verifying;
