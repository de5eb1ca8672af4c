//! Algorithms that lie in libraries.

use std::fs;
use std::process::Command;

use super::{SAME, deadline, not_proven, toy};
use crate::scratch::Scratch;

/// The toy in C, compiled, with its description.
pub(super) fn library(scratch: &Scratch, code: [&str; 2]) -> &'static str {
    let [old, new] = code;
    let text = fs::read_to_string(toy("toy.c")).expect("the toy");
    assert!(text.contains(old), "{old}");
    scratch.write("toy.c", text.replace(old, new));
    fs::copy(toy("toy-library.toml"), scratch.path("toy-library.toml")).expect("a copy");
    let words = ["-O2", "-shared", "-fPIC", "-o", "libtoy.so", "toy.c"];
    let compiled = Command::new("cc").args(words).current_dir(scratch.path(".")).status();
    assert!(compiled.expect("cc starts").success());
    "toy-library.toml"
}

#[test]
fn a_library_signs_a_zone() {
    let scratch = Scratch::with_zone();
    let engine = library(&scratch, SAME);
    let with = |words: &str| scratch.fine(&format!("--engine {engine} {words}"));
    let proof = with("prove toy-library").stdout;
    assert!(proof.contains("engine-library") && proof.contains("attached by pipes"), "{proof}");
    with("dnssec sign zone -a toy-library -o signed");
    let verified = with("dnssec verify signed").stderr;
    assert!(verified.contains("0 findings"), "{verified}");
    // A key is stored with its public half.
    with("dnssec keygen example. -a toy-library");
}

#[test]
fn what_libraries_do_wrong_is_named() {
    for (code, fault) in [
        (["*siglen = SIGNATURE;", "*siglen = 33;"], "crypto_sign_signature returned 33 bytes"),
        (["*siglen = SIGNATURE;", "sig[40] = 1; *siglen = 32;"], "wrote beyond its 32 bytes"),
        (["*siglen = SIGNATURE;", "*(volatile int *)0 = 1;"], "(signal 11)"),
        (["*siglen = SIGNATURE;", "return 7;"], "crypto_sign_signature gave 7"),
        (["*siglen = SIGNATURE;", "for (;;) {}"], " 3 s"),
        (["siglen == length", "1 || siglen == length"], "was accepted"),
        (["m, mlen, pk)", "m, mlen < 1000 ? mlen : 1000, pk)"], "a message of 70000 bytes"),
        (["siglen == length", "!mlen || siglen == length"], "a message of 0 bytes"),
        (["size_t length;", "size_t length = pk[0] == 0xff ? *(volatile int *)0 : 0;"], "(signal 11)"),
        (["toy_crypto_sign_keypair", "other_keypair"], "no function toy_crypto_sign_keypair"),
    ] {
        let scratch = Scratch::new();
        let engine = library(&scratch, code);
        let text = fs::read_to_string(scratch.path(engine)).expect("a copy");
        scratch
            .write(engine, text.replace("version = \"1\"", &format!("version = \"1\"\n{}", deadline(fault))));
        not_proven(&scratch, engine, "toy-library", fault);
    }
    let scratch = Scratch::new();
    library(&scratch, SAME);
    fs::remove_file(scratch.path("libtoy.so")).expect("it is there");
    not_proven(&scratch, ".", "toy-library", "libtoy.so");
}
