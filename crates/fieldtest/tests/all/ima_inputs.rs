//! What `fieldtest ima` reads is there afterwards: keys, archives and the files of a tree are no outputs. And what is
//! signed is what can be judged.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use rustix::fs::{XattrFlags, getxattr, setxattr};

use crate::ima::{keygen, openssl, rsa_by_openssl, with_tree};
use crate::scratch::{Run, Scratch, wait_until};

/// Everything that is in the scratch directory, with its content.
fn contents(scratch: &Scratch) -> Vec<(String, Vec<u8>)> {
    let files = scratch.listing().into_iter().filter(|line| !line.ends_with('/'));
    let name = |line: String| line.rsplit_once(' ').expect("a size").0.to_owned();
    let read = |name: String| fs::read(scratch.path(&name)).ok().map(|content| (name, content));
    files.map(name).filter_map(read).collect()
}

#[test]
fn no_output_is_an_input() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    let archive = Command::new("tar").args(["-C"]).arg(scratch.path("tree")).args(["-c", "."]).output();
    scratch.write("archive", archive.expect("tar").stdout);
    fs::hard_link(scratch.path(&private), scratch.path("key-again")).expect("a link");
    symlink(&private, scratch.path("link-to-key")).expect("a link");
    symlink("tree/sub", scratch.path("way")).expect("a link");
    symlink("tree/new", scratch.path("dangling")).expect("a link");
    fs::hard_link(scratch.path("tree/sub/data"), scratch.path("data-outside")).expect("a link");
    let before = contents(&scratch);
    let sign = format!("ima sign --key {private} --certificate {certificate}");
    let refuses = |more: &str, code, words: &[&str]| {
        scratch.refuses(&format!("{sign} {more}"), code, words);
        assert_eq!(contents(&scratch), before, "{more:?}");
    };
    for (tree, store) in [("tree", "manifest"), ("archive", "tar")] {
        for name in [&*private, "key-again", "link-to-key"] {
            refuses(&format!("{tree} --store {store} -o {name}"), 2, &[name, "private key"]);
        }
        refuses(&format!("{tree} --store {store} -o {certificate}"), 2, &[&certificate, "certificate"]);
    }
    refuses("archive --store tar -o archive", 2, &["write 'archive'"]);
    for name in ["tree/sub/data", "tree/new", "tree/sub/../new", "way/new", "way/data", "dangling"] {
        refuses(&format!("tree --store manifest -o {name}"), 2, &[name, "inside the tree"]);
    }
    // A tree that is one file.
    refuses("tree/sub/data --store manifest -o data-outside", 2, &["write 'data-outside'"]);
    // The other name of a file is only found when that is met.
    refuses("tree --store manifest -o data-outside", 1, &["sub/data: "]);
    // What the shell opened.
    let into = |name: &str| {
        let out = fs::OpenOptions::new().append(true).create(true).open(scratch.path(name)).expect("a file");
        let mut command = scratch.command(&format!("{sign} tree --store manifest"));
        Run::from(command.stdout(Stdio::from(out)).output().expect("the program starts"))
    };
    into("tree/new").tells(1, &["new: "]);
    fs::remove_file(scratch.path("tree/new")).expect("the list");
    let run = into(&private);
    assert!(
        run.code == Some(2) && run.stderr.contains("standard output") && run.stderr.contains("private key"),
        "{run:?}"
    );
    assert_eq!(contents(&scratch), before);

    // A list beside the tree is replaced by every run.
    for _ in 0..2 {
        scratch.fine(&format!("{sign} tree --store manifest -o list"));
        scratch.fine(&format!("ima verify tree --key {certificate} --store manifest --manifest list"));
    }
}

#[test]
fn a_run_that_is_killed_leaves_whole_sidecars_and_nothing_else() {
    let scratch = Scratch::new();
    let (private, certificate) = keygen(&scratch, "rsa-2048");
    fs::create_dir(scratch.path("tree")).expect("a directory");
    (0..2000).for_each(|number| scratch.write(&format!("tree/{number:04}"), number.to_string()));
    let sign = format!("ima sign tree --store sidecar --key {private}");
    for until in [10, 400] {
        let mut child = scratch.command(&sign).spawn().expect("the program starts");
        wait_until("something is signed", || scratch.path(&format!("tree/{until:04}.sig")).exists());
        child.kill().expect("it runs");
        child.wait().expect("its end");
        for entry in fs::read_dir(scratch.path("tree")).expect("the tree") {
            let name = entry.expect("an entry").file_name().into_string().expect("ASCII");
            let stem = name.strip_suffix(".sig").unwrap_or(&name);
            assert!(stem.len() == 4 && stem.parse::<u32>().is_ok(), "{name} is left");
        }
    }
    scratch.fine(&sign);
    scratch.fine(&format!("ima verify tree --store sidecar --key {certificate}"));
}

#[test]
fn evm_signatures_are_made_by_evm_alone() {
    let scratch = with_tree();
    let (private, _) = keygen(&scratch, "ecdsa-p256");
    for store in ["xattr", "manifest"] {
        let sign = format!("ima sign tree --key {private} --store {store} --attribute security.evm");
        scratch.refuses(&sign, 2, &["security.evm is", "--evm"]);
    }
}

/// A signature in version 2 as `evmctl ima_sign -a HASH --sigfile` writes it.
fn by_openssl(scratch: &Scratch, hash: &str, number: u8, id: &str) -> Option<String> {
    let mut openssl = Command::new("openssl");
    openssl.args(["dgst", hash, "-sign"]).arg(scratch.path("key")).arg(scratch.path("tree/sub/data"));
    let made = openssl.stderr(Stdio::null()).output().ok().filter(|made| made.status.success())?.stdout;
    let made: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("# file: sub/data\nsecurity.ima=0x0302{number:02x}{id}{:04x}{made}\n\n", made.len() / 2))
}

#[test]
fn old_hashes_of_rsa_are_read() {
    let scratch = with_tree();
    for bits in ["1024", "2048"] {
        if !rsa_by_openssl(&scratch, bits) {
            return;
        }
        let signed = scratch.fine("ima sign tree/sub/data --store manifest --key key");
        let id = signed.stderr.split("by key ").nth(1).and_then(|rest| rest.get(..8)).expect("the key's id");
        for (hash, number) in [("-sha1", 2), ("-sha256", 4), ("-sha3-256", 20), ("-sha3-512", 22)] {
            let Some(list) = by_openssl(&scratch, hash, number, id) else { continue };
            scratch.write("list", list);
            let verify = |tree: &str| {
                let list = "--store manifest --manifest list --format csv";
                scratch.run(&format!("ima verify {tree} --key public {list}")).stderr
            };
            let text = verify("tree");
            assert!(text.contains("1 file good, 3 not signed"), "{bits}, {hash}: {text}");
            scratch.write("tree/sub/data", [8; 6000]);
            assert!(verify("tree").contains("0 files good, 3 not signed, 1 wrong"), "{bits}, {hash}");
            scratch.write("tree/sub/data", [7; 6000]);
        }
    }
}

#[test]
fn hashes_that_one_library_lacks_are_signed_by_another() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "rsa-2048");
    for hash in ["sha256", "sha512", "sha3-256", "sha3-384", "sha3-512"] {
        let list = format!("--store manifest -o list --hash {hash}");
        scratch.fine(&format!("ima sign tree --key {private} {list}"));
        let verify = "ima verify tree --store manifest --manifest list";
        scratch.fine(&format!("{verify} --key {certificate}"));
    }
    let named = format!("ima sign tree --store manifest --key {private} -i aws-lc");
    let words = ["does not offer RSA", "--hash", "--implementation"];
    scratch.refuses(&format!("{named} --hash sha3-256"), 2, &words);
}

#[test]
fn a_certificate_that_no_kernel_finds_is_no_certificate() {
    let scratch = with_tree();
    let make = |identifier: &str, name: &str| {
        let request = "req -x509 -new -key keys/ecdsa-p256.pem -subj /CN=a";
        openssl(&scratch, &format!("{request} -out {name} -addext subjectKeyIdentifier={identifier}"))
    };
    let (private, _) = keygen(&scratch, "ecdsa-p256");
    // Before version 3, openssl makes the identifier all the same.
    if !make("none", "without.crt") || !make("hash", "with.crt") {
        return;
    }
    let sign = format!("ima sign tree --store manifest -o list --key {private}");
    scratch.fine(&format!("{sign} --certificate with.crt"));
    let words = ["without.crt", "no Subject Key Identifier", "subjectKeyIdentifier=hash"];
    scratch.refuses(&format!("{sign} --certificate without.crt"), 1, &words);
    let verify = |key: &str| {
        let list = format!("ima verify tree --store manifest --manifest list --key {key}");
        scratch.run(&list)
    };
    assert_eq!(verify("with.crt").code, Some(0));
    verify("without.crt").tells(1, &["warning: skipped without.crt", "0 files good, 4 by keys"]);
}

#[test]
fn xattrs_of_others_are_kept() {
    let scratch = with_tree();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    let sign = format!("ima sign tree/sub/data --key {private} --attribute");
    for name in [
        "security.selinux",
        "security.capability",
        "security.SMACK64EXEC",
        "system.posix_acl_access",
        "trusted.overlay.opaque",
    ] {
        for store in ["xattr", "manifest"] {
            scratch.refuses(&format!("{sign} {name} --store {store}"), 2, &[name, "destroy"]);
        }
    }
    let long = format!("user.{}", "x".repeat(300));
    scratch.refuses(&format!("{sign} {long}"), 2, &["305 bytes", "255"]);

    let data = scratch.path("tree/sub/data");
    let value = || {
        let mut value = vec![0; 200];
        let length = getxattr(&data, "user.comment", &mut value).expect("an xattr");
        value[..length].to_vec()
    };
    // Before Linux 6.6, tmpfs has none of these.
    if setxattr(&data, "user.comment", b"mine", XattrFlags::empty()).is_err() {
        return;
    }
    let run = scratch.run(&format!("{sign} user.comment"));
    assert_eq!((run.code, value()), (Some(1), b"mine".to_vec()), "{run:?}");
    assert!(run.stdout.contains("is kept") && run.stdout.contains("--force"), "{run:?}");
    let mut tar = Command::new("tar");
    tar.args(["--format=posix", "--xattrs", "--xattrs-include=user.*", "-C"]).arg(scratch.path("tree/sub"));
    let packed = tar.args(["-c", "data"]).output().expect("tar");
    if packed.stdout.windows(12).any(|bytes| bytes == b"user.comment") {
        scratch.write("archive", packed.stdout);
        let sign = format!("ima sign archive --store tar --key {private} -o signed");
        let sign = format!("{sign} --attribute user.comment");
        let run = scratch.run(&sign);
        assert!(run.code == Some(1) && run.stdout.contains("is kept"), "{run:?}");
        scratch.fine(&format!("{sign} --force"));
    }
    scratch.fine(&format!("{sign} user.comment --force"));
    // A signature is replaced by another.
    let first = value();
    scratch.fine(&format!("{sign} user.comment --hash sha512"));
    assert_ne!(value(), first);
    let verify = format!("ima verify tree/sub/data --attribute user.comment --key {certificate}");
    scratch.fine(&verify);
}

#[test]
fn lists_may_name_anything() {
    let scratch = with_tree();
    let (_, certificate) = keygen(&scratch, "ecdsa-p256");
    let named = ["sub/link", "sub", "/etc/passwd", "../keys/ecdsa-p256.pem", "none"];
    let records = named.map(|name| format!("# file: {name}\nsecurity.ima=0x030204aabbccdd000100\n\n"));
    scratch.write("list", records.concat());
    let list = format!("--store manifest --manifest list --key {certificate} --format csv");
    let run = scratch.run(&format!("ima verify tree {list}"));
    for (name, words) in named.into_iter().zip([
        "regular file",
        "regular file",
        "not in the tree",
        "not in the tree",
        "vanished",
    ]) {
        let found = run.stdout.lines().find(|line| line.split(',').next() == Some(name));
        assert!(found.is_some_and(|line| line.contains(words)), "{name}: {run:?}");
    }
}

#[test]
fn keys_of_three_primes_are_told() {
    let scratch = with_tree();
    if openssl(&scratch, "genrsa -primes 3 -out key 2048") {
        scratch.refuses("ima sign tree --store manifest --key key -o list", (1, "multi-prime"), &["key"]);
    }
}
