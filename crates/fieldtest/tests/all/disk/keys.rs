//! Whose key is whose: volume keys of another length, tokens, requirements, several who change a header at once.

use super::*;

#[test]
fn no_key_file_is_lost() {
    let scratch = with_image();
    scratch.write("volume", pattern(64));
    let volume_key = "--volume-key-file volume";
    let format = format!("disk format luks --from plain {volume_key} {CHEAP} {BY_FILE}");
    scratch.fine(&format);
    for (command, code) in [
        ("disk format volume --size 1M --overwrite -d key", "is-key-file"),
        ("disk copy luks volume --overwrite", "is-key-file"),
        ("disk open luks --save-volume-key volume", "exists"),
    ] {
        scratch.refuses(&format!("{command} {volume_key}"), (1, code), &["volume"]);
    }
    let full = format!("disk open luks --save-volume-key /dev/full {BY_FILE}");
    scratch.refuses(&full, 1, &["cannot write /dev/full"]);
}

#[test]
fn an_only_key_slot_that_is_ignored_opens_by_its_number() {
    let scratch = with_image();
    scratch.fine(&format!("disk format luks --from plain {CHEAP} {BY_FILE}"));
    scratch.fine("disk slot priority luks 0 ignore");
    let open = format!("disk open luks {BY_FILE}");
    scratch.refuses(&open, (1, "no-slot-tried"), &["luks: ", "keyslot 0", "--key-slot"]);
    scratch.fine(&format!("{open} --key-slot 0"));
}

#[test]
fn a_requirement_is_named_with_what_helps() {
    let scratch = with_container("aes-xts-plain64");
    for (name, helps) in
        [("opal", "OPAL"), ("inline-hw-tags", "2.8"), ("online-reencrypt-v3", "--resume-only")]
    {
        let requirements = format!("\"requirements\":{{\"mandatory\":[\"{name}\"]}},");
        harm::with_metadata(&scratch, "\"json_size\"", &format!("{requirements}\"json_size\""));
        for command in [
            "disk open luks",
            "disk copy luks out",
            "disk reencrypt luks --resume",
            "disk reencrypt luks -c lea-xts-plain64",
        ] {
            scratch.refuses(
                &format!("{command} -d key"),
                (1, "requirement"),
                &["luks requires", name, helps],
            );
        }
        harm::with_metadata(&scratch, &requirements, "");
    }
}

/// Nobody is turned away for what another one is done with in a moment; cryptsetup waits as well.
#[test]
fn several_add_key_slots_at_once() {
    let scratch = with_container("aes-xts-plain64");
    scratch.write("other", "other");
    let add = "disk slot add luks -d key --new-key-file other";
    let start = |_| {
        let mut command = scratch.command(&format!("{add} {CHEAP}"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
    };
    let all: Vec<Child> = (0..4).map(start).collect();
    for mut child in all {
        assert!(child.wait().expect("it ends").success());
    }
    let dump = scratch.fine("disk dump luks --format csv").stdout;
    assert!(dump.contains("keyslot 4"), "{dump}");
}

/// A key slot has no room for tags.
#[test]
fn key_slots_are_not_in_a_mode_with_tags() {
    let scratch = with_image();
    for (spec, integrity) in [("lea-gcm-random", "aead"), ("aes-xts-random", "hmac-sha256")] {
        let format = format!("disk format luks --size 1M -c {spec} --integrity {integrity}");
        let same = format!("{format} --keyslot-cipher same {CHEAP} {BY_FILE}");
        scratch.refuses(&same, 2, &[spec, "--keyslot-cipher"]);
    }
    let format = "disk format luks --size 1M -c lea-gcm-random --integrity aead";
    let other = "--keyslot-cipher lea-cbc-essiv:sha256";
    scratch.fine(&format!("{format} {other} {CHEAP} {BY_FILE}"));
    scratch.fine("disk open luks -d key");
}

#[test]
fn a_cipher_with_tags_is_judged_with_its_tags() {
    let scratch = Scratch::new();
    let judge = |words: &str| {
        let run = scratch.run(&format!("disk check-spec {words} --format csv"));
        (run.code, run.stdout)
    };
    assert_eq!(judge("aes-gcm-random --integrity aead").0, Some(0));
    let (code, alone) = judge("aes-gcm-random");
    assert!(code == Some(1) && alone.contains("aead-without-tags,rejected by dm-crypt"), "{alone}");
    let (code, plain) = judge("aes-cbc-plain64:foo");
    assert!(code == Some(1) && plain.contains("watermarks,rejected,"), "{plain}");
    assert_eq!(judge("aes-gcm-random --integrity crc32").0, Some(2));
}
