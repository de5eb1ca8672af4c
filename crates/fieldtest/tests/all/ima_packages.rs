//! `fieldtest ima packages`: archives and trees as a job, once and once more; `lab/packages.sh` has many of them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::time::{Duration, SystemTime};

use crate::ima::keygen;
use crate::ima_archives::archive;
use crate::scratch::Scratch;

/// The name, the status and the key of each line.
fn ledger(scratch: &Scratch) -> Vec<[String; 3]> {
    let words = |entry: serde_json::Value| {
        let words = [&entry["name"], &entry["status"], &entry["facts"]["key"]];
        words.map(|word| word.as_str().unwrap_or_default().to_owned())
    };
    scratch.lines("job/ledger.jsonl").into_iter().map(words).collect()
}

fn pool() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("pool/unpacked/tree/bin")).unwrap();
    scratch.write("pool/a.tar", archive("bin/a", b"a"));
    // By its content alone.
    scratch.write("pool/layer", archive("bin/b", &[7; 6000]));
    scratch.write("pool/README", "text");
    scratch.write("pool/unpacked/tree/bin/c", "c");
    scratch
}

#[test]
fn each_is_as_by_itself_and_only_what_is_new_is_signed_again() {
    let scratch = pool();
    let (key, certificate) = keygen(&scratch, "ml-dsa-44");
    let onto = format!("ima packages pool pool/README --job job --key {key}");
    scratch.refuses(&onto, (1, "not-a-directory"), &["pool/README"]);
    let packages = format!("ima packages pool signed --job job --trees unpacked --key {key}");
    scratch.write("pool/cut.tar", &archive("d", b"d")[..515]);
    scratch.write("pool/packed.tar.gz", b"\x1f\x8b nothing more");
    scratch.run(&packages).tells(
        1,
        &[
            "cut.tar is rejected: ",
            "packed.tar.gz is rejected: ",
            ": 1 file\n",
            "5 packages: 3 signed, 0 unchanged, 2 rejected; ",
        ],
    );
    assert!(!scratch.path("signed/cut.tar").exists());
    let by_itself = format!("ima sign --key {key} -o single");
    for (package, store, signed) in [
        ("pool/a.tar", "tar", "signed/a.tar"),
        ("pool/layer", "tar", "signed/layer"),
        ("pool/unpacked/tree", "manifest", "signed/unpacked/tree.manifest"),
    ] {
        scratch.fine(&format!("{by_itself} {package} --store {store}"));
        let [one, other] = ["single", signed].map(|name| fs::read(scratch.path(name)).unwrap());
        assert_eq!(one, other, "{signed}");
    }
    let keys = scratch.path("signed.keys");
    let left: Vec<_> = fs::read_dir(&keys).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 1);
    let id = left[0].file_stem().unwrap().to_str().unwrap();
    let verify = "ima verify signed/a.tar --store tar --key";
    for key in [certificate.as_str(), left[0].to_str().unwrap()] {
        scratch.fine(&format!("{verify} {key}")).tells(0, &["1 file good"]);
    }
    assert_eq!(ledger(&scratch).len(), 5);
    assert!(ledger(&scratch).iter().all(|[_, status, key]| (status == "done") == (key == id)));

    // Nothing is new, not even a word on what is refused.
    let before = scratch.read("job/ledger.jsonl");
    let run = scratch.run(&packages);
    assert_eq!(scratch.read("job/ledger.jsonl"), before);
    assert!(run.code == Some(1) && run.stderr.contains("0 signed, 3 unchanged, 2 rejected"), "{run:?}");

    // One is mended, one changes, one is gone; and the tree is written to, without another content.
    scratch.write("pool/cut.tar", archive("d", b"d"));
    scratch.write("pool/a.tar", archive("bin/a", b"A"));
    fs::remove_file(scratch.path("pool/packed.tar.gz")).unwrap();
    fs::rename(scratch.path("pool/layer"), scratch.path("pool/moved")).unwrap();
    scratch.write("pool/unpacked/tree/bin/c", "c");
    let run = scratch.fine(&packages);
    assert!(run.stderr.contains("4 packages: 3 signed, 1 unchanged, 0 rejected"), "{run:?}");
    assert!(run.stderr.contains("layer is gone; "), "{run:?}");
    let new: Vec<String> = ledger(&scratch).drain(5..).map(|[name, ..]| name).collect();
    assert_eq!(new, ["a.tar", "cut.tar", "moved"]);

    // There and back, with archives of one length: what the ledger says of the first is not true of the second.
    let second = fs::read(scratch.path("signed/a.tar")).unwrap();
    scratch.write("pool/a.tar", archive("bin/a", b"a"));
    scratch.fine(&packages);
    scratch.write("pool/a.tar", archive("bin/a", b"A"));
    scratch.fine(&packages);
    assert_eq!(fs::read(scratch.path("signed/a.tar")).unwrap(), second);

    // What was signed and is gone is signed again.
    fs::remove_file(scratch.path("signed/a.tar")).unwrap();
    let run = scratch.fine(&format!("{packages} --format csv"));
    assert_eq!(fs::read(scratch.path("signed/a.tar")).unwrap(), second);
    assert!(run.stdout.contains(&format!("a.tar,done,{id},1,0,0,")), "{run:?}");

    // What was written to since is not as it was, also where it is as long; it is not replaced either.
    let place = scratch.path("signed/a.tar");
    let is_refused = || {
        let run = scratch.run(&packages);
        let told = run.stderr.contains("last run: ");
        assert!(run.code == Some(1) && told, "{run:?}");
    };
    fs::write(&place, vec![7; second.len()]).unwrap();
    let file = fs::File::options().write(true).open(&place).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    is_refused();
    assert_eq!(fs::read(&place).unwrap(), vec![7; second.len()]);
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    is_refused();
    fs::remove_dir(&place).unwrap();
    scratch.fine(&packages);
    assert_eq!(fs::read(&place).unwrap(), second);
}

/// Whoever keeps a signed package from others finds the next one so.
#[test]
fn what_was_private_stays_private() {
    let scratch = pool();
    let (key, _) = keygen(&scratch, "ecdsa-p256");
    let packages = format!("ima packages pool signed --job job --key {key}");
    scratch.fine(&packages);
    let place = scratch.path("signed/a.tar");
    let found = || fs::metadata(&place).map(|it| (it.mode() & 0o7777, it.uid(), it.gid())).unwrap();
    let is_root = found().1 == 0 && chown(&place, Some(1234), Some(2345)).is_ok();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o640)).unwrap();
    let before = found();
    assert!(!is_root || before == (0o640, 1234, 2345), "{before:?}");
    scratch.write("pool/a.tar", archive("bin/a", b"another"));
    scratch.fine(&packages);
    assert_eq!(found(), before);
}

/// A link in a place, or on the way to it, is neither followed nor taken for what was signed.
#[test]
fn nothing_is_written_behind_a_link() {
    let scratch = pool();
    let (key, _) = keygen(&scratch, "ecdsa-p256");
    fs::create_dir(scratch.path("pool/u")).unwrap();
    scratch.write("pool/u/b.tar", archive("bin/b", b"b"));
    let packages = format!("ima packages pool signed --job job --key {key}");
    scratch.fine(&packages);
    for (place, package) in [("signed/a.tar", "a.tar"), ("signed/u", "u/b.tar")] {
        let (place, away) = (scratch.path(place), scratch.path("away"));
        let source = scratch.path("pool").join(package);
        fs::rename(&place, &away).unwrap();
        symlink(&away, &place).unwrap();
        let before = fs::read(&source).unwrap();
        for content in [before.clone(), archive("bin/x", b"another"), before] {
            fs::write(&source, content).unwrap();
            let run = scratch.run(&packages);
            let told = format!("{package} is rejected: {} is a link", place.display());
            assert!(run.code == Some(1) && run.stderr.contains(&told), "{run:?}");
        }
        fs::remove_file(&place).unwrap();
        fs::rename(&away, &place).unwrap();
        scratch.fine(&packages).tells(0, &["0 signed, 3 unchanged, 0 rejected"]);
    }
}

/// Nobody takes a package for signed that is of another kind.
#[test]
fn packages_of_other_kinds_are_named() {
    let scratch = pool();
    let (key, _) = keygen(&scratch, "ecdsa-p256");
    for name in ["a.deb", "b.RPM", "c.udeb", "d.rpm"] {
        scratch.write(&format!("pool/{name}"), "!<arch>\n");
    }
    let run = scratch.fine(&format!("ima packages pool signed --job job --key {key}"));
    for words in [
        // And README and the file in a directory.
        "in a tree: 6 files\n",
        " (deb, rpm): a.deb, b.RPM, c.udeb and 1 more\n",
    ] {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
}

#[test]
fn what_a_package_holds_decides_its_key() {
    let scratch = pool();
    for name in 0..9 {
        scratch.write(&format!("pool/{name}.tar"), archive("file", &[name; 9]));
    }
    keygen(&scratch, "ecdsa-p256");
    keygen(&scratch, "ml-dsa-44");
    // Without its certificate the public key is left.
    fs::remove_file(scratch.path("keys/ml-dsa-44.der")).unwrap();
    let packages = |destination: &str, job: &str, workers: &str| {
        let words =
            ["ima", "packages", "pool", destination, "--job", job, "--keys", "keys", "--workers", workers];
        scratch.fine(&words)
    };
    packages("one", "job", "1");
    packages("other", "other-job", "3");
    let mut taken: Vec<String> = ledger(&scratch).into_iter().map(|[.., key]| key).collect();
    for name in fs::read_dir(scratch.path("one")).unwrap().map(|entry| entry.unwrap().file_name()) {
        let [one, other] = ["one", "other"].map(|folder| fs::read(scratch.path(folder).join(&name)).unwrap());
        assert_eq!(one, other, "{}", name.display());
    }
    for [name, _, key] in ledger(&scratch) {
        let (package, key) = (format!("one/{name}"), format!("one.keys/{key}.der"));
        scratch.fine(&format!("ima verify {package} --store tar --key {key}"));
    }
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 2);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let scratch = pool();
    let (key, certificate) = keygen(&scratch, "ecdsa-p256");
    fs::create_dir(scratch.path("same")).unwrap();
    for name in ["a", "b"] {
        fs::copy(scratch.path(&key), scratch.path(&format!("same/{name}.pem"))).unwrap();
    }
    for (words, more) in [
        ("--keys DIRECTORY", ""),
        ("--key KEY", &format!("--keys keys --key {key}")),
        ("--certificate", &format!("--keys keys --certificate {certificate}")),
    ] {
        scratch.refuses_by_clap(&format!("ima packages pool new --job job {more}"), &[words]);
    }
    let by_key = format!("--key {key}");
    for (words, code, places, more) in [
        ("pool/new", 2, "pool pool/new", &by_key),
        ("pool", 2, "pool .", &by_key),
        ("packed", 2, "pool new", &format!("{by_key} --trees packed")),
        ("keys", 1, "keys new", &by_key),
        ("pool", 2, "pool new", &"--keys pool".to_owned()),
        ("same id", 1, "pool new", &"--keys same".to_owned()),
        ("public key", 1, "pool new", &format!("--key {certificate}")),
        ("destroy", 2, "pool new", &format!("{by_key} --attribute security.selinux")),
        ("--hash", 2, "pool new", &format!("{by_key} --hash md5")),
        ("cannot read nothing", 1, "nothing new", &by_key),
    ] {
        scratch.refuses(&format!("ima packages {places} --job job {more}"), code, &[words]);
    }
    scratch.refuses_by_clap(&format!("ima packages pool new --key {key}"), &["--job DIRECTORY"]);
}

/// The public keys take the place of nothing: not of the private key, of what a link leads to, of a package.
#[test]
fn public_keys_are_written_over_nothing() {
    let scratch = pool();
    let (key, certificate) = keygen(&scratch, "ecdsa-p256");
    let packages = |destination: &str, key: &str, end: (i32, &'static str), word: &str| {
        let line = format!("ima packages pool {destination} --job job --key {key}");
        scratch.refuses(&line, end, &[word]);
        assert!(!scratch.path(destination).exists() && !scratch.path("job").exists(), "nothing is begun");
    };
    fs::create_dir(scratch.path("signed.keys")).unwrap();
    fs::copy(scratch.path(&key), scratch.path("signed.keys/key.pem")).unwrap();
    packages("signed", "signed.keys/key.pem", (2, "nested-places"), "signed.keys");
    fs::rename(scratch.path("pool"), scratch.path("new.keys")).unwrap();
    let line = format!("ima packages new.keys new --job job --key {key}");
    scratch.refuses(&line, 2, &["are one place"]);
    fs::rename(scratch.path("new.keys"), scratch.path("pool")).unwrap();
    for (destination, job) in
        [("new", "new.keys/job"), ("new", "new/job"), ("job/new", "job"), ("new", "pool/job")]
    {
        let line = format!("ima packages pool {destination} --job {job} --key {key}");
        scratch.refuses(&line, (2, "nested-places"), &[job]);
    }

    // The name of the file is known once it was written.
    scratch.fine(&format!("ima packages pool first --job first-job --key {key}"));
    let left = fs::read_dir(scratch.path("first.keys")).unwrap().next().unwrap().unwrap();
    let place = scratch.path("signed.keys").join(left.file_name());
    fs::write(&place, "mine").unwrap();
    packages("signed", &key, (1, "failed"), &place.display().to_string());
    assert_eq!(fs::read(&place).unwrap(), b"mine");
    fs::remove_file(&place).unwrap();
    for target in ["mine", "nothing"] {
        scratch.write("mine", "kept");
        std::os::unix::fs::symlink(scratch.path(target), &place).unwrap();
        packages("signed", &key, (1, "failed"), &place.display().to_string());
        fs::remove_file(&place).unwrap();
    }
    assert!(scratch.read("mine") == "kept" && !scratch.path("nothing").exists());
    // What belongs there stays as it is.
    fs::copy(left.path(), &place).unwrap();
    let before = fs::metadata(&place).unwrap().modified().unwrap();
    scratch.fine(&format!("ima packages pool signed --job job --key {key}"));
    assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), before);
    assert!(scratch.path(&certificate).exists());
}
