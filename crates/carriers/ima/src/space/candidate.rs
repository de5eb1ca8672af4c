//! What is asked: the files of a tree, and the signatures that they may get.

use std::path::PathBuf;

use super::{Attribute, FileShape};
use crate::evm::Owner;

/// A file to be signed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeFile {
    /// Its path, for reports.
    pub path: PathBuf,
    /// Device and inode, by which further names of the same file are not counted again, and by which btrfs sorts; `None` to
    /// count always, and for files that are made one after the other on the file system that is asked about.
    pub id: Option<(u64, u64)>,
    /// How many names it has; 0 is taken for 1.
    pub names: u64,
    /// Bytes of storage that its data has, of which each 4,096 may be an extent of their own.
    pub allocated: u64,
    /// Its data.
    pub shape: FileShape,
    /// The attributes that it has, in the order of `listxattr`.
    pub attributes: Vec<Attribute>,
    /// What stands for the value of each attribute, in their order: equal for equal values. Where it is empty, no value
    /// is like another's.
    pub values: Vec<u64>,
    /// The block in which ext4 keeps attributes of it. Where that is not known, files with equal ones share it.
    pub block: Option<u64>,
    /// What stands for its content: equal for equal contents. `None` if it is like no other, or was not read.
    pub content: Option<u64>,
    /// Whether it lies in a lower layer of an overlay, and is copied to the upper one with its attributes before it is given a
    /// signature.
    pub copied_up: bool,
    /// Its owner and mode, over which EVM signatures are.
    pub owner: Owner,
}

/// A signature to be judged by what it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name in reports.
    pub name: String,
    /// Bytes of `security.ima`: the signature and its header of 9.
    pub ima: u64,
    /// By how many bytes these two may be shorter in some files, as ECDSA's signatures are.
    pub shorter: [u64; 2],
    /// Bytes of `security.evm`, if an EVM signature goes with it.
    pub evm: Option<u64>,
    /// Bytes of a `security.selinux` that files without one are to be given, for trees that are labelled later.
    pub label: Option<u64>,
    /// Whether signatures of equal contents differ, because randomness is in them.
    pub hedged: bool,
}

impl Candidate {
    /// A candidate that sets `security.ima` alone, and the same one on files of equal content.
    pub fn new(name: impl Into<String>, ima: u64) -> Candidate {
        Candidate { name: name.into(), ima, shorter: [0; 2], evm: None, label: None, hedged: false }
    }

    /// A file's attributes when it is signed: label, signature, EVM, in the order in which they must be set.
    pub fn applied_to(&self, before: &[Attribute]) -> Vec<Attribute> {
        let mut after = before.to_vec();
        let labelled = after.iter().any(|attribute| attribute.name == "security.selinux");
        after.retain(|attribute| attribute.name != "security.ima");
        after.retain(|attribute| self.evm.is_none() || attribute.name != "security.evm");
        let label = self.label.filter(|_| !labelled).map(|length| Attribute::new("security.selinux", length));
        after.extend(label);
        after.push(Attribute::new("security.ima", self.ima));
        after.extend(self.evm.map(|length| Attribute::new("security.evm", length)));
        after
    }
}
