//! ARIA.
