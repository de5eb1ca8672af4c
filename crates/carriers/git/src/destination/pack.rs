//! The pack of a new repository. Blobs are copied as they lie in the old packs, deflated and as deltas; commits and tags are
//! deflated anew; trees that were deltas become deltas on the same trees in their new form.

use std::io::Write;

use libdeflater::Compressor;

use std::collections::HashMap;

use super::new_objects::{Made, compressor, deflate};
use super::tree_delta;
use crate::map::{Conversion, Meter, Options, in_order, new_content, refused};
use crate::pack::write::{PackWriter, Packed};
use crate::threads::Portions;
use crate::{Error, ObjectId, ObjectType};

/// What a pack consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// All objects.
    pub objects: u64,
    /// Blobs copied as they were.
    pub reused: u64,
    /// Trees written as deltas.
    pub tree_deltas: u64,
}

struct Entry {
    number: u32,
    kind: ObjectType,
    /// The object that it is a delta on.
    base: Option<u32>,
    size: u64,
    deflated: Vec<u8>,
}

/// Writes all objects that have new IDs, and those that were `made` beside them; `failed` makes an error of the writer's.
pub(super) fn write<W: Write>(
    conversion: &Conversion<'_>,
    made: &[Made],
    options: &Options<'_>,
    out: W,
    failed: &dyn Fn(std::io::Error) -> Error,
) -> Result<(Packed<W>, Contents), Error> {
    let objects = conversion.objects;
    let is_written = |number: u32| conversion.is_converted(number);
    let count = (0..objects.len() as u32).filter(|&number| is_written(number)).count();
    let count = count + made.len();
    let declared =
        u32::try_from(count).map_err(|_| Error::TooManyObjects { found: count, most: u32::MAX as usize })?;
    let meter = Meter::new(crate::map::Stage::Write, count, options);
    let pack = PackWriter::new(out, declared, conversion.to.id_len()).map_err(failed)?;
    let mut writer = Writer {
        conversion,
        options,
        meter,
        pack,
        offsets: vec![0; objects.len()],
        contents: Contents { objects: (count - made.len()) as u64, ..Contents::default() },
        failed,
    };

    let mut history = in_order(&conversion.graph, is_written)?;
    // The newest first, as they are asked for.
    history.reverse();
    writer.make_and_write(&history, &|maker, number| maker.history(number))?;
    let trees: Vec<_> =
        conversion.graph.trees().map(|tree| tree.number).filter(|&number| is_written(number)).collect();
    writer.make_and_write(&trees, &|maker, number| maker.tree(number))?;
    for number in 0..objects.len() as u32 {
        if objects.kind(number) == ObjectType::Blob && is_written(number) {
            writer.blob(number)?;
        }
    }
    writer.made(made)?;
    Ok((writer.pack.finish().map_err(failed)?, writer.contents))
}

struct Writer<'w, 'a, W> {
    conversion: &'w Conversion<'a>,
    options: &'w Options<'w>,
    meter: Meter<'w>,
    pack: PackWriter<W>,
    /// Where each object begins in the pack; 0 until it is written.
    offsets: Vec<u64>,
    contents: Contents,
    failed: &'w dyn Fn(std::io::Error) -> Error,
}

impl<W: Write> Writer<'_, '_, W> {
    /// Makes entries on all threads and writes them in the order of `numbers`.
    fn make_and_write(
        &mut self,
        numbers: &[u32],
        make: &(dyn Fn(&mut Maker<'_, '_>, u32) -> Result<Entry, Error> + Sync),
    ) -> Result<(), Error> {
        /// Objects that wait in memory at once, and that a thread takes at once.
        const BLOCK: usize = 8192;
        const PORTION: usize = 64;
        for block in numbers.chunks(BLOCK) {
            let portions = Portions::new(block, PORTION);
            let (conversion, options) = (self.conversion, self.options);
            let work = || -> Result<Vec<(usize, Vec<Entry>)>, Error> {
                let mut maker = Maker::new(conversion, options);
                let mut made = Vec::new();
                while let Some((nth, portion)) = portions.take() {
                    let entries: Result<_, _> =
                        portion.iter().map(|&number| make(&mut maker, number)).collect();
                    made.push((nth, entries?));
                }
                Ok(made)
            };
            let mut made = Vec::new();
            for result in portions.on_threads(options.threads, &work) {
                made.extend(result?);
            }
            made.sort_unstable_by_key(|(nth, _)| *nth);
            for entry in made.iter().flat_map(|(_, entries)| entries) {
                self.entry(entry)?;
            }
        }
        Ok(())
    }

    /// Writes a blob, after those that it is a delta on.
    fn blob(&mut self, number: u32) -> Result<(), Error> {
        let objects = self.conversion.objects;
        let mut chain = vec![number];
        while let Some(&last) = chain.last()
            && let Some(base) = objects.stored(last).base
            && self.can_be_copied(last)
            && self.offset(base).is_none()
        {
            chain.push(base);
        }
        while let Some(number) = chain.pop() {
            if self.offset(number).is_some() {
                continue;
            }
            let stored = objects.stored(number);
            match stored.deflated.filter(|_| self.can_be_copied(number)) {
                Some(deflated) => {
                    self.contents.reused += 1;
                    self.put(number, ObjectType::Blob, stored.base, stored.inflated_size, deflated)?;
                }
                None => {
                    let entry = Maker::new(self.conversion, self.options).blob(number)?;
                    self.entry(&entry)?;
                }
            }
        }
        Ok(())
    }

    fn made(&mut self, made: &[Made]) -> Result<(), Error> {
        let mut offsets = HashMap::new();
        for object in made {
            let written = match object.base {
                Some(base) => {
                    let base = offsets.get(&base).copied().unwrap_or(u64::MAX);
                    self.pack.delta(object.id, base, object.size, &object.deflated)
                }
                None => self.pack.object(object.id, object.kind, object.size, &object.deflated),
            };
            offsets.insert(object.id, written.map_err(self.failed)?);
            self.meter.add(1)?;
        }
        Ok(())
    }

    /// Whether a blob's stored form makes sense in the new pack, which needs its base there. What was read
    /// from another copy is deflated again: the bytes that lie first are the damaged ones.
    fn can_be_copied(&self, number: u32) -> bool {
        let stored = self.conversion.objects.stored(number);
        stored.deflated.is_some() && stored.base.is_none_or(|base| self.conversion.is_converted(base))
    }

    fn offset(&self, number: u32) -> Option<u64> {
        self.offsets.get(number as usize).copied().filter(|&offset| offset != 0)
    }

    fn entry(&mut self, entry: &Entry) -> Result<(), Error> {
        self.contents.tree_deltas += u64::from(entry.base.is_some());
        self.put(entry.number, entry.kind, entry.base, entry.size, &entry.deflated)
    }

    fn put(
        &mut self,
        number: u32,
        kind: ObjectType,
        base: Option<u32>,
        size: u64,
        deflated: &[u8],
    ) -> Result<(), Error> {
        let Some(id) = self.conversion.new_ids.get_id(number) else { return Ok(()) };
        let written = match base {
            // A base that is not there yet has the offset 0, which the pack refuses as any that is none.
            Some(base) => self.pack.delta(id, self.offset(base).unwrap_or(u64::MAX), size, deflated),
            None => self.pack.object(id, kind, size, deflated),
        };
        let offset = written.map_err(self.failed)?;
        if let Some(place) = self.offsets.get_mut(number as usize) {
            *place = offset;
        }
        self.meter.add(1)
    }
}

struct Maker<'w, 'a> {
    conversion: &'w Conversion<'a>,
    options: &'w Options<'w>,
    compressor: Compressor,
    content: Vec<u8>,
}

impl<'w, 'a> Maker<'w, 'a> {
    fn new(conversion: &'w Conversion<'a>, options: &'w Options<'w>) -> Maker<'w, 'a> {
        Maker { conversion, options, compressor: compressor(), content: Vec::new() }
    }

    fn history(&mut self, number: u32) -> Result<Entry, Error> {
        let Some((kind, old)) = self.conversion.graph.content(number) else {
            return Err(self.missing(number));
        };
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        let names = self.conversion.names(&self.options.submodules);
        let converted = self.conversion.converter.convert(kind, old, &names, &mut content);
        converted.map_err(|reason| refused(self.conversion.objects, number, reason))?;
        self.content = content;
        Ok(self.whole(number, kind))
    }

    fn tree(&mut self, number: u32) -> Result<Entry, Error> {
        let (conversion, submodules) = (self.conversion, &self.options.submodules);
        let graph = &conversion.graph;
        let Some(tree) = graph.tree(number) else { return Err(self.missing(number)) };
        let refusal = |reason| refused(conversion.objects, number, reason);
        let base = conversion.objects.stored(number).base.filter(|&base| conversion.is_converted(base));
        if let Some(base) = base.and_then(|base| graph.tree(base)) {
            let new_ids = &conversion.new_ids;
            let related =
                tree_delta::between(&base, &tree, new_ids, submodules, &mut self.content).map_err(refusal)?;
            // A delta that is hardly shorter does not deflate any better, and has to be undone at each reading.
            if related && 2 * self.content.len() < tree.new_len(new_ids.id_len()) {
                let entry = self.whole(number, ObjectType::Tree);
                return Ok(Entry { base: Some(base.number), ..entry });
            }
        }
        self.content.clear();
        new_content(&tree, &conversion.new_ids, submodules, &mut self.content).map_err(refusal)?;
        Ok(self.whole(number, ObjectType::Tree))
    }

    fn blob(&mut self, number: u32) -> Result<Entry, Error> {
        self.conversion.objects.read(number, &mut self.content)?;
        Ok(self.whole(number, ObjectType::Blob))
    }

    /// The entry of what is in `content`.
    fn whole(&mut self, number: u32, kind: ObjectType) -> Entry {
        let deflated = deflate(&mut self.compressor, &self.content);
        Entry { number, kind, base: None, size: self.content.len() as u64, deflated }
    }

    fn missing(&self, number: u32) -> Error {
        ObjectId::from_bytes(self.conversion.objects.id(number))
            .map_or(Error::NoSuchNumber(number), Error::Missing)
    }
}
