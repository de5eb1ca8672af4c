//! The new IDs of a repository's objects, by the objects' numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::objects::Table;
use crate::{Error, Format, ObjectId, ObjectType, Objects};

/// New IDs by the numbers of objects; filled while a conversion goes on.
pub(crate) struct NewIds {
    bytes: Vec<u8>,
    is_known: Vec<bool>,
    id_len: usize,
    /// The old and new ID of the empty tree, if it is not stored: Git has it built in.
    empty_tree: Option<(ObjectId, ObjectId)>,
    /// Whether anything was found to name it.
    is_empty_tree_named: AtomicBool,
}

impl NewIds {
    pub(crate) fn new(objects: usize, id_len: usize) -> NewIds {
        NewIds {
            bytes: vec![0; objects * id_len],
            is_known: vec![false; objects],
            id_len,
            empty_tree: None,
            is_empty_tree_named: AtomicBool::new(false),
        }
    }

    /// Enters the old and new ID of the empty tree that is not stored.
    pub(crate) fn set_empty_tree(&mut self, ids: (ObjectId, ObjectId)) {
        self.empty_tree = Some(ids);
    }

    /// The new ID of what is not stored and yet there: the empty tree.
    pub(crate) fn built_in(&self, old: &[u8]) -> Option<ObjectId> {
        let (_, new) = self.empty_tree.filter(|(id, _)| id.as_bytes() == old)?;
        self.is_empty_tree_named.store(true, Ordering::Relaxed);
        Some(new)
    }

    pub(super) fn built_in_of(&self, new: &[u8]) -> Option<ObjectId> {
        self.empty_tree.filter(|(_, id)| id.as_bytes() == new).map(|(old, _)| old)
    }

    /// The empty tree's old and new ID, if it is not stored and something names it.
    pub(crate) fn named_empty_tree(&self) -> Option<(ObjectId, ObjectId)> {
        self.empty_tree.filter(|_| self.is_empty_tree_named.load(Ordering::Relaxed))
    }

    pub(crate) fn id_len(&self) -> usize {
        self.id_len
    }

    /// None as long as the object has none.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        self.is_known.get(number).filter(|&&known| known)?;
        self.bytes.get(number * self.id_len..(number + 1) * self.id_len)
    }

    pub(crate) fn get_id(&self, number: u32) -> Option<ObjectId> {
        ObjectId::from_bytes(self.get(number)?)
    }

    /// As [`get`](Self::get), with the length known to the compiler: copying IDs is what writing trees is made of.
    #[inline]
    pub(crate) fn get_array<const N: usize>(&self, number: u32) -> Option<&[u8; N]> {
        let number = number as usize;
        let (ids, _) = self.bytes.as_chunks::<N>();
        if *self.is_known.get(number)? { ids.get(number) } else { None }
    }

    pub(crate) fn set(&mut self, number: u32, id: &[u8]) {
        let number = number as usize;
        let place = self.bytes.get_mut(number * self.id_len..(number + 1) * self.id_len);
        if let (Some(place), Some(known)) =
            (place.filter(|place| place.len() == id.len()), self.is_known.get_mut(number))
        {
            place.copy_from_slice(id);
            *known = true;
        }
    }

    pub(crate) fn set_all(&mut self, digests: &Digests) {
        for (number, id) in digests.iter(self.id_len) {
            self.set(number, id);
        }
    }

    /// Those of these objects whose new ID one before them has, behind that one.
    pub(crate) fn twins(&self, numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let mut table = Table::new(self.is_known.len());
        numbers
            .filter_map(|number| Some((number, self.get(number)?)))
            .filter_map(|(number, id)| Some((table.insert(id, number, &self.bytes)?, number)))
            .collect()
    }
}

/// What one thread found out, before it is entered into the common [`NewIds`].
#[derive(Default)]
pub(crate) struct Digests {
    numbers: Vec<u32>,
    bytes: Vec<u8>,
}

impl Digests {
    /// Enters a digest, unless the function failed.
    pub(crate) fn enter(&mut self, number: u32, digest: Result<&[u8], Error>) -> Result<(), Error> {
        self.bytes.extend_from_slice(digest?);
        self.numbers.push(number);
        Ok(())
    }

    pub(crate) fn iter(&self, id_len: usize) -> impl Iterator<Item = (u32, &[u8])> {
        self.numbers.iter().copied().zip(self.bytes.chunks_exact(id_len))
    }
}

/// The old and new ID of the empty tree where it is not stored. Git reads it nevertheless (`find_cached_object`), and no
/// other object.
pub(super) fn built_in(
    objects: &Objects,
    from: &Format,
    to: &Format,
) -> Result<Option<(ObjectId, ObjectId)>, Error> {
    let kind = ObjectType::Tree;
    let id = |format: &Format| format.id_of(kind, b"").map_err(|source| Error::Unnamed { kind, source });
    let old = id(from)?;
    if objects.find(old.as_bytes()).is_some() {
        return Ok(None);
    }
    Ok(Some((old, id(to)?)))
}
