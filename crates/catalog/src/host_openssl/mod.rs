//! Stub of this worktree: the lead takes the main tree's module of the same interface.
use crate::{Implementation, Proof, ProofError};
use fieldtest_kinds::signature::Signature;
/// What the host's OpenSSL may offer.
#[allow(missing_docs, non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    Rsa2048,
    EcdsaP256,
    EcdsaP384,
    Ed25519,
    MlDsa44,
    MlDsa65,
    MlDsa87,
    SlhDsaSha2_128s,
    SlhDsaSha2_128f,
    SlhDsaSha2_192s,
    SlhDsaSha2_192f,
    SlhDsaSha2_256s,
    SlhDsaSha2_256f,
    SlhDsaShake_128s,
    SlhDsaShake_128f,
    SlhDsaShake_192s,
    SlhDsaShake_192f,
    SlhDsaShake_256s,
    SlhDsaShake_256f,
}
pub(crate) fn implementation(
    _: Scheme,
    _: fn(&dyn Signature) -> Result<Proof, ProofError>,
) -> Option<Implementation> {
    None
}
