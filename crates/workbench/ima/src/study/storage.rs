//! What a signature takes on file systems as distributions make them, and on the one that the tree is on.

use fieldtest_catalog::signature::Algorithm;
use fieldtest_ima::space::{self, Attribute, Btrfs, Ext4, F2fs, FileShape, FileSystem, Squashfs, Tmpfs, Xfs};
use fieldtest_study::{Book, StudyError};

use super::Tree;

/// The xattr that the kernel reads.
const NAME: &str = "security.ima";

/// The file system that the tree is on.
const HERE: &str = "here";

/// File systems as they are made by default, with two that are made to take more.
fn file_systems() -> Vec<(&'static str, FileSystem)> {
    vec![
        ("ext4", FileSystem::Ext4(Ext4::default())),
        ("ext4, inodes of 512 bytes", FileSystem::Ext4(Ext4 { inode_size: 512, ..Ext4::default() })),
        ("ext4, ea_inode", FileSystem::Ext4(Ext4 { ea_inode: true, ..Ext4::default() })),
        ("XFS", FileSystem::Xfs(Xfs::default())),
        ("btrfs", FileSystem::Btrfs(Btrfs::default())),
        ("f2fs", FileSystem::F2fs(F2fs::default())),
        ("squashfs", FileSystem::Squashfs(Squashfs)),
        ("tmpfs", FileSystem::Tmpfs(Tmpfs { inodes: None })),
    ]
}

/// Enters the xattr's length, its cost on every file system or its refusal, and the limits of packages and of the
/// kernel's measurement list.
pub(super) fn enter(
    book: &mut Book,
    algorithms: &[&'static Algorithm],
    tree: &Tree,
) -> Result<(), StudyError> {
    let mut systems = file_systems();
    // What cannot be recognised has no model; the study goes on without it.
    let here = space::detect(tree.root()).ok();
    systems.extend(here.map(|detected| (HERE, detected.file_system)));
    for algorithm in algorithms {
        let facts = algorithm.facts;
        let length = super::xattr::longest(algorithm);
        let mut exact = |operation: &str, subject: &str, value: f64, unit: &str| {
            let record = book.figure(&facts.name, operation, subject, value, unit);
            book.record(record);
        };
        exact("xattr", "", length as f64, "bytes");
        exact("rpm-files", "", space::rpm_files_max(length) as f64, "count");
        exact("measurement", "kernel memory", space::measurement_memory(length).slab as f64, "bytes");
        for (name, system) in &systems {
            match system.cost(&FileShape::default(), &[], &[Attribute::new(NAME, length)]) {
                Ok(cost) => {
                    let mut record = book.figure(&facts.name, "storage", name, cost.bytes as f64, "bytes");
                    if !cost.is_exact() {
                        record.estimator = "estimated".to_owned();
                        record.interval = Some([cost.least as f64, cost.most as f64]);
                    }
                    if *name == HERE {
                        record.notes.push(format!("the tree is on {}", system.name()));
                    }
                    book.record(record);
                }
                Err(refusal) => {
                    let mut record =
                        book.figure(&facts.name, "storage-limit", name, refusal.limit as f64, "bytes");
                    record.notes.push(refusal.to_string());
                    book.record(record);
                }
            }
        }
    }
    Ok(())
}
