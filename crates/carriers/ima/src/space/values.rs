//! Which attributes have equal values: what file systems that store equal ones once go by.

use std::hash::Hash;

use super::gathered::{Class, Gathered};
use super::{Attribute, Candidate};
use crate::evm::XATTRS;
use crate::xattr::name::{EVM, IMA};

pub(super) struct Values<'a> {
    gathered: &'a Gathered,
    class: &'a Class,
    before: &'a [Attribute],
    candidate: &'a Candidate,
}

impl<'a> Values<'a> {
    pub(super) fn new(
        gathered: &'a Gathered,
        class: &'a Class,
        before: &'a [Attribute],
        candidate: &'a Candidate,
    ) -> Values<'a> {
        Values { gathered, class, before, candidate }
    }

    /// Of an attribute that the files have; `None` where each file's is like no other.
    pub(super) fn before(&self, name: &str) -> Option<u64> {
        let at = self.before.iter().position(|attribute| attribute.name == name)?;
        self.class.values.get(at).copied()
    }

    /// Of an attribute that the files will have.
    pub(super) fn after(&self, name: &str) -> Option<u64> {
        match name {
            IMA => self.signature(IMA),
            EVM if self.candidate.evm.is_some() => {
                // Over owner, mode, and the values of what EVM protects.
                let protected = XATTRS.iter().filter(|name| **name != IMA).map(|name| self.before(name));
                let protected: Vec<Option<u64>> = protected.collect();
                let owner = self.class.owner;
                self.signature((EVM, protected, owner.uid, owner.gid, owner.mode))
            }
            _ if self.before.iter().any(|attribute| attribute.name == name) => self.before(name),
            // A label that all are given.
            _ => Some(self.gathered.number(name)),
        }
    }

    /// Of a signature over equal contents and over what else it is over.
    fn signature(&self, over: impl Hash) -> Option<u64> {
        let content = self.class.content.filter(|_| !self.candidate.hedged)?;
        Some(self.gathered.number((content, over)))
    }
}
