//! From records to the tables that decide: what the chapters have in common.

pub mod availability;
pub mod elapsed;
pub mod lead;
pub mod ledger;
pub(crate) mod messages;
pub(crate) mod other;
pub mod primitives;
pub mod security;
