//! What signatures of trees take on btrfs, held against the interval that is promised, and how it is told that its
//! metadata is full. Needs root, and is skipped by name without it.
#![allow(clippy::print_stderr)]

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::space::{Candidate, Prediction, detect};
use fieldtest_ima::tree::{Options, Refusal};
use rustix::fs::{FallocateFlags, XattrFlags, fallocate, setxattr};

/// Keys with the lengths of their values.
const KEYS: [(&str, u64); 2] = [(P256, 81), (ML_DSA_87, 4636)];

/// Used bytes when everything is on disk, with what was freed.
fn used(folder: &Path) -> i64 {
    for _ in 0..2 {
        run(Command::new("sync").arg("-f").arg(folder));
    }
    let stat = rustix::fs::statvfs(folder).unwrap();
    ((stat.f_blocks - stat.f_bfree) * stat.f_frsize) as i64
}

/// Has a tree made on a new file system, foresees what signatures take on what `make` returns, signs that, and measures: what
/// came, and whether it is in the interval.
fn held(
    folder: &Path,
    options: &[&str],
    (key, length): (&str, u64),
    make: impl FnOnce(&Path) -> PathBuf,
) -> (String, bool) {
    fs::create_dir(folder).unwrap();
    let mounted = mounted("btrfs", folder, 1 << 30, options);
    let tree = make(&mounted.join("tree"));
    let before = used(&tree);
    let Prediction { total, files, .. } = prediction(&tree, Candidate::new("", length));
    let report = sign(&tree, &[job(key, security_ima())], &Options::default());
    assert_eq!((report.jobs[0].signed, report.is_complete()), (files, true), "{report:?}");
    let taken = used(&tree) - before;
    run(Command::new("umount").arg(&mounted));
    fs::remove_dir_all(folder).unwrap();
    let shown = format!("{length}: {taken} in {} to {}, {}", total.least, total.most, total.bytes);
    (shown, (total.least..=total.most).contains(&taken))
}

/// A subvolume of files whose leaves hold much more than their inodes; what of it is to be signed.
fn make_hard(tree: &Path, kind: &str) -> PathBuf {
    let btrfs = |arguments: &[&str], path: &Path| {
        run(Command::new("btrfs").args(["-q", "subvolume"]).args(arguments).arg(path));
    };
    btrfs(&["create"], tree);
    let snapshot = |name: &str| {
        run(Command::new("sync").arg("-f").arg(tree));
        btrfs(&["snapshot", tree.to_str().unwrap()], &tree.with_file_name(name));
    };
    match kind {
        "fragments" => {
            for number in 0..400 {
                let file = fs::File::create(tree.join(number.to_string())).unwrap();
                (0..60).for_each(|piece| file.write_all_at(&[piece; 4096], u64::from(piece) * 8192).unwrap());
            }
            snapshot("snapshot");
        }
        "long names" => {
            for number in 0..1500 {
                let [name, one, two] =
                    ["a", "b", "c"].map(|letter| tree.join(format!("{number:04}{}", letter.repeat(236))));
                fs::write(&name, [1; 5000]).unwrap();
                fs::hard_link(&name, one).unwrap();
                fs::hard_link(&name, two).unwrap();
            }
            snapshot("snapshot");
        }
        "full leaves" => {
            for number in 0..1500 {
                let name = tree.join(number.to_string());
                fs::write(&name, [1; 2000]).unwrap();
                setxattr(&name, "user.note", &[1; 1500], XattrFlags::empty()).unwrap();
            }
            snapshot("snapshot");
        }
        "folders" => {
            (0..4000).for_each(|number| {
                fs::create_dir(tree.join(format!("{number:06} is a longer name of a directory"))).unwrap();
            });
            (0..10).for_each(|number| fs::write(tree.join(format!("z{number}")), [1; 6000]).unwrap());
            snapshot("snapshot");
        }
        "deep directories" => {
            for number in 0..1000 {
                let folder = tree.join(format!("{number}/b/c/d/e/f/g"));
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join("file"), [1; 5000]).unwrap();
            }
            snapshot("snapshot");
        }
        few => {
            fs::create_dir(tree.join("few")).unwrap();
            (0..3000).for_each(|number: u32| {
                let few = if number.is_multiple_of(50) { "few/" } else { "" };
                fs::write(tree.join(format!("{few}{number}")), [1; 5000]).unwrap();
            });
            if few == "few, shared" {
                snapshot("snapshot");
            }
            return tree.join("few");
        }
    }
    tree.to_path_buf()
}

#[test]
fn what_snapshots_fragments_and_long_names_take_on_btrfs_is_in_the_interval() {
    in_mount_namespace(
        "space_btrfs::what_snapshots_fragments_and_long_names_take_on_btrfs_is_in_the_interval",
        |folder| {
            if !installed("mkfs.btrfs") || !installed("btrfs") {
                return;
            }
            let mut outside = Vec::new();
            for kind in [
                "fragments",
                "long names",
                "full leaves",
                "folders",
                "deep directories",
                "few",
                "few, shared",
            ] {
                for (key, length) in KEYS {
                    let folder = folder.join(format!("{kind} {length}"));
                    let (shown, inside) = held(&folder, &[], (key, length), |tree| make_hard(tree, kind));
                    eprintln!("{kind}, {shown}");
                    if !inside {
                        outside.push(format!("{kind}, {shown}"));
                    }
                }
            }
            assert!(outside.is_empty(), "{outside:#?}");
        },
    );
}

#[test]
fn looking_at_a_tree_changes_nothing() {
    in_mount_namespace("space_btrfs::looking_at_a_tree_changes_nothing", |folder| {
        if !installed("mkfs.btrfs") || !installed("btrfs") {
            return;
        }
        let mounted = mounted("btrfs", folder, 1 << 30, &[]);
        let tree = make_hard(&mounted.join("tree"), "folders");
        let before = used(&tree);
        prediction(&tree, Candidate::new("", 81));
        assert_eq!(used(&tree), before);
    });
}

#[test]
fn metadata_that_is_full_is_foreseen_and_said() {
    in_mount_namespace("space_btrfs::metadata_that_is_full_is_foreseen_and_said", |folder| {
        if !installed("mkfs.btrfs") {
            return;
        }
        let mounted = mounted("btrfs", folder, 256 << 20, &[]);
        let (tree, filler) = (mounted.join("tree"), mounted.join("filler"));
        fs::create_dir(&tree).unwrap();
        // All room becomes data's, and is free there afterwards.
        let mut full = fs::File::create(&filler).unwrap();
        while std::io::Write::write_all(&mut full, &vec![1; 1 << 20]).is_ok() {}
        used(&tree);
        // Of every two pieces one stays: btrfs gives chunks that are empty to metadata, sooner or later.
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        for piece in (0..full.metadata().unwrap().len()).step_by(2 << 20) {
            fallocate(&full, flags, piece, 1 << 20).unwrap();
        }
        used(&tree);
        (0..7000).for_each(|file| fs::write(tree.join(file.to_string()), file.to_string()).unwrap());
        used(&tree);
        let (detected, predicted) = (detect(&tree).unwrap(), prediction(&tree, Candidate::new("", 4636)));
        let stat = rustix::fs::statvfs(&tree).unwrap();
        assert!(stat.f_bfree * stat.f_frsize > 50 << 20, "data has room");
        eprintln!("{} free, {:?} needed", detected.free_bytes, predicted.total);
        assert!(predicted.total.least > detected.free_bytes as i64, "{predicted:?}, {}", detected.free_bytes);
        // It is true.
        let report = sign(&tree, &[job(ML_DSA_87, security_ima())], &Options::default());
        let (signed, reasons) = (report.jobs[0].signed, &report.jobs[0].refused);
        eprintln!("{signed} signed");
        assert!((1..7000).contains(&signed), "{report:?}");
        assert_eq!(reasons.keys().collect::<Vec<_>>(), [&Refusal::FileSystemFull]);
    });
}

#[test]
fn a_full_xfs_is_called_full() {
    in_mount_namespace("space_btrfs::a_full_xfs_is_called_full", |folder| {
        if !installed("mkfs.xfs") {
            return;
        }
        let mounted = mounted("xfs", folder, 320 << 20, &[]);
        let tree = mounted.join("tree");
        fs::create_dir(&tree).unwrap();
        (0..3000).for_each(|file| fs::write(tree.join(file.to_string()), file.to_string()).unwrap());
        used(&tree);
        let mut filler = fs::File::create(mounted.join("filler")).unwrap();
        for piece in [1 << 20, 4096] {
            while std::io::Write::write_all(&mut filler, &vec![1; piece]).is_ok() {}
        }
        used(&tree);
        let beside = fieldtest_ima::store::Store::Sidecar(".sig".to_owned());
        for store in [security_ima(), beside] {
            let report = sign(&tree, &[job(ML_DSA_87, store)], &Options::default());
            eprintln!(
                "{:?}",
                report.jobs[0].refused.iter().map(|(why, files)| (why, files.count)).collect::<Vec<_>>()
            );
            assert!(report.jobs[0].refused.keys().all(|why| *why == Refusal::FileSystemFull), "{report:?}");
        }
    });
}
