//! One tree or blob with what is below it, read object by object.

use std::cell::RefCell;
use std::collections::HashMap;

use super::new_ids::built_in;
use super::options::Options;
use crate::convert::{Converter, Names, for_each_reference};
use crate::links::mistyped;
use crate::{Error, Format, ObjectId, ObjectType, Objects};

pub(super) fn new_id_of(
    objects: &Objects,
    from: &Format,
    to: &Format,
    number: u32,
    options: &Options<'_>,
) -> Result<ObjectId, Error> {
    let built_in = built_in(objects, from, to)?;
    let found = Found { objects, options, to_len: to.id_len(), new_ids: RefCell::default(), built_in };
    let converter = Converter::new(from, to, options.unknown_headers);
    let (mut old, mut new) = (Vec::new(), Vec::new());
    // A tree comes up twice: first its children are put above it, then it has its turn.
    let mut path = vec![(number, false)];
    while let Some((number, has_its_turn)) = path.pop() {
        if options.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        if found.new_id(number).is_some() {
            continue;
        }
        let kind = objects.read(number, &mut old)?;
        if kind == ObjectType::Tree && !has_its_turn {
            path.push((number, true));
            for_each_reference(kind, &old, objects.id_len(), &mut |id| {
                path.extend(objects.find(id).map(|child| (child, false)));
            });
            continue;
        }
        if let Some(reason) = mistyped(objects, kind, &old) {
            return Err(super::graph::refused(objects, number, reason));
        }
        new.clear();
        converter
            .convert(kind, &old, &found, &mut new)
            .map_err(|reason| super::graph::refused(objects, number, reason))?;
        let id = to.id_of(kind, &new).map_err(|source| objects.hash_error(number, source))?;
        found.new_ids.borrow_mut().insert(number, id);
    }
    found.new_id(number).ok_or(Error::NoSuchNumber(number))
}

struct Found<'a> {
    objects: &'a Objects,
    options: &'a Options<'a>,
    to_len: usize,
    new_ids: RefCell<HashMap<u32, ObjectId>>,
    /// The empty tree, if it is not stored.
    built_in: Option<(ObjectId, ObjectId)>,
}

impl Found<'_> {
    fn new_id(&self, number: u32) -> Option<ObjectId> {
        let known = |known: &super::Map| ObjectId::from_bytes(known.new_of(self.objects.id(number))?);
        self.new_ids.borrow().get(&number).copied().or_else(|| self.options.known.and_then(known))
    }
}

impl Names for Found<'_> {
    fn object(&self, old: &[u8]) -> Option<ObjectId> {
        match self.objects.find(old) {
            Some(number) => self.new_id(number),
            None => self.built_in.filter(|(id, _)| id.as_bytes() == old).map(|(_, new)| new),
        }
    }

    fn submodule(&self, old: &[u8]) -> Option<ObjectId> {
        self.options.submodules.find(old, self.to_len)
    }
}
