//! What is measured and how: counters, rounds, estimates, the host's condition, and the record they end in.

pub mod record;
