//! Signature algorithms, one adapter file per family.
