//! Known answers: RFC 5794 and those of the Korean validation programme KCMVP.

use data_encoding::HEXLOWER;
use fieldtest_aria::{Aria, Block, Path};
use sha2::{Digest, Sha256};

/// RFC 5794, appendix A: the keys begin with the bytes 00, 01, 02, …
#[test]
fn rfc_5794() {
    let plaintext: Block = core::array::from_fn(|i| 0x11 * i as u8);
    for (bytes, ciphertext) in [
        (16, "d718fbd6ab644c739da95f3be6451778"),
        (24, "26449c1805dbe7aa25a468ce263a9e79"),
        (32, "f92bd7c79fb72e2f2b8f80c1972d24fc"),
    ] {
        let key: Vec<u8> = (0..bytes).collect();
        for path in Path::available() {
            let aria = Aria::new_on(path, &key).unwrap();
            let mut block = [plaintext];
            aria.encrypt(&mut block);
            assert_eq!(HEXLOWER.encode(&block[0]), ciphertext, "{}", path.name());
            aria.decrypt(&mut block);
            assert_eq!(block, [plaintext], "{}", path.name());
        }
    }
}

/// The files `ARIA128(ECB)KAT.txt`, `ARIA196(ECB)KAT.txt` and `ARIA256(ECB)KAT.txt` of KCMVP's validation criteria,
/// version 3.0, as RyuaNerin/go-krypto has them: of each file, what the plaintexts are that follow no rule, the SHA-256
/// of all ciphertexts one after another, and some of them. They are typed in where the catalog has them.
///
/// Before those plaintexts, which stand under the key zero, come all blocks that begin with 1 to 128 ones and have zeros
/// after them, under the same key, and then all keys of that shape with the block zero.
#[test]
fn kcmvp() {
    for (key_bytes, file) in [
        (16, include_str!("../../../../catalog/vectors/cipher/kat-aria-128.txt")),
        (24, include_str!("../../../../catalog/vectors/cipher/kat-aria-192.txt")),
        (32, include_str!("../../../../catalog/vectors/cipher/kat-aria-256.txt")),
    ] {
        let rows = |word: &'static str| {
            file.lines().filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
        };
        let irregular: Vec<_> = rows("block").map(|hex| u128::from_str_radix(hex, 16).unwrap()).collect();
        for path in Path::available() {
            let ciphertexts = answers(path, key_bytes, &irregular);
            assert_eq!(ciphertexts.len(), 128 + 8 * key_bytes + irregular.len());
            let values: Vec<_> = rows("answer").filter_map(|row| row.split_once(' ')).collect();
            assert_eq!(values[0].0, "0");
            assert_eq!(values[values.len() - 1].0, (ciphertexts.len() - 1).to_string());
            for (place, ciphertext) in values {
                assert_eq!(HEXLOWER.encode(&ciphertexts[place.parse::<usize>().unwrap()]), ciphertext);
            }
            let hash = HEXLOWER.encode(&Sha256::digest(ciphertexts.as_flattened()));
            assert_eq!(Some(&hash[..]), rows("digest").next(), "{} bytes, {}", key_bytes, path.name());
        }
    }
}

fn answers(path: Path, key_bytes: usize, irregular: &[u128]) -> Vec<Block> {
    let zero = Aria::new_on(path, &vec![0; key_bytes]).unwrap();
    let zero_key = |plaintexts: &mut dyn Iterator<Item = u128>| {
        let mut blocks: Vec<Block> = plaintexts.map(u128::to_be_bytes).collect();
        let plaintexts = blocks.clone();
        zero.encrypt(&mut blocks);
        let mut back = blocks.clone();
        zero.decrypt(&mut back);
        assert_eq!(back, plaintexts);
        blocks
    };
    let mut ciphertexts = zero_key(&mut (0..128).map(|place| u128::MAX << (127 - place)));
    for ones in 1..=8 * key_bytes {
        let mut key = vec![0; key_bytes];
        (0..ones).for_each(|bit| key[bit / 8] |= 0x80 >> (bit % 8));
        let mut block = [[0; 16]];
        Aria::new_on(path, &key).unwrap().encrypt(&mut block);
        ciphertexts.extend(block);
    }
    ciphertexts.extend(zero_key(&mut irregular.iter().copied()));
    ciphertexts
}
