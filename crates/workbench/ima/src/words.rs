//! The words of this study's records: written by the study, read by its chapter of a report. Signing and verifying one
//! file's identity have the words that all studies share.

use fieldtest_measure::words;

words! {
    /// What a record is a result of.
    #[non_exhaustive]
    pub enum Operation {
        /// Bytes of the xattr that holds the signature.
        Xattr = "xattr",
        /// Bytes that a file system takes for it; the subject is a [`FileSystem`].
        Storage = "storage",
        /// The most bytes that a file system takes which refuses it; the subject is a [`FileSystem`].
        StorageLimit = "storage-limit",
        /// How many files one RPM package can hold with their signatures.
        RpmFiles = "rpm-files",
        /// Bytes of kernel memory that a measured file takes; the subject is [`KERNEL_MEMORY`].
        Measurement = "measurement",
        /// What a kernel takes to verify a file at its first use, as published; the subject is the kernel.
        Appraise = "appraise",
        /// All files of a tree signed; the subject is a time.
        SignTree = "sign-tree",
        /// All files of a tree verified; the subject is a time.
        VerifyTree = "verify-tree",
    }
}

/// What [`Operation::Measurement`] is told of.
pub const KERNEL_MEMORY: &str = "kernel memory";

words! {
    /// The file systems that signatures are predicted for.
    #[non_exhaustive]
    pub enum FileSystem {
        /// As `mke2fs` makes it.
        Ext4 = "ext4",
        /// With larger inodes.
        Ext4Inodes512 = "ext4, inodes of 512 bytes",
        /// With xattrs in inodes of their own.
        Ext4EaInode = "ext4, ea_inode",
        /// As `mkfs.xfs` makes it.
        Xfs = "XFS",
        /// As `mkfs.btrfs` makes it.
        Btrfs = "btrfs",
        /// As `mkfs.f2fs` makes it.
        F2fs = "f2fs",
        /// A read-only image.
        Squashfs = "squashfs",
        /// In memory.
        Tmpfs = "tmpfs",
        /// The one that the tree is on.
        Here = "here",
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::words::Time;
    use fieldtest_testing::words::writes_what_is_read;

    use super::*;
    use crate::{ImaPart, STUDY_SECTION};

    fn is_known(operation: &str, subject: &str) -> Option<bool> {
        Some(match Operation::from_word(operation)? {
            Operation::Xattr | Operation::RpmFiles => subject.is_empty(),
            Operation::Storage | Operation::StorageLimit => FileSystem::from_word(subject).is_some(),
            Operation::Measurement => subject == KERNEL_MEMORY,
            Operation::Appraise => !subject.is_empty(),
            Operation::SignTree | Operation::VerifyTree => Time::from_word(subject).is_some(),
        })
    }

    #[test]
    fn a_study_writes_nothing_that_its_study_section_does_not_know() {
        let names = ["ecdsa-p256", "ml-dsa-44", "slh-dsa-sha2-128s", "uov-ip-pkc"];
        let algorithms = names.map(str::to_owned).to_vec();
        writes_what_is_read(
            &[&STUDY_SECTION],
            &ImaPart { files: 20, algorithms, ..ImaPart::default() },
            is_known,
        );
    }
}
