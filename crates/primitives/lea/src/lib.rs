//! LEA.
