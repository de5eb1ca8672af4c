//! The way back: every new object is made, converted to the old format and hashed there, and must have its old ID.
//!
//! This shows that nothing was lost. It does not use what the way there knew: new contents are read as any other, and the
//! objects that they name are looked up by their new IDs.

use super::blobs::hash_blobs;
use super::engine::Conversion;
use super::new_ids::Digests;
use super::options::{Meter, Options, Stage, Submodules};
use super::trees::new_content;
use crate::batch::Batches;
use crate::convert::{Converter, Names, Refusal};
use crate::objects::Table;
use crate::threads::Portions;
use crate::{Error, ObjectId, ObjectType};

/// What came of the way back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoundTrip {
    /// Objects that have their old ID again.
    pub same: u64,
    /// Those that have not.
    pub different: Vec<Difference>,
}

/// An object that did not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its old ID.
    pub old: ObjectId,
    /// Its new one.
    pub new: ObjectId,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of an object that did not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It has another old ID now. Git's rules lead to this in a few rare cases, such as a signed tag whose message ends
    /// with something that looks like a signature.
    OtherId(ObjectId),
    /// Its new form cannot be converted.
    Refused(Refusal),
}

/// Leads all objects of a conversion back. `options` are those of the conversion.
///
/// # Errors
/// [`Error::Hash`], [`Error::Interrupted`], and those of [`Objects::walk`](crate::Objects::walk). An object that does not
/// come back is no error but in the result.
pub fn round_trip(conversion: &Conversion<'_>, options: &Options<'_>) -> Result<RoundTrip, Error> {
    let numbers: Vec<u32> =
        (0..conversion.objects.len() as u32).filter(|&number| conversion.is_converted(number)).collect();
    let by_new_id = ByNewId::new(conversion, &numbers, &options.submodules);
    let mut outcome = RoundTrip::default();

    let is_wanted = |number| conversion.is_converted(number);
    for digests in hash_blobs(conversion.objects, conversion.from, &is_wanted, Stage::CheckBlobs, options)? {
        outcome.compare(conversion, &digests);
    }

    /// Objects that a thread takes at once.
    const PORTION: usize = 64;
    let others: Vec<u32> =
        conversion.graph.trees().map(|tree| tree.number).chain(conversion.graph.history()).collect();
    let meter = Meter::new(Stage::CheckNames, others.len(), options);
    let portions = Portions::new(&others, PORTION);
    let back = conversion.converter.inverse();
    let work = || -> Result<(Digests, Vec<Difference>), Error> {
        let mut worker = Worker {
            conversion,
            options,
            back: &back,
            by_new_id: &by_new_id,
            new: Vec::new(),
            old: Vec::new(),
        };
        let mut batches = Batches::new(conversion.objects, &*conversion.from.hash);
        let (mut digests, mut refused) = (Digests::default(), Vec::new());
        let mut each = |number, digest: Result<&[u8], Error>| digests.enter(number, digest);
        while let Some((_, portion)) = portions.take() {
            for &number in portion.iter().filter(|&&number| is_wanted(number)) {
                match worker.lead_back(number) {
                    Ok(kind) => batches.push(number, kind, &worker.old, &mut each)?,
                    Err(refusal) => refused.extend(difference(conversion, number, Outcome::Refused(refusal))),
                }
            }
            meter.add(portion.len() as u64)?;
        }
        batches.finish(&mut each)?;
        Ok((digests, refused))
    };
    for result in portions.on_threads(options.threads, &work) {
        let (digests, refused) = result?;
        outcome.compare(conversion, &digests);
        outcome.different.extend(refused);
    }
    Ok(outcome)
}

impl RoundTrip {
    fn compare(&mut self, conversion: &Conversion<'_>, digests: &Digests) {
        for (number, digest) in digests.iter(conversion.from.id_len()) {
            if digest == conversion.objects.id(number) {
                self.same += 1;
            } else {
                let id = ObjectId::from_bytes(digest);
                self.different.extend(id.and_then(|id| difference(conversion, number, Outcome::OtherId(id))));
            }
        }
    }
}

fn difference(conversion: &Conversion<'_>, number: u32, outcome: Outcome) -> Option<Difference> {
    let old = ObjectId::from_bytes(conversion.objects.id(number))?;
    Some(Difference { old, new: conversion.new_ids.get_id(number)?, outcome })
}

struct Worker<'w, 'a> {
    conversion: &'w Conversion<'a>,
    options: &'w Options<'w>,
    back: &'w Converter,
    by_new_id: &'w ByNewId<'w>,
    new: Vec<u8>,
    old: Vec<u8>,
}

impl Worker<'_, '_> {
    /// Makes the new form of an object, and of that the old one, which is left in `old`.
    fn lead_back(&mut self, number: u32) -> Result<ObjectType, Refusal> {
        let conversion = self.conversion;
        let submodules = &self.options.submodules;
        self.new.clear();
        self.old.clear();
        let kind = match (conversion.graph.tree(number), conversion.graph.content(number)) {
            (Some(tree), _) => {
                new_content(&tree, &conversion.new_ids, submodules, &mut self.new)?;
                ObjectType::Tree
            }
            (None, Some((kind, content))) => {
                conversion.converter.convert(kind, content, &conversion.names(submodules), &mut self.new)?;
                kind
            }
            (None, None) => return Err(Refusal::Malformed { what: "the object was not read", offset: 0 }),
        };
        self.back.convert(kind, &self.new, self.by_new_id, &mut self.old)?;
        Ok(kind)
    }
}

/// Old IDs, looked up by the new ones.
struct ByNewId<'c> {
    table: Table,
    ids: Vec<u8>,
    numbers: &'c [u32],
    conversion: &'c Conversion<'c>,
    submodules: &'c Submodules<'c>,
}

impl<'c> ByNewId<'c> {
    fn new(
        conversion: &'c Conversion<'_>,
        numbers: &'c [u32],
        submodules: &'c Submodules<'c>,
    ) -> ByNewId<'c> {
        let ids: Vec<u8> =
            numbers.iter().filter_map(|&number| conversion.new_ids.get(number)).flatten().copied().collect();
        let mut table = Table::new(numbers.len());
        for (at, id) in ids.chunks_exact(conversion.to.id_len()).enumerate() {
            table.insert(id, at as u32, &ids);
        }
        ByNewId { table, ids, numbers, conversion, submodules }
    }
}

impl Names for ByNewId<'_> {
    fn object(&self, new: &[u8]) -> Option<ObjectId> {
        let Some(at) = self.table.find(new, &self.ids) else {
            return self.conversion.new_ids.built_in_of(new);
        };
        ObjectId::from_bytes(self.conversion.objects.id(*self.numbers.get(at as usize)?))
    }

    fn submodule(&self, new: &[u8]) -> Option<ObjectId> {
        self.submodules.find_old(new, self.conversion.from.id_len())
    }
}
