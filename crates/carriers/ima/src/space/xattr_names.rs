//! How names and access control lists shorten on disk.

use super::Attribute;

const PREFIXES: [&str; 4] = ["user.", "trusted.", "security.", "system."];
const ACLS: [&str; 2] = ["system.posix_acl_access", "system.posix_acl_default"];

/// Bytes of the name without its prefix, which ext4, f2fs, XFS, squashfs and EROFS keep as a number.
pub(super) fn suffix_length(name: &str) -> u64 {
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name).len() as u64
}

/// Whether the attribute is a POSIX access control list, which file systems store in a form of their own.
pub(super) fn is_acl(name: &str) -> bool {
    ACLS.contains(&name)
}

/// Entries of an access control list of that many bytes as `getxattr` returns it: a header of 4 and 8 per entry
/// (`include/uapi/linux/posix_acl_xattr.h`).
pub(super) fn acl_entries(length: u64) -> u64 {
    length.saturating_sub(4) / 8
}

/// Name and value bytes on ext4 and f2fs: access control lists have a number for a name, and the four entries
/// without a user or group id take 4 bytes instead of 8 (`fs/ext4/acl.h`, `ext4_acl_size`; f2fs alike).
pub(super) fn ext4_form(xattr: &Attribute) -> (u64, u64) {
    if !is_acl(&xattr.name) {
        return (suffix_length(&xattr.name), xattr.length);
    }
    let entries = acl_entries(xattr.length);
    (0, 4 + 4 * entries.min(4) + 8 * entries.saturating_sub(4))
}

/// The number that stands for a prefix on ext4 (`EXT4_XATTR_INDEX_USER` and so on, `fs/ext4/xattr.h`).
pub(super) fn ext4_prefix(name: &str) -> u8 {
    const NUMBERS: [(&str, u8); 6] =
        [("user.", 1), (ACLS[0], 2), (ACLS[1], 3), ("trusted.", 4), ("security.", 6), ("system.", 7)];
    NUMBERS.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(0, |(_, number)| *number)
}

/// Name and value bytes on XFS: lists are `SGI_ACL_FILE` or `SGI_ACL_DEFAULT` with 12 bytes per entry
/// (`fs/xfs/libxfs/xfs_format.h`, `struct xfs_acl`).
pub(super) fn xfs_form(xattr: &Attribute) -> (u64, u64) {
    if !is_acl(&xattr.name) {
        return (suffix_length(&xattr.name), xattr.length);
    }
    let name = if xattr.name.ends_with("access") { "SGI_ACL_FILE" } else { "SGI_ACL_DEFAULT" };
    (name.len() as u64, 4 + 12 * acl_entries(xattr.length))
}
