//! The models against what was measured on real file systems: Linux 6.18 on loop-mounted images with files of 6,000
//! bytes and unique random values; f2fs in Linux 7.3. `None` is a refusal. XFS, ext4, f2fs and tmpfs have to be exact.

use fieldtest_ima::space::{
    Attribute, Btrfs, Cost, Erofs, Ext4, F2fs, FileShape, FileSystem, RefusalKind, Squashfs, Tmpfs, Xfs,
};

/// Lengths of `security.ima`: P-256, P-384, RSA-2048, FN-DSA-512 and 1024, ML-DSA-44 and 65, 4,000, ML-DSA-87,
/// SLH-DSA-128s, 128f, 192f, 256f.
const LENGTHS: [u64; 13] = [80, 112, 265, 675, 1289, 2429, 3318, 4000, 4636, 7865, 17_097, 35_673, 49_865];

fn ima(length: u64) -> Attribute {
    Attribute::new("security.ima", length)
}

fn evm(length: u64) -> Attribute {
    Attribute::new("security.evm", length)
}

/// `system_u:object_r:bin_t:s0` and its zero.
fn label() -> Attribute {
    Attribute::new("security.selinux", 27)
}

fn file() -> FileShape {
    FileShape::default()
}

fn exact(cost: Cost) -> (i64, i64) {
    assert!(cost.is_exact(), "{cost:?}");
    (cost.bytes, cost.inodes as i64)
}

fn alone(model: &FileSystem, length: u64) -> Option<(i64, i64)> {
    model.cost(&file(), &[], &[ima(length)]).ok().map(exact)
}

fn ext4(inode_size: u64, block_size: u64, ea_inode: bool) -> FileSystem {
    let cluster_size = block_size;
    FileSystem::Ext4(Ext4 { inode_size, block_size, cluster_size, ea_inode, ..Ext4::default() })
}

/// Sets the attributes one after the other; the change of bytes and inodes with each, or the limit on a refusal. On XFS with
/// several leaves it is in the interval.
fn steps(model: &FileSystem, steps: &[(&str, u64)]) -> Vec<Result<(i64, i64), u64>> {
    let mut have: Vec<Attribute> = Vec::new();
    let step = |&(name, length): &(&str, u64)| {
        let mut want = have.clone();
        want.retain(|old| old.name != name);
        want.push(Attribute::new(name, length));
        let cost = model.cost(&file(), &have, &want).map_err(|refusal| refusal.limit)?;
        have = want;
        Ok(if matches!(model, FileSystem::Xfs(_)) { (cost.bytes, 0) } else { exact(cost) })
    };
    steps.iter().map(step).collect()
}

#[test]
fn ext4_costs_a_block_or_nothing() {
    let block = |model, from: u64, to: u64| {
        for length in LENGTHS {
            let cost = alone(&model, length).map(|(bytes, _)| bytes);
            let expected = if length < from { Some(0) } else { (length < to).then_some(4096) };
            assert_eq!(cost, expected, "{model:?} {length}");
        }
    };
    block(ext4(256, 4096, false), 80, 4636);
    block(ext4(512, 4096, false), 675, 4636);
    block(ext4(1024, 4096, false), 1289, 4636);
    block(ext4(4096, 4096, false), 4000, 4636);
    for (length, bytes) in [(80, Some(1024)), (675, Some(1024)), (968, Some(1024)), (969, None), (1289, None)]
    {
        assert_eq!(alone(&ext4(256, 1024, false), length).map(|cost| cost.0), bytes);
    }
}

#[test]
fn ext4_steps_lie_where_they_were_bisected() {
    for (inode_size, most) in [(256, 68), (512, 324), (1024, 836), (4096, 3908)] {
        let model = ext4(inode_size, 4096, false);
        assert_eq!(alone(&model, most), Some((0, 0)));
        assert_eq!(alone(&model, most + 1), Some((4096, 0)));
        let labelled = |length| model.cost(&file(), &[label()], &[label(), ima(length)]).map(exact);
        assert_eq!(labelled(most - 52), Ok((0, 0)));
        assert_eq!(labelled(most - 51), Ok((4096, 0)));
        assert_eq!(alone(&model, 4040), Some((4096, 0)));
        let refusal = model.cost(&file(), &[], &[ima(4041)]).unwrap_err();
        assert_eq!((refusal.kind, refusal.limit), (RefusalKind::NoSpace, 4040));
    }
    assert_eq!(alone(&ext4(128, 4096, false), 4), Some((4096, 0)));
}

#[test]
fn ext4_with_ea_inode_takes_everything() {
    let expected = [
        (4096, 0),
        (4096, 0),
        (4096, 0),
        (4096, 0),
        (4096, 0),
        (4096, 0),
        (4096, 0),
        (4096, 1),
        (8192, 1),
        (8192, 1),
        (20_480, 1),
        (36_864, 1),
        (53_248, 1),
    ];
    for (length, cost) in LENGTHS.into_iter().zip(expected) {
        assert_eq!(alone(&ext4(256, 4096, true), length), Some(cost), "{length}");
    }
    for (length, cost) in [(2429, (3072, 1)), (3318, (4096, 1)), (4636, (5120, 1))] {
        assert_eq!(alone(&ext4(256, 1024, true), length), Some(cost), "{length}");
    }
    assert_eq!(alone(&ext4(256, 4096, true), 3584), Some((4096, 0)));
    assert_eq!(alone(&ext4(256, 4096, true), 3585), Some((4096, 1)));
    let refusal = ext4(256, 4096, true).cost(&file(), &[], &[ima(65_537)]).unwrap_err();
    assert_eq!((refusal.kind, refusal.limit), (RefusalKind::TooBig, 65_536));
}

/// Attributes that are set one after the other move between inode, block and inodes of their own.
#[test]
fn ext4_moves_what_no_longer_fits() {
    let (ima, evm, label, other) = ("security.ima", "security.evm", "security.selinux", "user.aaaa");
    let four = ext4(256, 4096, true);
    let moves = [(label, 27), (ima, 3318), (evm, 112), (evm, 2429), (ima, 4636)];
    let expected = [(0, 0), (4096, 0), (0, 0), (4096, 1), (8192, 1)];
    assert_eq!(steps(&four, &moves), expected.map(Ok));
    let back = [(ima, 68), (ima, 69), (ima, 3585), (ima, 4636), (ima, 112), (ima, 16)];
    let expected = [(0, 0), (4096, 0), (0, 1), (4096, 0), (-4096, -1), (-4096, 0)];
    assert_eq!(steps(&four, &back), expected.map(Ok));
    let crowded = [(label, 27), (ima, 112), (ima, 4600), (evm, 4600)];
    assert_eq!(steps(&four, &crowded), [(0, 0), (4096, 0), (4096, 1), (12_288, 1)].map(Ok));
    let others = [(other, 3000), (ima, 900)];
    assert_eq!(steps(&four, &others), [(4096, 0), (4096, 1)].map(Ok));

    let one = ext4(256, 1024, true);
    let expected = [(0, 0), (4096, 1), (1024, 0), (3072, 1), (1024, 0)];
    assert_eq!(steps(&one, &moves), expected.map(Ok));
    let crowded = [(label, 27), (ima, 112), (evm, 112), (ima, 2429), (evm, 2429)];
    assert_eq!(steps(&one, &crowded), [(0, 0), (1024, 0), (0, 0), (3072, 1), (3072, 1)].map(Ok));
    assert_eq!(steps(&one, &[(ima, 876), (ima, 897)]), [(1024, 0), (0, 1)].map(Ok));

    let clusters = FileSystem::Ext4(Ext4 { cluster_size: 16_384, ea_inode: true, ..Ext4::default() });
    let expected = [(0, 0), (16_384, 0), (0, 0), (16_384, 1), (16_384, 1)];
    assert_eq!(steps(&clusters, &moves), expected.map(Ok));
    assert_eq!(steps(&clusters, &[(ima, 20_000), (evm, 60_000)]), [(32_768, 1), (65_536, 1)].map(Ok));

    // Without the feature, the block is shared: 4,096 - 36 - (20 + 3,320) - 20 = 700 bytes are left for EVM.
    let plain = ext4(256, 4096, false);
    let expected = [Ok((0, 0)), Ok((4096, 0)), Ok((0, 0)), Err(700)];
    assert_eq!(steps(&plain, &[(label, 27), (ima, 3318), (evm, 112), (evm, 2429)]), expected);
    let resized = [(label, 60), (ima, 3318), (label, 100), (ima, 8), (ima, 3318)];
    assert_eq!(steps(&plain, &resized), [(0, 0), (4096, 0), (0, 0), (0, 0), (0, 0)].map(Ok));
}

#[test]
fn ext4_bigalloc_pays_clusters() {
    let model = FileSystem::Ext4(Ext4 { cluster_size: 16_384, ..Ext4::default() });
    assert_eq!(alone(&model, 3318), Some((16_384, 0)));
    assert_eq!(alone(&model, 4636), None);
}

#[test]
fn xfs_pays_blocks() {
    let four = [0, 0, 4096, 4096, 4096, 4096, 8192, 8192, 12_288, 12_288, 24_576, 40_960, 57_344];
    let one = [0, 0, 1024, 1024, 3072, 4096, 5120, 6144, 6144, 10_240, 19_456, 38_912, 54_272];
    for (block_size, expected) in [(4096, four), (1024, one)] {
        for inode_size in [512, 1024, 2048] {
            let model = FileSystem::Xfs(Xfs { inode_size, block_size, checksums: true });
            for (length, bytes) in LENGTHS.into_iter().zip(expected) {
                assert_eq!(alone(&model, length), Some((bytes, 0)), "{model:?} {length}");
            }
        }
    }
    let model = FileSystem::Xfs(Xfs::default());
    for (length, bytes) in [(254, 0), (255, 4096), (3062, 4096), (3063, 8192), (8080, 12_288), (8081, 16_384)]
    {
        assert_eq!(alone(&model, length), Some((bytes, 0)), "{length}");
    }
}

/// The largest value beside the data of a file with so many extents, without and with a label.
#[test]
fn xfs_shares_the_inode_with_extents() {
    let model = FileSystem::Xfs(Xfs::default());
    let bisected = [
        (1, 254, 233),
        (3, 254, 233),
        (4, 254, 225),
        (5, 246, 209),
        (8, 198, 161),
        (10, 166, 129),
        (12, 134, 97),
        (13, 134, 97),
        (25, 134, 97),
    ];
    for (extents, most, labelled) in bisected {
        let shape = FileShape { extents, ..FileShape::default() };
        let cost = |before: &[Attribute], length: u64| {
            let after = [before, &[ima(length)]].concat();
            model.cost(&shape, before, &after).unwrap().bytes
        };
        assert_eq!((cost(&[], most), cost(&[], most + 1)), (0, 4096), "{extents} extents");
        assert_eq!(
            (cost(&[label()], labelled), cost(&[label()], labelled + 1)),
            (0, 4096),
            "{extents} extents"
        );
    }
}

/// Where only the most is known, the cost has the bounds of all between: with few extents both lie in the inode, with more
/// the longer one is in a leaf, and with still more both.
#[test]
fn xfs_with_an_unknown_number_of_extents() {
    let model = FileSystem::Xfs(Xfs::default());
    let cost = |most_extents, before: u64, after: u64| {
        let shape = FileShape { most_extents, ..FileShape::default() };
        let cost = model.cost(&shape, &[ima(before)], &[ima(after)]).unwrap();
        assert_eq!((cost.bytes, cost.inodes), (if after > 254 { 4096 } else { 0 }, 0.0));
        (cost.least, cost.most)
    };
    for (most, before, after, bounds) in [
        (3, 200, 246, (0, 0)),
        (7, 200, 246, (0, 4096)),
        (1_000, 200, 246, (0, 4096)),
        (1_000, 246, 200, (-4096, 0)),
        (7, 246, 265, (0, 4096)),
        (5, 246, 265, (4096, 4096)),
        (1_000, 134, 134, (0, 0)),
    ] {
        assert_eq!(cost(most, before, after), bounds, "{most}: {before} to {after}");
    }
}

#[test]
fn xfs_leaves_split_and_shrink() {
    let (ima, evm, label) = ("security.ima", "security.evm", "security.selinux");
    let (x, y, z) = ("security.x", "security.y", "security.z");
    let model = FileSystem::Xfs(Xfs::default());
    let bytes = |list: &[(&str, u64)]| -> Vec<i64> {
        steps(&model, list).into_iter().map(|step| step.unwrap().0).collect()
    };
    assert_eq!(bytes(&[(ima, 112), (ima, 2429), (ima, 3318), (ima, 112)]), [0, 4096, 4096, -8192]);
    assert_eq!(bytes(&[(label, 27), (ima, 2429), (evm, 2429), (ima, 2429)]), [0, 4096, 8192, 0]);
    assert_eq!(bytes(&[(label, 27), (ima, 2429), (evm, 112), (ima, 3318)]), [0, 4096, 0, 4096]);
    let five = [(ima, 1200), (evm, 1200), (x, 1200), (y, 1200), (z, 1200)];
    assert_eq!(bytes(&five), [4096, 0, 0, 8192, 0]);
    assert_eq!(bytes(&[(ima, 3062), (evm, 909)]), [4096, 0]);
    assert_eq!(bytes(&[(ima, 3062), (evm, 930)]), [4096, 8192]);
    assert_eq!(bytes(&[(ima, 254), (evm, 50), (label, 27)]), [0, 4096, 0]);
}

/// IMA and EVM together, with a label; ext4, ext4 with `ea_inode`, XFS.
#[test]
fn pairs_of_signatures() {
    let pairs = [
        (112, 112, Some(4096), (4096, 0), 0),
        (3318, 21, Some(4096), (4096, 0), 8192),
        (3318, 112, Some(4096), (4096, 0), 8192),
        (2429, 2429, None, (8192, 1), 12_288),
        (3318, 3318, None, (8192, 1), 12_288),
        (4636, 4636, None, (20_480, 2), 20_480),
    ];
    for (first, second, plain, with_inodes, xfs) in pairs {
        let after = [label(), ima(first), evm(second)];
        let cost = |model: FileSystem| model.cost(&file(), &[label()], &after).ok().map(exact);
        assert_eq!(cost(ext4(256, 4096, false)).map(|cost| cost.0), plain, "{first} + {second}");
        assert_eq!(cost(ext4(256, 4096, true)), Some(with_inodes), "{first} + {second}");
        assert_eq!(cost(FileSystem::Xfs(Xfs::default())), Some((xfs, 0)), "{first} + {second}");
    }
}

#[test]
fn f2fs_has_one_node_more_and_no_other() {
    let model = FileSystem::F2fs(F2fs::default());
    for (length, bytes) in LENGTHS.into_iter().zip([0, 0, 4096, 4096, 4096, 4096, 4096, 4096]) {
        assert_eq!(alone(&model, length).map(|cost| cost.0), Some(bytes), "{length}");
    }
    assert_eq!((alone(&model, 169), alone(&model, 170)), (Some((0, 0)), Some((4096, 1))));
    let limit = |before: &[Attribute], name: &str| {
        let after = [before, &[Attribute::new(name, 5000)]].concat();
        let refusal = model.cost(&file(), before, &after).unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::TooBig);
        refusal.limit
    };
    assert_eq!(limit(&[], "security.ima"), 4241);
    assert_eq!(limit(&[], "user.x"), 4243);
    assert_eq!(limit(&[label()], "security.ima"), 4201);
    assert!(alone(&model, 4636).is_none());
    for (words, most) in [(850, 7441), (870, 7521), (892, 7609)] {
        let model = FileSystem::F2fs(F2fs { inline_size: 4 * words, ..F2fs::default() });
        assert_eq!(alone(&model, 3318), Some((0, 0)));
        assert_eq!(alone(&model, 4636), Some((4096, 1)));
        assert!(alone(&model, most).is_some() && alone(&model, most + 1).is_none());
    }
}

/// Measured as fractions of an inode with two digits.
#[test]
fn tmpfs_counts_memory_as_inodes() {
    let model = FileSystem::Tmpfs(Tmpfs { inodes: Some(100_000) });
    for (length, inodes) in [(80, 0.13), (112, 0.16), (265, 0.31), (675, 0.71), (2429, 2.42), (7865, 7.73)] {
        let cost = model.cost(&file(), &[], &[ima(length)]).unwrap();
        assert!((cost.inodes - inodes).abs() < 0.011, "{length}: {cost:?}");
    }
}

#[test]
fn btrfs_refuses_what_no_node_holds() {
    for (node_size, most) in [(4096, 3928), (16_384, 16_216), (32_768, 32_600), (65_536, 65_368)] {
        let model = FileSystem::Btrfs(Btrfs { node_size, ..Btrfs::default() });
        assert!(model.cost(&file(), &[], &[ima(most)]).is_ok());
        let refusal = model.cost(&file(), &[], &[ima(most + 1)]).unwrap_err();
        assert_eq!((refusal.kind, refusal.limit), (RefusalKind::NoSpace, most));
    }
}

#[test]
fn btrfs_is_estimated_within_the_interval() {
    let dup = [459, 481, 721, 1704, 3113, 6226, 7668, 10_584, 10_377, 25_461];
    let single = [229, 240, 393, 836, 1573, 3168, 3823, 5308, 5210, 12_714];
    let mut far = Vec::new();
    for (copies, measured) in [(2, dup), (1, single)] {
        let model = FileSystem::Btrfs(Btrfs { copies, ..Btrfs::default() });
        for (length, bytes) in LENGTHS.into_iter().zip(measured) {
            let cost = model.cost(&file(), &[], &[ima(length)]).unwrap();
            if bytes < cost.least || bytes > cost.most {
                far.push((copies, length, bytes, cost.bytes));
            }
        }
    }
    assert!(far.is_empty(), "copies, length, measured, estimated: {far:?}");
}

#[test]
fn images_are_estimated() {
    let squashfs = [
        (80, 89),
        (112, 121),
        (265, 280),
        (350, 367),
        (550, 569),
        (675, 695),
        (1000, 1023),
        (1289, 1315),
        (2429, 2460),
        (3318, 3350),
        (4636, 4669),
        (7865, 7897),
        (17_097, 17_134),
        (35_673, 35_713),
    ];
    for (length, bytes) in squashfs {
        let cost = FileSystem::Squashfs(Squashfs).cost(&file(), &[], &[ima(length)]).unwrap();
        assert!((cost.least..=cost.most).contains(&bytes), "squashfs {length}: {bytes} {cost:?}");
    }
    // Files of 6,000, then of 4,096, then of 9,000 bytes.
    let first = [(80, 2048), (265, 2048), (2429, 6144), (4636, 6144), (7865, 10_240)];
    let second = [(80, 131), (265, 303), (2429, 4022), (4636, 8126), (7865, 8126)];
    let third = [(80, 0), (265, 335), (2429, 3072), (4636, 7168), (7865, 11_264)];
    for (length, bytes) in [first, second, third].concat() {
        let cost = FileSystem::Erofs(Erofs::default()).cost(&file(), &[], &[ima(length)]).unwrap();
        assert!((cost.least..=cost.most).contains(&bytes), "erofs {length}: {bytes} {cost:?}");
    }
}
