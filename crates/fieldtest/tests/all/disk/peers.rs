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
fn a_passphrase_that_is_piped_in_is_the_same_for_both() {
    if !installed("cryptsetup") {
        return;
    }
    let scratch = with_image();
    let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--batch-mode"];
    scratch.write("luks", vec![0; 20 << 20]);
    scratch.write("passphrase", "correct horse");
    cryptsetup_fine(
        &scratch,
        &[&["luksFormat", "--type", "luks2"], &fast[..], &["--key-file", "passphrase", "luks"]].concat(),
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
