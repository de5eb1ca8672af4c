//! What a worker to signatures takes along.

use serde::{Deserialize, Serialize};

pub(crate) const KEYS_OF_A_WORKER: usize = 3;
/// Signatures that are verified in a worker that makes its own.
pub(crate) const SIGNATURES_OF_A_WORKER: usize = 16;

/// What a worker works on.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Material {
    pub(crate) messages: Vec<Vec<u8>>,
    pub(crate) kits: Vec<Kit>,
}

/// What one subject has in a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kit {
    /// Secret and public keys; the first one signs and verifies. None where the worker makes its own.
    pub(crate) keys: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) signed: Vec<Signed>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Signed {
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}
