//! The study on a disk: a container decides what is timed, an image is measured as it is, and neither is written to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fieldtest_catalog::cipher;
use fieldtest_disk::format::Parameters;
use fieldtest_disk::{CipherSpec, Cost, Hash, NewContainer, VolumeKey};
use fieldtest_measure::record::Record;
use fieldtest_study::Part as _;
use fieldtest_testing::section::leaves_nothing;
use fieldtest_testing::study::{
    assert_refused, assert_words_of_schema, has, study, undisturbed, without_measuring,
};
use fieldtest_workbench_disk::{DiskPart, STUDY_SECTION};
use tempfile::TempDir;

const NAMES: [&str; 2] = ["aes-256-xts", "lea-256-xts"];

/// A container of 3 MiB in sectors of 1,024 bytes, whose only key slot takes 1,234 iterations.
fn container(scratch: &TempDir) -> PathBuf {
    let path = scratch.path().join("disk.luks");
    let ciphers = |spec: &CipherSpec, key_len: usize| {
        let known =
            |it: &&cipher::Algorithm| it.facts.kind.dm_crypt == spec.as_str() && it.facts.kind.key == key_len;
        Some(Arc::clone(&cipher::all().iter().find(known)?.implementations.first()?.code))
    };
    let mut parameters = Parameters::new("aes-xts-plain64".parse().expect("a specification"), 64);
    parameters.sector_size = 1024;
    parameters.keyslot.cost = Cost::Pbkdf2 { hash: Hash::Sha512, iterations: 1234 };
    parameters.digest_iterations = Some(1500);
    let key = VolumeKey::generate(64).expect("a key");
    let new = NewContainer::create(&path, 3 << 20, b"a passphrase", key, &parameters, &ciphers);
    new.expect("a container").keep(false).expect("its name");
    path
}

fn part(disk: &Path) -> DiskPart {
    DiskPart {
        disk: Some(disk.to_owned()),
        sector_sizes: vec![512],
        mebibytes: 1,
        algorithms: NAMES.map(str::to_owned).to_vec(),
        implementations: Vec::new(),
    }
}

fn of<'a>(records: &'a [Record], algorithm: &str, operation: &str, subject: &str) -> &'a Record {
    let found = records.iter().find(|it| {
        (it.algorithm.as_str(), it.operation.as_str(), it.subject.as_str()) == (algorithm, operation, subject)
    });
    found.unwrap_or_else(|| panic!("no {operation} {subject} of {algorithm}"))
}

#[test]
fn a_container_decides_what_is_measured() {
    let scratch = TempDir::new().expect("a directory");
    let path = container(&scratch);
    let before = fs::read(&path).expect("a container");
    let records = study(false, &part(&path));
    assert_words_of_schema(&records);
    let used = of(&records, "aes-256-xts", "in-use", "aes-xts-plain64");
    assert!(used.notes[0].contains("512 bits, sectors of 1024"), "{used:?}");
    for algorithm in NAMES {
        // By its header, and not by the plan.
        let page = of(&records, algorithm, "encrypt", "1024 page");
        let input = page.input.as_ref().expect("an input");
        assert!(input.name.contains("disk.luks from byte") && input.bytes == 4096, "{input:?}");
        assert!(!has(&records, algorithm, "encrypt", "512 page"));
        for time in ["wall", "cpu"] {
            let Some(all) = undisturbed(&records, algorithm, "reencrypt", time) else { continue };
            let part = all.part.expect("a part of it was measured");
            assert_eq!((part.of, part.measured), (3 << 8, 1 << 8));
            assert!(all.value > 0.0 && all.estimator == "extrapolated", "{all:?}");
            assert_eq!(all.input.as_ref().expect("an input").bytes, 3 << 20);
        }
        let filled = of(&records, algorithm, "container", "wall").input.as_ref().expect("an input");
        assert!(filled.name.starts_with("1048576 bytes at 4 "), "{filled:?}");
    }
    let unlock = of(&records, "aes-256-xts", "unlock", "pbkdf2-sha512 1234");
    assert!(unlock.notes.iter().any(|note| note.starts_with("key slot 0 of ")), "{unlock:?}");
    assert!(unlock.notes[0].contains("a digest of 1500 iterations"), "{unlock:?}");
    assert!(has(&records, "aes-256-xts", "unlock", "pbkdf2-sha256 1000000"));
    let rate = of(&records, "aes-256-xts", "read-rate", "page cache");
    assert!(rate.unit == "GB/s" && rate.value > 0.0, "{rate:?}");
    leaves_nothing(&[&STUDY_SECTION], "disk", records);
    assert_eq!(fs::read(&path).expect("a container"), before);
}

#[test]
fn an_image_is_measured_as_it_is() {
    let scratch = TempDir::new().expect("a directory");
    let path = scratch.path().join("plain.img");
    fs::write(&path, vec![7; (64 << 10) + 100]).expect("an image");
    let records = study(false, &part(&path));
    assert!(!records.iter().any(|it| it.operation == "in-use"));
    let all = of(&records, "lea-256-xts", "reencrypt", "wall");
    assert!(all.part.is_none() && all.input.as_ref().expect("an input").bytes == 64 << 10, "{all:?}");
    assert!(has(&records, "lea-256-xts", "encrypt", "512 page"));
    leaves_nothing(&[&STUDY_SECTION], "disk", records);
}

#[test]
fn what_a_header_says_is_told_without_measuring() {
    let scratch = TempDir::new().expect("a directory");
    let lines = format!("{:?}", without_measuring(&part(&container(&scratch))));
    assert!(lines.contains("in-use") && !lines.contains("read-rate"), "{lines}");
}

#[test]
fn what_is_no_disk_is_refused() {
    let scratch = TempDir::new().expect("a directory");
    let refused = |path: &Path, words: &[&str]| assert_refused(part(path), words);
    let written = |name: &str, bytes: &[u8]| {
        let path = scratch.path().join(name);
        fs::write(&path, bytes).expect("a file for the test");
        path
    };
    refused(scratch.path(), &["a directory", "a container"]);
    refused(Path::new("/dev/zero"), &["/dev/zero", "block device"]);
    refused(&scratch.path().join("none"), &["the disk"]);
    refused(&written("empty", b""), &["empty", "is empty"]);
    refused(&written("small", &[1; 4095]), &["less than 4096 bytes"]);
    refused(&written("luks1", &[&b"LUKS\xba\xbe\0\x01"[..], &[0; 8192]].concat()), &["LUKS1"]);
    // A container whose data was cut off.
    let path = container(&scratch);
    let whole = fs::read(&path).expect("a container");
    refused(&written("cut", &whole[..16 << 20]), &["less than 4096 bytes of data"]);
    let fifo = scratch.path().join("fifo");
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).expect("a FIFO");
    refused(&fifo, &["block device"]);
    // Its results are not written over it.
    let error = part(&path).check_outputs(&[&path]).expect_err("accepted").to_string();
    assert!(error.contains("elsewhere"), "{error}");
}
