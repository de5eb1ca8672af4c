//! The run over a whole repository: two walks, trees level by level, history in order.

use std::collections::{BTreeSet, HashSet};

use super::blobs::hash_blobs;
use super::entries::Entry;
use super::graph::Graph;
use super::history::{ByOldId, hash_history};
use super::new_ids::{NewIds, built_in};
use super::options::{Meter, Options, Scope, Stage, Submodules, Unmappable};
use super::trees::hash_level;
use super::{Map, reach};
use crate::convert::{Converter, Refusal};
use crate::{Error, Format, ObjectId, ObjectType, Objects};

/// A repository's objects with their new IDs, and what was read on the way: enough to write all objects anew.
pub struct Conversion<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) from: &'a Format,
    pub(crate) to: &'a Format,
    pub(crate) converter: Converter,
    pub(crate) graph: Graph<'a>,
    pub(crate) new_ids: NewIds,
    wanted: Option<Vec<bool>>,
    unmapped: Vec<(u32, Refusal)>,
    collisions: Vec<Twins>,
    padded: Vec<ObjectId>,
}

/// Two objects that have the same new ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twins {
    /// The new format.
    pub format: String,
    /// The ID there.
    pub id: ObjectId,
    /// One object, by its old ID.
    pub first: ObjectId,
    /// The other one.
    pub second: ObjectId,
    /// Whether their new contents are the same, too.
    pub is_same_content: bool,
}

impl Twins {
    /// The error that says so: [`Error::SameContent`] or [`Error::Collision`].
    pub fn error(&self) -> Error {
        let Twins { id, first, second, .. } = *self;
        let format = self.format.as_str().into();
        match self.is_same_content {
            true => Error::SameContent { format, id, first, second },
            false => Error::Collision { format, id, first, second },
        }
    }
}

impl<'a> Conversion<'a> {
    /// Computes the new IDs of a repository's objects. `from` must be the format of `objects`.
    ///
    /// # Errors
    /// What [`Objects::walk`] returns; [`Error::Convert`] with the first object that cannot be converted, unless
    /// [`Unmappable::Leave`](super::Unmappable) is asked for; [`Error::Missing`] for a start that is not there; [`Error::TooManyObjects`];
    /// [`Error::SameContent`] and [`Error::Collision`] if two objects have the same new ID, unless
    /// [`Unmappable::Leave`](super::Unmappable) is asked for: then they are in [`collisions`](Self::collisions).
    pub fn compute(
        objects: &'a Objects,
        from: &'a Format,
        to: &'a Format,
        options: &Options<'_>,
    ) -> Result<Conversion<'a>, Error> {
        if objects.len() >= Entry::MOST_OBJECTS {
            return Err(Error::TooManyObjects { found: objects.len(), most: Entry::MOST_OBJECTS });
        }
        let converter = Converter::new(from, to, options.unknown_headers);
        let mut new_ids = NewIds::new(objects.len(), to.id_len());
        if let Some(known) = options.known {
            take_over(objects, known, &mut new_ids);
        }
        let empty_tree = built_in(objects, from, to)?;
        if let Some((old, new)) = empty_tree {
            new_ids.set_empty_tree((old, new));
            if options.known.is_some_and(|known| known.new_of(old.as_bytes()).is_some()) {
                new_ids.built_in(old.as_bytes());
            }
        }

        let mut counts = [0; 4];
        for number in 0..objects.len() as u32 {
            counts[usize::from(objects.kind(number).pack_number()) - 1] += 1;
        }
        let [commits, trees, _, tags] = counts;

        let mut graph = Graph::read_sound(objects, commits + trees + tags, options.unmappable, options)?;
        let wanted = match options.scope {
            // What came last may name what came too late to be listed, and is of the next run.
            Scope::Everything if objects.has_late() => {
                let others = (0..objects.len() as u32).filter(|&number| !objects.is_late(number));
                let starts = others.filter_map(|number| ObjectId::from_bytes(objects.id(number)));
                Some(reach::reachable(&graph, &starts.collect::<Vec<_>>())?)
            }
            Scope::Everything => None,
            Scope::Reachable(starts) => {
                let is_stored = |start: &&ObjectId| empty_tree.is_none_or(|(old, _)| old != **start);
                let starts: Vec<ObjectId> = starts.iter().filter(is_stored).copied().collect();
                Some(reach::reachable(&graph, &starts)?)
            }
        };
        let is_wanted =
            |number: u32| wanted.as_ref().is_none_or(|wanted| wanted.get(number as usize) == Some(&true));

        let is_new = |number| is_wanted(number) && new_ids.get(number).is_none();
        let digests = hash_blobs(objects, to, &is_new, Stage::Blobs, options)?;
        digests.iter().for_each(|digests| new_ids.set_all(digests));
        drop(digests);

        let mut unmapped = graph.take_refused();
        let meter = Meter::new(Stage::Trees, trees, options);
        for level in reach::levels(&graph, |number| is_wanted(number) && new_ids.get(number).is_none())? {
            unmapped.extend(hash_level(&graph, &level, &mut new_ids, to, options, &meter)?);
        }
        let meter = Meter::new(Stage::History, commits + tags, options);
        unmapped.extend(hash_history(&graph, is_wanted, &mut new_ids, to, &converter, options, &meter)?);
        unmapped.retain(|(number, _)| is_wanted(*number));

        let (collisions, padded) = (Vec::new(), Vec::new());
        let mut conversion =
            Conversion { objects, from, to, converter, graph, new_ids, wanted, unmapped, collisions, padded };
        conversion.collisions = conversion.twins(&options.submodules)?;
        conversion.padded = conversion.padded(&options.submodules);
        // What was made with names that are filled up is none the better here.
        let made_with = options.submodules.maps.iter().chain(options.known);
        conversion.padded.extend(made_with.flat_map(|map| map.padded()));
        match (conversion.collisions.first(), options.unmappable) {
            (Some(twins), Unmappable::Refuse) => Err(twins.error()),
            _ => Ok(conversion),
        }
    }

    fn twins(&self, submodules: &Submodules<'_>) -> Result<Vec<Twins>, Error> {
        let numbers = (0..self.objects.len() as u32).filter(|&number| self.is_wanted(number));
        let old = |number| ObjectId::from_bytes(self.objects.id(number)).ok_or(Error::NoSuchNumber(number));
        let new = |number| {
            let mut new = Vec::new();
            let (kind, content) = self.graph.content(number)?;
            self.converter.convert(kind, content, &self.names(submodules), &mut new).ok()?;
            Some((kind, new))
        };
        let twins = self.new_ids.twins(numbers).into_iter();
        let twins = twins.map(|(first, second)| {
            Ok(Twins {
                format: self.to.name.clone(),
                id: self.new_ids.get_id(second).ok_or(Error::NoSuchNumber(second))?,
                first: old(first)?,
                second: old(second)?,
                is_same_content: new(first).is_some_and(|first| new(second) == Some(first)),
            })
        });
        twins.collect()
    }

    /// The submodules' commits that trees name and that are filled up.
    fn padded(&self, submodules: &Submodules<'_>) -> Vec<ObjectId> {
        if !submodules.can_pad() {
            return Vec::new();
        }
        let trees = self.graph.trees().filter(|tree| self.is_converted(tree.number));
        let named =
            trees.flat_map(|tree| tree.entries.iter().filter_map(move |entry| tree.submodule(*entry)));
        let padded: BTreeSet<ObjectId> = named.filter(|id| submodules.pads(id.as_bytes())).collect();
        padded.into_iter().collect()
    }

    /// Objects that have the same new ID as another. With any of them there is no map and no new repository.
    pub fn collisions(&self) -> &[Twins] {
        &self.collisions
    }

    /// The new ID of an object of the repository.
    pub fn new_id(&self, old: &ObjectId) -> Option<ObjectId> {
        match self.objects.find(old.as_bytes()) {
            Some(number) => self.new_ids.get_id(number),
            None => self.new_ids.built_in(old.as_bytes()),
        }
    }

    /// Bytes of a new ID.
    pub fn new_id_len(&self) -> usize {
        self.new_ids.id_len()
    }

    pub(crate) fn kind(&self, old: &ObjectId) -> Option<ObjectType> {
        self.objects.find(old.as_bytes()).map(|number| self.objects.kind(number))
    }

    /// The objects that were to be converted and could not be, with the reasons.
    pub fn unmapped(&self) -> impl Iterator<Item = (ObjectId, &Refusal)> {
        self.unmapped
            .iter()
            .filter_map(|(number, refusal)| Some((ObjectId::from_bytes(self.objects.id(*number))?, refusal)))
    }

    /// Of the objects that could not be converted, those that none of these leads to and of which parts are missing, as `git prune`
    /// leaves them. What is not there leads nowhere.
    ///
    /// # Errors
    /// None but in a repository of too many objects.
    pub fn pruned_beyond(&self, starts: &[ObjectId]) -> Result<HashSet<ObjectId>, Error> {
        let is_there = |id: &&ObjectId| self.objects.find(id.as_bytes()).is_some();
        let starts: Vec<ObjectId> = starts.iter().filter(is_there).copied().collect();
        let reached = reach::reachable(&self.graph, &starts)?;
        let mut pruned = HashSet::new();
        // Each comes after what it names.
        for (number, refusal) in &self.unmapped {
            let is_part_missing = match refusal {
                Refusal::Missing { .. } => true,
                Refusal::Unmapped { id, .. } => !is_there(&id) || pruned.contains(id),
                _ => false,
            };
            if is_part_missing && reached.get(*number as usize) != Some(&true) {
                pruned.extend(ObjectId::from_bytes(self.objects.id(*number)));
            }
        }
        Ok(pruned)
    }

    /// The new IDs, looked up by the old ones.
    pub(crate) fn names<'n>(&'n self, submodules: &'n Submodules<'n>) -> ByOldId<'n> {
        ByOldId { objects: self.objects, new_ids: &self.new_ids, submodules }
    }

    /// Whether an object was to be converted; also of one that is not in the repository, so that it is missed.
    pub(crate) fn is_wanted_id(&self, old: &ObjectId) -> bool {
        self.objects.find(old.as_bytes()).is_none_or(|number| self.is_wanted(number))
    }

    pub(crate) fn is_wanted(&self, number: u32) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.get(number as usize) == Some(&true))
    }

    pub(crate) fn is_converted(&self, number: u32) -> bool {
        self.is_wanted(number) && self.new_ids.get(number).is_some()
    }

    /// The old and new IDs.
    ///
    /// # Errors
    /// [`Error::SameContent`] and [`Error::Collision`] if two objects have the same new ID.
    pub fn map(&self) -> Result<Map, Error> {
        self.collisions.first().map_or(Ok(()), |twins| Err(twins.error()))?;
        let pairs = (0..self.objects.len() as u32).filter_map(|number| {
            Some((self.objects.id(number), self.new_ids.get(number)?, self.objects.kind(number)))
        });
        let empty_tree = self.new_ids.named_empty_tree();
        let built_in = empty_tree.iter().map(|(old, new)| (old.as_bytes(), new.as_bytes(), ObjectType::Tree));
        let map = Map::from_pairs(self.from, self.to, pairs.chain(built_in))?;
        Ok(map.with_padded(self.padded.iter().copied()))
    }
}

/// Enters what an earlier run found out.
fn take_over(objects: &Objects, known: &Map, new_ids: &mut NewIds) {
    for number in 0..objects.len() as u32 {
        if let Some(new) = known.new_of(objects.id(number)) {
            new_ids.set(number, new);
        }
    }
}

/// The new ID of one object, of which only what it names, directly or not, is read and hashed.
///
/// For a commit all its history is needed; this is what [`Conversion::compute`] does with
/// [`Scope::Reachable`], and is done so here, too. A tree is read by itself with what is below it.
///
/// # Errors
/// As [`Conversion::compute`].
pub fn new_id_of(
    objects: &Objects,
    from: &Format,
    to: &Format,
    id: &ObjectId,
    options: &Options<'_>,
) -> Result<ObjectId, Error> {
    let Some(number) = objects.find(id.as_bytes()) else {
        let built_in = built_in(objects, from, to)?.filter(|(old, _)| old == id);
        return built_in.map(|(_, new)| new).ok_or(Error::Missing(*id));
    };
    if let Some(new) = options.known.and_then(|known| ObjectId::from_bytes(known.new_of(id.as_bytes())?)) {
        return Ok(new);
    }
    match objects.kind(number) {
        ObjectType::Blob | ObjectType::Tree => super::single::new_id_of(objects, from, to, number, options),
        ObjectType::Commit | ObjectType::Tag => {
            let starts = [*id];
            let options = Options { scope: Scope::Reachable(&starts), ..*options };
            let conversion = Conversion::compute(objects, from, to, &options)?;
            conversion.new_id(id).ok_or(Error::Missing(*id))
        }
    }
}
