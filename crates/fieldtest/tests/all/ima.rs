//! `fieldtest ima` as its users meet it: keys, trees, lists, and what is refused. Nothing here needs root.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use rustix::fs::{XattrFlags, getxattr_query, setxattr};

use crate::ima_plans::rows;
use crate::scratch::{Run, Scratch, wait_until};
use crate::study::interrupt;

/// A directory `tree` with three files, two names of one of them, and a link.
pub(crate) fn with_tree() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("tree/sub")).expect("folders");
    scratch.write("tree/empty", "");
    scratch.write("tree/sub/program", "#!/bin/sh\n");
    scratch.write("tree/sub/data", [7; 6000]);
    fs::hard_link(scratch.path("tree/empty"), scratch.path("tree/sub/again")).expect("a second name");
    symlink("data", scratch.path("tree/sub/link")).expect("a link");
    scratch
}

/// Makes a key and returns the names of the private key and of its certificate.
pub(crate) fn keygen(scratch: &Scratch, algorithm: &str) -> (String, String) {
    let run = scratch.fine(&format!("ima keygen -a {algorithm} -o keys"));
    let names = format!("keys/{algorithm}.pem\nkeys/{algorithm}.der\n");
    assert_eq!(run.stdout, names);
    (format!("keys/{algorithm}.pem"), format!("keys/{algorithm}.der"))
}

/// Runs openssl in the scratch directory; false where it is missing or cannot do it.
pub(crate) fn openssl(scratch: &Scratch, arguments: &str) -> bool {
    let mut command = Command::new("openssl");
    command
        .args(arguments.split_whitespace())
        .current_dir(scratch.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// An RSA key of openssl in `key`, and its public half in `public`; false where openssl is missing.
pub(crate) fn rsa_by_openssl(scratch: &Scratch, bits: &str) -> bool {
    openssl(scratch, &format!("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:{bits} -out key"))
        && openssl(scratch, "pkey -pubout -in key -out public")
}

#[test]
fn keys_are_for_their_owner_and_never_overwritten() {
    let scratch = Scratch::new();
    for algorithm in ["ml-dsa-44", "ecdsa-p384", "rsa-2048", "ed25519"] {
        let (private, certificate) = keygen(&scratch, algorithm);
        let mode = |name: &str| fs::metadata(scratch.path(name)).expect("a key").permissions().mode() & 0o777;
        assert_eq!(mode(&private), 0o600);
        assert!(scratch.read(&private).starts_with("-----BEGIN PRIVATE KEY-----\n"));
        scratch.refuses(&format!("ima keygen -a {algorithm} -o keys"), 1, &[&private, "already exists"]);
        // Half a pair is as good as a pair.
        fs::remove_file(scratch.path(&private)).expect("the private key");
        let words = [certificate.as_str(), "already exists"];
        scratch.refuses(&format!("ima keygen -a {algorithm} -o keys"), 1, &words);
    }
    scratch.refuses(&["ima", "keygen", "-a", "ml-dsa-44", "--common-name", "", "-o", "new"], 2, &["1 to 64"]);
    scratch.refuses("ima keygen -a uov-ip-pkc -o new", 2, &["uov-ip-pkc", "sizes"]);
}

#[test]
fn lists_verify_are_the_same_in_every_run_and_find_what_was_changed() {
    for algorithm in ["ml-dsa-65", "ecdsa-p256", "rsa-2048"] {
        let scratch = with_tree();
        let (private, certificate) = keygen(&scratch, algorithm);
        let sign = format!("ima sign tree --key {private} --store manifest");
        let first = scratch.fine(&sign);
        assert!(first.stderr.contains("tree: 4 files signed"), "{first:?}");
        assert_eq!(first.stdout, scratch.fine(&sign).stdout, "{algorithm} is not deterministic");
        scratch.fine(&format!("{sign} -o list -j 1"));
        assert_eq!(first.stdout, scratch.read("list"));
        assert_eq!(first.stdout.matches("security.ima=0x03").count(), 4);

        let verify = format!("ima verify tree --store manifest --manifest list --key {certificate}");
        let run = scratch.fine(&verify);
        assert!(run.stdout.is_empty() && run.stderr.contains("tree: 4 files good"), "{run:?}");
        scratch.write("tree/sub/data", [8; 6000]);
        scratch.write("tree/sub/new", "unsigned");
        fs::remove_file(scratch.path("tree/sub/program")).expect("a file");
        let run = scratch.run(&format!("{verify} --format csv"));
        assert_eq!(run.code, Some(1), "{run:?}");
        for (line, word) in [("sub/data", "changed"), ("sub/program", "vanished"), ("sub/new", "not signed")]
        {
            let found = run.stdout.lines().find(|row| row.starts_with(line));
            assert!(found.is_some_and(|row| row.contains(word)), "{line}: {run:?}");
        }
        let run = scratch.run(&format!("{verify} --show 1"));
        assert!(run.stdout.contains("2 verdicts more"), "{run:?}");
    }
}

#[test]
fn xattrs_without_privileges() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    let sign = format!("ima sign tree --key {private} --attribute user.ima --certificate {certificate}");
    let verify = format!("ima verify tree --key {certificate} --attribute user.ima --all");
    let run = scratch.run(&sign);
    if run.stdout.contains("such xattrs") {
        // tmpfs before Linux 6.6.
        return;
    }
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("3 files signed with ECDSA P-256 in version 2"), "{run:?}");
    assert!(run.stderr.contains("2 skipped ("), "{run:?}");
    assert!(scratch.fine(&sign).stderr.contains("3 already signed"));
    assert_eq!(scratch.fine(&verify).stdout.matches("good, by key").count(), 3);
    scratch.write("tree/sub/data", "changed");
    scratch.run(&verify).tells(1, &["2 files good, 1 wrong"]);
}

#[test]
fn ctrl_c_keeps_what_is_signed_and_the_next_run_goes_on() {
    const FILES: u64 = 4000;
    let scratch = Scratch::new();
    let (private, certificate) = keygen(&scratch, "rsa-2048");
    fs::create_dir(scratch.path("tree")).expect("a directory");
    let names: Vec<String> = (0..FILES).map(|number| format!("tree/{number:04}")).collect();
    names.iter().for_each(|name| scratch.write(name, name));
    let is_signed = |name: &String| getxattr_query(scratch.path(name), "user.ima").is_ok();
    let path = scratch.path("keys");
    if setxattr(path, "user.ima", b"", XattrFlags::empty()) == Err(rustix::io::Errno::OPNOTSUPP) {
        return;
    }

    // On one core, which takes seconds.
    let sign = format!("ima sign tree --key {private} --attribute user.ima");
    let child = scratch.command(&format!("{sign} -j 1")).spawn().expect("the program starts");
    // Files are signed by path. With one alone the program would speak of "1 file".
    wait_until("something is signed", || is_signed(&names[50]));
    interrupt(&child);
    let run = Run::of(child);
    assert_eq!((run.code, &*run.stdout), (Some(130), ""), "{run:?}");
    let done = names.iter().filter(|name| is_signed(name)).count() as u64;
    assert!((1..FILES).contains(&done), "{run:?}");
    assert!(run.stderr.contains(&format!("tree: {done} files signed")), "{done} are signed: {run:?}");

    let run = scratch.fine(&sign);
    let rest = FILES - done;
    for words in [format!("tree: {rest} files signed"), format!("{done} already signed, 0 not signed")] {
        assert!(run.stderr.contains(&words), "{words}: {run:?}");
    }
    scratch
        .fine(&format!("ima verify tree --key {certificate} --attribute user.ima"))
        .tells(0, &[&format!("{FILES} files good")]);
}

#[test]
fn fs_verity_digests() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    let with = |more: &str| format!("ima sign tree --verity --key {private} {more}");
    // There is no other version than 3, and what it is over stands in the first byte.
    let list = scratch.fine(&with("--store manifest --hash sha512"));
    assert!(list.stderr.contains("4 files signed with ECDSA P-256 in version 3 over fs-verity"), "{list:?}");
    assert_eq!(list.stdout.matches("security.ima=0x060306").count(), 4);
    scratch.write("list", &list.stdout);
    scratch.fine(&with("--store sidecar"));
    let verify =
        |store: &str| scratch.run(&format!("ima verify tree --key {certificate} --store {store}")).stderr;
    for store in ["sidecar", "manifest --manifest list"] {
        assert!(verify(store).contains("4 files good"), "{}", verify(store));
    }
    scratch.write("tree/sub/data", [8; 6000]);
    for store in ["sidecar", "manifest --manifest list"] {
        let text = verify(store);
        assert!(text.contains("3 files good") && text.contains("1 wrong"), "{text}");
    }
    let refuses = |more: &str, words: &[&str]| scratch.refuses(&with(more), 2, words);
    refuses("--store manifest --hash sha384", &["sha256 or sha512", "not with sha384"]);
    refuses("--store manifest --signature-version 2", &["version 3"]);
}

#[test]
fn keys_that_are_refused() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ml-dsa-65");
    let (_, other) = keygen(&scratch, "ecdsa-p256");
    let sign = |key: &str, more: &str, end: (i32, &'static str), words: &[&str]| {
        let arguments = format!("ima sign tree --store sidecar --key {key} {more}");
        scratch.refuses(&arguments, end, words);
    };
    scratch.write("text", "no key\n");
    scratch.write("damaged.pem", scratch.read(&private).replace("PRIVATE KEY-----\n", "PRIVATE KEY-----\n!"));
    sign("missing", "", (1, "io"), &["missing", "no such file"]);
    sign("text", "", (1, "failed"), &["key text: ", "neither PEM nor DER"]);
    sign("damaged.pem", "", (1, "pem"), &["damaged.pem", "line 1"]);
    sign(&certificate, "", (1, "failed"), &[&certificate, "private key"]);
    sign(&private, &format!("--certificate {other}"), (1, "other-public-key"), &[&other]);
    sign(&private, "--signature-version 2", (2, "version2"), &["version 3"]);
    sign(&private, "--hash md5", (2, "usage"), &["'md5'", "sha256"]);
    sign(&private, "--hash sha1", (2, "weak-digest"), &["sha1", "sha256"]);
    let verify =
        |key: &str, words: &[&str]| scratch.refuses(&format!("ima verify tree --key {key}"), 1, words);
    verify(&private, &[&private, "openssl pkey"]);
    verify("text", &["key text: "]);

    // What openssl writes and this catalog lacks, or does not ask a password for.
    for (name, arguments, word) in
        [("p521", "P-521", "1.3.132.0.35"), ("encrypted", "P-256 -aes128 -pass pass:x", "encrypted")]
    {
        let genpkey = "genpkey -algorithm EC -pkeyopt ec_paramgen_curve";
        if openssl(&scratch, &format!("{genpkey}:{arguments} -out {name}")) {
            scratch.refuses(&format!("ima sign tree --store sidecar --key {name}"), 1, &[name, word]);
        }
    }
}

#[test]
fn short_rsa_keys_are_what_they_are() {
    let scratch = with_tree();
    for bits in ["1024", "3072"] {
        if !rsa_by_openssl(&scratch, bits) {
            return;
        }
        // The library that signs by the longer one knows no SHA-3.
        let sha3: &[&str] = if bits == "1024" { &["sha3-256", "sha3-384", "sha3-512"] } else { &[] };
        for hash in [&["sha256", "sha384", "sha512"], sha3].concat() {
            let sign = format!("ima sign tree --store manifest -o list --key key --hash {hash}");
            let signed = scratch.fine(&sign);
            assert!(signed.stderr.contains(&format!("4 files signed with RSA-{bits} in")), "{signed:?}");
            let list = "--store manifest --manifest list";
            let run = scratch.fine(&format!("ima verify tree --key public {list}"));
            assert!(run.stderr.contains("4 files good"), "{hash}: {run:?}");
            for run in [&signed, &run] {
                assert_eq!(run.stderr.contains("warning: "), bits == "1024", "{run:?}");
                assert!(!run.stderr.contains("RSA-2048"), "{run:?}");
            }
        }
    }
}

#[test]
fn nothing_waits_for_a_fifo() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    for name in ["fifo", "tree/sub/fifo"] {
        let path = scratch.path(name);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .expect("a fifo");
    }
    scratch.refuses("ima sign tree --store manifest --key fifo", 1, &["fifo", "without a writer"]);
    scratch.refuses("ima verify tree --key fifo", 1, &["fifo", "without a writer"]);
    scratch.refuses("ima verify tree --key /dev/zero", (1, "too-long"), &["/dev/zero"]);
    scratch.refuses("ima verify tree --key tree", (1, "not-a-key"), &["tree is"]);
    scratch
        .fine("ima plan tree -a ecdsa-p256 --file-system ext4")
        .tells(0, &["tree: 3 files, 1 extra hard link"]);
    scratch
        .fine(&format!("ima sign tree --store sidecar --key {private}"))
        .tells(0, &["4 files signed", "fifo: 1"]);
    scratch.fine(&format!("ima verify tree --store sidecar --key {certificate}"));
}

#[test]
fn programs_are_told_of_every_file() {
    let scratch = Scratch::new();
    let (_, certificate) = keygen(&scratch, "ecdsa-p256");
    fs::create_dir(scratch.path("tree")).expect("a directory");
    (0..120).for_each(|number| scratch.write(&format!("tree/{number:03}"), "unsigned"));
    let verify = format!("ima verify tree --store sidecar --key {certificate} --format json");
    let run = scratch.run(&verify);
    let rows = rows(&run);
    assert_eq!(rows.iter().filter(|row| row["file"].is_string()).count(), 120);
    let unsigned = rows.iter().find(|row| row["file"].is_null() && row["verdict"] == "not signed");
    assert_eq!(unsigned.and_then(|row| row["files"].as_f64()), Some(120.0));
    scratch.refuses("ima keygen -a ecdsa-p256 --format json -o new", 2, &["not json"]);
}

#[test]
fn requests_that_make_no_sense() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    let sign = |more: &str, code, words: &[&str]| {
        scratch.refuses(&format!("ima sign --key {private} {more}"), code, words);
    };
    sign("-", 2, &["--store tar"]);
    sign("tree --store sidecar -o x", 2, &["--store manifest"]);
    sign("tree --store sidecar --evm", 2, &["security.ima"]);
    sign("tree --store sidecar -i nonsense", 2, &["unknown implementation", "nonsense"]);
    sign("missing --store sidecar", 1, &["cannot read missing"]);
    let nowhere = format!("ima sign --key {private} tree --store manifest -o no/list");
    scratch.refuses(&nowhere, (1, "no-directory"), &["no/list"]);
    let verify = format!("ima verify tree --key {certificate}");
    scratch.refuses(&format!("{verify} --store manifest"), 2, &["--manifest FILE"]);
    scratch.write("list", "nonsense\n");
    let list = format!("{verify} --store manifest --manifest list");
    scratch.refuses(&list, 1, &["list", "line 1", "getfattr"]);
    let plan = |more: &str, code, words: &[&str]| {
        scratch.refuses(&format!("ima plan {more}"), code, words);
    };
    plan("missing", 1, &["missing", "no such file"]);
    plan("missing --file-system xfs", 1, &["tree missing", "no such file"]);
    plan("tree --file-system ntfs", 2, &["'ntfs'", "btrfs"]);
    plan("tree --file-system ext4:inode-size=300", 2, &["inode-size", "power of two"]);
    plan("tree -a ml-dsa-66", 2, &["ml-dsa-65"]);
    plan("tree --evm md5", 2, &["md5"]);
}

#[test]
fn a_report_and_what_was_signed_cannot_share_standard_output() {
    let scratch = with_tree();
    let (private, _) = keygen(&scratch, "ed25519");
    let sign = format!("ima sign tree --key {private} --store");
    for store in ["manifest", "tar", "manifest -o -", "manifest -o /dev/stdout"] {
        for format in ["json", "csv", "md"] {
            let arguments = format!("{sign} {store} --format {format}");
            let words = [format, "standard output", "--output"];
            scratch.refuses(&arguments, 2, &words);
        }
    }
    let run = scratch.fine(&format!("{sign} manifest -o list --format json"));
    assert!(serde_json::from_str::<serde_json::Value>(&run.stdout).is_ok(), "{run:?}");
    assert!(scratch.read("list").contains("# file: "));
}
