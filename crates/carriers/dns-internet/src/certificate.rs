//! A certificate for servers that answer over TLS, made for one run.

use std::fmt;

use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::InternetError;

/// A certificate that signs itself, with its key; both in PEM. The key is ECDSA P-256, as most servers' are.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Certificate {
    /// Makes one with a key of its own.
    ///
    /// # Errors
    /// The library refuses.
    pub fn new() -> Result<Certificate, InternetError> {
        let made = generate_simple_self_signed(["localhost".to_owned()]);
        let CertifiedKey { cert, signing_key } = made.map_err(InternetError::Certificate)?;
        Ok(Certificate { certificate: cert.pem(), key: signing_key.serialize_pem() })
    }
}

impl fmt::Debug for Certificate {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}
