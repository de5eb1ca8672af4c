//! squashfs: compressed metadata, so that of what is like nothing else only the values count in full.

use std::collections::HashSet;

use super::gathered::Gathered;
use super::values::Values;
use super::xattr_names::suffix_length;
use super::{Attribute, Candidate, Cost};

/// An image by `mksquashfs`. Each list of attributes is stored once, whatever the number of files that have it: an entry
/// in the table of lists (16 bytes), and for each attribute type and lengths (8), the name without its prefix, and the
/// value; one above 128 bytes stands elsewhere, once for all lists that have it, with a reference of 12 bytes in its
/// place. A file's inode grows by 24 bytes.
/// Signatures do not compress; what stands around them does, the better the more of it is in one metadata block of
/// 8 KiB.
///
/// An estimate, fitted to images of 500 and 3,000 files of 600 bytes (mksquashfs 4.5; gzip, xz, zstd and lz4):
/// `value + 34 × value / (value + 300)` for each attribute of a list, and 3 bytes for each file. The interval goes from
/// what of the values is like nothing else to what all of it takes where nothing is compressed (`-noI -noX`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Squashfs;

/// `XATTR_INLINE_MAX` of squashfs-tools: longer values do not stand in their list.
const INLINE_MAX: u64 = 128;
/// An entry in the table of lists.
const LIST: u64 = 16;
/// Type, length of the name, length of the value.
const ENTRY: u64 = 8;
/// A reference to a value that is elsewhere, with its length.
const REFERENCE: u64 = 12;
/// By how much an inode grows that has attributes, and the headers of the metadata blocks.
const INODE: u64 = 24 + 4;
/// Bytes of a signature that others have too: type, version, hash, key and lengths; and by which DER is shorter than the
/// longest.
const ALIKE: u64 = 9 + 8 + 4;
/// By how much an inode was seen to grow when compressed.
const INODE_COMPRESSED: u64 = 3;

impl Squashfs {
    pub(super) fn cost(&self, before: &[Attribute], after: &[Attribute]) -> Cost {
        let sizes = |xattrs: &[Attribute]| {
            let mut image = Image::default();
            image.list(1, xattrs, |_| None);
            image.file(1, xattrs);
            image
        };
        difference(&sizes(before), &sizes(after))
    }
}

pub(super) fn image(gathered: &Gathered, candidate: &Candidate) -> Cost {
    let (mut before, mut after) = (Image::default(), Image::default());
    for class in &gathered.classes {
        let Some(own) = gathered.combinations.get(class.combination) else { continue };
        let values = Values::new(gathered, class, &own.attributes, candidate);
        let number = |list: &[(&str, Option<u64>)]| gathered.number(list);
        let applied = candidate.applied_to(&own.attributes);
        before.files(class.files, &own.attributes, number, |name| values.before(name));
        after.files(class.files, &applied, number, |name| values.after(name));
    }
    difference(&before, &after)
}

/// Bytes: as estimated, and the least and the most.
#[derive(Debug, Default)]
struct Image {
    bytes: u64,
    least: u64,
    most: u64,
    lists: HashSet<u64>,
    values: HashSet<(u64, u64)>,
}

impl Image {
    fn files(
        &mut self,
        files: u64,
        xattrs: &[Attribute],
        number: impl Fn(&[(&str, Option<u64>)]) -> u64,
        value: impl Fn(&str) -> Option<u64>,
    ) {
        let list: Vec<_> = xattrs.iter().map(|xattr| (xattr.name.as_str(), value(&xattr.name))).collect();
        self.file(files, xattrs);
        if list.iter().any(|(_, value)| value.is_none()) {
            self.list(files, xattrs, value);
        } else if self.lists.insert(number(&list)) {
            self.list(1, xattrs, value);
        }
    }

    fn file(&mut self, files: u64, xattrs: &[Attribute]) {
        if !xattrs.is_empty() {
            self.bytes += INODE_COMPRESSED * files;
            self.most += INODE * files;
        }
    }

    fn list(&mut self, times: u64, xattrs: &[Attribute], value: impl Fn(&str) -> Option<u64>) {
        for xattr in xattrs {
            let length = xattr.length;
            let elsewhere = if length > INLINE_MAX { REFERENCE } else { 0 };
            let around = ENTRY + suffix_length(&xattr.name) + elsewhere;
            let compressed = 34 * length / (length + 300);
            let known = value(&xattr.name);
            let stored_before = match known {
                Some(value) if length > INLINE_MAX => !self.values.insert((value, length)),
                _ => false,
            };
            match known {
                _ if stored_before => {
                    self.bytes += 2 * times;
                    self.most += around * times;
                }
                // What stands in each of many lists compresses away, but for the first time.
                Some(_) => {
                    self.bytes += length + compressed + 3 * (times - 1);
                    self.least += length / 4;
                    self.most += (around + length) * times;
                }
                None => {
                    self.bytes += (length + compressed) * times;
                    self.least += length.saturating_sub(ALIKE) * times;
                    self.most += (around + length) * times;
                }
            }
        }
        if !xattrs.is_empty() {
            self.most += LIST * times;
        }
    }
}

fn difference(before: &Image, after: &Image) -> Cost {
    let less = |after: u64, before: u64| after as i64 - before as i64;
    if before.most == after.most && before.bytes == after.bytes && before.least == after.least {
        return Cost::default();
    }
    let bytes = less(after.bytes, before.bytes);
    Cost {
        bytes,
        least: less(after.least, before.most).min(bytes),
        most: less(after.most, before.least).max(bytes),
        inodes: 0.0,
    }
}
