//! What is said about the cipher and its key.

use super::known::{Kind, family, key_bits};
use super::tags::is_aead;
use super::{DM_CRYPT, Findings, SP_800_38E, Use, Verdict};
use crate::spec::CipherSpec;

impl Findings {
    /// `beside` are bits of the key that are none of the cipher's.
    pub(super) fn cipher_and_key(&mut self, spec: &CipherSpec, intended: &Use, beside: u32) {
        // Names of drivers and templates around templates are not taken apart.
        let Some(found) = family(spec.cipher()) else {
            if !matches!(spec.cipher(), "cipher_null" | "null")
                && (intended.integrity.is_some() || !is_aead(spec))
                && !spec.mode().is_empty()
            {
                self.note(
                    "unknown-cipher",
                    format!("'{}' is an unknown cipher", spec.cipher()),
                    "check /proc/crypto on the machine that will open it",
                    DM_CRYPT,
                );
            }
            return;
        };
        if found.kind == Kind::Stream {
            return;
        }
        if !spec.keys().is_power_of_two() {
            self.unmapped(
                "several-keys",
                format!("the number of keys is {}: dm-crypt accepts only powers of two", spec.keys()),
                "for a new container use one key",
                DM_CRYPT,
            );
        } else if spec.keys() != 1 {
            self.note(
                "several-keys",
                format!("{} keys alternate, which is the format of loop-AES", spec.keys()),
                "for a new container use one key",
                DM_CRYPT,
            );
        }
        if let Some((why, source)) = found.weakness {
            self.note("dated-cipher", why.into(), "use aes-xts-plain64", source);
        }
        if found.kind == Kind::Block64 {
            self.blocks_of_64_bits(spec, intended);
        }
        if !found.in_linux {
            self.add(
                (Verdict::WorksBut, false),
                "not-in-linux",
                format!(
                    "Linux up to 7.3 does not have {}; a header that names it is valid, and cryptsetup lists and unlocks \
                     it, but mapping it fails, since dm-crypt has no such cipher",
                    spec.cipher()
                ),
                "open it with this program, or with a kernel that has the cipher as a module",
                "linux-crypto mailing list, patch series 'Add LEA block cipher', 2023 and 2024",
            );
        }
        if let Some(bits) = intended.key_bits {
            self.key(spec, bits, beside);
        }
    }

    fn blocks_of_64_bits(&mut self, spec: &CipherSpec, intended: &Use) {
        if matches!(spec.mode(), "xts" | "lrw" | "hctr2" | "adiantum") {
            return self.unmapped(
                "short-blocks",
                format!("{} needs 128-bit blocks, but {} has 64-bit blocks", spec.mode(), spec.cipher()),
                "use aes-xts-plain64",
                SP_800_38E,
            );
        }
        let what =
            "64-bit blocks begin to repeat after about 32 GiB, which reveals information about the plaintext";
        let source =
            "K. Bhargavan, G. Leurent: On the Practical (In-)Security of 64-bit Block Ciphers, CCS 2016";
        match intended.device_size {
            Some(size) if size > 32 << 30 => {
                self.refuse("short-blocks", what.into(), "use aes-xts-plain64", source);
            }
            _ => self.note("short-blocks", what.into(), "use aes-xts-plain64", source),
        }
    }

    fn key(&mut self, spec: &CipherSpec, bits: u32, beside: u32) {
        let (cipher, doubled) = (spec.cipher(), spec.mode() == "xts");
        let sizes: Vec<u32> =
            key_bits(spec).unwrap_or_default().iter().map(|bits| bits.saturating_add(beside)).collect();
        if !sizes.contains(&bits) {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            return self.unmapped(
                "key-size",
                format!("'{spec}' does not have {bits}-bit keys"),
                &format!("use one of {} bits", sizes.join(", ")),
                "the cipher's standard; for XTS two keys (IEEE 1619-2018, section 5.1); for several keys and those of vectors \
                 Linux, drivers/md/dm-crypt.c, crypt_ctr_ivmode",
            );
        }
        let bits = bits - beside;
        if doubled && bits == 384 {
            self.note(
                "unstandardized-key",
                format!("the standards define XTS only with 256-bit and 512-bit keys, and no validated module has {cipher}-192"),
                "use a key of 512 bits",
                "IEEE 1619-2018, section 5.1; NIST SP 800-38E",
            );
        }
        if doubled && bits == 256 && sizes.contains(&(512 + beside)) {
            self.note(
                "halved-key",
                format!("XTS halves its key: with 256 bits this is {cipher}-128, not {cipher}-256"),
                "use a 512-bit key if a 256-bit cipher key is meant",
                SP_800_38E,
            );
        }
    }
}
