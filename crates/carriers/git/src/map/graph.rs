//! The first walk: trees, commits and tags are read and kept, trees as lists of entries.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::entries::{Child, Entry, Lister};
use super::options::{Meter, Options, Stage, Unmappable};
use crate::convert::Refusal;
use crate::links::mistyped;
use crate::{Error, Object, ObjectId, ObjectType, Objects, Visitor};

pub(super) struct Reader<'m, 'a> {
    meter: &'m Meter<'m>,
    objects: &'a Objects,
    unmappable: Unmappable,
    /// Whether what cannot be read or does not fit is passed over.
    lenient: bool,
    scratch: Vec<Entry>,
    pub(super) read: Read<'a>,
}

pub(super) struct Read<'a> {
    lister: Lister<'a>,
    trees: Vec<(u32, Arc<[Entry]>)>,
    /// Commits and tags, with the place of each in `contents`.
    history: Vec<(u32, ObjectType, Range<usize>)>,
    contents: Vec<u8>,
    refused: Vec<(u32, Refusal)>,
}

impl<'m, 'a> Reader<'m, 'a> {
    pub(super) fn new(objects: &'a Objects, meter: &'m Meter<'m>, unmappable: Unmappable) -> Reader<'m, 'a> {
        let read = Read {
            lister: Lister::new(objects),
            trees: Vec::new(),
            history: Vec::new(),
            contents: Vec::new(),
            refused: Vec::new(),
        };
        Reader { meter, objects, unmappable, lenient: false, scratch: Vec::new(), read }
    }

    fn tree(
        &mut self,
        object: &Object<'_>,
        base: Option<&Arc<[Entry]>>,
    ) -> Result<Option<Arc<[Entry]>>, Error> {
        self.scratch.clear();
        let lister = &mut self.read.lister;
        let listed = match (object.delta, base) {
            (Some(delta), Some(base)) => lister.list_delta(object.content, delta, base, &mut self.scratch),
            _ => lister.list(object.content, &mut self.scratch),
        };
        match listed {
            Ok(()) => {
                let entries: Arc<[Entry]> = self.scratch.as_slice().into();
                self.read.trees.push((object.number, entries.clone()));
                Ok(Some(entries))
            }
            Err(reason) => self.refuse(object.number, reason),
        }
    }

    fn refuse(&mut self, number: u32, reason: Refusal) -> Result<Option<Arc<[Entry]>>, Error> {
        if self.unmappable == Unmappable::Refuse {
            return Err(refused(self.objects, number, reason));
        }
        self.read.refused.push((number, reason));
        Ok(None)
    }
}

impl Visitor for Reader<'_, '_> {
    type Kept = Option<Arc<[Entry]>>;

    fn visit(&mut self, object: &Object<'_>, base: Option<&Self::Kept>) -> Result<Self::Kept, Error> {
        self.meter.add(1)?;
        if object.kind == ObjectType::Tree {
            return self.tree(object, base.and_then(Option::as_ref));
        }
        if !self.lenient
            && let Some(reason) = mistyped(self.objects, object.kind, object.content)
        {
            return self.refuse(object.number, reason);
        }
        let read = &mut self.read;
        let begin = read.contents.len();
        read.contents.extend_from_slice(object.content);
        read.history.push((object.number, object.kind, begin..read.contents.len()));
        Ok(None)
    }

    fn visit_large(&mut self, number: u32, _size: u64, _content: &mut dyn io::Read) -> Result<(), Error> {
        let what = "an object other than a blob is larger than 64 MiB";
        Err(refused(self.objects, number, Refusal::Malformed { what, offset: 0 }))
    }

    fn wants(&self, kind: ObjectType) -> bool {
        kind != ObjectType::Blob
    }

    fn damaged(&mut self, _number: u32, error: Error) -> Result<(), Error> {
        if self.lenient { Ok(()) } else { Err(error) }
    }
}

/// The error that says why an object cannot be converted.
pub(crate) fn refused(objects: &Objects, number: u32, reason: Refusal) -> Error {
    match ObjectId::from_bytes(objects.id(number)) {
        Some(id) => Error::Convert { id, kind: objects.kind(number), reason },
        None => Error::NoSuchNumber(number),
    }
}

/// Everything that the first walk read, by the objects' numbers.
pub(crate) struct Graph<'a> {
    pub(crate) objects: &'a Objects,
    reads: Vec<Read<'a>>,
    /// Of each object: which thread read it, and where in its trees or history.
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    thread: u32,
    at: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Tree<'g, 'a> {
    pub(crate) number: u32,
    pub(crate) entries: &'g Arc<[Entry]>,
    /// What the entries' heads and IDs that are elsewhere are numbers in.
    pub(crate) lister: &'g Lister<'a>,
}

impl Tree<'_, '_> {
    /// The old ID of what an entry names, if that is not in the repository.
    pub(crate) fn elsewhere(&self, entry: Entry) -> Option<ObjectId> {
        match entry.child() {
            Child::Elsewhere(place) => self.lister.elsewhere.get(place as usize).copied(),
            Child::Object(_) | Child::Tree(_) => None,
        }
    }

    /// The submodule's commit that an entry names.
    pub(crate) fn submodule(&self, entry: Entry) -> Option<ObjectId> {
        self.elsewhere(entry).filter(|_| self.lister.heads.is_gitlink(entry.head))
    }

    /// Bytes of its new form.
    pub(crate) fn new_len(&self, id_len: usize) -> usize {
        self.entries.iter().map(|entry| self.lister.heads.len_of(entry.head) + id_len).sum()
    }
}

const NOWHERE: Place = Place { thread: u32::MAX, at: 0 };

impl<'a> Graph<'a> {
    pub(super) fn new(objects: &'a Objects, reads: Vec<Read<'a>>) -> Graph<'a> {
        let mut places = vec![NOWHERE; objects.len()];
        for (thread, read) in reads.iter().enumerate() {
            let trees = read.trees.iter().map(|(number, _)| *number).enumerate();
            let history = read.history.iter().map(|(number, ..)| *number).enumerate();
            for (at, number) in trees.chain(history) {
                if let Some(place) = places.get_mut(number as usize) {
                    *place = Place { thread: thread as u32, at: at as u32 };
                }
            }
        }
        Graph { objects, reads, places }
    }

    /// All that can be read of a repository's trees and history.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(crate) fn read(objects: &'a Objects, options: &Options<'_>) -> Result<Graph<'a>, Error> {
        let meter = Meter::new(Stage::Read, objects.len(), options);
        let readers = objects.walk(options.threads, || {
            let mut reader = Reader::new(objects, &meter, Unmappable::Leave);
            (reader.lenient, reader.read.lister.is_strict) = (true, false);
            reader
        })?;
        Ok(Graph::new(objects, readers.into_iter().map(|reader| reader.read).collect()))
    }

    /// All trees, commits and tags of a repository in which nothing is damaged; there are `total` of them.
    ///
    /// # Errors
    /// What [`Objects::walk`] returns; what does not fit, where that is refused.
    pub(crate) fn read_sound(
        objects: &'a Objects,
        total: usize,
        unmappable: Unmappable,
        options: &Options<'_>,
    ) -> Result<Graph<'a>, Error> {
        let meter = Meter::new(Stage::Read, total, options);
        let readers = objects.walk(options.threads, || Reader::new(objects, &meter, unmappable))?;
        Ok(Graph::new(objects, readers.into_iter().map(|reader| reader.read).collect()))
    }

    fn place(&self, number: u32) -> Option<(&Read<'a>, usize)> {
        let place = self.places.get(number as usize)?;
        Some((self.reads.get(place.thread as usize)?, place.at as usize))
    }

    /// All trees, those of a delta chain next to each other.
    pub(crate) fn trees(&self) -> impl Iterator<Item = Tree<'_, 'a>> {
        self.reads.iter().flat_map(|read| {
            let lister = &read.lister;
            read.trees.iter().map(move |(number, entries)| Tree { number: *number, entries, lister })
        })
    }

    pub(crate) fn tree(&self, number: u32) -> Option<Tree<'_, 'a>> {
        let (read, at) = self.place(number)?;
        let (found, entries) = read.trees.get(at)?;
        (*found == number).then_some(Tree { number, entries, lister: &read.lister })
    }

    pub(crate) fn history(&self) -> impl Iterator<Item = u32> {
        self.reads.iter().flat_map(|read| read.history.iter().map(|(number, ..)| *number))
    }

    pub(crate) fn content(&self, number: u32) -> Option<(ObjectType, &[u8])> {
        let (read, at) = self.place(number)?;
        let (found, kind, range) = read.history.get(at)?;
        (*found == number).then_some((*kind, read.contents.get(range.clone())?))
    }

    /// The trees that could not be read, with the reasons.
    pub(crate) fn take_refused(&mut self) -> Vec<(u32, Refusal)> {
        self.reads.iter_mut().flat_map(|read| std::mem::take(&mut read.refused)).collect()
    }
}
