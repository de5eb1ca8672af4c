//! What every command of the program shares, whatever it is about.
//!
//! * [`output`]: data to standard output or to a file, messages to standard error. There is one way in which a command
//!   writes a file, and it is here.
//! * [`text`]: text of unknown origin, made fit to be shown.
//! * [`calibrated`]: what is known of this machine's intervals.
//! * [`carrier`]: what the program knows of a carrier.
//! * [`arguments`]: what was typed.
//! * [`outcome`]: how a command ends.
//! * [`input`]: files that are read, also those that somebody is still writing.
//! * [`interrupt`]: signals. Who presses Ctrl-C keeps what is measured, and finds no half-written file.
//! * [`job`]: jobs larger than a host.
//! * [`progress`]: a line on the terminal.
//! * [`measuring`]: from a plan to records and a report.
//! * [`stamp`]: in which state files and directories are.
//! * [`own_program`]: fresh processes of this program that time what they are told to.
//! * [`secrets`]: what a command that holds keys does first.
//!
//! Nothing here knows which carriers there are. `examples/carrier.rs` is a whole one on top of it; a file that a command
//! writes is there whole, or as it was:
//!
//! ```
//! use std::io::Write as _;
//!
//! use fieldtest_frame::anyhow::bail;
//! use fieldtest_frame::output;
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("table.csv");
//! output::file(&path, b"algorithm,octets\n")?;
//! let failed = output::whole_file::<()>(&path, |out| {
//!     writeln!(out, "half of a line")?;
//!     bail!("the rest cannot be had")
//! });
//! assert!(failed.is_err() && std::fs::read(&path)? == b"algorithm,octets\n");
//! # Ok::<(), fieldtest_frame::anyhow::Error>(())
//! ```

pub mod arguments;
pub mod calibrated;
pub mod carrier;
mod configuration;
pub mod input;
pub mod interrupt;
pub mod job;
pub mod measuring;
mod message;
pub mod outcome;
pub mod output;
pub mod own_program;
pub mod progress;
pub mod secrets;
pub mod stamp;
mod words;

/// What commands end with where something goes wrong.
pub use anyhow;
/// Carriers say their arguments in its types.
pub use clap;
pub use fieldtest_text as text;
