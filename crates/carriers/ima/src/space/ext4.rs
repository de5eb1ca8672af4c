//! ext4: in the inode, in one block, or (with `ea_inode`) in an inode of its own.

use super::xattr_names::{ext4_form, ext4_prefix};
use super::{Attribute, Candidate, Cost, FileSystem, Refusal, RefusalKind, changed, removed, round_up};

/// The part of the inode that every ext2 has; what follows is fields of later versions, then attributes.
const OLD_INODE: u64 = 128;
/// `struct ext4_xattr_ibody_header`.
const INODE_HEADER: u64 = 4;
/// `struct ext4_xattr_header`.
const BLOCK_HEADER: u64 = 32;
/// The zero word after the last entry.
const TERMINATOR: u64 = 4;
/// `struct ext4_xattr_entry` without the name.
const ENTRY: u64 = 16;

/// ext4. The rule (Linux 6.18, `fs/ext4/xattr.c`; every step bisected on loop-mounted images):
///
/// An attribute takes an entry, `16 + name without prefix` rounded up to 4, and its value rounded up to 4.
/// * In the **inode** there is room for `inode_size - 128 - extra_isize - 8` bytes of entries and values of all
///   attributes: 88 with inodes of 256 bytes, so that `security.ima` may have 68 bytes (324 with 512, 836 with
///   1,024, 3,908 with 4,096). A 27-byte `security.selinux` that is there takes 52.
/// * Otherwise all go into **one block** per file, `block_size - 36` bytes of entries and values: 4,040 bytes for a
///   lone `security.ima` with 4 KiB blocks, 968 with 1 KiB. It costs one block (one cluster with `bigalloc`).
/// * Otherwise `ENOSPC`.
///
/// With **`ea_inode`** the values in the block may take `block_size - min(block_size / 8, 1024)` in all (3,584 of 4,096),
/// and a value longer than `block_size - 56`, or one that fits nowhere, goes into an inode of its own:
/// `ceil(value / block_size)` blocks (clusters) and one inode; its entry remains, in the inode if there is room.
///
/// **Equal ones are stored once** ([`Ext4::shares`]), which [`super::predict`] reckons with: files share a block if all
/// attributes in it are equal, up to 1,024 of them a block, and values in inodes of their own whatever their number.
///
/// With **`inline_data`** and fscrypt the inode's room holds what no list shows: [`super::Unseen`] finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ext4 {
    /// Bytes of an inode: 256 by default, 128 on old file systems.
    pub inode_size: u64,
    /// Bytes of the fields behind the first 128, `s_want_extra_isize`: 32 today.
    pub extra_isize: u64,
    /// Bytes of a block.
    pub block_size: u64,
    /// Bytes of a cluster with `bigalloc`, else of a block.
    pub cluster_size: u64,
    /// Whether long values may go into inodes of their own.
    pub ea_inode: bool,
    /// Whether equal blocks and equal values in inodes are found and shared: always, but with the mount option
    /// `no_mbcache`.
    pub shares: bool,
}

impl Default for Ext4 {
    /// What `mke2fs` makes of a file system of 512 MiB or more: inodes of 256 bytes, blocks of 4 KiB.
    fn default() -> Ext4 {
        Ext4 {
            inode_size: 256,
            extra_isize: 32,
            block_size: 4096,
            cluster_size: 4096,
            ea_inode: false,
            shares: true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Inode,
    Block,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) xattr: &'a Attribute,
    pub(super) place: Place,
    /// Whether the value is in an inode of its own.
    pub(super) external: bool,
}

impl Placed<'_> {
    fn entry(&self) -> u64 {
        entry_size(self.xattr)
    }

    fn value(&self) -> u64 {
        if self.external { 0 } else { value_size(self.xattr) }
    }
}

/// The names as `listxattr` has them: in the block they are sorted by prefix, length and bytes (`ext4_xattr_find_entry`).
fn listed<'a>(placed: &'a [Placed<'_>]) -> impl Iterator<Item = &'a String> {
    let at = |place| placed.iter().filter(move |own| own.place == place).map(|own| own.xattr);
    let mut block: Vec<&Attribute> = at(Place::Block).collect();
    block.sort_by_key(|xattr| (ext4_prefix(&xattr.name), ext4_form(xattr).0, &xattr.name));
    at(Place::Inode).chain(block).map(|xattr| &xattr.name)
}

fn entry_size(xattr: &Attribute) -> u64 {
    round_up(ENTRY + ext4_form(xattr).0, 4)
}

fn value_size(xattr: &Attribute) -> u64 {
    round_up(ext4_form(xattr).1, 4)
}

impl Ext4 {
    pub(super) fn cost(&self, before: &[Attribute], after: &[Attribute]) -> Result<Cost, Refusal> {
        let placed = self.placed(before)?;
        let (bytes_before, inodes_before) = self.occupied(&placed);
        let (bytes, inodes) = self.occupied(&self.replaced(placed, before, after)?);
        Ok(Cost::exact(bytes as i64 - bytes_before as i64, inodes as i64 - inodes_before as i64))
    }

    /// Attributes where they lie when they were set in this order.
    pub(super) fn placed<'a>(
        &self,
        xattrs: impl IntoIterator<Item = &'a Attribute>,
    ) -> Result<Vec<Placed<'a>>, Refusal> {
        let mut placed = Vec::new();
        xattrs.into_iter().try_for_each(|xattr| self.set(&mut placed, xattr))?;
        Ok(placed)
    }

    /// Attributes where they lie, which come in the order of `listxattr`: those in the inode first, and then those of the
    /// block.
    ///
    /// With `ea_inode` that is not always the order in which they were set: of two long ones the first takes the room in
    /// the block, and the entry of the second stands in the inode, before it. So where the attributes would not be listed
    /// as they are, another one was the last.
    pub(super) fn placed_as_listed<'a>(&self, xattrs: &'a [Attribute]) -> Result<Vec<Placed<'a>>, Refusal> {
        let in_order = self.placed(xattrs);
        let is_listed = |placed: &[Placed<'_>]| listed(placed).eq(xattrs.iter().map(|xattr| &xattr.name));
        if !self.ea_inode || in_order.as_ref().is_ok_and(|placed| is_listed(placed)) {
            return in_order;
        }
        let other = (0..xattrs.len()).find_map(|at| {
            let (before, after) = xattrs.split_at_checked(at)?;
            let (last, after) = after.split_first()?;
            self.placed(before.iter().chain(after).chain([last])).ok().filter(|placed| is_listed(placed))
        });
        other.map_or(in_order, Ok)
    }

    /// With `ea_inode`, what the places of a file's attributes may change: where not all have room in the block, their
    /// history decides which value lies in an inode.
    pub(super) fn unplaced(&self, candidate: &Candidate, before: &[Attribute]) -> i64 {
        let after = candidate.applied_to(before);
        let values = after.iter().map(value_size).sum::<u64>();
        if !self.ea_inode || before.len() < 2 || values <= self.block_value_room() {
            return 0;
        }
        let longest = before.iter().chain(&after).map(|xattr| self.value_in_inode(xattr.length)).max();
        (self.cluster_size + longest.unwrap_or(0)) as i64
    }

    /// Those of `before`, as they were placed, when they have become those of `after`.
    pub(super) fn replaced<'a>(
        &self,
        mut placed: Vec<Placed<'a>>,
        before: &'a [Attribute],
        after: &'a [Attribute],
    ) -> Result<Vec<Placed<'a>>, Refusal> {
        for old in removed(before, after) {
            placed.retain(|p: &Placed<'_>| p.xattr.name != old.name);
        }
        changed(before, after).try_for_each(|xattr| self.set(&mut placed, xattr))?;
        Ok(placed)
    }

    pub(super) fn remedy(&self) -> Option<(FileSystem, String)> {
        let how = "`tune2fs -O ea_inode DEVICE`, which works on the mounted file system and at once";
        (!self.ea_inode).then(|| (FileSystem::Ext4(Ext4 { ea_inode: true, ..*self }), how.to_owned()))
    }

    /// Bytes for entries and values in the inode.
    fn inode_room(&self) -> u64 {
        self.inode_size.saturating_sub(OLD_INODE + self.extra_isize + INODE_HEADER + TERMINATOR)
    }

    /// Bytes of the longest file that `inline_data` keeps in the inode: 60 in the place of the block numbers, and what
    /// there is room for in an attribute with a name of four letters (`ext4_get_max_inline_size`; 128, 384 and 896 with
    /// inodes of 256, 512 and 1,024, measured).
    pub(super) fn longest_inline_data(&self) -> u64 {
        60 + self.inode_room().saturating_sub(ENTRY + 4)
    }

    /// Bytes for entries and values in the block.
    fn block_room(&self) -> u64 {
        self.block_size.saturating_sub(BLOCK_HEADER + TERMINATOR)
    }

    /// Bytes for values alone in the block, where `ea_inode` keeps an eighth back for entries.
    fn block_value_room(&self) -> u64 {
        if self.ea_inode { self.block_size - (self.block_size / 8).min(1024) } else { self.block_size }
    }

    fn set<'a>(&self, placed: &mut Vec<Placed<'a>>, xattr: &'a Attribute) -> Result<(), Refusal> {
        // The length above which a value does not even try the block; a name of three letters stands in it.
        let long = self.block_room().saturating_sub(ENTRY + 4);
        let external_first = self.ea_inode && value_size(xattr) > long;
        let attempts: &[bool] = match (external_first, self.ea_inode) {
            (true, _) => &[true],
            (false, true) => &[false, true],
            (false, false) => &[false],
        };
        for &external in attempts {
            for place in [Place::Inode, Place::Block] {
                let candidate = Placed { xattr, place, external };
                if self.fits(placed, &candidate) {
                    placed.retain(|p| p.xattr.name != xattr.name);
                    placed.push(candidate);
                    return Ok(());
                }
            }
        }
        Err(self.refusal(placed, xattr))
    }

    /// Bytes of entries and of values that the other attributes have in `place`.
    fn others(placed: &[Placed<'_>], place: Place, name: &str) -> (u64, u64) {
        let others = placed.iter().filter(|p| p.place == place && p.xattr.name != name);
        others.fold((0, 0), |(entries, values), p| (entries + p.entry(), values + p.value()))
    }

    fn fits(&self, placed: &[Placed<'_>], candidate: &Placed<'_>) -> bool {
        let (entries, values) = Ext4::others(placed, candidate.place, &candidate.xattr.name);
        let total = entries + values + candidate.entry() + candidate.value();
        match candidate.place {
            Place::Inode => total <= self.inode_room(),
            Place::Block => {
                let values_fit =
                    candidate.value() == 0 || values + candidate.value() <= self.block_value_room();
                total <= self.block_room() && values_fit
            }
        }
    }

    fn refusal(&self, placed: &[Placed<'_>], xattr: &Attribute) -> Refusal {
        let free = |place, room: u64| {
            let (entries, values) = Ext4::others(placed, place, &xattr.name);
            room.saturating_sub(entries + values + entry_size(xattr)) / 4 * 4
        };
        let limit = free(Place::Inode, self.inode_room()).max(free(Place::Block, self.block_room()));
        Refusal {
            kind: RefusalKind::NoSpace,
            name: xattr.name.clone(),
            length: xattr.length,
            limit,
            room: format!(
                "the one block of {} bytes that all attributes of a file share leaves",
                self.block_size
            ),
        }
    }

    /// Bytes of blocks that a value in an inode of its own takes.
    pub(super) fn value_in_inode(&self, length: u64) -> u64 {
        round_up(length, self.cluster_size)
    }

    /// Bytes and inodes outside the file's own inode.
    fn occupied(&self, placed: &[Placed<'_>]) -> (u64, u64) {
        let block = if placed.iter().any(|p| p.place == Place::Block) { self.cluster_size } else { 0 };
        let external = || placed.iter().filter(|p| p.external);
        let values: u64 = external().map(|p| self.value_in_inode(p.xattr.length)).sum();
        (block + values, external().count() as u64)
    }
}
