//! The known-answer tests (KAT) of the ECB mode from the Korean Cryptographic Module Validation Program's criteria, V3.0:
//! the files LEA128(ECB)KAT.txt, LEA196(ECB)KAT.txt (sic) and LEA256(ECB)KAT.txt, as
//! <https://github.com/RyuaNerin/go-krypto> carries them in lea/test_{128,196,256}_test.go (MIT licence).
//!
//! A file has three parts: the key zero and each block that begins with ones and ends in zeros (128 vectors); each key
//! that begins with ones and ends in zeros, and the block zero (as many vectors as the key has bits); and the key zero
//! with twenty blocks without a pattern. The first two parts are made anew here, the blocks of the third are typed in,
//! where the catalog has them. All ciphertexts of a file, in its order, are compared by their SHA-256 and by a few values.

use data_encoding::HEXLOWER;
use fieldtest_lea::{Block, Lea, Path};
use sha2::{Digest, Sha256};

/// Ones, and then zeros, in `BYTES` bytes.
fn leading_ones<const BYTES: usize>(ones: usize) -> [u8; BYTES] {
    std::array::from_fn(|byte| {
        let here = ones.saturating_sub(8 * byte).min(8);
        !(0xff_u32 >> here) as u8
    })
}

fn block(hex: &str) -> Block {
    HEXLOWER.decode(hex.as_bytes()).unwrap().try_into().unwrap()
}

/// Encrypts one block by the path, at every place of groups of every size: a group of one block takes another way than
/// the blocks of a longer one.
fn encrypt_everywhere(path: Path, key: &Lea, plaintext: Block) -> Block {
    let mut alone = [plaintext];
    key.encrypt_on(path, &mut alone);
    for count in [3, 8, 16, 32, 45] {
        let mut blocks = vec![plaintext; count];
        key.encrypt_on(path, &mut blocks);
        assert_eq!(blocks, vec![alone[0]; count], "{}, {count} blocks", path.name());
        key.decrypt_on(path, &mut blocks);
        assert_eq!(blocks, vec![plaintext; count], "{}, {count} blocks", path.name());
    }
    key.decrypt_on(path, &mut alone);
    assert_eq!(alone[0], plaintext, "{}", path.name());
    key.encrypt_on(path, &mut alone);
    alone[0]
}

/// The rows of what is typed in of a file that begin with this word, without it.
fn rows(file: &'static str, word: &str) -> impl Iterator<Item = &'static str> {
    file.lines().filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
}

fn check<const BYTES: usize>(file: &'static str) {
    for path in Path::available() {
        let zero = Lea::new(&[0; BYTES]).unwrap();
        let text = (1..=128).map(|ones| encrypt_everywhere(path, &zero, leading_ones(ones)));
        let keys = (1..=8 * BYTES).map(|ones| {
            let key = Lea::new(&leading_ones::<BYTES>(ones)).unwrap();
            encrypt_everywhere(path, &key, [0; 16])
        });
        let others = rows(file, "block").map(|hex| encrypt_everywhere(path, &zero, block(hex)));
        let answers: Vec<Block> = text.chain(keys).chain(others).collect();
        assert_eq!(answers.len(), 128 + 8 * BYTES + 20);

        let values: Vec<_> = rows(file, "answer").filter_map(|row| row.split_once(' ')).collect();
        assert_eq!(values.len(), 5);
        for (place, ciphertext) in values {
            let answer = answers[place.parse::<usize>().unwrap()];
            assert_eq!(HEXLOWER.encode(&answer), ciphertext, "{}, {place}", path.name());
        }
        let digest = Sha256::digest(answers.as_flattened());
        assert_eq!(Some(&HEXLOWER.encode(&digest)[..]), rows(file, "digest").next(), "{}", path.name());
    }
}

#[test]
fn every_key_length() {
    check::<16>(include_str!("../../../../catalog/vectors/cipher/kat-lea-128.txt"));
    check::<24>(include_str!("../../../../catalog/vectors/cipher/kat-lea-192.txt"));
    check::<32>(include_str!("../../../../catalog/vectors/cipher/kat-lea-256.txt"));
}
