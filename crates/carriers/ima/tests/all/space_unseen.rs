//! What files have that no list shows, or that a list shows twice: predictions held against real file systems that keep some
//! of it in the room of xattrs. Needs root, and is skipped by name without it.
#![allow(clippy::print_stderr)]

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::tree_support::*;
use fieldtest_ima::space::{Candidate, Prediction, Survey, Surveyed, Unseen, detect, survey};
use fieldtest_ima::store::attribute;
use rustix::fs::{XattrFlags, setxattr, statvfs, sync};

fn look(tree: &Path) -> Surveyed {
    let wanted = Survey {
        attribute: attribute::IMA,
        cross_file_systems: false,
        compare: false,
        interrupted: &AtomicBool::new(false),
        progress: &|_, _| {},
    };
    survey(tree, &wanted).unwrap()
}

fn predicted(tree: &Path, length: u64) -> Prediction {
    let detected = detect(tree).unwrap();
    let files = look(tree).files;
    Unseen::of(tree, &detected).predict(&detected, files, &[Candidate::new("", length)]).remove(0)
}

/// Gives every file of a directory a value of its own, and tells how many bytes the file system has less.
fn measured(tree: &Path, on: &Path, length: u64) -> i64 {
    let used = || {
        sync();
        let found = statvfs(on).unwrap();
        ((found.f_blocks - found.f_bfree) * found.f_frsize) as i64
    };
    let before = used();
    for (number, entry) in fs::read_dir(tree).unwrap().enumerate() {
        let mut value = vec![7; length as usize];
        value[..8].copy_from_slice(&(number as u64).to_be_bytes());
        setxattr(entry.unwrap().path(), attribute::IMA, &value, XattrFlags::empty()).unwrap();
    }
    used() - before
}

fn tree_of(on: &Path, name: &str, files: usize, size: usize) -> PathBuf {
    let tree = on.join(name);
    fs::create_dir(&tree).unwrap();
    for file in 0..files {
        fs::write(tree.join(file.to_string()), vec![file as u8; size]).unwrap();
    }
    sync();
    tree
}

fn exact(tree: &Path, on: &Path, length: u64, what: &str) {
    let prediction = predicted(tree, length);
    let seen = measured(tree, on, length);
    assert!(prediction.total.is_exact(), "{what}: {:?}", prediction.total);
    assert_eq!(prediction.total.bytes, seen, "{what}");
}

#[test]
fn lists_that_xfs_shows_twice_are_counted_once() {
    in_mount_namespace("space_unseen::lists_that_xfs_shows_twice_are_counted_once", |folder| {
        if !installed("mkfs.xfs") {
            return;
        }
        let on = mounted("xfs", folder, 320 << 20, &[]);
        for (users, length) in [(1, 113), (8, 113), (10, 3318), (30, 113)] {
            let tree = tree_of(&on, &format!("{users}-{length}"), 30, 6000);
            // `struct posix_acl_xattr_header`, and entries of tag, permissions and id.
            let mut list = 2_u32.to_le_bytes().to_vec();
            let named = (0..users).map(|user| (2, 6, 1001 + user));
            let none = u32::MAX;
            let entries =
                [(1, 6, none)].into_iter().chain(named).chain([(4, 4, none), (16, 6, none), (32, 4, none)]);
            for (tag, permissions, id) in entries {
                list.extend(u16::to_le_bytes(tag));
                list.extend(u16::to_le_bytes(permissions));
                list.extend(u32::to_le_bytes(id));
            }
            for entry in fs::read_dir(&tree).unwrap() {
                setxattr(entry.unwrap().path(), "system.posix_acl_access", &list, XattrFlags::empty())
                    .unwrap();
            }
            sync();
            // As users see it who are not shown the second name.
            assert!(look(&tree).files.iter().all(|file| file.attributes.len() == 1));
            exact(&tree, &on, length, &format!("{users} users"));
        }
    });
}

#[test]
fn data_and_contexts_in_the_inode_take_their_room() {
    in_mount_namespace("space_unseen::data_and_contexts_in_the_inode_take_their_room", |folder| {
        for (options, mount, sizes) in [
            (&["-I", "512", "-O", "inline_data"][..], "loop", &[40, 100, 300, 384, 385][..]),
            (&["-I", "256", "-O", "inline_data"], "loop", &[40, 128, 129]),
            (&["-I", "512", "-O", "encrypt"], "loop,test_dummy_encryption", &[600]),
            (&["-I", "256", "-O", "encrypt"], "loop,test_dummy_encryption", &[600]),
            (&["-I", "512"], "loop,debug_want_extra_isize=128", &[600]),
            (&["-I", "1024"], "loop", &[600]),
        ] {
            let name = format!("{}{mount}", options.join(""));
            let (image, on) = (folder.join(format!("{name}.image")), folder.join(name.replace(',', "-")));
            fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
            fs::create_dir(&on).unwrap();
            run(Command::new("mkfs.ext4").args(["-q", "-b", "4096"]).args(options).arg(&image));
            let output = Command::new("mount").args(["-o", mount]).args([&image, &on]).output().unwrap();
            if !present(&format!("a kernel that mounts with {mount}"), output.status.success()) {
                continue;
            }
            for size in sizes {
                for length in [60, 81, 113, 200, 265, 300] {
                    let what = format!("{options:?} {mount}: files of {size}, xattrs of {length}");
                    let tree = tree_of(&on, &format!("{size}-{length}"), 20, *size);
                    let prediction = predicted(&tree, length);
                    let seen = measured(&tree, &on, length);
                    let total = prediction.total;
                    assert!((total.least..=total.most).contains(&seen), "{what}: {total:?}, measured {seen}");
                    // Of contexts, those of an old policy are shorter; all else is seen.
                    assert!(total.is_exact() || mount.contains("encryption"), "{what}: {total:?}");
                    assert_eq!(total.bytes, seen, "{what}");
                    fs::remove_dir_all(tree).unwrap();
                    sync();
                }
            }
        }
    });
}

#[test]
fn files_of_many_blocks_may_have_many_extents() {
    in_mount_namespace("space_unseen::files_of_many_blocks_may_have_many_extents", |folder| {
        if !installed("mkfs.xfs") {
            return;
        }
        let on = mounted("xfs", folder, 320 << 20, &[]);
        // With 3 + 12 + 3 + 200 bytes there is room beside four extents, and none beside twelve.
        for (size, length, is_exact) in
            [(6_000, 200, true), (80_000, 200, false), (80_000, 81, true), (80_000, 3318, true)]
        {
            let tree = tree_of(&on, &format!("{size}-{length}"), 20, size);
            let prediction = predicted(&tree, length);
            let seen = measured(&tree, &on, length);
            assert_eq!(
                (prediction.total.is_exact(), prediction.total.bytes),
                (is_exact, seen),
                "{size} {length}"
            );
        }
    });
}

#[test]
fn extents_that_moved_xattrs_out_of_the_inode() {
    in_mount_namespace("space_unseen::extents_that_moved_xattrs_out_of_the_inode", |folder| {
        if !installed("mkfs.xfs") {
            return;
        }
        let on = mounted("xfs", folder, 320 << 20, &[]);
        // Of 18 blocks these have seven, and one with the xattrs, so that their number shows nothing.
        for (extents, own, length) in
            [(7, 240, 265), (7, 240, 81), (7, 200, 265), (7, 140, 81), (12, 240, 265), (2, 240, 265)]
        {
            for is_dense in [false, true] {
                let what = format!("{extents} extents, {own} and {length} bytes, {is_dense}");
                let tree = tree_of(&on, &what, 20, if is_dense { extents << 12 } else { 0 });
                for entry in fs::read_dir(&tree).unwrap() {
                    let path = entry.unwrap().path();
                    if !is_dense {
                        let file = fs::File::create(&path).unwrap();
                        file.set_len(extents as u64 * 10_000).unwrap();
                        for extent in 0..extents {
                            file.write_all_at(b"x", extent as u64 * 10_000).unwrap();
                        }
                    }
                    setxattr(path, "user.u", &vec![b'u'; own], XattrFlags::empty()).unwrap();
                }
                sync();
                let total = predicted(&tree, length).total;
                let seen = measured(&tree, &on, length);
                assert!((total.least..=total.most).contains(&seen), "{what}: {total:?}, measured {seen}");
                // Files without holes have the xattr of 240 bytes in the inode, beside five extents at most.
                let is_exact = extents == 2 || is_dense && own >= 200;
                assert_eq!(total.is_exact(), is_exact, "{what}: {total:?}");
            }
        }
    });
}

#[test]
fn what_is_copied_up_is_counted() {
    in_mount_namespace("space_unseen::what_is_copied_up_is_counted", |folder| {
        let on = ext4(folder, 64 << 20, &["-b", "4096", "-m", "0"]);
        let merged = folder.join("merged");
        fs::create_dir(&merged).unwrap();
        ["upper", "work", "lower"].iter().for_each(|name| fs::create_dir(on.join(name)).unwrap());
        let lower = tree_of(&on.join("lower"), "tree", 40, 100_000);
        fs::write(lower.join("short"), "short").unwrap();
        let options = format!("lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work", on.display());
        let mut mount = Command::new("mount");
        mount.args(["-t", "overlay", "overlay", "-o", &options]).arg(&merged);
        if !present("overlayfs", mount.output().unwrap().status.success()) {
            return;
        }
        let tree = merged.join("tree");
        // One was written to before.
        fs::write(tree.join("0"), "changed").unwrap();
        sync();
        let prediction = predicted(&tree, 3318);
        let copied = prediction.copy_up;
        assert!(copied.bytes >= 39 * 100_000 && copied.least > 0 && copied.inodes >= 40.0, "{copied:?}");
        let seen = measured(&tree, &on, 3318);
        let total = prediction.total;
        eprintln!("{total:?}, measured {seen}");
        assert!(total.least <= seen && seen <= total.most && !total.is_exact(), "{total:?}, measured {seen}");
        assert!((total.bytes - seen).abs() < 10 * 4096, "{total:?}, measured {seen}");
        // Everything is in the upper layer now.
        assert_eq!(predicted(&tree, 3318).copy_up.bytes, 0);
    });
}

#[test]
fn a_full_upper_layer_is_no_file_without_room() {
    use crate::common::keys::*;
    use fieldtest_ima::tree::{Options, Refusal};
    in_mount_namespace("space_unseen::a_full_upper_layer_is_no_file_without_room", |folder| {
        let on = ext4(folder, 32 << 20, &["-b", "4096", "-m", "0"]);
        let (merged, below) = (folder.join("merged"), folder.join("below"));
        for path in [&merged, &on.join("upper"), &on.join("work")] {
            fs::create_dir(path).unwrap();
        }
        fs::create_dir(&below).unwrap();
        let lower = tree_of(&below, "lower", 40, 1_000_000);
        let options =
            format!("lowerdir={1},upperdir={0}/upper,workdir={0}/work", on.display(), lower.display());
        let mut mount = Command::new("mount");
        mount.args(["-t", "overlay", "overlay", "-o", &options]).arg(&merged);
        if !present("overlayfs", mount.output().unwrap().status.success()) {
            return;
        }
        let detected = detect(&merged).unwrap();
        let prediction = predicted(&merged, 3318);
        let free = Unseen::of(&merged, &detected).overlay().unwrap().free();
        assert!(prediction.copy_up.least as u64 > free, "{prediction:?} {free}");
        let report = sign(&merged, &[job(ML_DSA_65, security_ima())], &Options::default());
        let refused = &report.jobs[0].refused;
        assert_eq!(refused.keys().collect::<Vec<_>>(), [&Refusal::FileSystemFull], "{refused:?}");
    });
}

#[test]
fn names_outside_of_the_tree_are_counted() {
    use crate::common::keys::*;
    use fieldtest_ima::store::{Store, sidecar};
    use fieldtest_ima::tree::Options;
    let temporary = tempfile::tempdir().unwrap();
    let [tree, other] = ["deploy", "objects"].map(|name| temporary.path().join(name));
    for folder in [&tree, &other] {
        fs::create_dir(folder).unwrap();
    }
    for (name, further) in [
        ("a", &[other.join("a")][..]),
        ("b", &[tree.join("b too"), other.join("b")]),
        ("c", &[tree.join("c too")]),
        ("d", &[]),
    ] {
        fs::write(tree.join(name), name).unwrap();
        further.iter().for_each(|path| fs::hard_link(tree.join(name), path).unwrap());
    }
    let found = look(&tree).elsewhere;
    assert_eq!((found.count, found.first), (2, vec![PathBuf::from("a"), PathBuf::from("b")]));
    let jobs = |store| [job(P256, store)];
    assert_eq!(sign(&tree, &jobs(user_ima()), &Options::default()).elsewhere.count, 2);
    let beside = sign(&tree, &jobs(Store::Sidecar(sidecar::SUFFIX.to_owned())), &Options::default());
    assert_eq!(beside.elsewhere.count, 0, "a sidecar is nobody else's");
    assert_eq!(look(&tree.join("a")).elsewhere.count, 1);
}
