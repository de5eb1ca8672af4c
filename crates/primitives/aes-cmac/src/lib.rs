//! AES-CMAC over several messages at once.
