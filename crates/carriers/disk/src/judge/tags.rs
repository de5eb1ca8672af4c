//! What is said about a specification whose sectors have tags: as cryptsetup hands it to dm-crypt
//! (`lib/libdevmapper.c`, `cipher_c2dm`), and what that takes (Linux, `drivers/md/dm-crypt.c`, `crypt_ctr_auth_cipher`).

use super::known::{Kind, digest_bits, family};
use super::{DM_CRYPT, Findings, Use};
use crate::integrity::Integrity;
use crate::spec::{CipherSpec, Iv};

const REMEDY: &str =
    "use aes-gcm-random with --integrity aead, or aes-xts-random with --integrity hmac-sha256";

/// What dm-crypt is given. It has no other spelling for tags, and takes a MAC for a part of the cipher.
pub(super) fn handed_on(text: &str, integrity: Integrity) -> String {
    let (body, iv) = match text.strip_prefix("capi:") {
        // Options of the vector may have a hyphen.
        Some(text) => {
            let iv = || text.split(':').next().unwrap_or_default().rfind('-');
            let at = text.rfind(')').map(|end| end + 1).or_else(iv);
            let (body, iv) = text.split_at_checked(at.unwrap_or(text.len())).unwrap_or((text, ""));
            (body.to_owned(), iv.to_owned())
        }
        None => match text.splitn(3, '-').collect::<Vec<_>>()[..] {
            [cipher, "ccm", iv] if integrity == Integrity::Aead => {
                (format!("rfc4309(ccm({cipher}))"), format!("-{iv}"))
            }
            [cipher, mode, iv] => (format!("{mode}({cipher})"), format!("-{iv}")),
            [cipher, iv] => (cipher.to_owned(), format!("-{iv}")),
            _ => (text.to_owned(), String::new()),
        },
    };
    match integrity {
        Integrity::Aead => format!("capi:{body}{iv}"),
        Integrity::Hmac(_) => format!("capi:authenc({},{body}){iv}", integrity.name()),
    }
}

impl Findings {
    /// `given` is what was typed, and `spec` what dm-crypt gets. Tags do not make everything safe: when
    /// they switched findings off, GCM with a nonce that repeats passed.
    pub(super) fn tagged(&mut self, given: &str, spec: &CipherSpec, intended: &Use) {
        let inner = |cipher: &str| {
            let iv = spec.as_str().get("capi:".len() + spec.mode().len() + spec.cipher().len() + 2..);
            format!("capi:{cipher}{}", iv.unwrap_or_default()).parse::<CipherSpec>()
        };
        match (spec.mode(), spec.cipher().split_once(',')) {
            ("authenc", Some((mac, cipher))) => {
                let Some(bits) = mac_bits(mac) else {
                    return self.no_cipher(spec, &format!("the MAC '{mac}' is unknown"));
                };
                match inner(cipher) {
                    Ok(inner) if !is_aead(&inner) => {
                        self.encrypting(&inner, intended, if given.contains(mac) { bits } else { 0 });
                    }
                    _ => self.no_cipher(
                        spec,
                        &format!("a MAC needs a cipher that makes no tags itself, which '{cipher}' is not"),
                    ),
                }
            }
            ("essiv", _) if spec.cipher().starts_with("authenc(") => self.unmapped(
                "unfit-essiv",
                format!("dm-crypt cannot set the keys of '{spec}': it expects 'authenc' at the beginning"),
                "use capi:authenc(hmac(sha256),cbc(aes))-essiv:sha256",
                DM_CRYPT,
            ),
            ("gcm" | "ccm", None) => self.with_nonces(spec, intended, 0),
            ("rfc4309", None) | ("rfc4106", None) => {
                let (within, salt) = if spec.mode() == "rfc4309" { ("ccm(", 24) } else { ("gcm(", 32) };
                match inner(spec.cipher()) {
                    Ok(inner) if spec.cipher().starts_with(within) => {
                        self.note(
                            "short-nonce",
                            format!(
                                "{} draws 64 random bits for each write: after 2³² writes two are equal with a probability of 40%, \
                                 and these two sectors reveal the XOR of their plaintexts",
                                spec.mode()
                            ),
                            REMEDY,
                            "NIST SP 800-38D, section 8.3, which allows one in 2³²",
                        );
                        self.with_nonces(&inner, intended, salt);
                    }
                    _ => self.no_cipher(spec, "it accepts only one mode"),
                }
            }
            ("rfc7539", Some(("chacha20", "poly1305"))) => self.of_one_size(spec, intended, 256),
            ("", None) if spec.cipher() == "aegis128" => self.of_one_size(spec, intended, 128),
            _ => self.no_cipher(spec, "no cipher of this name makes tags"),
        }
    }

    fn no_cipher(&mut self, spec: &CipherSpec, why: &str) {
        self.unmapped("no-tags", format!("dm-crypt receives '{spec}', and in Linux {why}"), REMEDY, DM_CRYPT);
    }

    fn of_one_size(&mut self, spec: &CipherSpec, intended: &Use, bits: u32) {
        self.nonce(spec);
        if intended.key_bits.is_some_and(|given| given != bits) {
            self.unmapped(
                "key-size",
                format!("'{spec}' has {bits}-bit keys"),
                &format!("use one of {bits} bits"),
                DM_CRYPT,
            );
        }
    }

    fn with_nonces(&mut self, spec: &CipherSpec, intended: &Use, salt: u32) {
        if spec.mode() == "ccm" && salt == 0 {
            return self.refuse(
                "unfit-vector",
                format!("a vector of '{spec}' begins with a length, which dm-crypt does not write: it maps the disk, but cannot write to it"),
                "use capi:rfc4309(ccm(aes))-random, which is aes-ccm-random with --integrity aead",
                "Linux, crypto/ccm.c, crypto_ccm_check_iv",
            );
        }
        if family(spec.cipher()).is_some_and(|found| found.kind != Kind::Block128) {
            return self.no_cipher(spec, "it needs a block cipher with 128-bit blocks");
        }
        self.nonce(spec);
        self.cipher_and_key(spec, intended, salt);
    }

    fn nonce(&mut self, spec: &CipherSpec) {
        match spec.iv() {
            Iv::Random => {}
            Iv::Essiv(_) => self.unmapped(
                "unfit-essiv",
                format!("ESSIV makes vectors of one block, but the nonces of '{spec}' have another size"),
                "use -random",
                DM_CRYPT,
            ),
            iv @ Iv::Other(name) if name != "benbi" => self.no_vector(iv),
            iv => self.refuse(
                "same-nonce",
                format!(
                    "with the vector '{iv}' a rewritten sector has the same nonce: both ciphertexts reveal the XOR of both \
                     plaintexts, and with GCM the key that forges tags"
                ),
                "use -random",
                "NIST SP 800-38D, section 8; RFC 8439, section 4",
            ),
        }
    }
}

/// Bits of a MAC's key: dm-crypt takes as many as its tag has.
fn mac_bits(mac: &str) -> Option<u32> {
    let of = |name: &str| mac.strip_prefix(name)?.strip_suffix(')');
    match (of("hmac("), of("cmac(")) {
        (Some(hash), _) => digest_bits(hash),
        (_, Some(cipher)) => family(cipher).filter(|found| found.kind == Kind::Block128).map(|_| 128),
        _ => None,
    }
}

/// Whether it names authenticated encryption, or what people take for a name of it.
pub(super) fn is_aead(spec: &CipherSpec) -> bool {
    let modes =
        ["gcm", "ccm", "rfc4106", "rfc4309", "rfc7539", "authenc", "poly1305", "aegis128", "aegis256"];
    let ciphers = ["aegis128", "aegis256", "morus640", "morus1280", "authenc(", "gcm(", "ccm("];
    modes.contains(&spec.mode()) || ciphers.iter().any(|name| spec.cipher().starts_with(name))
}
