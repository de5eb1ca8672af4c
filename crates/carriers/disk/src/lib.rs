//! LUKS2.
