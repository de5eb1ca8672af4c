//! Reading the indexes of all packs, and the names of loose objects.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use super::names::{Names, has_vanished};
use super::table::Table;
use super::{Copied, NO_BASE, Objects, Place};
use crate::file;
use crate::mapped::Mapped;
use crate::pack::Pack;
use crate::pack::entry::{Header, Kind};
use crate::{Error, ObjectId, ObjectType, Problem, Repository, loose};

impl Objects {
    /// Reads and checks the indexes of all packs, and reads the headers of their entries and those of loose objects.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::File`], [`Error::Repository`], and [`Error::Object`] for all that shows without inflating
    /// the packs.
    pub fn open(repository: &Repository) -> Result<Objects, Error> {
        let objects = Objects::open_damaged(repository, &mut Err)?;
        for pack in objects.packs() {
            let mut first = None;
            pack.index().verify(|error| first = first.take().or(Some(error)));
            first.map_or(Ok(()), Err)?;
        }
        Ok(objects)
    }

    /// The same for a damaged repository: what is wrong is passed to `damaged`, and where that returns `Ok`, the rest is
    /// read.
    ///
    /// # Errors
    /// What `damaged` returns, and [`Error::Io`] of directories that cannot be listed.
    pub fn open_damaged(
        repository: &Repository,
        damaged: &mut dyn FnMut(Error) -> Result<(), Error>,
    ) -> Result<Objects, Error> {
        Objects::in_folders(repository.object_dirs(), repository.id_len(), damaged)
    }

    /// The objects in these directories. Others may pack and remove them meanwhile: then all is listed again.
    pub(super) fn in_folders(
        folders: &[PathBuf],
        id_len: usize,
        damaged: &mut dyn FnMut(Error) -> Result<(), Error>,
    ) -> Result<Objects, Error> {
        /// How often, and how long that takes which is not done at once: a pack and its index get and lose their names
        /// one after the other.
        const MOST: usize = 5;
        const WAIT: Duration = Duration::from_millis(50);
        let (mut before, mut nth): (Option<Names>, _) = (None, 0);
        loop {
            nth += 1;
            let names = Names::read(folders, id_len)?;
            let mut found = Vec::new();
            let Opened { objects, is_odd } = open(folders, id_len, &names, &mut |error| {
                found.push(error);
                Ok(())
            })?;
            // What stays as odd as it is, nobody is at work on.
            let is_settled = !is_odd || before.as_ref() == Some(&names);
            if nth == MOST || is_settled && !names.have_changed(folders)? {
                found.into_iter().try_for_each(&mut *damaged)?;
                return Ok(objects);
            }
            before = Some(names);
            if is_odd {
                thread::sleep(WAIT);
            }
        }
    }

    /// Where a loose object is now that it is no more where it was.
    pub(super) fn moved(&self, number: u32) -> Option<(&Objects, u32)> {
        let list = || Objects::in_folders(&self.folders, self.id_len, &mut |_| Ok(())).ok().map(Box::new);
        let later = self.later.get_or_init(list).as_deref()?;
        Some((later, later.find(self.id(number))?))
    }
}

/// Objects, and whether something was missing that was there a moment ago, or will be.
struct Opened {
    objects: Objects,
    is_odd: bool,
}

fn open(
    folders: &[PathBuf],
    id_len: usize,
    names: &Names,
    damaged: &mut dyn FnMut(Error) -> Result<(), Error>,
) -> Result<Opened, Error> {
    let mut packs = Vec::new();
    let mut is_odd = false;
    for path in names.packs.iter().flatten() {
        if path.extension().is_some_and(|found| found == "pack") {
            match Pack::open(path, id_len, damaged) {
                Ok(pack) => packs.push(pack),
                Err(error) => {
                    is_odd |= has_vanished(&error) || matches!(error, Error::Repository { .. });
                    damaged(or_vanished(error))?;
                }
            }
        } else if !path.with_extension("pack").exists() {
            is_odd = true;
            if let Err(error @ Error::Repository { .. }) = file::open(path) {
                damaged(error)?;
                continue;
            }
            damaged(Error::Repository {
                path: path.clone(),
                problem: "the pack of this index is missing".to_owned(),
                remedy: "restore the pack, or remove the index if its objects are not needed",
            })?;
        }
    }
    let count = packs.iter().map(|pack| pack.entries().len()).sum::<usize>() + names.loose();
    if count >= NO_BASE as usize {
        return Err(Error::Repository {
            path: folders.first().cloned().unwrap_or_default(),
            problem: format!("it has {count} objects, more than 32-bit numbers allow"),
            remedy: "split it",
        });
    }
    let objects = Objects {
        id_len,
        packs,
        folders: folders.to_vec(),
        ids: Vec::with_capacity(count * id_len),
        places: Vec::with_capacity(count),
        kinds: Vec::new(),
        table: Table::new(count),
        damaged: HashMap::new(),
        from_promisor: Vec::new(),
        copies: Vec::new(),
        from_copies: OnceLock::new(),
        late: 0,
        later: OnceLock::new(),
    };
    let mut opening = Opening { objects, kinds: Vec::with_capacity(count), named_bases: Vec::new(), is_odd };
    let packs = std::mem::take(&mut opening.objects.packs);
    let pack_count = packs.len() as u32;
    for (source, pack) in (0..).zip(&packs) {
        opening.add_pack(source, pack);
    }
    opening.objects.packs = packs;
    for (source, ids) in (pack_count..).zip(&names.loose) {
        opening.add_loose(source, ids);
    }
    opening.objects.late = opening.objects.places.len() as u32;
    for (source, ids) in (pack_count..).zip(&names.late) {
        opening.add_loose(source, ids);
    }
    let is_odd = opening.is_odd || names.gone.iter().any(|id| opening.objects.find(id.as_bytes()).is_none());
    let objects = opening.finish();
    let mut numbers: Vec<u32> = objects.damaged.keys().copied().collect();
    numbers.sort_unstable();
    for number in numbers.into_iter().filter(|number| !objects.is_from_copy(*number)) {
        if let Some(problem) = objects.damaged.get(&number) {
            damaged(objects.error(number, problem.clone()))?;
        }
    }
    Ok(Opened { objects, is_odd })
}

/// A file that was listed and is gone: somebody else is at work.
pub(super) fn or_vanished(error: Error) -> Error {
    match error {
        Error::Io { path, source } if source.kind() == io::ErrorKind::NotFound => vanished(path),
        other => other,
    }
}

pub(super) fn vanished(path: PathBuf) -> Error {
    Error::Repository {
        path,
        problem: "this vanished while the repository was read".to_owned(),
        remedy: "another process, such as `git gc`, changes the repository; retry when it has finished",
    }
}

struct Opening {
    objects: Objects,
    /// None of deltas, until their bases are known.
    kinds: Vec<Option<ObjectType>>,
    /// Deltas whose base is named, and is not in their packs.
    named_bases: Vec<(u32, ObjectId)>,
    is_odd: bool,
}

impl Opening {
    /// Gives an object its number; none if it has one already.
    fn number(&mut self, id: &[u8], place: Place) -> Result<u32, u32> {
        let objects = &mut self.objects;
        let number = objects.places.len() as u32;
        if let Some(known) = objects.table.insert(id, number, &objects.ids) {
            return Err(known);
        }
        objects.ids.extend_from_slice(id);
        objects.places.push(place);
        self.kinds.push(None);
        Ok(number)
    }

    fn damage(&mut self, number: u32, problem: Problem) {
        if let Some(place) = self.objects.places.get_mut(number as usize) {
            place.base = NO_BASE;
        }
        self.objects.damaged.insert(number, problem);
    }

    fn add_pack(&mut self, source: u32, pack: &Pack) {
        let mut numbers = Vec::with_capacity(pack.entries().len());
        let first = self.objects.places.len() as u32;
        for (nth, (offset, at)) in pack.entries().iter().enumerate() {
            let Some(id) = pack.index().id(*at as usize) else { continue };
            let place = Place { offset: *offset, len: pack.entry_len(nth), base: NO_BASE, source };
            numbers.push(self.number(id, place).unwrap_or_else(|known| {
                let Place { offset, len, .. } = place;
                self.objects.copies.push(Copied { number: known, source, offset, len });
                known
            }));
        }
        if pack.path().with_extension("promisor").exists() {
            let flags = &mut self.objects.from_promisor;
            flags.resize(self.objects.places.len(), false);
            for number in &numbers {
                if let Some(flag) = flags.get_mut(*number as usize) {
                    *flag = true;
                }
            }
        }
        for (nth, number) in numbers.iter().copied().enumerate() {
            // A copy of an object that another pack, or an earlier place of this one, has too.
            if number < first || self.kinds.get(number as usize).is_none_or(Option::is_some) {
                continue;
            }
            let Some(place) = self.objects.places.get(number as usize).copied() else { continue };
            if pack.entries().get(nth).is_none_or(|(offset, _)| *offset != place.offset) {
                continue;
            }
            match Header::parse(pack.entry(place.offset, place.len), place.offset, self.objects.id_len) {
                Ok(Header { kind: Kind::Whole(kind), .. }) => self.set_kind(number, kind),
                Ok(Header { kind: Kind::NameDelta(id), .. }) => match pack.index().find(id.as_bytes()) {
                    Some(_) => match self.objects.find(id.as_bytes()) {
                        Some(base) => self.set_base(number, base),
                        None => self.damage(number, Problem::MissingBase(id)),
                    },
                    None => self.named_bases.push((number, id)),
                },
                Ok(Header { kind: Kind::OffsetDelta(offset), .. }) => {
                    let base = pack.entries().binary_search_by_key(&offset, |(begin, _)| *begin);
                    match base.ok().and_then(|nth| numbers.get(nth)) {
                        Some(base) => self.set_base(number, *base),
                        None => self.damage(number, Problem::BaseOffset(offset)),
                    }
                }
                Err(problem) => self.damage(number, problem),
            }
        }
    }

    fn add_loose(&mut self, source: u32, ids: &[ObjectId]) {
        for id in ids {
            let place = Place { offset: 0, len: 0, base: NO_BASE, source };
            let number = match self.number(id.as_bytes(), place) {
                Ok(number) => number,
                Err(number) => {
                    self.objects.copies.push(Copied { number, source, offset: 0, len: 0 });
                    continue;
                }
            };
            let (path, _) = self.objects.whereabouts(number);
            let header = match Mapped::open(&path) {
                Ok(file) => loose::header(file.bytes()),
                Err(error) => {
                    self.is_odd |= has_vanished(&error);
                    Err(Problem::Unreadable(match error {
                        Error::Io { source, .. } => source.to_string(),
                        error => error.to_string(),
                    }))
                }
            };
            match header {
                Ok((kind, ..)) => self.set_kind(number, kind),
                Err(problem) => self.damage(number, problem),
            }
        }
    }

    fn set_kind(&mut self, number: u32, kind: ObjectType) {
        if let Some(slot) = self.kinds.get_mut(number as usize) {
            *slot = Some(kind);
        }
    }

    fn set_base(&mut self, number: u32, base: u32) {
        if let Some(place) = self.objects.places.get_mut(number as usize) {
            place.base = base;
        }
    }

    /// Of what cannot be read where it lies first, another copy says the type, and is read.
    fn take_copies(&mut self) {
        let mut content = Vec::new();
        let damaged: Vec<u32> = self.objects.damaged.keys().copied().collect();
        for number in damaged {
            if let Some(kind) = self.objects.read_copy(number, &mut content) {
                self.set_kind(number, kind);
            }
        }
    }

    fn finish(mut self) -> Objects {
        for (number, id) in std::mem::take(&mut self.named_bases) {
            match self.objects.find(id.as_bytes()) {
                Some(_) => self.damage(number, Problem::ForeignBase(id)),
                None => self.damage(number, Problem::MissingBase(id)),
            }
        }
        self.take_copies();
        let mut chain = Vec::new();
        let mut on_chain = vec![false; self.kinds.len()];
        for number in 0..self.kinds.len() as u32 {
            let mut at = number;
            let kind = loop {
                match (self.kinds.get(at as usize), self.objects.base(at)) {
                    (Some(Some(kind)), _) => break *kind,
                    (_, Some(base)) => {
                        if on_chain.get(at as usize) == Some(&true) {
                            // It is made the root of the others in its loop, which cannot be read either.
                            self.damage(at, Problem::Loop);
                            break ObjectType::Blob;
                        }
                        if let Some(mark) = on_chain.get_mut(at as usize) {
                            *mark = true;
                        }
                        chain.push(at);
                        at = base;
                    }
                    // A damaged one.
                    (_, None) => {
                        chain.push(at);
                        break ObjectType::Blob;
                    }
                }
            };
            for link in chain.drain(..) {
                self.set_kind(link, kind);
            }
        }
        self.objects.kinds = self.kinds.into_iter().map(|kind| kind.unwrap_or(ObjectType::Blob)).collect();
        self.objects
    }
}
