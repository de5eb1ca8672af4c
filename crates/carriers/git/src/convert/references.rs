//! Which objects an object names.

use super::lines::first_header;
use super::mergetag::unfold;
use super::tree::{Entries, is_gitlink};
use crate::{ObjectId, ObjectType};

/// Calls `found` with every object that must have a new ID before this one can: a tree's entries except submodules, a
/// commit's tree and parents and the objects of the tags it embeds, a tag's object. What is malformed is passed over;
/// a conversion says where it is.
pub fn for_each_reference(kind: ObjectType, content: &[u8], id_len: usize, found: &mut dyn FnMut(&[u8])) {
    match kind {
        ObjectType::Blob => {}
        ObjectType::Tree => Entries::new(content, id_len)
            .filter_map(Result::ok)
            .filter(|entry| !is_gitlink(entry.mode))
            .for_each(|entry| found(entry.id)),
        ObjectType::Commit => commit(content, found),
        ObjectType::Tag => tag(content, found),
    }
}

fn commit(content: &[u8], found: &mut dyn FnMut(&[u8])) {
    let mut rest = content;
    while rest.first().is_some_and(|&byte| byte != b'\n') {
        let Some(header) = first_header(rest) else { return };
        if let Some(hex) = header.value(b"tree").or_else(|| header.value(b"parent")) {
            named(hex, found);
        } else if let Some(first_line) = header.value(b"mergetag") {
            tag(&unfold(first_line, header.continuation()), found);
        }
        rest = rest.get(header.whole.len()..).unwrap_or_default();
    }
}

fn tag(content: &[u8], found: &mut dyn FnMut(&[u8])) {
    if let Some(hex) = first_header(content).and_then(|header| header.value(b"object")) {
        named(hex, found);
    }
}

fn named(hex: &[u8], found: &mut dyn FnMut(&[u8])) {
    if let Some(id) = ObjectId::from_hex(hex) {
        found(id.as_bytes());
    }
}
