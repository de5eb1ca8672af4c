//! What a signature takes on file systems as distributions make them, and on the one that the tree is on.

use fieldtest_catalog::signature::Algorithm;
use fieldtest_ima::space::{self, Attribute, Btrfs, Ext4, F2fs, FileShape, FileSystem, Squashfs, Tmpfs, Xfs};
use fieldtest_study::{RecordWriter, StudyError};

use super::Tree;
use crate::words::{FileSystem as Word, KERNEL_MEMORY, Operation};

const NAME: &str = "security.ima";

/// File systems as they are made by default, with two that are made to take more.
fn file_systems() -> Vec<(Word, FileSystem)> {
    vec![
        (Word::Ext4, FileSystem::Ext4(Ext4::default())),
        (Word::Ext4Inodes512, FileSystem::Ext4(Ext4 { inode_size: 512, ..Ext4::default() })),
        (Word::Ext4EaInode, FileSystem::Ext4(Ext4 { ea_inode: true, ..Ext4::default() })),
        (Word::Xfs, FileSystem::Xfs(Xfs::default())),
        (Word::Btrfs, FileSystem::Btrfs(Btrfs::default())),
        (Word::F2fs, FileSystem::F2fs(F2fs::default())),
        (Word::Squashfs, FileSystem::Squashfs(Squashfs)),
        (Word::Tmpfs, FileSystem::Tmpfs(Tmpfs { inodes: None })),
    ]
}

/// Enters the xattr's length, its cost on every file system or its refusal, and the limits of packages and of the
/// kernel's measurement list.
pub(super) fn enter(
    writer: &mut RecordWriter,
    algorithms: &[&'static Algorithm],
    tree: &Tree,
) -> Result<(), StudyError> {
    let mut systems = file_systems();
    // What cannot be recognised has no model; the study goes on without it.
    let here = space::detect(tree.root()).ok();
    systems.extend(here.map(|detected| (Word::Here, detected.file_system)));
    for algorithm in algorithms {
        let facts = algorithm.facts;
        let length = super::xattr::longest(algorithm);
        let mut exact = |operation: Operation, subject: &str, value: f64, unit: &str| {
            let record = writer.result(&facts.name, operation.word(), subject, value, unit);
            writer.record(record);
        };
        exact(Operation::Xattr, "", length as f64, "bytes");
        exact(Operation::RpmFiles, "", space::rpm_files_max(length) as f64, "count");
        exact(Operation::Measurement, KERNEL_MEMORY, space::measurement_memory(length).slab as f64, "bytes");
        for (word, system) in &systems {
            match system.cost(&FileShape::default(), &[], &[Attribute::new(NAME, length)]) {
                Ok(cost) => {
                    let bytes = cost.bytes as f64;
                    let mut record =
                        writer.result(&facts.name, Operation::Storage.word(), word.word(), bytes, "bytes");
                    if !cost.is_exact() {
                        record.estimator = "estimated".to_owned();
                        record.interval = Some([cost.least as f64, cost.most as f64]);
                    }
                    if *word == Word::Here {
                        record.notes.push(format!("the tree is on {}", system.name()));
                    }
                    writer.record(record);
                }
                Err(refusal) => {
                    let (operation, limit) = (Operation::StorageLimit.word(), refusal.limit as f64);
                    let mut record = writer.result(&facts.name, operation, word.word(), limit, "bytes");
                    record.notes.push(refusal.to_string());
                    writer.record(record);
                }
            }
        }
    }
    Ok(())
}
