//! Git repositories under any hash function: read, verify, map and convert every object.

#![deny(unsafe_code)]

mod error;
pub mod format;
pub mod id;
pub mod object;

pub use error::Error;
pub use format::Format;
pub use id::ObjectId;
pub use object::{Header, ObjectType};
