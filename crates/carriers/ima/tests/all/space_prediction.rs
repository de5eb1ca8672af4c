//! Trees, candidates and advice. Sizes are those of signatures people choose between; no rule here knows them.

use std::path::{Path, PathBuf};

use fieldtest_ima::space::{
    Attribute, Btrfs, Candidate, Detected, Ext4, F2fs, FileShape, FileSystem, Prediction, TreeFile, Xfs,
    advise, detect, predict,
};
use proptest::prelude::*;

fn tree(files: u64, attributes: &[Attribute]) -> Vec<TreeFile> {
    let file = |index| TreeFile {
        path: PathBuf::from(format!("/usr/lib/file{index}")),
        id: Some((1, index)),
        shape: FileShape::default(),
        attributes: attributes.to_vec(),
        ..TreeFile::default()
    };
    (0..files).map(file).collect()
}

fn candidates() -> Vec<Candidate> {
    let lengths = [("ecdsa-p384", 112), ("ml-dsa-44", 2429), ("ml-dsa-65", 3318), ("ml-dsa-87", 4636)];
    lengths.map(|(name, length)| Candidate::new(name, length)).to_vec()
}

fn on(file_system: FileSystem) -> Detected {
    Detected {
        file_system,
        mount_point: PathBuf::from("/"),
        device: None,
        upper_layer: None,
        assumed: Vec::new(),
        free_bytes: 1 << 40,
        free_inodes: None,
    }
}

fn totals(predictions: &[Prediction]) -> Vec<i64> {
    predictions.iter().map(|prediction| prediction.total.bytes).collect()
}

/// What advice says about one candidate.
fn about(detected: &Detected, predictions: &[Prediction], name: &str) -> String {
    let advice = advise(detected, predictions).into_iter().filter(|advice| advice.candidate == name);
    advice.map(|advice| advice.text).collect::<Vec<_>>().join(" ")
}

/// 27,346 files of CentOS Stream 10 on XFS: 8,192 bytes each for ML-DSA-65 (213.6 MiB), none for P-384.
#[test]
fn a_tree_on_xfs() {
    let detected = on(FileSystem::Xfs(Xfs::default()));
    let label = [Attribute::new("security.selinux", 27)];
    let predictions = predict(&detected.file_system, tree(27_346, &label), &candidates());
    assert_eq!(totals(&predictions), [0, 27_346 * 4096, 27_346 * 8192, 27_346 * 12_288]);
    assert!(predictions.iter().all(|prediction| prediction.refused.is_empty() && prediction.files == 27_346));
    let text = about(&detected, &predictions, "ml-dsa-65");
    assert!(
        text.contains("ml-dsa-44 takes 4096 bytes per file") && text.contains("50% of the space"),
        "{text}"
    );
    assert!(predictions.iter().any(|prediction| prediction.rpm_files_max == 10_111));
    assert_eq!(about(&detected, &predictions, "ecdsa-p384"), "");
}

#[test]
fn a_tree_on_ext4_refuses_and_is_remedied() {
    let detected = on(FileSystem::Ext4(Ext4::default()));
    let predictions = predict(&detected.file_system, tree(1000, &[]), &candidates());
    assert_eq!(totals(&predictions), [4_096_000, 4_096_000, 4_096_000, 0]);
    let text = about(&detected, &predictions, "ml-dsa-65");
    assert!(text.contains("ecdsa-p384") && text.contains("4096 bytes per file"), "{text}");
    let refused = &predictions[3].refused;
    assert_eq!((refused.len(), refused[0].files.count, refused[0].refusal.limit), (1, 1000, 4040));
    let (how, total) = predictions[3].remedy.as_ref().unwrap();
    assert!(how.contains("tune2fs -O ea_inode"));
    assert_eq!((total.bytes, total.inodes), (8_192_000, 1000.0));
    let text = about(&detected, &predictions, "ml-dsa-87");
    assert!(text.contains("none of the 1000 files") && text.contains("at most 4040 bytes"), "{text}");
    assert!(text.contains("7.8 MiB ") && text.contains(" 1000 inodes"), "{text}");
}

#[test]
fn signed_files_are_migrated_for_nothing() {
    let signed = [Attribute::new("security.selinux", 27), Attribute::new("security.ima", 112)];
    let model = FileSystem::Ext4(Ext4::default());
    let predictions = predict(&model, tree(10, &signed), &candidates());
    assert_eq!(totals(&predictions), [0, 0, 0, 0]);
    assert_eq!(predictions[3].refused_files(), 10);
}

#[test]
fn pairs_with_evm_and_labels() {
    let model = FileSystem::Ext4(Ext4::default());
    let with = |ima, evm| Candidate { evm: Some(evm), label: Some(27), ..Candidate::new("pair", ima) };
    let predictions = predict(&model, tree(5, &[]), &[with(3318, 112), with(3318, 3318), with(112, 4000)]);
    assert_eq!(totals(&predictions), [5 * 4096, 0, 0]);
    assert_eq!(predictions[1].refused[0].refusal.name, "security.evm");
    // 4,096 - 36 - (20 + 3,320) - 20
    assert_eq!(predictions[1].refused[0].refusal.limit, 700);
}

#[test]
fn f2fs_needs_another_format() {
    let detected = on(FileSystem::F2fs(F2fs::default()));
    let predictions = predict(&detected.file_system, tree(3, &[]), &candidates());
    let text = about(&detected, &predictions, "ml-dsa-87");
    assert!(text.contains("E2BIG") && text.contains("flexible_inline_xattr"), "{text}");
}

#[test]
fn what_nothing_lifts_is_said() {
    let detected = on(FileSystem::Xfs(Xfs::default()));
    let predictions = predict(&detected.file_system, tree(3, &[]), &[Candidate::new("long", 70_000)]);
    let text = about(&detected, &predictions, "long");
    assert!(text.contains("setting of xfs "), "{text}");
}

#[test]
fn small_disks_are_noticed() {
    let detected = Detected { free_bytes: 1 << 20, ..on(FileSystem::Btrfs(Btrfs::default())) };
    let predictions = predict(&detected.file_system, tree(1000, &[]), &candidates());
    let text = about(&detected, &predictions, "ml-dsa-65");
    assert!(text.contains("1.0 MiB are free"), "{text}");
}

#[test]
fn hard_links_count_once() {
    let mut files = tree(2, &[]);
    files.push(TreeFile { path: PathBuf::from("/usr/lib/again"), ..files[0].clone() });
    files.push(TreeFile { id: None, ..files[0].clone() });
    let predictions = predict(&FileSystem::Xfs(Xfs::default()), files, &candidates()[1..2]);
    assert_eq!((predictions[0].files, predictions[0].links, predictions[0].total.bytes), (3, 1, 12_288));
}

#[test]
fn an_empty_tree_costs_nothing() {
    let detected = on(FileSystem::Ext4(Ext4::default()));
    let predictions = predict(&detected.file_system, [], &candidates());
    assert_eq!(totals(&predictions), [0; 4]);
    assert_eq!(predictions[0].bytes_per_file(), 0.0);
    assert!(advise(&detected, &predictions).is_empty());
}

#[test]
fn a_path_is_found_on_its_file_system() {
    // /proc is no place for attributes; a temporary directory is on some file system that a machine runs on.
    let error = detect(Path::new("/proc/self")).unwrap_err().to_string();
    assert!(error.contains("/proc") && error.contains("no model"), "{error}");
    let error = detect(Path::new("/no/such/path")).unwrap_err().to_string();
    assert!(error.contains("/no/such/path"), "{error}");
    if let Ok(detected) = detect(&std::env::temp_dir()) {
        assert!(std::env::temp_dir().canonicalize().unwrap().starts_with(&detected.mount_point));
    }
}

fn attributes() -> impl Strategy<Value = Vec<Attribute>> {
    let length = prop_oneof![0u64..300, 0u64..70_000];
    let names = ["security.ima", "security.evm", "security.selinux", "user.x", "system.posix_acl_access"];
    proptest::collection::hash_map(0usize..5, length, 0..5).prop_map(move |chosen| {
        chosen.into_iter().map(|(name, length)| Attribute::new(names[name], length)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Nothing panics; nothing costs nothing; removing what was set gives back what it cost.
    #[test]
    fn costs_are_consistent(list in attributes(), ea_inode: bool, extents in 0u32..40, small: bool) {
        let block_size = if small { 1024 } else { 4096 };
        let cluster_size = block_size;
        let models = [
            FileSystem::Ext4(Ext4 { ea_inode, block_size, cluster_size, ..Ext4::default() }),
            FileSystem::Xfs(Xfs { block_size, ..Xfs::default() }),
            FileSystem::F2fs(F2fs::default()),
        ];
        let file = FileShape { extents, ..FileShape::default() };
        for model in models {
            let Ok(cost) = model.cost(&file, &[], &list) else { continue };
            prop_assert!(cost.bytes >= 0 && cost.bytes % block_size as i64 == 0);
            prop_assert_eq!(model.cost(&file, &list, &list).unwrap().bytes, 0);
            prop_assert_eq!(model.cost(&file, &list, &[]).unwrap().bytes, -cost.bytes);
        }
    }
}

/// Every length of a tail beside every length of an xattr is placed somewhere.
#[test]
fn images_of_any_lengths() {
    for block_size in [512, 4096] {
        let model = FileSystem::Erofs(fieldtest_ima::space::Erofs { block_size });
        let files = (0..2 * block_size).map(|size| TreeFile {
            path: PathBuf::from(size.to_string()),
            shape: FileShape { size: size * 7 % (3 * block_size), ..FileShape::default() },
            content: (size % 3 == 0).then_some(size / 9),
            ..TreeFile::default()
        });
        let files: Vec<TreeFile> = files.collect();
        for length in [1, 20, 81, 265, 3318, 4020, 4636, 65_535] {
            let predictions = predict(&model, files.clone(), &[Candidate::new("", length)]);
            let total = predictions[0].total;
            let stored = files.len() as u64 * (length + 64);
            assert!(total.least <= total.bytes && total.bytes <= total.most, "{length}: {total:?}");
            assert!(
                total.bytes >= 0 && total.bytes as u64 <= 4 * stored + 8 * block_size * files.len() as u64
            );
        }
    }
}
