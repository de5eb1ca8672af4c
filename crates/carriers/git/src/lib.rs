#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! A [`Repository`] is opened as Git finds it; [`Objects`] numbers every object. [`verify`] computes every ID again,
//! [`map`] gives new ones, and [`convert`](mod@convert) with [`destination`] leaves a repository in the other format.

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
