//! cryptsetup's and libnbd's view of what is made and served, and the other way round.

use super::*;

fn cryptsetup(scratch: &Scratch, arguments: &[&str]) -> Run {
    let mut command = Command::new("cryptsetup");
    command.args(arguments).current_dir(scratch.path("."));
    command.output().expect("cryptsetup starts").into()
}

fn cryptsetup_fine(scratch: &Scratch, arguments: &[&str]) -> String {
    let run = cryptsetup(scratch, arguments);
    assert_eq!(run.code, Some(0), "{arguments:?}: {run:?}");
    run.stdout
}

#[test]
fn cryptsetup_knows_what_is_made_here() {
    if !installed("cryptsetup") {
        return;
    }
    for spec in ["aes-xts-plain64", "lea-xts-plain64"] {
        let scratch = with_container(spec);
        cryptsetup_fine(&scratch, &["isLuks", "--type", "luks2", "luks"]);
        cryptsetup_fine(&scratch, &["open", "--test-passphrase", "--key-file", "key", "luks"]);
        let dump = cryptsetup_fine(&scratch, &["luksDump", "luks"]);
        let cipher = format!("cipher: {spec}");
        assert!(dump.contains(&cipher) && dump.contains("sector: 4096 [bytes]"), "{dump}");
        let ours = scratch.fine(&["disk", "dump", "luks", "--format", "csv"]).stdout;
        let uuid = dump.lines().find_map(|line| line.strip_prefix("UUID:")).expect("a UUID");
        assert!(ours.contains(uuid.trim()), "{ours}");
        // What was repaired here is good there: the second copy is taken away, so that the first counts.
        damage(&scratch, 0);
        scratch.fine(&["disk", "repair", "luks"]);
        damage(&scratch, 16_384);
        cryptsetup_fine(&scratch, &["open", "--test-passphrase", "--key-file", "key", "luks"]);
    }
}

#[test]
fn what_cryptsetup_makes_opens_here() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_image();
    fs::copy(scratch.path("plain"), scratch.path("luks")).expect("a copy");
    let file = OpenOptions::new().write(true).open(scratch.path("luks")).expect("the copy");
    file.set_len((SIZE + (32 << 20)) as u64).expect("room for the header");
    let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--batch-mode", "--key-file", "key"];
    let encrypt = ["reencrypt", "--encrypt", "--type", "luks2", "--reduce-device-size", "32M", "luks"];
    cryptsetup_fine(&scratch, &[&encrypt[..], &fast].concat());
    let run = scratch.fine(&["disk", "open", "luks", "-d", "key"]);
    assert!(run.stdout.contains("aes-256-xts"), "{run:?}");
    scratch.fine(&["disk", "copy", "luks", "out", "-d", "key"]);
    assert!(bytes(&scratch, "out")[..SIZE] == pattern(SIZE));

    // A passphrase that is piped in is the same for both.
    scratch.write("luks", vec![0; 20 << 20]);
    scratch.write("passphrase", "correct horse");
    cryptsetup_fine(
        &scratch,
        &[&["luksFormat", "--type", "luks2"], &fast[..5], &["--key-file", "passphrase", "luks"]].concat(),
    );
    let input = File::open(scratch.path("key")).expect("a passphrase and a newline");
    let run =
        Run::from(scratch.command(&["disk", "open", "luks"]).stdin(input).output().expect("the program"));
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_key_slot_in_ecb_that_cryptsetup_made_opens() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_container("aes-xts-plain64");
    scratch.write("other", "other");
    let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--batch-mode"];
    let ecb = ["--keyslot-cipher", "aes-ecb", "--keyslot-key-size", "256", "--key-file", "key"];
    cryptsetup_fine(&scratch, &[&["luksAddKey"], &fast[..], &ecb, &["luks", "other"]].concat());
    let run = scratch.fine(&["disk", "open", "luks", "-d", "other"]);
    assert!(run.stdout.contains("key slot"), "{run:?}");
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
    scratch.fine(&["disk", "copy", "luks", "out", "-d", "key"]);
    assert!(bytes(&scratch, "out") == changed);
    let (server, uri) = serve(&scratch, &["--listen", "socket", "--read-only"]);
    let refused = nbdcopy("plain", &uri);
    end(server);
    assert!(refused.code != Some(0), "{refused:?}");
    scratch.fine(&["disk", "copy", "luks", "out", "-d", "key", "--overwrite"]);
    assert!(bytes(&scratch, "out") == changed);
}
