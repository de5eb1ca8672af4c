//! Git repositories under any hash function: read, verify, map and convert every object.
//!
//! The library knows no hash function by name: whatever implements [`Hash`](fieldtest_kinds::hash::Hash) can name objects.
//! A [`Repository`] is opened as Git finds it, with its packs, loose objects and alternates; [`Objects`] numbers every one
//! of them; [`verify`] computes every name again, [`map`] gives new ones, and [`convert`](mod@convert) with [`destination`]
//! leaves a repository in the other format.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::path::Path;
//!
//! use fieldtest_git::verify::{Settings, verify};
//! use fieldtest_git::{Options, Repository};
//! use fieldtest_kinds::hash::Hash;
//!
//! /// Whether every object of a repository has the name that its content has, and all that is named is there.
//! fn is_whole(path: &Path, hash: &dyn Hash) -> Result<bool, fieldtest_git::Error> {
//!     let repository = Repository::open(path, &Options::default())?;
//!     let settings = Settings {
//!         hash,
//!         threads: NonZeroUsize::MIN,
//!         connectivity: true,
//!         interrupted: None,
//!         progress: None,
//!     };
//!     Ok(verify(&repository, &settings)?.is_good())
//! }
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
