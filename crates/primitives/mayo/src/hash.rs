//! SHAKE256 over several parts.

use shake::{ExtendableOutput, Shake256, Update, XofReader};

/// Fills `output` with SHAKE256 of the parts, one after another.
pub(crate) fn shake256(parts: &[&[u8]], output: &mut [u8]) {
    let mut hash = Shake256::default();
    for part in parts {
        hash.update(part);
    }
    hash.finalize_xof().read(output);
}
