//! The gateway, as far as it goes without network interfaces of its own.

#![cfg(target_os = "linux")]

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;

use crate::scratch::{Run, Scratch};

const KEY: &str = "61/84:aes-128-cmac-96:6162636465666768696a6b6c6d6e6f70";
const GATEWAY: &str = "tcp-ao gateway --inner fieldtest-in --outer fieldtest-out --keys keys";
/// The user who may do nothing.
const NOBODY: u32 = 65_534;

#[test]
fn files_of_keys() {
    let scratch = Scratch::new();
    scratch.refuses(GATEWAY, 1, &["the keys in keys", "no such file"]);
    let keys = |content: &str, words: &[&str]| {
        scratch.write("keys", format!("# keys of a router\n\n{content}\n"));
        scratch.refuses(GATEWAY, 2, words);
    };
    keys("", &["keys has no key", "SendID/RecvID:ALGORITHM:HEX"]);
    keys("61:aes-128-cmac-96:00", &["keys, line 3: ", "61/84"]);
    keys(&format!("{KEY}\n300/84:aes-128-cmac-96:00"), &["keys, line 4", "KeyID '300'"]);
    keys("61/256:aes-128-cmac-96:00", &["keys, line 3", "'256'", "0 to 255"]);
    keys("61/84:aes-128-cmac:00", &["keys, line 3", "did you mean 'aes-128-cmac-96'?"]);
    keys("61/84:tcp-md5:00", &["keys, line 3", "tcp-md5 "]);
    keys("61/84:aes-128-cmac-96:xy", &["keys, line 3", "hexadecimal"]);
    keys(&format!("{KEY}:maclen=17"), &["keys, line 3", "17"]);
    keys(&format!("{KEY}:10.0.0.0/33"), &["keys, line 3", "a prefix of 33 bits"]);
    // Two keys for the same connections with one identifier.
    keys(&format!("{KEY}\n{KEY}"), &["keys, line 4"]);
    let run = scratch.run(GATEWAY);
    assert!(!run.stderr.contains("6162"), "{run:?}");
}

#[test]
fn interfaces_that_cannot_be() {
    let scratch = Scratch::new();
    scratch.write("keys", KEY);
    let named = |name| ["tcp-ao", "gateway", "--inner", name, "--outer", "x", "--keys", "keys"];
    scratch.refuses_by_clap(&named("a-name-of-sixteen"), &["--inner 'a-name-of-sixteen'", "1 to 15 bytes"]);
    scratch.refuses_by_clap(&named(""), &["--inner"]);
    scratch.refuses(&named("x"), 2, &["--inner", "--outer", "'x'"]);
    let within = format!("{GATEWAY} --inner-namespace missing");
    scratch.refuses(&within, 1, &["namespace missing", "no such file"]);
    scratch.refuses_by_clap("tcp-ao gateway --inner fieldtest-in --outer fieldtest-out", &["--keys FILE"]);
    scratch.refuses_by_clap(&format!("{GATEWAY} --unprotected maybe"), &["drop, pass"]);
}

#[test]
fn without_the_right_to_administer_the_network() {
    let scratch = Scratch::new();
    scratch.write("keys", KEY);
    let mut command = scratch.command(GATEWAY);
    // Only root can make files of root's; root asks for nobody's rights.
    if metadata(scratch.path("keys")).expect("the keys").uid() == 0 {
        set_permissions(scratch.path("."), Permissions::from_mode(0o755)).expect("a directory of ours");
        command.uid(NOBODY).gid(NOBODY);
    }
    // Where nobody may run the program, there is nothing to see.
    let Ok(output) = command.output() else { return };
    let run = Run::from(output);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("interface fieldtest-in"), "{run:?}");
    assert!(run.stderr.contains("root"), "{run:?}");
}
