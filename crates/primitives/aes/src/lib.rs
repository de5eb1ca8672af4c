//! AES.
