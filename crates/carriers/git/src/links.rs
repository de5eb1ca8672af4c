//! What objects name, and of which type that has to be.

use crate::convert::{Refusal, for_each_link};
use crate::{ObjectId, ObjectType, Objects};

/// The first object that this one names as one of another type than it is. Nothing is said of those that are missing or
/// cannot be read.
pub(crate) fn mistyped(objects: &Objects, kind: ObjectType, content: &[u8]) -> Option<Refusal> {
    let mut first = None;
    for_each_link(kind, content, objects.id_len(), &mut |id, wanted| {
        if first.is_none() {
            first = is_mistyped(objects, objects.find(id), wanted);
        }
    });
    let (id, wanted, found) = first?;
    Some(Refusal::Type { id, wanted, found })
}

/// The ID of an object that is of another type than it has to be, that type, and its own.
#[inline]
pub(crate) fn is_mistyped(
    objects: &Objects,
    number: Option<u32>,
    wanted: Option<ObjectType>,
) -> Option<(ObjectId, ObjectType, ObjectType)> {
    let (number, wanted) = (number?, wanted?);
    let found = objects.kind(number);
    if found == wanted || !objects.has_known_kind(number) {
        return None;
    }
    Some((ObjectId::from_bytes(objects.id(number))?, wanted, found))
}

/// What keeps Git from reading a commit or a tag, and where: their first lines have to name objects
/// (`parse_commit_buffer`, `parse_tag_buffer`). Nothing is said of other types.
pub(crate) fn malformed(kind: ObjectType, content: &[u8], id_len: usize) -> Option<(&'static str, usize)> {
    let mut rest = content;
    let offset = |rest: &[u8]| content.len() - rest.len();
    match kind {
        ObjectType::Blob | ObjectType::Tree => None,
        ObjectType::Commit => {
            if take_id(&mut rest, b"tree ", id_len).is_none() {
                return Some(("a commit does not begin with its tree", 0));
            }
            while rest.starts_with(b"parent ") {
                if take_id(&mut rest, b"parent ", id_len).is_none() {
                    return Some(("a commit's parent is not an object ID", offset(rest)));
                }
            }
            None
        }
        ObjectType::Tag => {
            if take_id(&mut rest, b"object ", id_len).is_none() {
                return Some(("a tag does not begin with its object", 0));
            }
            let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
            if line.strip_prefix(b"type ").and_then(ObjectType::from_word).is_none() {
                return Some(("a tag's second line is not a type", offset(rest)));
            }
            let rest = rest.get(line.len() + 1..).unwrap_or_default();
            (!rest.starts_with(b"tag ")).then_some(("a tag's third line is not its name", offset(rest)))
        }
    }
}

/// Passes over a line that holds an ID.
fn take_id(rest: &mut &[u8], name: &[u8], id_len: usize) -> Option<()> {
    let (hex, behind) = rest.strip_prefix(name)?.split_at_checked(2 * id_len)?;
    ObjectId::from_hex(hex)?;
    *rest = behind.strip_prefix(b"\n")?;
    Some(())
}
