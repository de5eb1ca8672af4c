//! cryptsetup's and libnbd's view of what is made and served, and the other way round.

use super::*;

const FAST: &str = "--pbkdf pbkdf2 --pbkdf-force-iterations 1000 --batch-mode";

/// What cryptsetup prints, which must succeed.
fn cryptsetup(scratch: &Scratch, arguments: &str) -> String {
    let mut command = Command::new("cryptsetup");
    command.args(arguments.split_whitespace()).current_dir(scratch.path("."));
    let run = Run::from(command.output().expect("cryptsetup starts"));
    assert_eq!(run.code, Some(0), "{arguments:?}: {run:?}");
    run.stdout
}

#[test]
fn a_passphrase_that_is_piped_in_is_the_same_for_both() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_image();
    scratch.write("luks", vec![0; 20 << 20]);
    scratch.write("passphrase", "correct horse");
    cryptsetup(&scratch, &format!("luksFormat --type luks2 {FAST} --key-file passphrase luks"));
    // With a newline behind it.
    scratch.run_on("key", "disk open luks").tells(0, &[]);
}

/// Tokens of cryptsetup's, such as systemd's, go on to name the key slot that their secret opens; what nobody can use any more
/// is named.
#[test]
fn tokens_keep_their_key_slots() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_container("aes-xts-plain64");
    scratch.write("other", "other");
    let add = "disk slot add luks -d key --new-key-file other";
    scratch.fine(&format!("{add} {CHEAP}"));
    for slot in ["0", "1"] {
        scratch.write("token", format!(r#"{{"type":"some-{slot}","keyslots":["{slot}"]}}"#));
        cryptsetup(&scratch, "token import --json-file token luks");
    }
    let reencrypt = "disk reencrypt luks -c aes-xts-plain64 -d key";
    let reencrypt = format!("{reencrypt} {CHEAP}");
    scratch.refuses(&reencrypt, (1, "other-slots"), &["1 (some-1)", "--drop-other-slots"]);
    fs::copy(scratch.path("luks"), scratch.path("copy")).expect("a copy");
    let run = scratch.fine(&format!("{reencrypt} --drop-other-slots"));
    assert!(run.stderr.contains("1 (some-1)") && !run.stderr.contains("some-0"), "{run:?}");
    let metadata = cryptsetup(&scratch, "luksDump --dump-json-metadata luks");
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
    let slots: Vec<&String> = metadata["keyslots"].as_object().expect("key slots").keys().collect();
    assert_eq!(metadata["tokens"]["0"]["keyslots"], serde_json::json!(slots));
    assert_eq!(metadata["tokens"]["1"]["keyslots"], serde_json::json!([]));
    let run = scratch.fine("disk slot kill copy 1 --force");
    assert!(run.stderr.contains("1 (some-1)") && !run.stderr.contains("some-0"), "{run:?}");
}

/// What cryptsetup does in place and this program does not is finished by cryptsetup.
#[test]
fn encryption_and_decryption_that_are_under_way_are_left_to_cryptsetup() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_container("aes-xts-plain64");
    scratch.write("image", vec![7; 48 << 20]);
    let encrypt = "reencrypt --encrypt --type luks2 --reduce-device-size 32M image";
    cryptsetup(&scratch, &format!("{encrypt} {FAST} --init-only --key-file key"));
    let helps = ["image", "cryptsetup reencrypt --resume-only"];
    scratch.refuses("disk open image -d key", (1, "requirement"), &helps);
    scratch.refuses("disk copy image out -d key", (1, "requirement"), &helps);
    scratch.refuses("disk reencrypt --resume image -d key", (1, "unsupported"), &helps);
    let decrypt = "reencrypt --decrypt --header header --force-offline-reencrypt luks";
    cryptsetup(&scratch, &format!("{decrypt} --init-only --key-file key"));
    let resume = "disk reencrypt --resume luks --header header -d key";
    scratch.refuses(resume, (1, "requirement"), &["header", "cryptsetup reencrypt --resume-only"]);
}

#[test]
fn a_key_slot_in_ecb_that_cryptsetup_made_opens() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_container("aes-xts-plain64");
    scratch.write("other", "other");
    let ecb = "--keyslot-cipher aes-ecb --keyslot-key-size 256 --key-file key";
    cryptsetup(&scratch, &format!("luksAddKey {FAST} {ecb} luks other"));
    let run = scratch.fine("disk open luks -d other");
    assert!(run.stdout.contains("keyslot"), "{run:?}");
}

#[test]
fn nbdcopy_writes_and_reads_what_is_served() {
    if !installed("nbdcopy") {
        return;
    }
    let scratch = with_container("lea-xts-plain64");
    let nbdcopy = |from: &str, to: &str| {
        let run = Command::new("nbdcopy").args([from, to]).current_dir(scratch.path(".")).output();
        Run::from(run.expect("nbdcopy starts"))
    };
    let changed: Vec<u8> = pattern(SIZE).iter().rev().copied().collect();
    scratch.write("changed", &changed);
    let (server, uri) = serve(&scratch, &["--listen", "socket & 100 %"]);
    let runs = [nbdcopy(&uri, "before"), nbdcopy("changed", &uri), nbdcopy(&uri, "after")];
    let words = end(server);
    assert!(runs.iter().all(|run| run.code == Some(0)), "{runs:?}");
    assert!(words.contains("everything is durable") && !words.contains("after 0 connections"), "{words}");
    assert!(bytes(&scratch, "before") == pattern(SIZE) && bytes(&scratch, "after") == changed);
    scratch.fine("disk copy luks out -d key");
    assert!(bytes(&scratch, "out") == changed);
    let (server, uri) = serve(&scratch, "--listen socket --read-only");
    let refused = nbdcopy("plain", &uri);
    end(server);
    assert!(refused.code != Some(0), "{refused:?}");
    scratch.fine("disk copy luks out -d key --overwrite");
    assert!(bytes(&scratch, "out") == changed);
}
