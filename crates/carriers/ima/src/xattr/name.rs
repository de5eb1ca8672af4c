//! The names of the xattrs that signatures are in.

/// The xattr that IMA reads. Setting it needs `CAP_SYS_ADMIN`.
pub const IMA: &str = "security.ima";

/// The xattr that EVM reads.
pub const EVM: &str = "security.evm";

/// The xattr that evmctl's `--xattr-user` sets in place of `security.ima`, for tests without privileges.
pub const USER_IMA: &str = "user.ima";
