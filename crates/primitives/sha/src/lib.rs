//! SHA-1, SHA-256 and HMAC over several messages at once.
