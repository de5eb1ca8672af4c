//! Commits and tags, each after those that it names.

use super::graph::{Graph, refused};
use super::new_ids::NewIds;
use super::options::{Meter, Options, Submodules, Unmappable};
use crate::convert::{Converter, Names, Refusal, for_each_reference};
use crate::{Error, Format, ObjectId, Objects};

/// The new IDs that are known so far, looked up by the old ones.
pub(crate) struct ByOldId<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) new_ids: &'a NewIds,
    pub(crate) submodules: &'a Submodules<'a>,
}

impl Names for ByOldId<'_> {
    fn object(&self, old: &[u8]) -> Option<ObjectId> {
        match self.objects.find(old) {
            Some(number) => self.new_ids.get_id(number),
            None => self.new_ids.built_in(old),
        }
    }

    fn submodule(&self, old: &[u8]) -> Option<ObjectId> {
        self.submodules.find(old, self.new_ids.id_len())
    }
}

/// Gives new IDs to the wanted commits and tags, and returns those that cannot have one, with the reasons.
pub(super) fn hash_history(
    graph: &Graph<'_>,
    wanted: impl Fn(u32) -> bool,
    new_ids: &mut NewIds,
    format: &Format,
    converter: &Converter,
    options: &Options<'_>,
    meter: &Meter<'_>,
) -> Result<Vec<(u32, Refusal)>, Error> {
    let mut left = Vec::new();
    let mut content = Vec::new();
    for number in in_order(graph, |number| wanted(number) && new_ids.get(number).is_none())? {
        let Some((kind, old)) = graph.content(number) else { continue };
        content.clear();
        let names = ByOldId { objects: graph.objects, new_ids, submodules: &options.submodules };
        match converter.convert(kind, old, &names, &mut content) {
            Ok(()) => {
                let id = format.id_of(kind, &content);
                let id = id.map_err(|source| graph.objects.hash_error(number, source))?;
                new_ids.set(number, id.as_bytes());
            }
            Err(refusal) if options.unmappable == Unmappable::Leave => left.push((number, refusal)),
            Err(refusal) => return Err(refused(graph.objects, number, refusal)),
        }
        meter.add(1)?;
    }
    Ok(left)
}

/// The wanted commits and tags, each after all wanted ones that it names.
///
/// # Errors
/// [`Error::Convert`] for a commit that is its own ancestor, which the collision of two IDs would make.
pub(crate) fn in_order(graph: &Graph<'_>, wanted: impl Fn(u32) -> bool) -> Result<Vec<u32>, Error> {
    let objects = graph.objects;
    let mut state = vec![State::New; objects.len()];
    let mut order = Vec::new();
    let mut path = Vec::new();
    for start in graph.history() {
        path.push(start);
        while let Some(&number) = path.last() {
            let Some(now) = state.get_mut(number as usize) else { break };
            match *now {
                State::New if !wanted(number) => *now = State::Done,
                State::New => {
                    *now = State::Open;
                    let Some((kind, content)) = graph.content(number) else { continue };
                    let mut cycle = false;
                    for_each_reference(kind, content, objects.id_len(), &mut |id| {
                        let named = objects.find(id).filter(|&named| graph.content(named).is_some());
                        match named.and_then(|named| Some((named, *state.get(named as usize)?))) {
                            Some((named, State::New)) => path.push(named),
                            Some((_, State::Open)) => cycle = true,
                            _ => {}
                        }
                    });
                    if cycle {
                        let what = "the history is a cycle";
                        return Err(refused(objects, number, Refusal::Malformed { what, offset: 0 }));
                    }
                    continue;
                }
                State::Open => {
                    *now = State::Done;
                    order.push(number);
                }
                State::Done => {}
            }
            path.pop();
        }
    }
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// What it names is on the way; it is next when it comes up again.
    Open,
    Done,
}
