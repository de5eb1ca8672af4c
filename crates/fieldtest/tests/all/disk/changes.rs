//! LUKS1, detached headers, key slots, and another cipher for what is there.

use super::*;

#[test]
fn luks1_goes_both_ways() {
    for spec in ["aes-xts-plain64", "aes-cbc-essiv:sha256", "lea-xts-plain64"] {
        let scratch = with_image();
        let format = format!("disk format luks --type luks1 --from plain -c {spec}");
        scratch.fine(&format!("{format} {CHEAP} {BY_FILE}"));
        let run = scratch.fine("disk dump luks");
        assert!(run.stdout.contains("LUKS1 container luks"), "{run:?}");
        scratch.fine("disk copy luks out -d key");
        assert!(bytes(&scratch, "out") == bytes(&scratch, "plain"), "{spec}");
        scratch.fine("disk repair luks").tells(0, &["nothing was written"]);
        // Whatever else there would be to say: of other key slots, say.
        scratch.write("other", "other");
        let add = "disk slot add luks -d key --new-key-file other";
        scratch.fine(&format!("{add} {CHEAP}"));
        let reencrypt = "disk reencrypt luks -c lea-xts-plain64 -d key";
        scratch.refuses(reencrypt, (1, "unsupported"), &["luks: ", "LUKS1"]);
        scratch.refuses("disk slot priority luks 0 prefer", (1, "unfit"), &["luks: ", "LUKS1"]);
        for form in ["human", "csv"] {
            let run = scratch.fine(&format!("disk dump luks --format {form}"));
            assert!(run.stdout.contains("luks1") && !run.stdout.contains("luks2"), "{run:?}");
        }
    }
    let scratch = with_image();
    let format = "disk format luks --type luks1 --from plain --sector-size 4096";
    scratch.refuses(&format!("{format} {CHEAP} {BY_FILE}"), 2, &["--sector-size", "LUKS1", "512 bytes"]);
    scratch.write("luks", [&b"LUKS\xba\xbe\0\x01"[..], &[0; 4096]].concat());
    scratch.refuses("disk open luks -d key", 1, &["LUKS1 header is damaged"]);
}

#[test]
fn a_header_lies_in_a_file_of_its_own() {
    let scratch = with_image();
    let format = "disk format data --header header --from plain";
    scratch.fine(&format!("{format} {CHEAP} {BY_FILE}"));
    assert_eq!(bytes(&scratch, "data").len(), SIZE);
    let header = bytes(&scratch, "header");
    let run = scratch.fine("disk open data --header header -d key");
    assert!(run.stdout.contains("3 MiB"), "{run:?}");
    scratch.fine("disk copy data out --header header -d key");
    assert!(bytes(&scratch, "out") == bytes(&scratch, "plain"));
    scratch.write("other", vec![7; 4096]);
    let into = "disk copy other data --header header -d key --into";
    scratch.refuses(into, 1, &["cannot be undone", "--overwrite"]);
    scratch.fine(&format!("{into} --overwrite"));
    scratch.fine("disk copy data out --header header -d key --overwrite");
    assert!(bytes(&scratch, "out")[..4096] == [7; 4096]);
    // Whatever is named, the header is not written to.
    for place in ["header out2", "other header"] {
        let copy = format!("disk copy {place} --header header -d key --overwrite");
        scratch.refuses(&copy, (1, "same-storage"), &["header"]);
        scratch.refuses(&format!("{copy} --into"), (1, "same-storage"), &["header"]);
    }
    scratch.refuses("disk copy header out2 -d key", 1, &["detached header"]);
    assert!(bytes(&scratch, "header") == header);
    let format = "disk format data --header second";
    scratch.refuses(&format!("{format} {CHEAP} {BY_FILE}"), 1, &["data already exists"]);
    // The image is no place for the data that is made of it, under whatever name.
    std::os::unix::fs::symlink("plain", scratch.path("link")).expect("a link");
    for image in ["plain", "link"] {
        let format = format!("disk format plain --from {image} --header second --overwrite");
        scratch.refuses(&format!("{format} {CHEAP} {BY_FILE}"), (1, "same-storage"), &[]);
        assert!(bytes(&scratch, "plain") == pattern(SIZE) && !scratch.path("second").exists());
    }
}

#[test]
fn key_slots_are_changed() {
    let scratch = with_container("lea-xts-plain64");
    scratch.write("other", "## battery staple ##");
    let part = "--new-keyfile-offset 3 --new-keyfile-size 14";
    let add = "disk slot add luks -d key --new-key-file other --new-key-slot 4";
    scratch.fine(&format!("{add} {part} {CHEAP}")).tells(0, &["keyslot 4 is added"]);
    scratch.write("exact", "battery staple");
    scratch.fine("disk open luks -d exact");
    let part = "--keyfile-offset 3 --keyfile-size 14";
    scratch.fine(&format!("disk open luks -d other {part}"));
    scratch.fine("disk slot priority luks 4 ignore");
    scratch.refuses("disk open luks -d exact", (1, "wrong-passphrase"), &["luks"]);
    scratch.fine("disk open luks -d exact -S 4");
    scratch.refuses("disk slot add luks", (2, "one-key"), &["--key-file", "--new-key-file"]);
    scratch.write("third", "a third");
    let change = "disk slot change luks -d exact -S 4 --new-key-file third";
    scratch.fine(&format!("{change} {CHEAP}"));
    scratch.refuses("disk open luks -d exact -S 4", (1, "wrong-passphrase"), &["luks"]);
    scratch.fine("disk open luks -d third -S 4");
    scratch.fine(&format!("disk slot convert luks -d key {CHEAP}"));
    // The key slot that goes does not answer for itself.
    let kill = "disk slot kill luks 4";
    scratch.refuses(&format!("{kill} -d third"), (1, "slot-kept"), &["keyslot 4 ", "--force"]);
    scratch.fine("disk open luks -d third -S 4");
    assert!(scratch.fine(&format!("{kill} -d key")).stderr.contains("keyslot 4 is destroyed"));
    scratch.refuses(
        "disk slot kill luks 4 --force",
        (1, "no-such-slot"),
        &["luks: ", "keyslot 4", "disk dump luks"],
    );
    scratch.refuses("disk slot kill luks 0 --force", (1, "last-slot"), &["luks: keyslot 0 "]);
    scratch.fine("disk open luks -d key --save-volume-key volume");
    assert_eq!(bytes(&scratch, "volume").len(), 64);
    scratch.fine("disk copy luks out --volume-key-file volume");
    assert!(bytes(&scratch, "out") == bytes(&scratch, "plain"));
    let add = "disk slot add luks --volume-key-file volume --new-key-file exact";
    scratch.fine(&format!("{add} {CHEAP}"));
    scratch.write("volume", [9; 64]);
    let wrong = "disk open luks --volume-key-file volume";
    scratch.refuses(wrong, (1, "wrong-volume-key"), &["luks: "]);
    scratch.write("long", pattern(SIZE + 1));
    let copy = "disk copy long luks -d key --overwrite";
    scratch.refuses(copy, (1, "too-large"), &["long has", "luks"]);
}

#[test]
fn a_key_slot_of_a_full_header_is_changed_where_it_lies() {
    let scratch = with_image();
    let format = "disk format luks --type luks1 --size 1M";
    scratch.fine(&format!("{format} {CHEAP} {BY_FILE}"));
    for number in 1..8 {
        scratch.write("other", format!("other {number}"));
        let add = "disk slot add luks -d key --new-key-file other";
        scratch.fine(&format!("{add} {CHEAP}"));
    }
    scratch.write("third", "a third");
    let add = "disk slot add luks -d key --new-key-file third";
    scratch.refuses(&format!("{add} {CHEAP}"), (1, "unfit"), &["luks: "]);
    scratch.refuses(&format!("{add} --kdf argon2id"), (2, "usage"), &["--kdf argon2id", "pbkdf2"]);
    scratch.refuses("disk slot add luks -d key --new-key-file nothere", 1, &["nothere", "no such file"]);
    // Before the keyslot is tried, which this key does not open.
    scratch.write("nothing", "");
    scratch.refuses("disk slot add luks -d third --new-key-file nothing", 1, &["nothing is empty"]);
    let cipher = "disk slot add luks -d third --new-key-file other --keyslot-cipher foo";
    scratch.refuses(cipher, 2, &["foo"]);
    let whole = fs::read(scratch.path("luks")).unwrap();
    scratch.write("cut", &whole[..whole.len() - 100]);
    scratch.fine("disk copy cut image -d key").tells(0, &["412 bytes"]);
    scratch.write("header", [&whole[..104], &[0xff; 4], &whole[108..]].concat());
    scratch.refuses("disk repair header", (1, "truncated"), &["header"]);
    let change = "disk slot change luks -d other --new-key-file third";
    let run = scratch.fine(&format!("{change} {CHEAP}"));
    assert!(run.stderr.contains("keyslot 7 is overwritten"), "{run:?}");
    assert!(run.stderr.contains("keyslot 7 is changed"), "{run:?}");
    scratch.refuses("disk open luks -d other", (1, "wrong-passphrase"), &["luks"]);
    for key in ["third", "key"] {
        scratch.fine(&format!("disk open luks -d {key}"));
    }
}

/// What cryptsetup made so opens, see `peers`; here it is only for an experiment.
#[test]
fn key_slots_are_not_in_ecb() {
    let scratch = with_container("aes-xts-plain64");
    scratch.write("other", "other");
    let ecb = format!("--keyslot-cipher aes-ecb {CHEAP}");
    let words = ["'aes-ecb'", "aes-xts-plain64"];
    let before = bytes(&scratch, "luks");
    for command in [
        "slot add luks -d key --new-key-file other",
        "slot change luks -d key --new-key-file other",
        "slot convert luks -d key",
        "reencrypt luks -d key -c aria-xts-plain64",
        "format new -d key --size 1M",
    ] {
        scratch.refuses(&format!("disk {command} {ecb}"), 2, &words);
    }
    assert!(bytes(&scratch, "luks") == before && !scratch.path("new").exists());
    let format = "disk format new -d key --size 1M --force";
    scratch.fine(&format!("{format} {ecb}"));
    scratch.fine("disk open new -d key");
    // Of LUKS1 each key slot has the content's cipher.
    let format = "disk format old --type luks1 -c aes-ecb -d key --size 1M --force";
    scratch.fine(&format!("{format} {CHEAP}"));
    let add = "disk slot add old -d key --new-key-file other";
    scratch.fine(&format!("{add} {CHEAP}"));
    scratch.fine("disk open old -d other");
}

#[test]
fn holes_without_room_are_told_before_anything_is_changed() {
    let scratch = with_container("aes-xts-plain64");
    // More than any file system of these days has left.
    let image = File::options().read(true).write(true).open(scratch.path("luks")).expect("a container");
    image.set_len(15 << 40).expect("a sparse file");
    let header = || {
        let mut header = [0; 32 << 10];
        image.read_exact_at(&mut header, 0).expect("a header");
        header
    };
    let before = header();
    let begin = format!("disk reencrypt luks -d key -c lea-xts-plain64 {CHEAP}");
    scratch.run(&begin).tells(1, &["nothing was changed"]);
    assert!(header() == before);
}

#[test]
fn no_container_is_made_with_two_equal_halves() {
    let scratch = with_container("aes-xts-plain64");
    scratch.write("halves", [7; 64]);
    let format = "disk format new --size 1M -d key --volume-key-file halves";
    for kind in ["luks1", "luks2"] {
        let run = scratch.run(&format!("{format} --type {kind} --format json"));
        assert!(
            run.code == Some(2) && run.stderr.contains("\"parameters\"") && !scratch.path("new").exists(),
            "{run:?}"
        );
    }
}

#[test]
fn aes_becomes_lea_where_it_lies() {
    let scratch = with_container("aes-xts-plain64");
    scratch.write("other", "other");
    let add = "disk slot add luks -d key --new-key-file other";
    scratch.fine(&format!("{add} {CHEAP}"));
    let reencrypt = "disk reencrypt luks -c lea-xts-plain64 -d key";
    let begin = format!("{reencrypt} {CHEAP}");
    scratch.run(&begin).tells(1, &["--drop-other-slots"]);
    let stream = "disk reencrypt luks -c lea-ctr-plain64 -d key";
    scratch.refuses(stream, 1, &["lea-ctr-plain64", "stream cipher"]);
    let begin = format!("{begin} --drop-other-slots --init-only");
    scratch.fine(&begin).tells(0, &["--resume"]);
    scratch.refuses(&begin, 1, &["under way", "--resume"]);
    scratch.refuses("disk open luks -d key", 1, &["under way", "reencrypt --resume"]);
    let resume = "disk reencrypt luks --resume --hotzone-size 64K";
    // It opens the old key, and not the new one.
    scratch.refuses(&format!("{resume} -d other"), (1, "one-key"), &["luks"]);
    scratch.refuses(&format!("{resume} -d plain"), (1, "wrong-passphrase"), &["luks"]);
    scratch.fine(&format!("{resume} -d key"));
    scratch.refuses(&format!("{resume} -d key"), (1, "not-under-way"), &["luks: ", "--cipher"]);
    scratch.fine("disk copy luks out -d key").tells(0, &["lea-256-xts"]);
    assert!(bytes(&scratch, "out") == bytes(&scratch, "plain"));
}

/// Killed wherever it is, it goes on.
#[test]
fn a_reencryption_that_is_killed_goes_on() {
    let scratch = with_container("aes-xts-plain64");
    let reencrypt = "disk reencrypt luks -c lea-xts-plain64 -d key --init-only";
    scratch.fine(&format!("{reencrypt} {CHEAP}"));
    let mut kills = 0;
    for delay in 1..40 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fieldtest"))
            .args(["disk", "reencrypt", "luks", "--resume", "-d", "key", "--hotzone-size", "16K"])
            .current_dir(scratch.path("."))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        sleep(Duration::from_millis(20 * delay));
        if child.try_wait().expect("the program runs").is_some() {
            break;
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        kills += 1;
    }
    let resume = "disk reencrypt luks --resume -d key";
    let run = scratch.run(&format!("{resume} --format json"));
    assert!(run.code == Some(0) || run.stderr.contains("\"not-under-way\""), "{run:?}");
    assert!(kills > 0);
    scratch.fine("disk copy luks out -d key");
    assert!(bytes(&scratch, "out") == bytes(&scratch, "plain"));
}

/// A key that lies where is written to would be another one the next time, and nothing would open the container.
#[test]
fn a_key_is_no_part_of_what_it_opens() {
    let scratch = with_container("aes-xts-plain64");
    fs::hard_link(scratch.path("luks"), scratch.path("link")).expect("a link");
    let before = bytes(&scratch, "luks");
    for (command, file) in [("change", "luks"), ("add", "link")] {
        let new = format!("--new-key-file {file} --new-keyfile-offset 16K --new-keyfile-size 64");
        let all = format!("disk slot {command} luks -d key {new} {CHEAP}");
        scratch.refuses(&all, (1, "key-within"), &[" luks: "]);
    }
    let own = "-d link --keyfile-offset 16M --keyfile-size 64";
    let reencrypt = "disk reencrypt luks -c lea-xts-plain64";
    scratch.refuses(&format!("{reencrypt} {own} {CHEAP}"), (1, "key-within"), &[" luks: "]);
    assert!(bytes(&scratch, "luks") == before);
}

/// What cannot go on is not begun.
#[test]
fn a_reencryption_is_judged_before_it_is_begun() {
    let scratch = with_image();
    let format = "disk format data --header header --from plain";
    scratch.fine(&format!("{format} {CHEAP} {BY_FILE}"));
    fs::create_dir(scratch.path("folder")).expect("a directory");
    fs::hard_link(scratch.path("header"), scratch.path("link")).expect("a link");
    let [header, key] = ["header", "key"].map(|name| bytes(&scratch, name));
    scratch.fine(&format!("disk format whole --size 1M {CHEAP} {BY_FILE}"));
    for (data, code) in
        [("whole", "own-header"), ("folder", "no-storage"), ("link", "same-storage"), ("key", "key-within")]
    {
        let all = format!("disk reencrypt {data} --header header -c aes-xts-plain64");
        scratch.refuses(&format!("{all} {CHEAP} {BY_FILE}"), (1, code), &[data]);
        assert!(bytes(&scratch, "header") == header && bytes(&scratch, "key") == key, "{data}");
    }
    let zone = "disk reencrypt data --header header -c aes-xts-plain64 --hotzone-size 511";
    scratch.refuses(&format!("{zone} {CHEAP} {BY_FILE}"), 2, &["--hotzone-size", "sector"]);
    assert!(bytes(&scratch, "header") == header);
    std::os::unix::fs::symlink(".", scratch.path("here")).expect("a link");
    std::os::unix::fs::symlink("both", scratch.path("same")).expect("a link");
    for header in ["./both", "here/both", "folder/../both", "same"] {
        let format = format!("disk format both --header {header} --size 1M");
        let words = ["the header", "the data"];
        scratch.refuses(&format!("{format} {CHEAP} {BY_FILE}"), 2, &words);
        assert!(!scratch.path("both").exists());
    }
    scratch.fine(&format!("disk format old --type luks1 --size 1M {CHEAP} {BY_FILE}"));
    let convert = "disk slot convert old -d key --hash sha512";
    scratch.refuses(&format!("{convert} {CHEAP}"), 2, &["LUKS1", "sha256", "sha512"]);
}
