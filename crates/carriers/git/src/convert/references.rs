//! Which objects an object names.

use super::lines::{first_header, lines};
use super::mergetag::unfold;
use super::tree::{Entries, is_gitlink, kind_of_mode};
use crate::{ObjectId, ObjectType};

/// Calls `found` with every object that must have a new ID before this one can: a tree's entries except submodules, a
/// commit's tree and parents and the objects of the tags it embeds, a tag's object. What is malformed is passed over;
/// a conversion says where it is.
pub fn for_each_reference(kind: ObjectType, content: &[u8], id_len: usize, found: &mut dyn FnMut(&[u8])) {
    for_each_link(kind, content, id_len, &mut |id, _| found(id));
}

/// The same with the type that each has to be of; none where nothing says so. Git never looks at what the tags that a
/// commit embeds say of it.
pub(crate) fn for_each_link(kind: ObjectType, content: &[u8], id_len: usize, found: &mut Found<'_>) {
    match kind {
        ObjectType::Blob => {}
        ObjectType::Tree => Entries::new(content, id_len)
            .filter_map(Result::ok)
            .filter(|entry| !is_gitlink(entry.mode))
            .for_each(|entry| found(entry.id, kind_of_mode(entry.mode))),
        ObjectType::Commit => commit(content, found),
        ObjectType::Tag => tag(content, Some(content), found),
    }
}

/// Told an ID and the type that the object has to be of.
type Found<'f> = dyn FnMut(&[u8], Option<ObjectType>) + 'f;

fn commit(content: &[u8], found: &mut Found<'_>) {
    let mut rest = content;
    while rest.first().is_some_and(|&byte| byte != b'\n') {
        let Some(header) = first_header(rest) else { return };
        if let Some(hex) = header.value(b"tree") {
            named(hex, Some(ObjectType::Tree), found);
        } else if let Some(hex) = header.value(b"parent") {
            named(hex, Some(ObjectType::Commit), found);
        } else if let Some(first_line) = header.value(b"mergetag") {
            tag(&unfold(first_line, header.continuation()), None, found);
        }
        rest = rest.get(header.whole.len()..).unwrap_or_default();
    }
}

/// What a tag names; the type stands in the second line of `typed`.
fn tag(content: &[u8], typed: Option<&[u8]>, found: &mut Found<'_>) {
    if let Some(hex) = first_header(content).and_then(|header| header.value(b"object")) {
        let line = typed.and_then(|text| lines(text).nth(1)).map(|(_, line)| line);
        let word = line.and_then(|line| line.strip_prefix(b"type ")?.strip_suffix(b"\n"));
        named(hex, word.and_then(ObjectType::from_word), found);
    }
}

fn named(hex: &[u8], kind: Option<ObjectType>, found: &mut Found<'_>) {
    if let Some(id) = ObjectId::from_hex(hex) {
        found(id.as_bytes(), kind);
    }
}
