//! Ten thousand messages of each cipher, mode and key length, as Crypto++ 8.7 (Debian 12) encrypts them. `lab/cryptopp.sh` makes the
//! messages as [`Messages`] does, and the SHA-256 of all ciphertexts and tags by its `ECB_Mode`, `CBC_Mode`, `CTR_Mode`, `XTS_Mode`, `GCM`,
//! `CCM` and `CMAC`, and compares them with `tests/cryptopp.txt`, as this does. Of LEA in XTS there are no official vectors; in GCM, CCM and CMAC KISA's are short.

use crate::common::{digits, rows};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{AeadMode, BlockCipher16, Cbc, Ccm, Cmac, Ctr, Ecb, Gcm, SectorMode, Xts};
use sha2::{Digest, Sha256};

/// Keys, nonces and messages by SplitMix64 (Steele, Lea and Flood 2014), seeded with the bytes of a key.
struct Messages(u64);

impl Messages {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Eight bytes of each number, the last cut off.
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }

    fn below(&mut self, bound: u64) -> usize {
        (self.next() % bound) as usize
    }

    /// The length of message `number`: short ones, and a long one in a hundred.
    fn length(&mut self, number: usize) -> usize {
        if number % 100 == 99 { 4096 + self.below(4096) } else { self.below(300) }
    }

    /// The same in whole blocks.
    fn blocks(&mut self, number: usize) -> usize {
        16 * if number % 100 == 99 { 256 + self.below(256) } else { 1 + self.below(40) }
    }
}

const COUNT: usize = 10_000;

/// Messages of whole blocks, under a mode of so many keys.
fn mode<M: SectorMode>(key: usize, keys: usize, prepare: impl Fn(&[u8]) -> M) -> String {
    let (mut messages, mut all) = (Messages(key as u64), Sha256::new());
    for number in 0..COUNT {
        let mode = prepare(&messages.bytes(keys * key));
        let iv = messages.bytes(16).try_into().expect("16 bytes");
        let length = messages.blocks(number);
        let mut message = messages.bytes(length);
        mode.encrypt_sectors(u128::from_le_bytes(iv), 0, length, &mut message).expect("encrypted");
        all.update(&message);
    }
    digits(&all.finalize())
}

fn aead<M: AeadMode>(key: usize, prepare: impl Fn(&[u8]) -> M) -> String {
    let (mut messages, mut all) = (Messages(key as u64), Sha256::new());
    for number in 0..COUNT {
        let mode = prepare(&messages.bytes(key));
        let nonce = messages.bytes(12);
        let length = messages.below(48);
        let associated = messages.bytes(length);
        let length = messages.length(number);
        let mut message = messages.bytes(length);
        let mut tag = [0; 16];
        mode.seal(&nonce, &associated, &mut message, &mut tag).expect("sealed");
        all.update(&message);
        all.update(tag);
    }
    digits(&all.finalize())
}

fn cmac<C: BlockCipher16>(key: usize) -> String {
    let (mut messages, mut all) = (Messages(key as u64), Sha256::new());
    for number in 0..COUNT {
        let cmac = Cmac::<C>::new(&messages.bytes(key)).expect("a key");
        let length = messages.length(number);
        let mut tag = [0; 16];
        cmac.tag(&messages.bytes(length), &mut tag).expect("a tag");
        all.update(tag);
    }
    digits(&all.finalize())
}

/// Whether the rows of this cipher are those of `tests/cryptopp.txt`: cipher, mode, bytes of the key, digest.
fn agrees<C: BlockCipher16>(cipher: &str) {
    let rows = rows(include_str!("../cryptopp.txt")).filter(|row| row[0] == cipher);
    let mut checked = 0;
    for row in rows {
        let key = row[2].parse().expect("bytes of a key");
        let found = match row[1] {
            "ECB" => mode(key, 1, |key| Ecb::<C>::new(key).expect("a key")),
            "CBC" => mode(key, 1, |key| Cbc::<C>::new(key).expect("a key")),
            "CTR" => mode(key, 1, |key| Ctr::<C>::new(key).expect("a key")),
            "XTS" => mode(key, 2, |key| Xts::<C>::new(key).expect("a key")),
            "GCM" => aead(key, |key| Gcm::<C>::new(key).expect("a key")),
            "CCM" => aead(key, |key| Ccm::<C>::new(key).expect("a key")),
            _ => cmac::<C>(key),
        };
        assert_eq!(found, row[3], "{row:?}");
        checked += 1;
    }
    assert_eq!(checked, 3 * 7);
}

#[test]
fn lea() {
    agrees::<Lea>("LEA");
}

#[test]
fn aria() {
    agrees::<Aria>("ARIA");
}

#[test]
fn aes() {
    agrees::<Aes>("AES");
}
