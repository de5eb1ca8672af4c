//! The signature of a file's content and that of its metadata, which is over the first: both are written, or neither.
//!
//! No system call sets two xattrs at once. So what the file had is kept in memory until the second is stored, and put back
//! where it cannot be: a file whose EVM signature does not fit, or that the file system ran full at, would otherwise be left
//! with a new `security.ima` under the old `security.evm`, which a kernel that enforces EVM does not open.

use super::evm_attribute;
use super::job::Job;
use super::sign_report::Done;
use crate::files::content::{Content, Unread};
use crate::files::report::Refusal;
use crate::store::attribute;

pub(super) struct Pair<'a> {
    evm: &'a Job,
    content: &'a Content<'a>,
    /// The `security.ima` that it had.
    before: Option<Vec<u8>>,
}

impl<'a> Pair<'a> {
    /// Before the first of the two is stored.
    ///
    /// # Errors
    /// What the file has cannot be read, so that it could not be put back.
    pub(super) fn of(evm: &'a Job, content: &'a Content<'a>, buffer: &mut [u8]) -> Result<Pair<'a>, Unread> {
        let before = attribute::get(&content.file, attribute::IMA, buffer)?.map(<[u8]>::to_vec);
        Ok(Pair { evm, content, before })
    }

    /// Stores the second. `ima` is what became of the first, and what became of it in the end.
    pub(super) fn complete(&self, ima: Option<&mut Done>, buffer: &mut [u8]) -> Done {
        if matches!(ima, Some(Done::Refused(_) | Done::Failed(_))) {
            return Done::Failed("its security.ima, which EVM protects, was not stored".to_string());
        }
        let evm = self.store(buffer);
        if let (Some(ima @ Done::Stored), Done::Refused(_) | Done::Failed(_)) = (ima, &evm)
            && attribute::put_back(&self.content.file, attribute::IMA, self.before.as_deref()).is_ok()
        {
            *ima = Done::Refused(Refusal::WithoutEvm);
        }
        evm
    }

    /// Signs what the file has now. Where that fails, `security.evm` is as it was.
    fn store(&self, buffer: &mut [u8]) -> Done {
        let Content { file, before: stat, .. } = self.content;
        let digest = match evm_attribute::digest(file, stat, self.evm.wanted().algorithm, buffer) {
            Ok(Ok(digest)) => digest,
            Ok(Err(error)) => return Done::Failed(error.to_string()),
            Err(error) => return Done::Failed(format!("cannot read its xattrs: {error}")),
        };
        if let Ok(Some(value)) = attribute::get(file, attribute::EVM, buffer)
            && self.evm.is_done(value, &digest)
        {
            return Done::AlreadyValid;
        }
        match self.evm.sign(&digest) {
            Ok(value) => {
                attribute::set(file, attribute::EVM, &value).map_or_else(Done::Refused, |()| Done::Stored)
            }
            Err(error) => Done::Failed(error.to_string()),
        }
    }
}
