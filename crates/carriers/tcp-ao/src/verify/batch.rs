//! Segments that wait for their tags, and the computing of all these tags at once.

use std::ops::Range;
use std::sync::Arc;

use fieldtest_kinds::mac::{Job, MacKey};

use super::{Key, Outcome, VerifyError};
use crate::flows::Place;

/// The segments, in the order of the capture. Its buffers are used again.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    pub(super) messages: Vec<u8>,
    pub(super) packets: Vec<u8>,
    pub(super) tags: Vec<u8>,
}

/// A packet whose outcome is still to be told: it is known, or hangs on a tag.
pub(super) enum Entry {
    Done(Outcome),
    Check(Pending),
}

/// A segment whose tag is to be computed; the ranges are those of the batch's buffers.
pub(super) struct Pending {
    pub(super) number: u64,
    pub(super) time: u64,
    pub(super) place: Place,
    pub(super) key: usize,
    pub(super) mac_key: Arc<dyn MacKey>,
    pub(super) message: Range<usize>,
    pub(super) packet: Range<usize>,
    pub(super) tag: Range<usize>,
}

impl Batch {
    /// Computes all tags, those of one implementation together.
    pub(super) fn compute(&mut self, keys: &[Key]) -> Result<(), VerifyError> {
        // Keys of one implementation go into the group of the first of them.
        let group_of = |key: usize| {
            let mac = keys.get(key).map(Key::mac)?;
            keys.iter().position(|other| Arc::ptr_eq(other.mac(), mac))
        };
        let groups: Vec<Option<usize>> = (0..keys.len()).map(group_of).collect();
        let mut jobs: Vec<Vec<Job<'_>>> = keys.iter().map(|_| Vec::new()).collect();
        let mut tags = self.tags.as_mut_slice();
        for entry in &self.entries {
            let Entry::Check(pending) = entry else { continue };
            let Some((tag, rest)) = std::mem::take(&mut tags).split_at_mut_checked(pending.tag.len()) else {
                break;
            };
            tags = rest;
            let group = groups.get(pending.key).copied().flatten().and_then(|group| jobs.get_mut(group));
            if let (Some(group), Some(message)) = (group, self.messages.get(pending.message.clone())) {
                group.push(Job { key: &*pending.mac_key, message, tag });
            }
        }
        for (key, jobs) in keys.iter().zip(&mut jobs) {
            key.mac().tag_many(jobs).map_err(VerifyError::Mac)?;
        }
        Ok(())
    }

    /// Forgets everything but the buffers; the entries must have been taken out.
    pub(super) fn clear(&mut self) {
        self.messages.clear();
        self.packets.clear();
        self.tags.clear();
    }
}
