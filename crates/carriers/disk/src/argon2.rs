//! Argon2 (RFC 9106), in memory that is locked and cleared.

use crate::error::{Error, Result};
use crate::header::json::Argon2 as Costs;

/// Derives a key, by Argon2id or else by Argon2i.
///
/// # Errors
/// [`Error::KeyDerivation`] for costs that cannot be, or more memory than is free; [`Error::Unsupported`] where Argon2 was
/// left out.
#[cfg(feature = "argon2")]
pub(crate) fn run(id: bool, costs: &Costs, passphrase: &[u8], key: &mut [u8]) -> Result<()> {
    use ::argon2::{Algorithm, Argon2, Block, Params, Version};
    use zeroize::Zeroize;

    let algorithm = if id { Algorithm::Argon2id } else { Algorithm::Argon2i };
    let failed = |error: ::argon2::Error| Error::KeyDerivation(format!("Argon2 says: {error}"));
    let params = Params::new(costs.memory, costs.time, costs.cpus, Some(key.len())).map_err(failed)?;
    let blocks = params.block_count();
    let mut memory: Vec<Block> = Vec::new();
    memory
        .try_reserve_exact(blocks)
        .map_err(|_| Error::KeyDerivation(format!("cannot allocate {} KiB of memory", costs.memory)))?;
    memory.resize(blocks, Block::default());
    // What is in it lets passphrases be tried without the memory.
    let _locked = crate::secret::lock(&memory[..]);
    let argon2 = Argon2::new(algorithm, Version::V0x13, params);
    let result = argon2.hash_password_into_with_memory(passphrase, &costs.salt, key, &mut memory);
    memory.iter_mut().for_each(Zeroize::zeroize);
    result.map_err(failed)
}

#[cfg(not(feature = "argon2"))]
pub(crate) fn run(_: bool, _: &Costs, _: &[u8], _: &mut [u8]) -> Result<()> {
    Err(Error::Unsupported {
        what: "Argon2 in this build".into(),
        remedy: "use PBKDF2, or build fieldtest-disk with the feature `argon2`",
    })
}
