//! What ext4 stores once although several files have it: trees with equal files are signed on file systems of their own,
//! and statvfs(3) must show to the block what was predicted.
//!
//! Needs root, and is skipped by name without it.
#![allow(clippy::print_stderr)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::space::{Candidate, Cost, detect};
use fieldtest_ima::store::{Store, attribute};
use fieldtest_ima::tree::{self, Job, Options};
use rustix::fs::{XattrFlags, setxattr};

/// Bytes and inodes in use.
fn used(tree: &Path) -> (i64, i64) {
    let root = fs::File::open(tree).unwrap();
    rustix::fs::syncfs(&root).unwrap();
    rustix::fs::syncfs(&root).unwrap();
    let now = rustix::fs::fstatvfs(&root).unwrap();
    (((now.f_blocks - now.f_bfree) * now.f_frsize) as i64, (now.f_files - now.f_ffree) as i64)
}

/// Predicts, signs, and compares.
#[track_caller]
fn check(what: &str, tree: &Path, candidate: Candidate, job: Job, evm: Option<Job>) -> Cost {
    check_with(what, tree, candidate, job, evm, &Options::default())
}

#[track_caller]
fn check_with(
    what: &str,
    tree: &Path,
    candidate: Candidate,
    job: Job,
    evm: Option<Job>,
    options: &Options<'_>,
) -> Cost {
    let assumed = detect(tree).unwrap().assumed;
    assert!(assumed.is_empty(), "{assumed:?}");
    let predicted = prediction(tree, candidate);
    let before = used(tree);
    let report = tree::sign(tree, &[job], evm.as_ref(), options, |_| Ok(())).unwrap();
    let after = used(tree);
    let measured = (after.0 - before.0, after.1 - before.1);
    let refused: u64 = report.jobs[0].refused.values().map(|tally| tally.count).sum();
    assert_eq!(refused, predicted.refused_files(), "{what}");
    let total = predicted.total;
    eprintln!(
        "{what}: {} files, predicted {} and {} inodes, measured {measured:?}",
        report.files, total.bytes, total.inodes
    );
    assert!(total.is_exact(), "{what}: {total:?}");
    assert_eq!((total.bytes, total.inodes as i64), measured, "{what}");
    total
}

fn candidate(key: &str) -> Candidate {
    let length = match key {
        P256 => 81,
        P384 => 113,
        ML_DSA_65 => 3318,
        _ => 4636,
    };
    Candidate::new("", length)
}

/// `groups` contents, each in so many files, over several directories.
fn equal_files(tree: &Path, groups: &[usize]) {
    for (group, files) in groups.iter().enumerate() {
        for number in 0..*files {
            let folder = tree.join(format!("{}", number % 7));
            fs::create_dir_all(&folder).unwrap();
            // Some are alike in their first blocks, some in length alone, one group is empty.
            let mut content = vec![b'x'; 6000 * usize::from(group > 0)];
            content.extend(group.to_string().repeat(usize::from(group > 0)).bytes());
            fs::write(folder.join(format!("{group}-{number:05}")), content).unwrap();
        }
    }
}

const MIXED: &[usize] = &[40, 1, 1, 300, 2, 3, 50, 1];

fn on_ext4(test: &str, options: &[&str], body: impl FnOnce(&Path)) {
    in_mount_namespace(&format!("space_sharing::{test}"), |folder| body(&ext4(folder, 512 << 20, options)));
}

#[test]
fn equal_files_share_blocks() {
    on_ext4("equal_files_share_blocks", &["-b", "4096", "-I", "256"], |tree| {
        equal_files(tree, MIXED);
        let total = check("mixed, P-256", tree, candidate(P256), job(P256, security_ima()), None);
        assert_eq!(total.bytes, MIXED.len() as i64 * 4096);
        // Signed again by others: the blocks that are left are freed.
        check("then ML-DSA-65", tree, candidate(ML_DSA_65), job(ML_DSA_65, security_ima()), None);
        let none = check("too long", tree, candidate(ML_DSA_87), job(ML_DSA_87, security_ima()), None);
        assert_eq!(none.bytes, 0);
    });
}

#[test]
fn a_block_is_for_a_thousand_files() {
    on_ext4("a_block_is_for_a_thousand_files", &["-b", "4096", "-I", "256"], |tree| {
        equal_files(tree, &[1024, 1025, 2500, 1023]);
        let total = check("1,024 a block", tree, candidate(P256), job(P256, security_ima()), None);
        assert_eq!(total.bytes, (1 + 2 + 3 + 1) * 4096);
    });
}

#[test]
fn what_lies_beside_the_signature_decides_too() {
    on_ext4("what_lies_beside_the_signature_decides_too", &["-b", "4096", "-I", "256"], |tree| {
        equal_files(tree, MIXED);
        let set =
            |path: &Path, name: &str, value: &[u8]| setxattr(path, name, value, XattrFlags::empty()).unwrap();
        let mut paths: Vec<_> =
            (0..7).flat_map(|folder| fs::read_dir(tree.join(folder.to_string())).unwrap()).collect();
        paths.sort_by_key(|entry| entry.as_ref().unwrap().file_name());
        for (number, entry) in paths.into_iter().enumerate() {
            let path = entry.unwrap().path();
            // In the inode or in the block, equal or not, before the signature and in its way.
            match number % 5 {
                0 => set(&path, "user.long", &[number as u8 % 3; 200]),
                1 => set(&path, "security.selinux", b"system_u:object_r:usr_t:s0\0"),
                2 => set(&path, "user.short", &(number as u32 % 4).to_le_bytes()),
                3 => set(&path, "user.own", &[(number as u32).to_le_bytes(), [0; 4]].concat().repeat(40)),
                _ => {}
            }
        }
        check("P-384 beside others", tree, candidate(P384), job(P384, security_ima()), None);
        check("ML-DSA-65 beside others", tree, candidate(ML_DSA_65), job(ML_DSA_65, security_ima()), None);
    });
}

#[test]
fn values_in_inodes_are_shared() {
    on_ext4("values_in_inodes_are_shared", &["-b", "4096", "-I", "256", "-O", "ea_inode"], |tree| {
        equal_files(tree, &[1500, 1, 2, 30]);
        let total =
            check("ea_inode, ML-DSA-87", tree, candidate(ML_DSA_87), job(ML_DSA_87, security_ima()), None);
        assert_eq!(total.inodes, 4.0);
        check("then ML-DSA-65", tree, candidate(ML_DSA_65), job(ML_DSA_65, security_ima()), None);
        check("then ML-DSA-87", tree, candidate(ML_DSA_87), job(ML_DSA_87, security_ima()), None);
    });
}

#[test]
fn values_in_inodes_beside_labels() {
    on_ext4("values_in_inodes_beside_labels", &["-b", "4096", "-I", "256", "-O", "ea_inode"], |tree| {
        equal_files(tree, MIXED);
        for folder in 0..7 {
            for entry in fs::read_dir(tree.join(folder.to_string())).unwrap() {
                let path = entry.unwrap().path();
                let label = format!("system_u:object_r:type_{}_t:s0", folder % 3).repeat(2);
                setxattr(&path, "security.selinux", label.as_bytes(), XattrFlags::empty()).unwrap();
            }
        }
        check("ML-DSA-87 beside labels", tree, candidate(ML_DSA_87), job(ML_DSA_87, security_ima()), None);
    });
}

#[test]
fn small_blocks_and_large_inodes() {
    in_mount_namespace("space_sharing::small_blocks_and_large_inodes", |folder| {
        for (number, options) in [
            &["-b", "1024", "-I", "128"][..],
            &["-b", "1024", "-I", "256"],
            &["-b", "2048", "-I", "512"],
            &["-b", "4096", "-I", "1024"],
            &["-b", "4096", "-O", "bigalloc", "-C", "16384"],
            &["-b", "1024", "-O", "ea_inode"],
        ]
        .into_iter()
        .enumerate()
        {
            let folder = folder.join(number.to_string());
            fs::create_dir(&folder).unwrap();
            let tree = ext4(&folder, 256 << 20, options);
            equal_files(&tree, MIXED);
            for key in [P256, ML_DSA_65] {
                check(&format!("{options:?}"), &tree, candidate(key), job(key, security_ima()), None);
            }
        }
    });
}

#[test]
fn evm_signatures_differ_by_owner_and_mode() {
    on_ext4("evm_signatures_differ_by_owner_and_mode", &["-b", "4096", "-I", "256"], |tree| {
        equal_files(tree, &[1, 30, 40, 2]);
        for (number, entry) in fs::read_dir(tree.join("1")).unwrap().enumerate() {
            let path = entry.unwrap().path();
            fs::set_permissions(&path, fs::Permissions::from_mode([0o644, 0o600, 0o4755][number % 3]))
                .unwrap();
            chown(&path, Some(number as u32 % 2), Some(0)).unwrap();
        }
        let evm = job(P384, Store::Attribute(attribute::EVM.to_owned()));
        let both = Candidate { evm: Some(113), ..candidate(ML_DSA_65) };
        check("with EVM", tree, both, job(ML_DSA_65, security_ima()), Some(evm));
    });
}

#[test]
fn two_signatures_with_one_in_an_inode() {
    in_mount_namespace("space_sharing::two_signatures_with_one_in_an_inode", |folder| {
        for threads in [1, 2, 8] {
            let folder = folder.join(threads.to_string());
            fs::create_dir(&folder).unwrap();
            let tree = ext4(&folder, 256 << 20, &["-b", "4096", "-I", "256", "-O", "ea_inode"]);
            // Far from each other in the order of the paths, and near.
            for number in 0..60 {
                for name in [format!("a{number}"), format!("b{number}"), format!("b{number}-")] {
                    fs::write(tree.join(name), [number; 6000]).unwrap();
                }
            }
            let both = |length| Candidate { evm: Some(length), ..candidate(ML_DSA_65) };
            let evm = |key| job(key, Store::Attribute(attribute::EVM.to_owned()));
            let options = Options { threads: std::num::NonZeroUsize::new(threads), ..Options::default() };
            for (key, length, bytes) in [(ML_DSA_65, 3318, Some(60 * 8192)), (P384, 113, None)] {
                let what = format!("EVM of {length} bytes, {threads} threads");
                let (ima, evm) = (job(ML_DSA_65, security_ima()), evm(key));
                let total = check_with(&what, &tree, both(length), ima, Some(evm), &options);
                assert!(bytes.is_none_or(|bytes| bytes == total.bytes), "{what}");
            }
        }
    });
}

#[test]
fn what_was_tried_in_a_block_in_vain_is_shared() {
    let options = ["-b", "4096", "-I", "256", "-O", "ea_inode"];
    on_ext4("what_was_tried_in_a_block_in_vain_is_shared", &options, |tree| {
        equal_files(tree, &[1, 30, 40, 2]);
        // Beside 500 bytes there is room in the block for the short one alone.
        for folder in 0..7 {
            for entry in fs::read_dir(tree.join(folder.to_string())).unwrap() {
                let path = entry.unwrap().path();
                setxattr(&path, "user.long", &[folder as u8 % 2; 500], XattrFlags::empty()).unwrap();
            }
        }
        let some = [job(P384, security_ima())];
        tree::sign(&tree.join("1"), &some, None, &Options::default(), |_| Ok(())).unwrap();
        check("short before, long now", tree, candidate(ML_DSA_65), job(ML_DSA_65, security_ima()), None);
    });
}

#[test]
fn without_the_cache_nothing_is_shared() {
    in_mount_namespace("space_sharing::without_the_cache_nothing_is_shared", |folder| {
        let tree = ext4(folder, 256 << 20, &["-b", "4096"]);
        // A remount does not change it.
        run(std::process::Command::new("umount").arg(&tree));
        run(std::process::Command::new("mount")
            .args(["-o", "loop,no_mbcache"])
            .arg(folder.join("image"))
            .arg(&tree));
        assert!(!detect(&tree).unwrap().file_system.shares());
        equal_files(&tree, MIXED);
        let total = check("no_mbcache", &tree, candidate(P256), job(P256, security_ima()), None);
        assert_eq!(total.bytes, MIXED.iter().sum::<usize>() as i64 * 4096);
    });
}

#[test]
fn names_that_are_no_files_of_their_own() {
    on_ext4("names_that_are_no_files_of_their_own", &["-b", "4096", "-I", "256"], |tree| {
        equal_files(tree, &[5, 5, 1]);
        for number in 0..5 {
            fs::hard_link(tree.join("0/1-00000"), tree.join(format!("link-{number}"))).unwrap();
        }
        std::os::unix::fs::symlink("0", tree.join("symbolic")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, tree.join("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let mut deep = tree.to_path_buf();
        std::env::set_current_dir(&deep).unwrap();
        for _ in 0..30 {
            let name = "a-long-name-".repeat(20);
            fs::create_dir(&name).unwrap();
            std::env::set_current_dir(&name).unwrap();
            deep.push(name);
        }
        fs::write("deep", vec![b'x'; 6001]).unwrap();
        std::env::set_current_dir("/").unwrap();
        assert!(deep.as_os_str().len() > 7000);
        check("links and deep paths", tree, candidate(ML_DSA_65), job(ML_DSA_65, security_ima()), None);
    });
}

#[test]
fn a_part_of_this_system() {
    on_ext4("a_part_of_this_system", &["-b", "4096", "-I", "256", "-O", "ea_inode"], |tree| {
        let files = copy_usr(tree, 3000);
        for key in [P256, ML_DSA_87] {
            check(
                &format!("{} files of /usr", files.len()),
                tree,
                candidate(key),
                job(key, security_ima()),
                None,
            );
        }
    });
}
