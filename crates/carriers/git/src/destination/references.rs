//! References with their new IDs: `packed-refs`, symbolic references, `HEAD` (gitrepository-layout(5)).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use crate::convert::for_each_reference;
use crate::id::encode_hex;
use crate::map::Conversion;
use crate::new_repository::NewRepository;
use crate::refs::{Listing, is_valid_name, replaced, replacing};
use crate::repository::path;
use crate::symbolic::{ByName, End};
use crate::{Error, ObjectId, ObjectType, Reference, Repository, Target};

/// A reference that could not be carried over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its name in the source.
    pub name: Vec<u8>,
    /// Why.
    pub reason: String,
}

/// Writes all references but `HEAD`, and returns how many there are, and those that could not be written. `notes` says
/// where some lead to that do not lead to the new form of what they led to.
pub(super) fn write(
    conversion: &Conversion<'_>,
    listing: &Listing,
    by_name: &ByName<'_>,
    notes: &HashMap<Vec<u8>, ObjectId>,
    new: &NewRepository,
) -> Result<(usize, Vec<Left>), Error> {
    let unreadable = listing.unreadable.iter();
    let unreadable = unreadable.map(|(name, error)| Left { name: name.clone(), reason: error.to_string() });
    let mut left: Vec<Left> = unreadable.collect();
    let mut carried: BTreeMap<Vec<u8>, New<'_>> = BTreeMap::new();
    for reference in &listing.references {
        // What the conversion was not to reach needs no name.
        if matches!(&reference.target, Target::Id(id) if !conversion.is_wanted_id(id)) {
            continue;
        }
        let renamed = new_name(conversion, &reference.name).and_then(|name| {
            let target = new_target(conversion, reference, by_name, notes.get(&reference.name))?;
            match carried.contains_key(&name) {
                true => Err("another reference has its new name".to_owned()),
                false => Ok((name, target)),
            }
        });
        match renamed {
            Ok((name, target)) => {
                carried.insert(name, target);
            }
            Err(reason) => left.push(Left { name: reference.name.clone(), reason }),
        }
    }
    // In files a name cannot be a directory of others, too.
    let folders: Vec<Vec<u8>> = carried.keys().filter(|name| is_folder(name, &carried)).cloned().collect();
    for name in folders {
        carried.remove(&name);
        left.push(Left { name, reason: "its name is a prefix of other references' names".to_owned() });
    }
    // What stands for one that is not carried over would lead nowhere.
    let mut gone: HashSet<Vec<u8>> = left.iter().map(|left| left.name.clone()).collect();
    while !gone.is_empty() {
        let of_gone = listing.references.iter().filter_map(|reference| match &reference.target {
            Target::Symbolic(next) if gone.contains(next) && !gone.contains(&reference.name) => {
                Some((&reference.name, next))
            }
            _ => None,
        });
        let of_gone: Vec<_> = of_gone.collect();
        if of_gone.is_empty() {
            break;
        }
        for (name, next) in of_gone {
            new_name(conversion, name).map(|name| carried.remove(&name)).ok();
            let reason =
                format!("{}, which it stands for, is not carried over", String::from_utf8_lossy(next));
            left.push(Left { name: name.clone(), reason });
            gone.insert(name.clone());
        }
    }
    let mut packed = b"# pack-refs with: peeled fully-peeled sorted \n".to_vec();
    for (name, target) in &carried {
        match target {
            New::Id { new, old } => packed_line(conversion, name, new, old, &mut packed),
            // A reference to another one has a file of its own.
            New::Symbolic(target) => {
                new.write(&path(name), &[b"ref: ", target.as_slice(), b"\n"].concat())?
            }
        }
    }
    new.write(Path::new("packed-refs"), &packed)?;
    left.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((carried.len(), left))
}

enum New<'r> {
    Id { new: ObjectId, old: &'r ObjectId },
    Symbolic(Vec<u8>),
}

fn is_folder(name: &[u8], names: &BTreeMap<Vec<u8>, New<'_>>) -> bool {
    let below = [name, b"/"].concat();
    names.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
}

/// The name in the new repository, or why it has none. Names come from a repository and must not lead out of this one.
fn new_name(conversion: &Conversion<'_>, name: &[u8]) -> Result<Vec<u8>, String> {
    if !is_valid_name(name) {
        return Err("Git allows no such name (git-check-ref-format(1))".to_owned());
    }
    match replaced(name) {
        None => Ok(name.to_vec()),
        Some(id) => match conversion.new_id(&id) {
            Some(new) => Ok(replacing(&new)),
            None => Err(format!("the object {id}, which it replaces, is missing or has no new ID")),
        },
    }
}

fn new_target<'r>(
    conversion: &Conversion<'_>,
    reference: &'r Reference,
    by_name: &ByName<'_>,
    notes: Option<&ObjectId>,
) -> Result<New<'r>, String> {
    // Git would not read what it is in the new repository either. A circle is kept: it says where it leads.
    if let end @ (End::TooFar | End::NoName(_)) = by_name.end(reference)
        && let Some(problem) = end.problem()
    {
        return Err(problem);
    }
    if let End::Id { id, .. } = by_name.end(reference)
        && let Some(kind) = conversion.kind(&id)
        && reference.is_branch()
        && kind != ObjectType::Commit
    {
        return Err(format!("it points to the {kind} {id}, but must point to a commit"));
    }
    match &reference.target {
        // A branch may stand for `HEAD`; what that stands for goes on from there.
        Target::Symbolic(target) if target == b"HEAD" && reference.name != b"HEAD" => {
            Ok(New::Symbolic(target.clone()))
        }
        Target::Symbolic(target) if is_valid_name(target) => {
            // One whose replaced object is missing stands for nothing, before as after.
            Ok(New::Symbolic(new_name(conversion, target).unwrap_or_else(|_| target.clone())))
        }
        Target::Symbolic(target) => Err(format!(
            "it points to {:?}, which is not a valid name of a ref",
            String::from_utf8_lossy(target)
        )),
        Target::Id(old) => match notes.copied().or_else(|| conversion.new_id(old)) {
            Some(new) => Ok(New::Id { new, old }),
            None if conversion.objects.find(old.as_bytes()).is_none() => {
                Err(format!("the object {old}, which it names, is missing"))
            }
            None => Err(format!("the object {old}, which it names, has no new ID")),
        },
    }
}

pub(super) fn head(
    conversion: &Conversion<'_>,
    repository: &Repository,
    by_name: &ByName<'_>,
    head: &Reference,
) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    match new_target(conversion, head, by_name, None) {
        Ok(New::Symbolic(name)) => text.extend([b"ref: ", name.as_slice()].concat()),
        Ok(New::Id { new, .. }) => encode_hex(new.as_bytes(), &mut text),
        Err(problem) => {
            return Err(Error::Repository {
                path: repository.git_dir().join("HEAD"),
                problem,
                remedy: crate::error::HEAD_REMEDY,
            });
        }
    }
    text.push(b'\n');
    Ok(text)
}

/// `ID name`, and of a tag `^` with the ID of what it leads to through other tags.
fn packed_line(
    conversion: &Conversion<'_>,
    name: &[u8],
    new: &ObjectId,
    old: &ObjectId,
    packed: &mut Vec<u8>,
) {
    encode_hex(new.as_bytes(), packed);
    packed.push(b' ');
    packed.extend_from_slice(name);
    packed.push(b'\n');
    let mut peeled = None;
    let mut last = *old;
    while let Some(target) = tagged(conversion, &last) {
        peeled = Some(target);
        last = target;
    }
    if let Some(peeled) = peeled.and_then(|peeled| conversion.new_id(&peeled)) {
        packed.push(b'^');
        encode_hex(peeled.as_bytes(), packed);
        packed.push(b'\n');
    }
}

/// What a tag names, by its old ID.
fn tagged(conversion: &Conversion<'_>, tag: &ObjectId) -> Option<ObjectId> {
    let number = conversion.objects.find(tag.as_bytes())?;
    let (kind, content) = conversion.graph.content(number)?;
    let mut object = None;
    if kind == ObjectType::Tag {
        for_each_reference(kind, content, conversion.objects.id_len(), &mut |id| {
            object = ObjectId::from_bytes(id)
        });
    }
    object
}
