//! Every path against the crate `aes` and against the definitions, on random keys and numbers of blocks.

use fieldtest_aes::{Aes, Block, BlockCipher16 as _, Path};
use fieldtest_block::Ciphertext;
use proptest::collection::vec;
use proptest::prelude::*;

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 16), vec(any::<u8>(), 24), vec(any::<u8>(), 32)]
}

fn times_x(mask: Block) -> Block {
    let mask = u128::from_le_bytes(mask);
    ((mask << 1) ^ if mask >> 127 == 1 { 0x87 } else { 0 }).to_le_bytes()
}

fn xor(a: &[Block], b: &[Block]) -> Vec<Block> {
    a.iter().zip(b).map(|(a, b)| core::array::from_fn(|at| a[at] ^ b[at])).collect()
}

/// CBC by its definition: runs of blocks, each XORed with the ciphertext before it.
fn chained(
    encrypted: &dyn Fn(&[Block]) -> Vec<Block>,
    plain: &[Block],
    run: usize,
    first: &[Block],
) -> Vec<Block> {
    let chain = |(blocks, first): (&[Block], &Block)| -> Vec<Block> {
        let next = |state: &mut Block, block: &Block| {
            *state = encrypted(&xor(&[*state], &[*block]))[0];
            Some(*state)
        };
        blocks.iter().scan(*first, next).collect()
    };
    plain.chunks(run).zip(first).flat_map(chain).collect()
}

/// All operations of all paths, against the portable path's ECB and the definitions.
fn agree(key: &[u8], plain: &[Block], others: &[Block], run: usize) {
    let reference = Aes::new_on(Path::PORTABLE, key).unwrap();
    let encrypted = |blocks: &[Block]| {
        let mut blocks = blocks.to_vec();
        reference.encrypt(&mut blocks);
        blocks
    };
    let first: Vec<Block> = others.iter().copied().cycle().take(plain.len().div_ceil(run)).collect();
    let runs = |next: &dyn Fn(Block) -> Block| -> Vec<Block> {
        let run = |first: &Block| core::iter::successors(Some(*first), |block| Some(next(*block))).take(run);
        first.iter().flat_map(run).take(plain.len()).collect()
    };
    let masks = runs(&times_x);
    let counters = runs(&|counter| u128::from_be_bytes(counter).wrapping_add(1).to_be_bytes());
    for path in Path::available() {
        let aes = Aes::new_on(path, key).unwrap();
        let mut blocks = plain.to_vec();
        let mut check = |what: &str, operation: &dyn Fn(&mut [Block]), expected: &[Block]| {
            operation(&mut blocks);
            assert!(blocks == expected, "{what} by {}, {} blocks in runs of {run}", path.name(), plain.len());
        };
        check("encrypt", &|blocks| aes.encrypt(blocks), &encrypted(plain));
        check("decrypt", &|blocks| aes.decrypt(blocks), plain);
        check("encrypt_masked", &|blocks| aes.encrypt_masked(blocks, others), &{
            xor(&encrypted(&xor(plain, others)), others)
        });
        check("decrypt_masked", &|blocks| aes.decrypt_masked(blocks, others), plain);
        check("encrypt_xex", &|blocks| aes.encrypt_xex(blocks, run, &first), &{
            xor(&encrypted(&xor(plain, &masks)), &masks)
        });
        check("decrypt_xex", &|blocks| aes.decrypt_xex(blocks, run, &first), plain);
        check("xor_keystream", &|blocks| aes.xor_keystream(blocks, run, &first), &{
            xor(plain, &encrypted(&counters))
        });
        check("xor_keystream", &|blocks| aes.xor_keystream(blocks, run, &first), plain);
        let cbc = chained(&encrypted, plain, run, &first);
        let encrypt_chained = |blocks: &mut [Block]| {
            for (blocks, first) in blocks.chunks_mut(run).zip(&first) {
                let mut state = *first;
                aes.encrypt_chained(&mut state, blocks);
                assert_eq!(Some(&state), blocks.last(), "the last ciphertext by {}", path.name());
            }
        };
        check("encrypt_chained", &encrypt_chained, &cbc);
        check("decrypt_chained", &|blocks| aes.decrypt_chained(blocks, run, &first), plain);

        // One run, with its keystream and its chain.
        let start = first.first().copied().unwrap_or_default();
        let mac = chained(&encrypted, plain, plain.len().max(1), &[start]).last().copied().unwrap_or(start);
        let mut state = start;
        aes.absorb_chained(&mut state, plain);
        assert_eq!(state, mac, "absorb_chained by {}, {} blocks", path.name(), plain.len());
        let mut expected = plain.to_vec();
        aes.xor_keystream(&mut expected, plain.len().max(1), &first[..first.len().min(1)]);
        let absorbed = |blocks: &mut [Block], ciphertext| {
            let mut state = start;
            aes.xor_keystream_absorbed(&mut state, blocks, &start, ciphertext);
            assert_eq!(state, mac, "the chain's end by {}, {} blocks", path.name(), plain.len());
        };
        check("xor_keystream_absorbed", &|blocks| absorbed(blocks, Ciphertext::After), &expected);
        check("xor_keystream_absorbed", &|blocks| absorbed(blocks, Ciphertext::Before), plain);
    }
}

proptest! {
    #[test]
    fn random(key in key(), pairs in vec(any::<(Block, Block)>(), 0..300), run in 1usize..300) {
        let (plain, others): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        agree(&key, &plain, &others, run);
    }

    #[test]
    fn counters_that_overflow(key in key(), plain in vec(any::<Block>(), 1..200), before in 0u128..200, half: bool) {
        let end = if half { 0x1234_5678_u128 << 64 } else { 0 };
        let counter = end.wrapping_sub(before).to_be_bytes();
        agree(&key, &plain, &vec![counter; plain.len()], plain.len());
    }
}

#[test]
fn every_number_of_blocks() {
    let key: Vec<u8> = (0..32).collect();
    for count in 0..140u8 {
        let plain: Vec<Block> = (0..count).map(|at| [at; 16]).collect();
        let others: Vec<Block> = (0..count).map(|at| [!at; 16]).collect();
        for run in [1, 31, 32, 33, 64, 256] {
            agree(&key, &plain, &others, run);
        }
    }
}
