//! The new form of trees, made of their lists, and its hashes.

use super::entries::{Child, Entry};
use super::graph::{Graph, Tree, refused};
use super::heads::Heads;
use super::new_ids::{Digests, NewIds};
use super::options::{Meter, Options, Submodules, Unmappable};
use crate::batch::Batches;
use crate::convert::Refusal;
use crate::threads::Portions;
use crate::{Error, Format, ObjectId, ObjectType};

/// Appends the new form of a tree. All that it names must have new IDs; otherwise part of it is appended.
pub(crate) fn new_content(
    tree: &Tree<'_, '_>,
    new_ids: &NewIds,
    submodules: &Submodules<'_>,
    content: &mut Vec<u8>,
) -> Result<(), Refusal> {
    match new_ids.id_len() {
        20 => append::<20>(tree, new_ids, submodules, content),
        32 => append::<32>(tree, new_ids, submodules, content),
        _ => {
            for entry in tree.entries.iter() {
                content.extend_from_slice(tree.lister.heads.bytes(entry.head));
                content.extend_from_slice(new_id(tree, *entry, new_ids, submodules)?.as_bytes());
            }
            Ok(())
        }
    }
}

/// The same for the usual lengths of IDs: copying by lengths that the compiler knows is several times as fast.
fn append<const N: usize>(
    tree: &Tree<'_, '_>,
    new_ids: &NewIds,
    submodules: &Submodules<'_>,
    content: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let heads = &tree.lister.heads;
    let mut at = content.len();
    let end = at + tree.new_len(N);
    // Heads are copied with their padding, of which that of the last one lies behind the content for a moment.
    content.resize(end + Heads::PADDED, 0);
    for entry in tree.entries.iter() {
        let place = content.get_mut(at..).unwrap_or_default();
        if let Some(len) = copy_entry::<N>(heads, *entry, new_ids, place) {
            at += len;
            continue;
        }
        // A name that is unusually long, or a submodule's commit.
        let id = new_id(tree, *entry, new_ids, submodules)?;
        for part in [heads.bytes(entry.head), id.as_bytes()] {
            if let Some(place) = content.get_mut(at..at + part.len()) {
                place.copy_from_slice(part);
            }
            at += part.len();
        }
    }
    content.truncate(end);
    Ok(())
}

#[inline]
fn copy_entry<const N: usize>(
    heads: &Heads,
    entry: Entry,
    new_ids: &NewIds,
    place: &mut [u8],
) -> Option<usize> {
    let head_len = heads.len_of(entry.head);
    let id = new_ids.get_array::<N>(entry.number()?)?;
    *place.first_chunk_mut::<{ Heads::PADDED }>()? = *heads.padded(entry.head)?;
    *place.get_mut(head_len..)?.first_chunk_mut::<N>()? = *id;
    Some(head_len + N)
}

pub(crate) fn new_id(
    tree: &Tree<'_, '_>,
    entry: Entry,
    new_ids: &NewIds,
    submodules: &Submodules<'_>,
) -> Result<ObjectId, Refusal> {
    let lister = tree.lister;
    let path = || String::from_utf8_lossy(lister.heads.name(entry.head)).into_owned();
    let unnamed = Refusal::Malformed { what: "an object ID is empty", offset: 0 };
    match entry.child() {
        Child::Object(number) | Child::Tree(number) => match new_ids.get_id(number) {
            Some(id) => Ok(id),
            None => {
                let id = lister.old_id(number).ok_or(unnamed)?;
                Err(Refusal::Unmapped { role: path(), id })
            }
        },
        Child::Elsewhere(place) => {
            let id = *lister.elsewhere.get(place as usize).ok_or(unnamed)?;
            if !lister.heads.is_gitlink(entry.head) {
                let is_tree = lister.heads.kind(entry.head) == Some(ObjectType::Tree);
                let built_in = new_ids.built_in(id.as_bytes()).filter(|_| is_tree);
                return built_in.ok_or_else(|| Refusal::Missing { path: path(), id });
            }
            submodules
                .find(id.as_bytes(), new_ids.id_len())
                .ok_or_else(|| Refusal::Submodule { path: path(), id })
        }
    }
}

/// Gives new IDs to trees that name nothing without one: a level of [`levels`](super::reach::levels).
pub(super) fn hash_level(
    graph: &Graph<'_>,
    numbers: &[u32],
    new_ids: &mut NewIds,
    format: &Format,
    options: &Options<'_>,
    meter: &Meter<'_>,
) -> Result<Vec<(u32, Refusal)>, Error> {
    /// Trees that a thread takes at once. They are next to each other in their delta chains, so that most of the IDs
    /// that one looks up were looked up by the last one.
    const PORTION: usize = 64;
    let portions = Portions::new(numbers, PORTION);
    let known: &NewIds = new_ids;
    let work = || -> Result<(Digests, Vec<(u32, Refusal)>), Error> {
        let mut batches = Batches::new(graph.objects, &*format.hash);
        let (mut digests, mut left) = (Digests::default(), Vec::new());
        while let Some((_, portion)) = portions.take() {
            for tree in portion.iter().filter_map(|&number| graph.tree(number)) {
                let made = batches.push_made(
                    tree.number,
                    ObjectType::Tree,
                    tree.new_len(format.id_len()),
                    |content| new_content(&tree, known, &options.submodules, content),
                    &mut |number, digest| digests.enter(number, digest),
                )?;
                match made {
                    Ok(()) => {}
                    Err(refusal) if options.unmappable == Unmappable::Leave => {
                        left.push((tree.number, refusal))
                    }
                    Err(refusal) => return Err(refused(graph.objects, tree.number, refusal)),
                }
            }
            meter.add(portion.len() as u64)?;
        }
        batches.finish(&mut |number, digest| digests.enter(number, digest))?;
        Ok((digests, left))
    };
    let results = portions.on_threads(options.threads, &work);
    let mut left = Vec::new();
    for result in results {
        let (digests, refused) = result?;
        new_ids.set_all(&digests);
        left.extend(refused);
    }
    Ok(left)
}
