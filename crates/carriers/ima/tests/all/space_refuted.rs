//! Predictions that were wrong, by `lab/ima/refute.py`: what Linux 6.18 showed (f2fs: 7.3) has to be in the interval, and
//! that no wider than it must.

use fieldtest_ima::space::{
    Attribute, Btrfs, Candidate, Cost, Ext4, F2fs, FileShape, FileSystem, TreeFile, Xfs, predict,
};

fn list(attributes: &[(&str, u64)]) -> Vec<Attribute> {
    attributes.iter().map(|(name, length)| Attribute::new(*name, *length)).collect()
}

fn total(model: &FileSystem, files: impl IntoIterator<Item = TreeFile>, candidate: Candidate) -> Cost {
    predict(model, files, &[candidate]).remove(0).total
}

fn files(number: u64, size: u64, attributes: &[(&str, u64)]) -> Vec<TreeFile> {
    let shape = FileShape { size, extents: 1, ..FileShape::default() };
    let file =
        |inode| TreeFile { id: Some((1, inode)), shape, attributes: list(attributes), ..TreeFile::default() };
    (1000..1000 + number).map(file).collect()
}

/// While a value is replaced, both are there; leaves that split for it may stay two, or be joined.
#[test]
fn xfs_leaves_that_split_for_a_moment() {
    let (ima, evm, label) = ("security.ima", "security.evm", "security.selinux");
    let acl = ("trusted.t", 1084);
    for (block_size, further_leaves, before, new, seen, bounds) in [
        (
            4096,
            0,
            &[("security.SMACK64", 546), (ima, 2429)][..],
            &[(ima, 2429), (evm, 2429)][..],
            12_288,
            (8192, 12_288),
        ),
        (16_384, 0, &[(label, 8314), (ima, 3318)], &[(ima, 4636)], 32_768, (0, 32_768)),
        (
            4096,
            0,
            &[("trusted.t", 1419), ("user.n", 1187), ("user.1", 1187), (ima, 44)],
            &[(ima, 113)],
            8192,
            (0, 8192),
        ),
        (4096, 0, &[(ima, 1187), ("security.apparmor", 663)], &[(ima, 2429)], 8192, (0, 8192)),
        // It had a long xattr once.
        (
            4096,
            2,
            &[acl, (ima, 124), ("security.apparmor", 1084)],
            &[(ima, 265), (evm, 265)],
            -8192,
            (-8192, 8192),
        ),
        // A label is joined with either, and alone nothing is in the way.
        (4096, 0, &[(label, 27), (ima, 2429)], &[(ima, 2429)], 0, (0, 0)),
        (4096, 0, &[(label, 27), (ima, 113)], &[(ima, 3318), (evm, 3318)], 12_288, (12_288, 12_288)),
    ] {
        let model = FileSystem::Xfs(Xfs { block_size, ..Xfs::default() });
        let before = list(before);
        let mut after = before.clone();
        after.retain(|old| new.iter().all(|(name, _)| old.name != *name));
        after.extend(list(new));
        let shape = FileShape { further_leaves, ..FileShape::default() };
        let cost = model.cost(&shape, &before, &after).unwrap();
        assert!((cost.least..=cost.most).contains(&seen), "{before:?} {new:?}: {cost:?}");
        assert_eq!((cost.least, cost.most), bounds, "{before:?} {new:?}");
    }
}

/// With data twice, `df` shows half of what metadata takes.
#[test]
fn btrfs_shows_what_it_divides_by_copies_of_data() {
    for (copies, seen) in [(2, 5_636_096), (1, 2_842_624)] {
        let model = FileSystem::Btrfs(Btrfs { copies, data_copies: 2, ..Btrfs::default() });
        let cost = total(&model, files(1000, 0, &[]), Candidate::new("ml-dsa-87", 4636));
        assert!((cost.least..=cost.most).contains(&seen), "{copies}: {cost:?}");
    }
}

/// A shorter value leaves leaves nearly empty, in which a longer one costs nothing; and a snapshot keeps what another key's
/// signature of the same length replaces.
#[test]
fn btrfs_leaves_that_signatures_left_empty() {
    let model = |node_size, metadata| {
        FileSystem::Btrfs(Btrfs { node_size, metadata: Some(metadata), ..Btrfs::default() })
    };
    for (node_size, size, had, length, seen) in [
        (16_384, 100, 81, 4636, 0),
        (16_384, 6000, 81, 3318, 0),
        (4096, 0, 81, 3318, -24_576),
        (16_384, 6000, 3318, 3318, 12_943_360),
    ] {
        let signed = files(1000, size, &[("security.ima", had)]);
        let cost = total(&model(node_size, 8 << 20), signed, Candidate::new("", length));
        assert!((cost.least..=cost.most).contains(&seen), "{size}, {had} to {length}: {cost:?}");
    }
    // Leaves of files that were never signed are half full at least.
    let fresh = total(&model(16_384, 8 << 20), files(1000, 100, &[]), Candidate::new("", 4636));
    assert!(fresh.least > 6_000_000, "{fresh:?}");
}

#[test]
fn f2fs_keeps_the_node_of_xattrs_that_are_gone() {
    let model = FileSystem::F2fs(F2fs { inline_size: 0, ..F2fs::default() });
    let cost = total(&model, files(1, 6000, &[]), Candidate::new("ml-dsa-65", 3318));
    assert_eq!((cost.least, cost.most), (0, 4096));
}

/// Equal blocks that ext4 did not find again are two, and signing makes two of them.
#[test]
fn ext4_blocks_that_are_equal_and_not_shared() {
    let model = FileSystem::Ext4(Ext4::default());
    for (blocks, seen) in [([7, 8], 0), ([7, 7], 4096)] {
        let mut two = files(2, 6000, &[("user.2", 3000)]);
        for (file, block) in two.iter_mut().zip(blocks) {
            (file.block, file.values) = (Some(block), vec![1]);
        }
        let cost = total(&model, two, Candidate::new("ecdsa-p256", 81));
        assert!(cost.is_exact() && cost.bytes == seen, "{blocks:?}: {cost:?}");
    }
}

/// Most signatures of ECDSA are shorter than the longest, which has no room here.
#[test]
fn ecdsa_signatures_that_are_shorter() {
    let model = FileSystem::Ext4(Ext4 { cluster_size: 16_384, inode_size: 512, ..Ext4::default() });
    let candidate = Candidate { evm: Some(113), shorter: [8, 8], ..Candidate::new("ecdsa-p384", 113) };
    let cost =
        total(&model, files(1, 6000, &[("system.posix_acl_access", 44), ("security.selinux", 8)]), candidate);
    assert_eq!((cost.least, cost.most), (0, 16_384));
}
