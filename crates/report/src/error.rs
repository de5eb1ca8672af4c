//! Why records do not make a report.

/// Why records do not make a report.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Error {
    /// The records say nothing of the machine.
    #[error(
        "the records have no `run` line, the first line of a records file, which names the machine and the program; \
             give the file as the program wrote it"
    )]
    NoRun,
    #[error(
        "the records come from two machines, {first} and {second}, but results are only compared within one; give those of \
             one, or all to `fieldtest report`, which has a row for each machine, or each file to `fieldtest compare`"
    )]
    TwoMachines { first: String, second: String },
    /// A run is there twice, as of a file and a copy of it.
    #[error("the run of {started} is given twice; give its records once, or those of another run")]
    SameRun { started: String },
    #[error(
        "two runs, of {first} and of {second}, have the result '{what}', but a report contains one run of a study; make one \
             report for each file"
    )]
    TwoRuns { what: String, first: String, second: String },
    #[error(
        "the records have the format `{found}`, but this program reads `{known}`; use the program's version that \
             wrote them"
    )]
    Schema { found: String, known: &'static str },
    /// A result that cannot be, or that another one of its run contradicts.
    #[error("record {number} ({what}): {fault}; measure it again, or remove the line from the file")]
    InvalidResult {
        /// Which record of the file, counted from 1.
        number: usize,
        what: String,
        fault: &'static str,
    },
    #[error("no record of the requested baseline `{name}`; the records are about: {known}")]
    UnknownBaseline { name: String, known: String },
    /// Two runs that are to be compared have no result in common.
    #[error(
        "cannot compare {other} with {first}: no result has the same study, algorithm, implementation and operation; measure the same in both"
    )]
    NothingInCommon { first: String, other: String },
    #[error(
        "cannot compare the times of {other} with those of {first}: the machines differ, and no algorithm that both measured \
         can serve as baseline; measure two or more of the same algorithms on both"
    )]
    NoBaseline { first: String, other: String },
    /// A run says something of itself that cannot be.
    #[error("cannot use the run of {started}: {fault}; measure it again")]
    Run { started: String, fault: &'static str },
    /// What was asked of algorithms says nothing.
    #[error("{what}: {remedy}")]
    Constraint {
        /// The constraint as it would be typed.
        what: String,
        remedy: String,
    },
    /// The page's template failed; a fault of this crate.
    #[error("cannot write the page: {0}; please report this with the records file")]
    Template(String),
}
