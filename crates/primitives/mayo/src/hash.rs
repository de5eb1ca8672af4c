//! SHAKE256 over several parts.

use fieldtest_keccak::Path;
use fieldtest_keccak::shake::Shake256;

/// Fills `output` with SHAKE256 of the parts, one after another.
pub(crate) fn shake256(parts: &[&[u8]], output: &mut [u8]) {
    Shake256::of(Path::best(), parts).finish(output);
}
