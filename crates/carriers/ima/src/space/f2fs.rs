//! f2fs: in the inode, or in one node more; nothing beyond.

use super::xattr_names::ext4_form;
use super::{Attribute, Cost, FileSystem, Refusal, RefusalKind, changed, removed, round_up};

/// `struct f2fs_xattr_header`.
const HEADER: u64 = 24;
/// `struct f2fs_xattr_entry` without the name.
const ENTRY: u64 = 4;
/// `struct node_footer`, at the end of every node.
const FOOTER: u64 = 24;
/// The most words that an inode may set aside for attributes; the mount option takes no more with 4 KiB nodes.
const INLINE_WORDS_MAX: u64 = 892;

/// f2fs. The rule (Linux 7.3, `fs/f2fs/xattr.c`, `xattr.h`):
///
/// All attributes of a file form one list of `24 + Σ (4 + name without prefix + value, rounded up to 4)` bytes.
/// * While the list has at most `inline_size` bytes it lies in the **inode**: with the default of 200, a lone
///   `security.ima` of 169 bytes.
/// * Otherwise it takes **one node** more, which counts as a block and as an inode: 4,096 bytes.
/// * More than `inline_size + block_size - 24` is `E2BIG`: 4,241 bytes for a lone `security.ima`, 4,201 beside a
///   27-byte SELinux label.
///
/// The feature `flexible_inline_xattr` with the mount option `inline_xattr_size` (in 4-byte words) raises both limits
/// for files that are created from then on; without the option it changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct F2fs {
    /// Bytes of a node: 4,096 (the page size of the machine that made the file system).
    pub block_size: u64,
    /// Bytes for attributes in the inode: 200, 4 × `inline_xattr_size`, or 0 with `noinline_xattr`.
    pub inline_size: u64,
}

impl Default for F2fs {
    /// What `mkfs.f2fs` makes, mounted without options.
    fn default() -> F2fs {
        F2fs { block_size: 4096, inline_size: 200 }
    }
}

impl F2fs {
    pub(super) fn cost(&self, before: &[Attribute], after: &[Attribute]) -> Result<Cost, Refusal> {
        let mut list: Vec<&Attribute> = before.iter().collect();
        for old in removed(before, after) {
            list.retain(|xattr| xattr.name != old.name);
        }
        for xattr in changed(before, after) {
            list.retain(|other| other.name != xattr.name);
            let free = self.limit().saturating_sub(list_size(list.iter().copied()));
            if entry_size(xattr) > free {
                return Err(self.refusal(xattr, free));
            }
            list.push(xattr);
        }
        let nodes = self.nodes(list_size(list)) - self.nodes(list_size(before));
        let mut cost = Cost::exact(nodes * self.block_size as i64, nodes);
        if self.inline_size == 0 && before.is_empty() {
            // The node of attributes that are gone is still there.
            cost.least = 0;
        }
        Ok(cost)
    }

    pub(super) fn remedy(&self, length: u64) -> Option<(FileSystem, String)> {
        // A label, an EVM signature and an access control list may stand beside it; two words of slack per name.
        let needed = HEADER + round_up(ENTRY + 3 + length, 4) + 256;
        let words = needed.saturating_sub(self.block_size - FOOTER).div_ceil(4).max(self.inline_size / 4 + 1);
        (words <= INLINE_WORDS_MAX).then(|| {
            let how = format!(
                "a file system made with `mkfs.f2fs -O extra_attr,flexible_inline_xattr` and mounted with \
                 `inline_xattr_size={words}` or more before the files are written"
            );
            (FileSystem::F2fs(F2fs { inline_size: 4 * words, ..*self }), how)
        })
    }

    /// Bytes of the longest list.
    fn limit(&self) -> u64 {
        self.inline_size + self.block_size - FOOTER
    }

    fn nodes(&self, list: u64) -> i64 {
        i64::from(list > self.inline_size.max(HEADER))
    }

    fn refusal(&self, xattr: &Attribute, free: u64) -> Refusal {
        Refusal {
            kind: RefusalKind::TooBig,
            name: xattr.name.clone(),
            length: xattr.length,
            limit: (free / 4 * 4).saturating_sub(ENTRY + ext4_form(xattr).0),
            room: format!(
                "{} bytes in the inode and one node for all attributes of a file leave",
                self.inline_size
            ),
        }
    }
}

fn entry_size(xattr: &Attribute) -> u64 {
    let (name, value) = ext4_form(xattr);
    round_up(ENTRY + name + value, 4)
}

/// Bytes of the list with its header.
fn list_size<'a>(xattrs: impl IntoIterator<Item = &'a Attribute>) -> u64 {
    HEADER + xattrs.into_iter().map(entry_size).sum::<u64>()
}
