//! What the tests of several crates share; no part of the program.
//!
//! * [`synthetic`]: records of algorithms that do not exist, as many as a real run has.
//! * [`process`]: programs that take signals as at a terminal, and end.
//! * [`section`]: what the tests of a chapter ask a report.
//! * [`study`]: a study within a second.
//! * [`words`]: whether what it writes is read again.

#![forbid(unsafe_code)]
// A test fails where it cannot go on.
#![allow(missing_docs, clippy::missing_panics_doc)]

pub mod advice;
pub mod process;
pub mod section;
pub mod study;
pub mod synthetic;
pub mod words;
