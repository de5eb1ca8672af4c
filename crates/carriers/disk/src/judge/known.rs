//! What is known of the ciphers that specifications name: blocks, key sizes, and whether Linux has them.

use crate::spec::{CipherSpec, Iv};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A block cipher with blocks of 128 bits.
    Block128,
    /// One with blocks of 64 bits.
    Block64,
    /// A stream cipher.
    Stream,
    /// The ciphers under Adiantum, of which the key is the stream cipher's.
    Adiantum,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    pub(crate) kind: Kind,
    pub(crate) key_bits: &'static [u32],
    pub(crate) in_linux: bool,
    /// Why it should not be chosen any more, and who says so.
    pub(crate) weakness: Option<(&'static str, &'static str)>,
}

const OBSOLETE: (&str, &str) =
    ("Linux counts it among its obsolete ciphers", "Linux, crypto/Kconfig, CRYPTO_USER_API_ENABLE_OBSOLETE");

const TRIPLE_DES: (&str, &str) =
    ("Triple DES is slow, and disallowed for encryption since 2024", "NIST SP 800-131A Rev. 2, section 2");

/// Looks a cipher's name up, as it stands before the mode.
pub(crate) fn family(cipher: &str) -> Option<Family> {
    let of = |kind, key_bits| Family { kind, key_bits, in_linux: true, weakness: None };
    let dated = |why, family| Family { weakness: Some(why), ..family };
    Some(match cipher {
        "aes" | "aria" | "camellia" | "twofish" => of(Kind::Block128, &[128, 192, 256]),
        "serpent" | "cast6" => of(Kind::Block128, &[128, 160, 192, 224, 256]),
        "sm4" => of(Kind::Block128, &[128]),
        "lea" => Family { in_linux: false, ..of(Kind::Block128, &[128, 192, 256]) },
        "seed" => dated(OBSOLETE, of(Kind::Block128, &[128])),
        "anubis" => dated(OBSOLETE, of(Kind::Block128, &[128, 160, 192, 224, 256, 288, 320])),
        "des3_ede" => dated(TRIPLE_DES, of(Kind::Block64, &[192])),
        "blowfish" => of(Kind::Block64, &[128, 192, 256, 320, 384, 448]),
        "cast5" => of(Kind::Block64, &[128]),
        "khazad" | "tea" | "xtea" => dated(OBSOLETE, of(Kind::Block64, &[128])),
        "chacha20" | "xchacha20" | "xchacha12" | "salsa20" | "arc4" => of(Kind::Stream, &[128, 256]),
        _ => {
            let (stream, block) = cipher.split_once(',')?;
            let block = family(block).filter(|it| it.kind == Kind::Block128 && it.key_bits.contains(&256))?;
            let is_one = matches!(stream, "xchacha12" | "xchacha20");
            return is_one.then_some(Family { kind: Kind::Adiantum, key_bits: &[256], ..block });
        }
    })
}

/// Bits of the volume keys that a specification can have, without those of a MAC; nothing if its cipher is not known.
///
/// XTS has two keys, LRW one block more, loop-AES a key for each of several and perhaps one more for its vectors (`lmk`),
/// TrueCrypt the vectors' key and 128 bits of whitening (`tcw`), BitLocker a key for its diffuser (`elephant`)
/// (Linux, `drivers/md/dm-crypt.c`, `crypt_ctr_ivmode`).
pub(crate) fn key_bits(spec: &CipherSpec) -> Option<Vec<u32>> {
    let found = family(spec.cipher())?;
    let block = if found.kind == Kind::Block64 { 64 } else { 128 };
    let vector = if let Iv::Other(name) = spec.iv() { name.as_str() } else { "" };
    let keys = spec.keys();
    let all = found.key_bits.iter().flat_map(|bits| {
        let each = match spec.mode() {
            "xts" => 2 * bits,
            "lrw" => bits + block,
            _ => *bits,
        };
        let together = each.saturating_mul(keys);
        match vector {
            "tcw" => vec![together.saturating_add(block + 128)],
            "elephant" => vec![together.saturating_mul(2)],
            "lmk" if keys > 1 => vec![together, together.saturating_add(each)],
            _ => vec![together],
        }
    });
    Some(all.collect())
}

/// Bits of what a hash function gives, under the name that Linux has for it; nothing if it is not known.
pub(super) fn digest_bits(hash: &str) -> Option<u32> {
    Some(match hash {
        "md5" => 128,
        "sha1" | "rmd160" => 160,
        "sha224" | "sha3-224" => 224,
        "sha256" | "sha3-256" | "sm3" | "blake2b-256" | "streebog256" | "wp256" => 256,
        "sha384" | "sha3-384" | "blake2b-384" | "wp384" => 384,
        "sha512" | "sha3-512" | "blake2b-512" | "streebog512" | "wp512" => 512,
        _ => return None,
    })
}
