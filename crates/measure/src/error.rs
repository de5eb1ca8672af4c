//! What can go wrong while measuring.

/// Why an operation could not be prepared, or why its result is wrong: any error the operation's author has.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

use crate::words;

words! {
    /// The two halves of an operation that can fail; the timed half hands its outcome, good or bad, to the check.
    #[non_exhaustive]
    pub enum Stage {
        /// Building the input, before the window.
        Preparing = "preparing",
        /// Checking the output, after the window.
        Checking = "checking",
    }
}

/// Why a measurement has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Error {
    /// An operation could not be prepared, or gave a wrong result. The run's results are discarded: the time of a
    /// wrong result says nothing.
    #[error(
        "`{benchmark}` failed while {stage} operation {index}: {source}; correct or omit it: the time of a \
         wrong result says nothing"
    )]
    Operation {
        benchmark: String,
        stage: Stage,
        /// The operation's index, as given to [`prepare`](crate::Operation::prepare).
        index: u64,
        source: Failure,
    },
}
