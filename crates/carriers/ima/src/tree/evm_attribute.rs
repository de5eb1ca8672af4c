//! The digest under a portable EVM signature, of an open file.

use std::os::fd::AsFd;

use rustix::fs::Stat;
use rustix::io::Errno;

use crate::evm::{EvmError, XATTRS, portable_digest};
use crate::file_id::FileDigest;
use crate::files::walk::owner;
use crate::hash_algorithm::HashAlgorithm;
use crate::store::attribute;
use crate::xattr::Xattr;

/// Reads the xattrs that EVM protects, and hashes them with owner and mode.
pub(crate) fn digest(
    file: impl AsFd,
    stat: &Stat,
    algorithm: HashAlgorithm,
    buffer: &mut [u8],
) -> Result<Result<FileDigest, EvmError>, Errno> {
    let mut values: Vec<(&str, Vec<u8>)> = Vec::new();
    for name in XATTRS {
        if let Some(value) = attribute::get(&file, name, buffer)? {
            values.push((name, value.to_vec()));
        }
    }
    let values = values.iter().map(|(name, value)| (*name, value.as_slice()));
    Ok(portable_digest(algorithm, values, &owner(stat)))
}

/// Whether the file has an EVM signature. An HMAC is none: the kernel that has its key makes it anew with every change.
pub(crate) fn is_signature(file: impl AsFd, buffer: &mut [u8]) -> bool {
    let value = attribute::get(file, attribute::EVM, buffer);
    matches!(
        value.map(|value| value.map(Xattr::parse)),
        Ok(Some(Ok(Xattr::Signature(_) | Xattr::SignatureV1(_))))
    )
}
