//! The standard's examples, and vectors of KISA's reference implementation in three modes built from single blocks.

use data_encoding::HEXLOWER;
use fieldtest_lea::{Block, KeyLength, Lea, Path};

fn bytes(hex: &str) -> Vec<u8> {
    HEXLOWER.decode(hex.as_bytes()).unwrap()
}

fn blocks(hex: &str) -> Vec<Block> {
    bytes(hex).as_chunks().0.to_vec()
}

/// KS X 3246 and ISO/IEC 29192-2:2019: the key, the plaintext and the ciphertext of one block per key size.
#[test]
fn the_standards_examples() {
    let key = "0f1e2d3c4b5a69788796a5b4c3d2e1f0f0e1d2c3b4a5968778695a4b3c2d1e0f";
    for (key_bytes, plaintext, ciphertext) in [
        (16, "101112131415161718191a1b1c1d1e1f", "9fc84e3528c6c6185532c7a704648bfd"),
        (24, "202122232425262728292a2b2c2d2e2f", "6fb95e325aad1b878cdcf5357674c6f2"),
        (32, "303132333435363738393a3b3c3d3e3f", "d651aff647b189c13a8900ca27f9e197"),
    ] {
        let key = Lea::new(&bytes(key)[..key_bytes]).unwrap();
        for path in Path::available() {
            for count in 1..50 {
                let mut text = blocks(plaintext).repeat(count);
                key.encrypt_on(path, &mut text);
                assert_eq!(text, blocks(ciphertext).repeat(count), "{}, {count} blocks", path.name());
                key.decrypt_on(path, &mut text);
                assert_eq!(text, blocks(plaintext).repeat(count), "{}, {count} blocks", path.name());
            }
        }
    }
}

#[test]
fn other_key_lengths_are_refused() {
    for length in (0..70).filter(|length| ![16, 24, 32].contains(length)) {
        assert_eq!(Lea::new(&vec![0; length]).unwrap_err(), KeyLength { found: length });
    }
    let message = KeyLength { found: 17 }.to_string();
    assert!(message.contains("17 bytes"), "{message}");
}

fn xor(texts: &mut [Block], others: &[Block]) {
    for (text, other) in texts.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
        *text ^= other;
    }
}

/// The ten vectors that KISA's lea_vs.c has for each key size and mode, as Crypto++ carries them in TestVectors/lea.txt (the file
/// is in the public domain).
macro_rules! lea_vs {
    ($mode:literal, $vector:ident) => {
        for file in [
            include_str!(concat!("../../../../catalog/vectors/cipher/modes-lea-128-", $mode, ".txt")),
            include_str!(concat!("../../../../catalog/vectors/cipher/modes-lea-192-", $mode, ".txt")),
            include_str!(concat!("../../../../catalog/vectors/cipher/modes-lea-256-", $mode, ".txt")),
        ] {
            let rows: Vec<Vec<&str>> = file
                .lines()
                .filter(|line| !line.starts_with('#'))
                .map(|row| row.split(' ').collect())
                .collect();
            assert_eq!(rows.len(), 10);
            for row in rows {
                let iv = if row[1] == "-" { Vec::new() } else { blocks(row[1]) };
                for path in Path::available() {
                    $vector(path, &Lea::new(&bytes(row[0])).unwrap(), &iv, &bytes(row[2]), &bytes(row[3]));
                }
            }
        }
    };
}

/// Whole blocks, and what is left over filled up with zeros.
fn filled(text: &[u8]) -> Vec<Block> {
    let mut text = text.to_vec();
    text.resize(text.len().next_multiple_of(16), 0);
    text.as_chunks().0.to_vec()
}

#[test]
fn ecb() {
    fn vector(path: Path, key: &Lea, _: &[Block], plaintext: &[u8], ciphertext: &[u8]) {
        let mut text = filled(plaintext);
        key.encrypt_on(path, &mut text);
        assert_eq!(text.as_flattened(), ciphertext, "{}", path.name());
        key.decrypt_on(path, &mut text);
        assert_eq!(text.as_flattened(), plaintext, "{}", path.name());
    }
    lea_vs!("ecb", vector);
}

/// The counter is the whole block, in big-endian order.
#[test]
fn ctr() {
    fn vector(path: Path, key: &Lea, iv: &[Block], plaintext: &[u8], ciphertext: &[u8]) {
        let first = u128::from_be_bytes(iv[0]);
        let blocks = filled(plaintext);
        let mut text: Vec<_> =
            (0..blocks.len()).map(|n| (first.wrapping_add(n as u128)).to_be_bytes()).collect();
        key.encrypt_on(path, &mut text);
        xor(&mut text, &blocks);
        assert_eq!(&text.as_flattened()[..ciphertext.len()], ciphertext, "{}", path.name());
    }
    lea_vs!("ctr", vector);
}

#[test]
fn cbc() {
    fn vector(path: Path, key: &Lea, iv: &[Block], plaintext: &[u8], ciphertext: &[u8]) {
        let chain = [iv, &filled(ciphertext)].concat();
        let mut text = filled(ciphertext);
        key.decrypt_on(path, &mut text);
        xor(&mut text, &chain);
        assert_eq!(text.as_flattened(), plaintext, "{}", path.name());
        xor(&mut text, &chain);
        key.encrypt_on(path, &mut text);
        assert_eq!(text.as_flattened(), ciphertext, "{}", path.name());
    }
    lea_vs!("cbc", vector);
}
