//! References with their new IDs: `packed-refs`, symbolic references, `HEAD` (gitrepository-layout(5)).

use std::path::Path;

use crate::convert::for_each_reference;
use crate::id::encode_hex;
use crate::map::Conversion;
use crate::new_repository::NewRepository;
use crate::{Error, ObjectId, ObjectType, Reference, Repository, Target};

/// Writes all references but `HEAD`, and returns how many there are.
pub(super) fn write(
    conversion: &Conversion<'_>,
    repository: &Repository,
    new: &NewRepository,
) -> Result<usize, Error> {
    let mut references = repository.references()?;
    references.retain(|reference| match &reference.target {
        // What the conversion was not to reach needs no name.
        Target::Id(id) => conversion.is_wanted_id(id),
        Target::Symbolic(_) => true,
    });
    references.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let mut packed = b"# pack-refs with: peeled fully-peeled sorted \n".to_vec();
    for reference in &references {
        match &reference.target {
            Target::Id(id) => packed_line(conversion, repository, reference, id, &mut packed)?,
            Target::Symbolic(name) => symbolic(repository, new, &reference.name, name)?,
        }
    }
    new.write(Path::new("packed-refs"), &packed)?;
    Ok(references.len())
}

/// What stands in `HEAD`.
pub(super) fn head(conversion: &Conversion<'_>, repository: &Repository) -> Result<Vec<u8>, Error> {
    let head = repository.head()?;
    let mut text = Vec::new();
    match &head.target {
        Target::Symbolic(name) => text.extend([b"ref: ", name.as_slice()].concat()),
        Target::Id(id) => encode_hex(new_id(conversion, repository, &head, id)?.as_bytes(), &mut text),
    }
    text.push(b'\n');
    Ok(text)
}

/// `ID name`, and of a tag `^` with the ID of what it leads to through other tags.
fn packed_line(
    conversion: &Conversion<'_>,
    repository: &Repository,
    reference: &Reference,
    id: &ObjectId,
    packed: &mut Vec<u8>,
) -> Result<(), Error> {
    encode_hex(new_id(conversion, repository, reference, id)?.as_bytes(), packed);
    packed.push(b' ');
    packed.extend_from_slice(&reference.name);
    packed.push(b'\n');
    let mut peeled = None;
    let mut last = *id;
    while let Some(target) = tagged(conversion, &last) {
        peeled = Some(target);
        last = target;
    }
    if let Some(peeled) = peeled.and_then(|peeled| conversion.new_id(&peeled)) {
        packed.push(b'^');
        encode_hex(peeled.as_bytes(), packed);
        packed.push(b'\n');
    }
    Ok(())
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

fn new_id(
    conversion: &Conversion<'_>,
    repository: &Repository,
    reference: &Reference,
    id: &ObjectId,
) -> Result<ObjectId, Error> {
    conversion.new_id(id).ok_or_else(|| Error::Repository {
        path: repository.git_dir().to_path_buf(),
        problem: format!("{} names {id}, which has no new ID", String::from_utf8_lossy(&reference.name)),
        remedy: "remove the reference, or mend what keeps the object from being converted",
    })
}

/// A reference to another one has a file of its own. Names come from a repository and must not lead out of this one.
fn symbolic(repository: &Repository, new: &NewRepository, name: &[u8], target: &[u8]) -> Result<(), Error> {
    let refused = || Error::Repository {
        path: repository.git_dir().to_path_buf(),
        problem: format!("{:?} is no name for a reference", String::from_utf8_lossy(name)),
        remedy: "remove it from the old repository",
    };
    let name = std::str::from_utf8(name).map_err(|_| refused())?;
    if !name.starts_with("refs/") || name.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(refused());
    }
    new.write(Path::new(name), &[b"ref: ", target, b"\n"].concat())
}
