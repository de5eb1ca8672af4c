//! DNSSEC with any signature algorithm.
