//! Bring your own algorithm: a program of anybody's, in any language, behind fieldtest's traits.
//!
//! The program, an *engine*, reads requests on its standard input and writes answers to its standard output ([`protocol`]); what it
//! writes to standard error is kept for the case that it ends. It runs as a child in a process group of its own. Whatever it does wrong,
//! from wrong lengths to no answer at all, is an error that names it, and ends it. A shared object is an engine, too ([`library`]).
//!
//! ```no_run
//! use std::num::NonZero;
//! use std::time::Duration;
//! use fieldtest_engine::signature::{Engine, Sizes};
//! use fieldtest_engine::{Connection, Program};
//! use fieldtest_kinds::signature::Signature as _;
//!
//! let program = Program {
//!     title: "toy.py".into(),
//!     words: vec!["python3".into(), "toy.py".into()],
//!     directory: "examples".into(),
//!     deadline: Duration::from_secs(10),
//!     processes: NonZero::<usize>::MIN,
//! };
//! let sizes = Sizes { public_key: 32, secret_key: 32, signature: 64 };
//! let engine = Engine::new(Connection::new("toy".into(), program), sizes, true);
//! let pair = engine.generate()?;
//! let mut signature = Vec::new();
//! engine.signing_key(&pair.secret)?.sign(b"message", &mut signature)?;
//! engine.verifying_key(&pair.public)?.verify(b"message", &signature)?;
//! # Ok::<(), fieldtest_kinds::Error>(())
//! ```

mod batch;
pub mod cipher;
mod connection;
mod gate;
mod guard;
pub mod hash;
mod last_words;
pub mod library;
pub mod mac;
mod process;
pub mod protocol;
mod running;
pub mod signature;
mod spawn;

pub use connection::Connection;
pub use gate::trust;
pub use process::Program;
pub use running::{cpu_time, end_when};
