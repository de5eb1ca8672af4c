//! How the known answers of ciphers of storage are worked through.

pub(super) mod block;
pub(super) mod wide;
pub(super) mod wycheproof;

use fieldtest_kinds::cipher::{Cipher, Tweaks};

use crate::KatError;
use crate::adapt::hex;
use crate::kat::table::{self, Row};
use crate::kat::{KnownAnswers, Mismatch, equal, nist};

/// A published ciphertext.
pub(super) enum Answer {
    Bytes(Vec<u8>),
    /// The SHA-256 of a long one.
    Digest(Vec<u8>),
}

impl Answer {
    /// As the files under `vectors/cipher/` write it.
    pub(super) fn read(text: &str) -> Self {
        match text.strip_prefix("sha256:") {
            Some(digest) => Answer::Digest(hex(digest)),
            None => Answer::Bytes(hex(text)),
        }
    }

    pub(super) fn check(&self, found: &[u8]) -> Result<(), Mismatch> {
        match self {
            Answer::Bytes(expected) => equal("ciphertext", expected, found),
            Answer::Digest(expected) => equal("ciphertext's SHA-256", expected, &nist::sha256(found)),
        }
    }
}

/// How many equal sectors a batch has: full groups of any width, and one that is left over.
const BATCH: usize = 9;

/// Encrypts one sector alone and several in one batch, all under one tweak, and decrypts them again; the ciphertext is
/// returned.
pub(super) fn encrypted(
    cipher: &dyn Cipher,
    key: &[u8],
    tweak: [u8; 16],
    plaintext: &[u8],
) -> Result<Vec<u8>, Mismatch> {
    let key = cipher.prepare(key)?;
    let tweaks = Tweaks { first: u128::from_le_bytes(tweak), step: 0 };
    let mut ciphertext = plaintext.to_vec();
    key.encrypt(tweaks, plaintext.len(), &mut ciphertext)?;
    let mut batch = plaintext.repeat(BATCH);
    key.encrypt(tweaks, plaintext.len(), &mut batch)?;
    equal("ciphertext of a batch", &ciphertext.repeat(BATCH), &batch)?;
    key.decrypt(tweaks, plaintext.len(), &mut batch)?;
    equal("plaintext of a batch", &plaintext.repeat(BATCH), &batch)?;
    let mut decrypted = ciphertext.clone();
    key.decrypt(tweaks, plaintext.len(), &mut decrypted)?;
    equal("plaintext", plaintext, &decrypted)?;
    Ok(ciphertext)
}

/// The rows of a file of modes: key, tweak, plaintext, ciphertext.
fn rows(set: &mut KnownAnswers, cipher: &dyn Cipher, text: &'static str) -> Result<(), KatError> {
    for (number, row) in table::rows(text).enumerate() {
        set.case(number + 1, || {
            let ciphertext = encrypted(cipher, &row.bytes(0), tweak(&row, 1)?, &row.bytes(2))?;
            Answer::read(row.text(3)).check(&ciphertext)
        })?;
    }
    Ok(())
}

/// What is for keys of this cipher's length, of 16, 24 and 32 bytes.
pub(super) fn for_key<T>(cipher: &dyn Cipher, [short, middle, long]: [T; 3]) -> T {
    match cipher.key_len() {
        16 => short,
        24 => middle,
        _ => long,
    }
}

/// The [`rows`] for keys of this cipher's length, of 16, 24 and 32 bytes.
pub(super) fn by_key(
    cipher: &dyn Cipher,
    origin: &str,
    texts: [&'static str; 3],
) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(origin);
    rows(&mut set, cipher, for_key(cipher, texts))?;
    Ok(set)
}

/// The rows of a file of sectors with made-up contents: bytes of the key, the sector's number, bytes of the sector, the
/// first block of ciphertext, and the digest of all; those with keys of other lengths are for other ciphers.
pub(super) fn made_up(
    set: &mut KnownAnswers,
    cipher: &dyn Cipher,
    text: &'static str,
) -> Result<(), KatError> {
    for (number, row) in table::rows(text).enumerate().filter(|(_, row)| row.count(0) == cipher.key_len()) {
        set.case(number + 1, || {
            let key: Vec<u8> = counting().take(row.count(0)).collect();
            let plaintext: Vec<u8> = counting().take(row.count(2)).collect();
            let mut tweak: [u8; 16] = array(&row.bytes(1))?;
            tweak.reverse();
            let ciphertext = encrypted(cipher, &key, tweak, &plaintext)?;
            equal("first block", &row.bytes(3), ciphertext.get(..16).unwrap_or_default())?;
            Answer::Digest(row.bytes(4)).check(&ciphertext)
        })?;
    }
    Ok(())
}

/// The rows of a file of AES in XTS that have keys of this cipher's length: name, both keys, the data unit's number,
/// plaintext, ciphertext.
pub(super) fn xts_rows(
    origin: &str,
    cipher: &dyn Cipher,
    text: &'static str,
) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(origin);
    let mut before = Vec::new();
    for row in table::rows(text) {
        let key = row.bytes(1);
        if key.len() != cipher.key_len() {
            continue;
        }
        let (data, tweaks) = key.split_at(key.len() / 2);
        if data == tweaks {
            set.skip(1, "its keys are equal, which FIPS 140-3 forbids");
            continue;
        }
        set.case(row.text(0), || {
            let plaintext = match row.text(3) {
                "count" => counting().take(512).collect(),
                "previous" => std::mem::take(&mut before),
                _ => row.bytes(3),
            };
            before = encrypted(cipher, &key, tweak(&row, 2)?, &plaintext)?;
            Answer::read(row.text(4)).check(&before)
        })?;
    }
    Ok(set)
}

/// 00 01 02 …, over and over.
fn counting() -> impl Iterator<Item = u8> {
    (0..=u8::MAX).cycle()
}

/// A column with a tweak, or with the sign that there is none.
fn tweak(row: &Row, column: usize) -> Result<[u8; 16], Mismatch> {
    if row.text(column) == "-" { Ok([0; 16]) } else { array(&row.bytes(column)) }
}

fn array(bytes: &[u8]) -> Result<[u8; 16], Mismatch> {
    bytes.try_into().map_err(|_| Mismatch(format!("{} bytes in the vector, and 16 are needed", bytes.len())))
}
