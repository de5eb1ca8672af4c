//! What is free on ext4, held against what can be taken. Needs root, and is skipped by name without it.
#![allow(clippy::print_stderr)]

use std::fs;

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::space::{Candidate, detect, inodes_short};
use fieldtest_ima::store::{Store, attribute};
use fieldtest_ima::tree::{self, Options, Refusal};

#[test]
fn no_more_is_free_than_root_can_take() {
    in_mount_namespace("space_free::no_more_is_free_than_root_can_take", |folder| {
        // What is kept for root, and clusters of several blocks.
        for (number, options) in [
            &["-b", "4096", "-m", "0", "-N", "4000"][..],
            &["-b", "4096", "-m", "10", "-N", "4000"],
            &["-b", "1024", "-m", "0", "-N", "4000"],
            &["-b", "4096", "-m", "0", "-N", "2000", "-O", "bigalloc", "-C", "16384"],
        ]
        .into_iter()
        .enumerate()
        {
            let folder = folder.join(number.to_string());
            fs::create_dir(&folder).unwrap();
            let mounted = ext4(&folder, 16 << 20, options);
            let tree = mounted.join("tree");
            fs::create_dir(&tree).unwrap();
            (0..70_u32).for_each(|file| fs::write(tree.join(file.to_string()), file.to_string()).unwrap());
            rustix::fs::sync();
            let cluster = if options.contains(&"bigalloc") { 16384 } else { options[1].parse().unwrap() };
            // Until there is room for 50.
            let free = detect(&tree).unwrap().free_bytes;
            fs::write(mounted.join("filler"), vec![0; usize::try_from(free - 50 * cluster).unwrap()])
                .unwrap();
            rustix::fs::sync();
            let free = detect(&tree).unwrap().free_bytes / cluster;
            let report = sign(&tree, &[job(P384, security_ima())], &Options::default());
            let refused = report.jobs[0].refused.get(&Refusal::FileSystemFull).map_or(0, |full| full.count);
            eprintln!("{options:?}: {free} clusters free, {} taken", report.jobs[0].signed);
            assert_eq!((report.jobs[0].signed, refused), (free, 70 - free), "{options:?}");
            assert!((40..60).contains(&free), "{options:?}: {free}");
        }
    });
}

#[test]
fn what_fits_only_because_it_is_shared_fits() {
    in_mount_namespace("space_free::what_fits_only_because_it_is_shared_fits", |folder| {
        let mounted = ext4(folder, 16 << 20, &["-b", "4096", "-m", "0", "-N", "4000"]);
        let tree = mounted.join("tree");
        fs::create_dir(&tree).unwrap();
        (0..70).for_each(|file| fs::write(tree.join(file.to_string()), [file % 5; 5000]).unwrap());
        rustix::fs::sync();
        let free = detect(&tree).unwrap().free_bytes;
        fs::write(mounted.join("filler"), vec![0; usize::try_from(free - 12 * 4096).unwrap()]).unwrap();
        rustix::fs::sync();
        let free = i64::try_from(detect(&tree).unwrap().free_bytes).unwrap();
        let foreseen = |hedged| prediction(&tree, Candidate { hedged, ..Candidate::new("", 3318) });
        let (alike, hedged) = (foreseen(false), foreseen(true));
        assert_eq!((alike.total.bytes, hedged.total.bytes), (5 * 4096, 70 * 4096));
        assert!(alike.total.bytes <= free && free < hedged.total.bytes, "{free}");
        let report = sign(&tree, &[job(ML_DSA_65, security_ima())], &Options::default());
        assert_eq!((report.jobs[0].signed, report.is_complete()), (70, true), "{report:?}");
    });
}

#[test]
fn inodes_for_values_run_out_as_predicted() {
    in_mount_namespace("space_free::inodes_for_values_run_out_as_predicted", |folder| {
        let tree = ext4(folder, 64 << 20, &["-b", "4096", "-N", "128", "-O", "ea_inode"]);
        let files = detect(&tree).unwrap().free_inodes.unwrap() * 2 / 3;
        (0..files).for_each(|file| fs::write(tree.join(file.to_string()), file.to_string()).unwrap());
        rustix::fs::sync();
        let (detected, predicted) = (detect(&tree).unwrap(), prediction(&tree, Candidate::new("", 4636)));
        let free = detected.free_inodes.unwrap();
        assert!(free < files, "{free}");
        assert_eq!(inodes_short(&detected, &predicted), Some((files, free)));
        let report = sign(&tree, &[job(ML_DSA_87, security_ima())], &Options::default());
        let refused = report.jobs[0].refused.get(&Refusal::FileSystemFull).map_or(0, |full| full.count);
        assert_eq!((report.jobs[0].signed, refused), (free, files - free), "{report:?}");
    });
}

#[test]
fn evm_signatures_that_a_new_security_ima_breaks_are_counted() {
    in_mount_namespace("space_free::evm_signatures_that_a_new_security_ima_breaks_are_counted", |folder| {
        let tree = ext4(folder, 64 << 20, &["-b", "4096"]);
        for name in ["one", "two", "three"] {
            fs::write(tree.join(name), name).unwrap();
        }
        let evm = job(P384, Store::Attribute(attribute::EVM.to_owned()));
        let of = |key| [job(key, security_ima())];
        let with_evm = tree::sign(&tree, &of(P256), Some(&evm), &Options::default(), |_| Ok(())).unwrap();
        assert_eq!((with_evm.evm.unwrap().signed, with_evm.broken_evm.count), (3, 0));
        // The kernel makes an HMAC anew.
        let hmac = [&[2][..], &[7; 20]].concat();
        rustix::fs::setxattr(tree.join("two"), attribute::EVM, &hmac, rustix::fs::XattrFlags::empty())
            .unwrap();
        assert_eq!(sign(&tree, &of(P256), &Options::default()).broken_evm.count, 0, "nothing was changed");
        let other = sign(&tree, &of(P384), &Options::default());
        assert_eq!((other.jobs[0].signed, other.broken_evm.count), (3, 2));
        let again = tree::sign(&tree, &of(P384), Some(&evm), &Options::default(), |_| Ok(())).unwrap();
        assert_eq!((again.evm.unwrap().signed, again.broken_evm.count), (3, 0));
    });
}
