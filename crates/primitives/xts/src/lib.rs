//! XTS.
