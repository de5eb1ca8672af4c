//! `fieldtest tcp-ao`: captures, keys, the gateway, the study.

mod gateway;
mod keys;
mod sign;
mod study;
mod verify;

use crate::captures::{pcap, session};
use crate::scratch::{Run, Scratch};

/// A key that signs and verifies.
const KEY: &str = "61:aes-128-cmac-96:6162636465666768696a6b6c6d6e6f70";
/// The same master key under the identifier of the other direction.
const OTHER: &str = "84:aes-128-cmac-96:6162636465666768696a6b6c6d6e6f70";

/// With a session without TCP-AO in `plain`.
fn with_plain() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("plain", pcap(&session()));
    scratch
}

/// With the session in `plain`, and signed with [`KEY`] in `signed`.
fn with_signed() -> Scratch {
    let scratch = with_plain();
    scratch.fine(&format!("tcp-ao sign plain -k {KEY} -o signed"));
    scratch
}

/// A run that ends with this exit code, and says these words.
fn says(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, Some(code), "{run:?}");
    for word in words {
        assert!(run.stderr.contains(word) || run.stdout.contains(word), "should say '{word}': {run:?}");
    }
}
