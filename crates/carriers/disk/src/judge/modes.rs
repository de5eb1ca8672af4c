//! What is said about the mode and the vector.

use super::known::{Kind, family};
use super::tags::is_aead;
use super::vectors::{is_known, is_predictable};
use super::{DM_CRYPT, Findings, SP_800_38E, Use};
use crate::spec::{CipherSpec, Iv};

const SP_800_38A: &str = "NIST SP 800-38A";
const WATERMARKS: &str = "M.-J. O. Saarinen: Encrypted Watermarks and Linux Laptop Security, WISA 2004";

impl Findings {
    pub(super) fn mode_and_vector(&mut self, spec: &CipherSpec, intended: &Use) {
        let (cipher, mode) = (spec.cipher(), spec.mode());
        let kind = family(cipher).map(|family| family.kind);
        if matches!(cipher, "cipher_null" | "null") {
            return self.refuse(
                "no-encryption",
                "the null cipher does not encrypt: the data is readable on the disk".into(),
                "use aes-xts-plain64; to measure a layer's own cost, measure without it",
                DM_CRYPT,
            );
        }
        if is_aead(spec) {
            return self.unmapped(
                "aead-without-tags",
                format!("'{spec}' is authenticated encryption, which needs space for each sector's tag"),
                "add --integrity aead, or use aes-xts-plain64",
                DM_CRYPT,
            );
        }
        let is_pair = kind == Some(Kind::Adiantum);
        if is_pair != (mode == "adiantum") && (is_pair || is_no_pair(cipher)) {
            return self.unmapped(
                "unfit-cipher",
                format!("Adiantum needs xchacha12 or xchacha20 and a block cipher with 256-bit keys, which '{spec}' does not name"),
                "use xchacha12,aes-adiantum-plain64, or aes-xts-plain64",
                "Linux, crypto/adiantum.c",
            );
        }
        // What is drawn for each write is no keystream twice.
        let is_fresh = intended.integrity.is_some() && *spec.iv() == Iv::Random;
        let is_stream =
            kind == Some(Kind::Stream) || matches!(mode, "ctr" | "xctr" | "ofb" | "cfb" | "stream");
        if is_stream && is_fresh {
            return;
        }
        // Found in the wild: archinstall's issue 4521 (May 2026) asks for `chacha20-plain64`.
        if is_stream {
            return self.refuse(
                "stream-cipher",
                format!(
                    "'{spec}' is a stream cipher: a rewritten sector is encrypted with the same keystream, so the XOR of \
                     both ciphertexts is the XOR of both plaintexts"
                ),
                "use xchacha12,aes-adiantum-plain64 where AES is slow, else aes-xts-plain64",
                "RFC 8439, section 4; NIST SP 800-38A, section 6.5 and appendix B",
            );
        }
        match mode {
            "ecb" => self.refuse(
                "ecb",
                "in ECB equal 16-byte blocks have equal ciphertexts anywhere on the disk".into(),
                "use the same cipher as xts-plain64",
                "NIST SP 800-38A, section 6.1",
            ),
            "xts" | "lrw" | "adiantum" | "hctr2" => self.tweakable(spec),
            "cbc" | "pcbc" => self.chained(spec, intended),
            "cts" if cipher.contains('(') => self.refuse(
                "cts",
                "dm-crypt has only whole blocks, so ciphertext stealing has no advantage over CBC".into(),
                "use the same cipher as xts-plain64",
                SP_800_38A,
            ),
            "cts" => self.unmapped(
                "cts",
                format!("ciphertext stealing needs CBC, but '{spec}' applies it directly to the cipher"),
                "use the same cipher as xts-plain64",
                SP_800_38A,
            ),
            "essiv" => self.unmapped(
                "unfit-essiv",
                format!("'essiv' needs a mode and a hash function, but '{cipher}' is not both"),
                "use capi:essiv(cbc(aes),sha256)-plain64",
                "Linux, crypto/essiv.c",
            ),
            // Implementations have a hyphen in their names.
            "" if kind.is_some() || !cipher.contains('-') => self.unmapped(
                "unknown-mode",
                format!("'{cipher}' does not name a cipher with its mode"),
                "name the mode and the cipher, as in aes-xts-plain64",
                DM_CRYPT,
            ),
            "" => {
                self.note(
                    "driver-name",
                    format!("'{cipher}' is the name of one implementation, and kernels without it reject it"),
                    "name the mode and the cipher, as in aes-xts-plain64",
                    DM_CRYPT,
                );
                if cipher.split('-').any(|part| part == "cbc") {
                    self.chained(spec, intended);
                }
            }
            other => self.unmapped(
                "unknown-mode",
                format!("unknown mode '{other}' (names of modes are case-sensitive)"),
                "use xts, as in aes-xts-plain64; the length of the key is an option",
                DM_CRYPT,
            ),
        }
        self.range_of_numbers(spec, intended);
    }

    fn tweakable(&mut self, spec: &CipherSpec) {
        match spec.iv() {
            Iv::Plain | Iv::Plain64 | Iv::Plain64Be => {}
            Iv::Null => self.refuse(
                "same-vector",
                "with the vector 'null' equal blocks at the same position of any two sectors have equal \
                 ciphertexts"
                    .into(),
                "use plain64",
                SP_800_38E,
            ),
            Iv::Essiv(_) => self.note(
                "needless-essiv",
                "a tweak need not be secret or unpredictable, so ESSIV costs time without protecting anything"
                    .into(),
                "use plain64",
                SP_800_38E,
            ),
            // Whether dm-crypt takes them is asked elsewhere.
            Iv::Random | Iv::Missing => {}
            Iv::Other(iv) if iv == "benbi" && spec.mode() == "lrw" => {}
            iv @ Iv::Other(_) => self.foreign(iv),
        }
        if spec.mode() == "lrw" {
            self.note(
                "lrw",
                "LRW leaks if its tweak key is ever stored on the disk, and XTS has replaced it".into(),
                "use the same cipher as xts-plain64",
                "IEEE P1619, which replaced LRW by XTS in 2006",
            );
        }
        if spec.mode() == "hctr2" {
            self.note(
                "few-kernels",
                "HCTR2 has been in Linux since 6.0, but many distributions build it for file names only"
                    .into(),
                "check that the kernel that will open it has CONFIG_CRYPTO_HCTR2",
                "Linux, Documentation/filesystems/fscrypt.rst",
            );
        }
    }

    pub(super) fn same_vector(&mut self, spec: &CipherSpec) {
        self.refuse(
            "same-vector",
            format!("with the vector '{}' ESSIV computes the same vector for all sectors", spec.iv()),
            "use plain64",
            DM_CRYPT,
        );
    }

    fn chained(&mut self, spec: &CipherSpec, intended: &Use) {
        match spec.iv() {
            // A tag notices that.
            Iv::Essiv(_) if intended.integrity.is_some() => {}
            Iv::Essiv(_) => self.note(
                "malleable",
                "in CBC an attacker who can write to the disk can flip chosen bits of a block by garbling the block \
                 before it; and a change is visible from its block to the end of the sector"
                    .into(),
                "use xts-plain64, or a wide-block mode (adiantum, hctr2)",
                "NIST SP 800-38A, appendix D",
            ),
            Iv::Random | Iv::Missing => {}
            iv if is_predictable(iv) => self.refuse(
                "watermarks",
                format!(
                    "CBC needs unpredictable vectors, but '{iv}' is the sector's number: a crafted file \
                     leaves a pattern in the ciphertext that proves its presence"
                ),
                "use xts-plain64, or cbc-essiv:sha256 if it must be CBC",
                WATERMARKS,
            ),
            iv => self.foreign(iv),
        }
    }

    fn foreign(&mut self, iv: &Iv) {
        if !is_known(iv) {
            return;
        }
        self.note(
            "foreign-format",
            format!("the vector '{iv}' exists to read other programs' disks"),
            "for a new container use xts-plain64",
            DM_CRYPT,
        );
    }

    pub(super) fn range_of_numbers(&mut self, spec: &CipherSpec, intended: &Use) {
        if *spec.iv() != Iv::Plain || spec.mode() == "cbc" {
            return;
        }
        let limit = (1_u64 << 32) * 512;
        match intended.device_size {
            Some(size) if size > limit => self.refuse(
                "numbers-wrap",
                "'plain' has 32 bits, so beyond 2 TiB the tweaks repeat under the same key".into(),
                "use plain64, which is the same below 2 TiB",
                DM_CRYPT,
            ),
            _ => self.note(
                "short-numbers",
                "'plain' has 32 bits and reaches its limit at 2 TiB".into(),
                "use plain64, which is the same below 2 TiB and costs nothing",
                DM_CRYPT,
            ),
        }
    }
}

/// Whether Linux cannot have Adiantum over this, whatever implementations are named.
fn is_no_pair(ciphers: &str) -> bool {
    match ciphers.split(',').collect::<Vec<_>>()[..] {
        [stream, _] => !matches!(stream, "xchacha12" | "xchacha20") && !stream.contains('-'),
        _ => true,
    }
}
