//! Published values, and all paths against each other.

use data_encoding::HEXLOWER;
use fieldtest_ghash::{Block, Ghash, Path};
use proptest::collection::vec;
use proptest::prelude::*;

fn block(digits: &str) -> Block {
    HEXLOWER.decode(digits.as_bytes()).expect("hexadecimal digits").try_into().expect("a block")
}

/// POLYVAL's blocks are GHASH's with their bytes reversed.
fn reversed(digits: &str) -> Block {
    let mut block = block(digits);
    block.reverse();
    block
}

fn hash(path: Path, subkey: &Block, blocks: &[Block]) -> Block {
    let mut state = [0; 16];
    Ghash::new_on(path, subkey).update(&mut state, blocks);
    state
}

/// RFC 8452, appendix A; McGrew and Viega, The Galois/Counter Mode of Operation (GCM), appendix B, test cases 2 and 3.
#[test]
fn published_values() {
    for path in Path::available() {
        let polyval = hash(
            path,
            &block("dcbaa5dd137c188ebb21492c23c9b112"),
            &["4f4f95668c83dfb6401762bb2d01a262", "d1a24ddd2721d006bbe45f20d3c9f362"].map(reversed),
        );
        assert_eq!(polyval, reversed("f7a3b47b846119fae5b7866cf5e5b77e"), "{}", path.name());
        let short = hash(
            path,
            &block("66e94bd4ef8a2c3b884cfa59ca342b2e"),
            &[block("0388dace60b6a392f328c2b971b2fe78"), block("00000000000000000000000000000080")],
        );
        assert_eq!(short, block("f38cbb1ad69223dcc3457ae5b6b0f885"), "{}", path.name());
        let long = hash(
            path,
            &block("b83b533708bf535d0aa6e52980d53b78"),
            &[
                block("42831ec2217774244b7221b784d0d49c"),
                block("e3aa212f2c02a4e035c17e2329aca12e"),
                block("21d514b25466931c7d8f6a5aac84aa05"),
                block("1ba30b396a0aac973d58e091473f5985"),
                block("00000000000000000000000000000200"),
            ],
        );
        assert_eq!(long, block("7f1b32b81b820d02614f8895ac1d4eac"), "{}", path.name());
    }
}

/// The definition of SP 800-38D, section 6.3 and 6.4, bit by bit.
fn by_definition(subkey: &Block, state: &Block, blocks: &[Block]) -> Block {
    let subkey = u128::from_be_bytes(*subkey);
    blocks
        .iter()
        .fold(u128::from_be_bytes(*state), |state, block| {
            let factor = state ^ u128::from_be_bytes(*block);
            let mut multiple = subkey;
            let mut product = 0;
            for at in 0..128 {
                if factor << at >> 127 == 1 {
                    product ^= multiple;
                }
                multiple = (multiple >> 1) ^ if multiple & 1 == 1 { 0xe1 << 120 } else { 0 };
            }
            product
        })
        .to_be_bytes()
}

proptest! {
    #[test]
    fn paths_agree_with_the_definition(subkey: Block, state: Block, blocks in vec(any::<Block>(), 0..150)) {
        let expected = by_definition(&subkey, &state, &blocks);
        for path in Path::available() {
            let key = Ghash::new_on(path, &subkey);
            let mut found = state;
            key.update(&mut found, &blocks);
            prop_assert_eq!(found, expected, "{}, {} blocks", path.name(), blocks.len());
        }
    }

    #[test]
    fn bytes_are_filled_up(subkey: Block, bytes in vec(any::<u8>(), 0..700)) {
        let mut filled = bytes.clone();
        filled.resize(bytes.len().next_multiple_of(16), 0);
        for path in Path::available() {
            let mut state = [0; 16];
            Ghash::new_on(path, &subkey).update_padded(&mut state, &bytes);
            prop_assert_eq!(state, by_definition(&subkey, &[0; 16], filled.as_chunks().0));
        }
    }
}
