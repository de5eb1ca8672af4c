//! Whether dm-crypt takes a vector (Linux, `drivers/md/dm-crypt.c`, `crypt_ctr_cipher_old`, `crypt_ctr_ivmode`, and the
//! constructors of the vectors; `crypto/essiv.c`).

use super::known::{digest_bits, family};
use super::{DM_CRYPT, Findings, Use};
use crate::spec::{CipherSpec, Iv};

impl Findings {
    pub(super) fn vector(&mut self, spec: &CipherSpec, intended: &Use) {
        match spec.iv() {
            Iv::Essiv(hash) => self.essiv(spec, hash),
            // Of a cipher without vectors no name of one is looked at.
            _ if spec.mode() == "ecb" => {}
            // The other spelling may do without, and what is encrypted then depends on nothing.
            Iv::Missing if spec.as_str().starts_with("capi:") => {
                self.refuse("no-vector", format!("'{spec}' has no vector"), "append -plain64", DM_CRYPT)
            }
            Iv::Missing => self.unmapped(
                "no-vector",
                format!("'{spec}' has no vector, which dm-crypt requires for every mode except ECB"),
                "append -plain64",
                DM_CRYPT,
            ),
            Iv::Random if intended.integrity.is_none() => self.unmapped(
                "unfit-vector",
                format!(
                    "a random vector is stored with its sector, but '{spec}' without tags has no space for it"
                ),
                "use plain64, or give sectors tags: --integrity hmac-sha256",
                DM_CRYPT,
            ),
            iv if !is_known(iv) => self.no_vector(iv),
            Iv::Other(iv)
                if iv == "eboiv" && matches!(spec.mode(), "ctr" | "xctr" | "adiantum" | "hctr2") =>
            {
                self.unmapped(
                    "unfit-vector",
                    format!(
                        "the vector '{iv}' is as long as a block, but {} needs another length",
                        spec.mode()
                    ),
                    "use plain64",
                    DM_CRYPT,
                )
            }
            _ => {}
        }
    }

    /// Of options, dm-crypt looks at those of ESSIV alone; a typing error would pass for one of others.
    pub(super) fn options(&mut self, spec: &CipherSpec) {
        let (before, vector) = spec.as_str().rsplit_once('-').unwrap_or_default();
        if let (Some((name, option)), false) = (vector.split_once(':'), matches!(spec.iv(), Iv::Essiv(_))) {
            let reason = format!("dm-crypt ignores '{option}', an option of the vector '{name}'");
            self.note("ignored-option", reason, &format!("write {before}-{name}"), DM_CRYPT);
        }
    }

    pub(super) fn no_vector(&mut self, iv: &Iv) {
        self.unmapped(
            "unfit-vector",
            format!("dm-crypt has no vector '{iv}' (names of vectors are case-sensitive)"),
            "use plain64",
            DM_CRYPT,
        );
    }

    fn essiv(&mut self, spec: &CipherSpec, hash: &str) {
        let reason = match (hash, digest_bits(hash), family(spec.cipher())) {
            ("", ..) => "ESSIV needs a hash function after a colon".to_owned(),
            (_, None, _) => format!("unknown hash function '{hash}'"),
            (_, Some(bits), Some(found)) if !found.key_bits.contains(&bits) => format!(
                "ESSIV encrypts vectors with the hash of the key, but {} does not accept the {bits} bits of {hash}",
                spec.cipher()
            ),
            _ if matches!(spec.mode(), "ecb" | "adiantum" | "hctr2") => {
                format!("ESSIV makes vectors of one block, but {} needs another size", spec.mode())
            }
            _ => return,
        };
        self.unmapped("unfit-essiv", reason, "use essiv:sha256", DM_CRYPT);
    }
}

/// What `capi:essiv(cbc(aes),sha256)-IV` encrypts with, as `capi:cbc(aes)-essiv:sha256`.
pub(super) fn encrypted(spec: &CipherSpec) -> Option<CipherSpec> {
    let (mode, hash) = spec.cipher().rsplit_once(',').filter(|_| spec.mode() == "essiv")?;
    let is_mode = mode.ends_with(')') && !hash.contains(['(', ')']);
    is_mode.then(|| format!("capi:{mode}-essiv:{hash}").parse().ok()).flatten()
}

/// Whether dm-crypt has a vector of this name.
pub(super) fn is_known(iv: &Iv) -> bool {
    !matches!(iv, Iv::Other(name) if !matches!(name.as_str(), "benbi" | "eboiv" | "elephant" | "lmk" | "tcw"))
}

/// Whether it is the sector's number or nothing, in whatever form.
pub(super) fn is_predictable(iv: &Iv) -> bool {
    match iv {
        Iv::Null | Iv::Plain | Iv::Plain64 | Iv::Plain64Be => true,
        Iv::Other(name) => name == "benbi",
        Iv::Missing | Iv::Essiv(_) | Iv::Random => false,
    }
}
