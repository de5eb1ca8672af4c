//! The xattr of a member: reading it from, and writing it to, its extended headers.

use super::block::Block;
use super::member::Extension;
use super::pax;

/// The keys under which archives hold an xattr: star's, which all read and which is written here, and libarchive's
/// own, which is removed with it because it would contradict.
fn keys(name: &str) -> [Vec<u8>; 2] {
    ["SCHILY.xattr.", "LIBARCHIVE.xattr."].map(|prefix| [prefix, name].concat().into_bytes())
}

/// The value of an xattr; the last one counts.
pub(super) fn value<'a>(extensions: &'a [Extension], name: &str) -> Option<&'a [u8]> {
    let [key, _] = keys(name);
    extensions
        .iter()
        .filter(|extension| extension.is_pax())
        .filter_map(|extension| pax::parse(&extension.data))
        .flatten()
        .filter(|record| record.key == key)
        .map(|record| record.value)
        .next_back()
}

/// Writes an xattr into the last PAX header, or into a new one before the member's own.
pub(super) fn set(extensions: &mut Vec<Extension>, member: &Block, name: &str, value: &[u8]) {
    let keys = keys(name);
    let mut added = pax::record(&keys[0], value);
    for extension in extensions.iter_mut().rev().filter(|extension| extension.is_pax()) {
        let records = pax::parse(&extension.data).unwrap_or_default();
        let stays = |record: &&pax::Record<'_>| keys.iter().all(|key| key != record.key);
        let mut data: Vec<u8> =
            records.iter().filter(stays).flat_map(|record| record.bytes).copied().collect();
        data.append(&mut added);
        extension.replace(data);
    }
    if !added.is_empty() {
        let header = member.extended(added.len() as u64);
        let mut extension = Extension { header, data: Vec::new(), padding: Vec::new() };
        extension.replace(added);
        extensions.push(extension);
    }
}
