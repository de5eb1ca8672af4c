//! The digest under a portable EVM signature: a file's security xattrs, owner and mode (the kernel's
//! `security/integrity/evm/evm_crypto.c`).
//!
//! A portable signature is bound to no inode and no file system, so it can be made anywhere and shipped in a package.

use crate::digest::Hasher;
use crate::file_id::FileDigest;
use crate::hash_algorithm::HashAlgorithm;
use crate::xattr::SignatureType;

/// The xattrs that are hashed, in this order. A kernel can be told of more (`/sys/kernel/security/evm/evm_xattrs`);
/// those are not known here.
pub const XATTRS: [&str; 8] = [
    "security.selinux",
    "security.SMACK64",
    "security.SMACK64EXEC",
    "security.SMACK64TRANSMUTE",
    "security.SMACK64MMAP",
    "security.apparmor",
    "security.ima",
    "security.capability",
];

/// The xattr that a portable signature cannot do without.
const IMA: &str = "security.ima";

/// Who owns a file, and what may be done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Owner {
    /// The user's number.
    pub uid: u32,
    /// The group's number.
    pub gid: u32,
    /// The file's type and permissions, `st_mode`.
    pub mode: u16,
}

/// Why a file has no portable digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvmError {
    /// A kernel refuses a portable signature of a file without `security.ima`.
    #[error("the file has no security.ima, which a portable EVM signature needs; sign it for IMA first")]
    NoImaXattr,
    /// One name, two values.
    #[error("the xattr {0} is given twice; give each once")]
    Twice(String),
}

impl Owner {
    /// `struct h_misc` of a 64-bit little-endian kernel, with the inode's number and generation 0: 24 bytes, of which
    /// the last two are padding.
    fn misc(&self) -> [u8; 24] {
        let mut misc = [0; 24];
        misc[12..16].copy_from_slice(&self.uid.to_le_bytes());
        misc[16..20].copy_from_slice(&self.gid.to_le_bytes());
        misc[20..22].copy_from_slice(&self.mode.to_le_bytes());
        misc
    }
}

/// The digest that a portable signature covers, of all the file's xattrs by their full names (`security.ima`), in any
/// order; those that EVM does not protect are passed over. 64-bit little-endian kernels compute the same.
///
/// # Errors
/// [`EvmError`].
pub fn portable_digest<'a>(
    algorithm: HashAlgorithm,
    xattrs: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    owner: &Owner,
) -> Result<FileDigest, EvmError> {
    let mut values: [Option<&[u8]>; XATTRS.len()] = [None; XATTRS.len()];
    for (name, value) in xattrs {
        let protected = XATTRS.iter().zip(&mut values).find(|(protected, _)| **protected == name);
        if let Some((_, slot)) = protected
            && slot.replace(value).is_some()
        {
            return Err(EvmError::Twice(name.to_string()));
        }
    }
    if !XATTRS.iter().zip(&values).any(|(name, value)| *name == IMA && value.is_some()) {
        return Err(EvmError::NoImaXattr);
    }
    let mut hasher = Hasher::new(algorithm);
    values.iter().flatten().for_each(|value| hasher.update(value));
    hasher.update(&owner.misc());
    Ok(FileDigest { covers: SignatureType::EvmPortable, digest: hasher.finish() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;

    const OWNER: Owner = Owner { uid: 0x0102_0304, gid: 0x0506_0708, mode: 0o100_755 };

    #[test]
    fn the_values_in_the_kernels_order_then_the_owner() {
        let xattrs = [
            ("security.capability", &b"cap"[..]),
            ("user.note", b"passed over"),
            ("security.ima", b"ima"),
            ("security.selinux", b"label\0"),
        ];
        let mut expected = b"label\0imacap".to_vec();
        expected.extend([0; 12]); // the inode's number and generation
        expected.extend([4, 3, 2, 1, 8, 7, 6, 5, 0xed, 0x81, 0, 0]);
        let digest = portable_digest(HashAlgorithm::Sha256, xattrs, &OWNER).unwrap();
        assert_eq!(digest.digest, Digest::of(HashAlgorithm::Sha256, &expected));
        assert_eq!(digest.file_id()[..2], [5, 4]);
    }

    #[test]
    fn security_ima_is_needed_once() {
        let digest = |xattrs: &[(&'static str, &'static [u8])]| {
            portable_digest(HashAlgorithm::Sha256, xattrs.iter().copied(), &OWNER)
        };
        assert_eq!(digest(&[("security.selinux", b"x")]), Err(EvmError::NoImaXattr));
        assert_eq!(
            digest(&[("security.ima", b"x"), ("security.ima", b"x")]),
            Err(EvmError::Twice("security.ima".to_string()))
        );
        assert!(digest(&[("security.ima", b"")]).is_ok());
    }
}
