//! Git repositories under any hash function: read, verify, map and convert every object.
//!
//! The library knows no hash function by name: whatever implements [`Hash`](fieldtest_kinds::hash::Hash) can name objects.
//! A [`Repository`] is opened as Git finds it, with its packs, loose objects and alternates; [`Objects`] numbers every one
//! of them; [`verify`] computes every name again, [`map`] gives new ones, and [`convert`](mod@convert) with [`destination`]
//! leaves a repository in the other format.
//!
//! ```
//! use std::num::NonZeroUsize;
//!
//! use fieldtest_git::verify::{Settings, verify};
//! use fieldtest_git::{Format, ObjectType, Options, Repository, sample};
//!
//! # use fieldtest_kinds::{Error, hash::{Hash, Stream}};
//! # use sha2::Digest as _;
//! # struct Sha256;
//! # struct State(sha2::Sha256);
//! # impl Hash for Sha256 {
//! #     fn digest_len(&self) -> usize {
//! #         32
//! #     }
//! #     fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
//! #         Box::new(State(sha2::Sha256::new().chain_update(head).chain_update(body))).finish(digest)
//! #     }
//! #     fn start(&self) -> Box<dyn Stream> {
//! #         Box::new(State(sha2::Sha256::new()))
//! #     }
//! # }
//! # impl Stream for State {
//! #     fn update(&mut self, piece: &[u8]) {
//! #         self.0.update(piece);
//! #     }
//! #     fn finish(self: Box<Self>, digest: &mut [u8]) -> Result<(), Error> {
//! #         digest.copy_from_slice(&self.0.finalize());
//! #         Ok(())
//! #     }
//! # }
//! // Whatever implements `Hash` will do; this is RustCrypto's SHA-256, and Git calls its format `sha256`.
//! let hash = std::sync::Arc::new(Sha256);
//! let format = Format { name: "sha256".to_owned(), hash: hash.clone() };
//! let id = format.id_of(ObjectType::Blob, b"Hello, world!\n")?;
//! assert!(id.to_string().starts_with("7506cb"));
//!
//! // A repository of three commits, made up; Git reads it too.
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("three.git");
//! sample::write(&path, &format, 3, 1)?;
//!
//! // Has every object the name that its content has, and is all there that is named?
//! let repository = Repository::open(&path, &Options::default())?;
//! let settings = Settings {
//!     hash: &*hash,
//!     threads: NonZeroUsize::MIN,
//!     connectivity: true,
//!     interrupted: None,
//!     progress: None,
//! };
//! let report = verify(&repository, &settings)?;
//! assert!(report.is_good() && report.objects > 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod batch;
pub mod convert;
pub mod destination;
mod error;
mod file;
pub mod format;
pub mod id;
mod links;
pub mod loose;
pub mod map;
mod mapped;
mod new_repository;
pub mod object;
pub mod objects;
pub mod pack;
pub mod problem;
pub mod refs;
pub mod rehash;
pub mod repository;
pub mod revision;
pub mod sample;
pub mod sizes;
pub mod submodules;
mod symbolic;
mod threads;
pub mod trailer;
pub mod verify;

pub use error::Error;
pub use format::Format;
pub use id::ObjectId;
pub use object::{Header, ObjectType};
pub use objects::{Object, Objects, Stored, Visitor};
pub use problem::{Problem, Unsound};
pub use refs::{Reference, Target};
pub use repository::{Options, Repository};

#[cfg(test)]
#[path = "../tests/common/hashes.rs"]
mod test_hashes;
