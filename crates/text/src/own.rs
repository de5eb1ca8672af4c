//! What this project's own code is called beside libraries: in the catalog, in records, and by users.

/// The name of this project's own implementation of an algorithm. Further ones of it begin with this word.
pub const OWN: &str = "fieldtest";

/// The name of the own implementation that uses no instructions beyond the processor's basic ones.
pub const OWN_PORTABLE: &str = "fieldtest-portable";
