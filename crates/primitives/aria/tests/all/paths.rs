//! Every path against RustCrypto's `aria`, on random keys and blocks, for every number of blocks around the borders
//! of the groups.

use aria::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use fieldtest_aria::{Aria, Block, KeyLength, Path};
use proptest::collection::vec;
use proptest::prelude::*;

/// What RustCrypto makes of the blocks.
fn expected<C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt>(
    key: &[u8],
    blocks: &[Block],
    encrypt: bool,
) -> Vec<Block> {
    let cipher = C::new_from_slice(key).unwrap();
    let each = |block: &Block| {
        let mut block = Array::try_from(&block[..]).unwrap();
        if encrypt {
            cipher.encrypt_block(&mut block)
        } else {
            cipher.decrypt_block(&mut block)
        }
        block.to_vec().try_into().unwrap()
    };
    blocks.iter().map(each).collect()
}

fn reference(key: &[u8], blocks: &[Block], encrypt: bool) -> Vec<Block> {
    match key.len() {
        16 => expected::<aria::Aria128>(key, blocks, encrypt),
        24 => expected::<aria::Aria192>(key, blocks, encrypt),
        _ => expected::<aria::Aria256>(key, blocks, encrypt),
    }
}

fn xor(blocks: &[Block], masks: &[Block]) -> Vec<Block> {
    let pairs = blocks.iter().zip(masks);
    pairs.map(|(block, mask)| std::array::from_fn(|i| block[i] ^ mask[i])).collect()
}

/// The masks of a run (IEEE 1619-2018, section 5.2).
fn successors(first: Block) -> impl Iterator<Item = Block> {
    std::iter::successors(Some(u128::from_le_bytes(first)), |mask| {
        Some((mask << 1) ^ if mask >> 127 == 1 { 0x87 } else { 0 })
    })
    .map(u128::to_le_bytes)
}

/// All operations by every path.
fn check(key: &[u8], blocks: &[Block], masks: &[Block]) {
    let masked = xor(blocks, masks);
    let (encrypted, decrypted) = (reference(key, blocks, true), reference(key, blocks, false));
    let mask_encrypted = xor(&reference(key, &masked, true), masks);
    let mask_decrypted = xor(&reference(key, &masked, false), masks);
    for path in Path::available() {
        let aria = Aria::new_on(path, key).unwrap();
        let result = |crypt: &dyn Fn(&mut [Block])| {
            let mut result = blocks.to_vec();
            crypt(&mut result);
            result
        };
        assert_eq!(result(&|blocks| aria.encrypt(blocks)), encrypted, "{}", path.name());
        assert_eq!(result(&|blocks| aria.decrypt(blocks)), decrypted, "{}", path.name());
        assert_eq!(result(&|blocks| aria.encrypt_masked(blocks, masks)), mask_encrypted, "{}", path.name());
        assert_eq!(result(&|blocks| aria.decrypt_masked(blocks, masks)), mask_decrypted, "{}", path.name());
        for run in [1, 7, 32, 96, 1000] {
            let first = &masks[..blocks.len().div_ceil(run)];
            let masks: Vec<_> =
                first.iter().flat_map(|mask| successors(*mask).take(run)).take(blocks.len()).collect();
            let expected = result(&|blocks| aria.encrypt_masked(blocks, &masks));
            assert_eq!(result(&|blocks| aria.encrypt_xex(blocks, run, first)), expected, "{}", path.name());
            let expected = result(&|blocks| aria.decrypt_masked(blocks, &masks));
            assert_eq!(result(&|blocks| aria.decrypt_xex(blocks, run, first)), expected, "{}", path.name());
        }
    }
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 16), vec(any::<u8>(), 24), vec(any::<u8>(), 32)]
}

proptest! {
    #[test]
    fn agrees_with_rustcrypto(key in key(), pairs in vec(any::<(Block, Block)>(), 0..140)) {
        let (blocks, masks): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        check(&key, &blocks, &masks);
    }
}

#[test]
fn every_number_of_blocks() {
    let block = |seed: u8| move |n: u8| std::array::from_fn(|i| seed.wrapping_mul(n) ^ (31 * i) as u8);
    for count in 0..140 {
        let blocks: Vec<Block> = (0..count).map(block(3)).collect();
        let masks: Vec<Block> = (0..count).map(block(7)).collect();
        for key_bytes in [16, 24, 32] {
            check(&vec![count; key_bytes], &blocks, &masks);
        }
    }
}

#[test]
fn other_key_lengths_are_refused() {
    for bytes in (0..100).filter(|bytes| ![16, 24, 32].contains(bytes)) {
        let refused = Aria::new(&vec![0; bytes]);
        assert_eq!(refused.err(), Some(KeyLength { found: bytes }));
    }
}

#[test]
#[should_panic(expected = "every block needs a mask")]
fn masks_must_be_as_many_as_blocks() {
    Aria::new(&[0; 16]).unwrap().encrypt_masked(&mut [[0; 16]; 3], &[[0; 16]; 2]);
}

/// A key can be cloned and used from several threads, and its debug output shows nothing of it.
#[test]
fn key_properties() {
    fn shared<T: Clone + Send + Sync>(_: &T) {}
    let aria = Aria::new_on(Path::PORTABLE, &[0xab; 32]).unwrap();
    shared(&aria);
    assert_eq!(format!("{aria:?}"), "Aria { rounds: 16, path: \"portable\", .. }");
}
