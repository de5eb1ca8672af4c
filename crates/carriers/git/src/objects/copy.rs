//! Other copies of objects, in other packs or loose, where the first one cannot be read: Git reads any that
//! it can. So one damaged pack does not end a conversion.

use std::sync::{Mutex, PoisonError};

use super::{Copied, Objects};
use crate::mapped::Mapped;
use crate::pack::inflate::Inflater;
use crate::{ObjectType, loose};

impl Objects {
    /// The number of objects that were read from another copy than their first, which is damaged.
    pub fn from_copies(&self) -> usize {
        self.from_copies.get().map_or(0, |copied| copied.lock().unwrap_or_else(PoisonError::into_inner).len())
    }

    pub(crate) fn is_from_copy(&self, number: u32) -> bool {
        let copied = self.from_copies.get();
        copied.is_some_and(|copied| copied.lock().unwrap_or_else(PoisonError::into_inner).contains(&number))
    }

    /// Reads another copy of an object; `content` is overwritten. None if there is none that can be read.
    pub(super) fn read_copy(&self, number: u32, content: &mut Vec<u8>) -> Option<ObjectType> {
        let mut copies = self.copies.iter().filter(|copy| copy.number == number);
        let kind = copies.find_map(|copy| self.copied(copy, content))?;
        let copied = self.from_copies.get_or_init(Mutex::default);
        copied.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
        Some(kind)
    }

    fn copied(&self, copy: &Copied, content: &mut Vec<u8>) -> Option<ObjectType> {
        let mut inflater = Inflater::new();
        if let Some(pack) = self.packs.get(copy.source as usize) {
            let (kind, found) = pack.content(copy.offset, &mut inflater, |_| None).ok()?;
            *content = found;
            return Some(kind);
        }
        let path = loose::path(self.folder(copy.source)?, self.id(copy.number));
        content.clear();
        loose::read(Mapped::open(&path).ok()?.bytes(), &mut inflater, content).ok()
    }
}
