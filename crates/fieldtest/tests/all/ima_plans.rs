//! `fieldtest ima plan` as its users meet it: what signatures would cost, here and on file systems that are not there.

use std::fs;

use rustix::fs::{XattrFlags, setxattr};

use crate::ima::with_tree;
use crate::scratch::{Run, Scratch};

pub(crate) fn rows(run: &Run) -> Vec<serde_json::Value> {
    run.json()["rows"].as_array().expect("rows").clone()
}

#[test]
fn plans_know_which_files_are_alike() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("tree")).expect("a directory");
    for number in 0..50 {
        scratch.write(&format!("tree/{number:03}"), [7; 6000]);
        scratch.write(&format!("tree/own-{number:03}"), [number; 6000]);
    }
    let plan = |more: &str| {
        let plan = "ima plan tree --format json --file-system ext4 -a ml-dsa-65";
        let rows = rows(&scratch.fine(&format!("{plan} {more}")));
        (rows[0]["total"].as_f64(), rows[0]["files"].as_f64())
    };
    // Of the two kinds, one file each is the same: 7.
    assert_eq!(plan(""), (Some(50.0 * 4096.0), Some(100.0)));
    assert_eq!(plan("--hedged"), (Some(100.0 * 4096.0), Some(100.0)));
    // There is no randomness in ECDSA's signatures here, whatever is asked for; of sizes alone nothing is known.
    let all = |algorithm: &str| {
        let plan = format!("ima plan tree --format json --file-system ext4 --hedged -a {algorithm}");
        rows(&scratch.fine(&plan))[0]["total"].as_f64()
    };
    assert_eq!((all("ecdsa-p256"), all("falcon-512")), (Some(50.0 * 4096.0), Some(100.0 * 4096.0)));
}

#[test]
fn plans_for_file_systems_that_are_not_there() {
    let scratch = with_tree();
    let algorithms = "-a ecdsa-p384 -a ml-dsa-65 -a ml-dsa-87";
    let plan = |file_system: &str, more: &str| {
        let arguments = format!("ima plan tree --format json --file-system {file_system}");
        rows(&scratch.fine(&format!("{arguments} {algorithms} {more}")))
    };
    let of = |rows: &[serde_json::Value], column: &str| -> Vec<Option<f64>> {
        rows.iter().map(|row| row[column].as_f64()).collect()
    };
    // Measured on Linux 6.18: see the tests of the models in the crate.
    let ext4 = plan("ext4", "");
    assert_eq!(of(&ext4, "xattr"), [Some(113.0), Some(3318.0), Some(4636.0)]);
    assert_eq!(of(&ext4, "per file"), [Some(4096.0), Some(4096.0), None]);
    assert_eq!(of(&ext4, "rejected"), [Some(0.0), Some(0.0), Some(3.0)]);
    assert_eq!(of(&ext4, "total after fix"), [None, None, Some(3.0 * 8192.0)]);
    assert_eq!(of(&plan("ext4:ea-inode", ""), "inodes"), [Some(0.0), Some(0.0), Some(3.0)]);
    assert_eq!(of(&plan("xfs", ""), "per file"), [Some(0.0), Some(8192.0), Some(12_288.0)]);
    // IMA and EVM by ML-DSA-65 together do not fit into one block.
    let pair = plan("ext4", "--evm ml-dsa-65 --label 27");
    assert_eq!(of(&pair, "rejected"), [Some(0.0), Some(3.0), Some(3.0)]);
}

#[test]
fn plans_reckon_with_the_xattrs_that_are_there() {
    let scratch = with_tree();
    let value = [0; 3500];
    if setxattr(scratch.path("tree/sub/data"), "user.other", &value, XattrFlags::empty()).is_err() {
        // No file system for this test: tmpfs before Linux 6.6, or blocks of 1 KiB.
        return;
    }
    let plan = "ima plan tree --file-system ext4 -a ecdsa-p256 -a ml-dsa-65";
    let rows = rows(&scratch.fine(&format!("{plan} --format json")));
    // The block of one file is there already: there is room in it for the short signature alone.
    for (row, bytes, refused) in [(&rows[0], 2.0 * 4096.0, 0.0), (&rows[1], 2.0 * 4096.0, 1.0)] {
        assert_eq!((row["total"].as_f64(), row["rejected"].as_f64()), (Some(bytes), Some(refused)), "{row}");
    }
    let run = scratch.fine(plan);
    assert!(run.stdout.contains("ml-dsa-65: rejected on sub/data\n"), "{run:?}");
}
