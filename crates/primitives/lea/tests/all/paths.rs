//! Every path against the specification written down once more, on random keys and any number of blocks.

use fieldtest_lea::{Block, Lea, Path};
use proptest::array::uniform16;
use proptest::collection::vec;
use proptest::prelude::*;

/// LEA as Hong et al. (WISA 2013) describe it, with nothing but clarity in mind.
struct Specification {
    round_keys: Vec<[u32; 6]>,
}

impl Specification {
    /// The key schedule.
    fn new(key: &[u8]) -> Self {
        let delta = [
            0xc3ef_e9db_u32,
            0x4462_6b02,
            0x79e2_7c8a,
            0x78df_30ec,
            0x715e_a49e,
            0xc785_da0a,
            0xe04e_f22a,
            0xe5c4_0957,
        ];
        let mut t: Vec<u32> =
            key.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let next = |t: &mut [u32], word: usize, round: usize, place: usize, rotation: u32| {
            let delta = delta[round % t.len()].rotate_left((round + place) as u32);
            t[word] = t[word].wrapping_add(delta).rotate_left(rotation);
            t[word]
        };
        let rotations = [1, 3, 6, 11, 13, 17];
        let round_keys = match t.len() {
            4 => (0..24)
                .map(|i| {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|j| next(&mut t, j, i, j, rotations[j]));
                    [a, b, c, b, d, b]
                })
                .collect(),
            6 => (0..28).map(|i| [0, 1, 2, 3, 4, 5].map(|j| next(&mut t, j, i, j, rotations[j]))).collect(),
            8 => (0..32)
                .map(|i| [0, 1, 2, 3, 4, 5].map(|j| next(&mut t, (6 * i + j) % 8, i, j, rotations[j])))
                .collect(),
            words => panic!("a key of {words} words"),
        };
        Self { round_keys }
    }

    fn encrypt(&self, block: Block) -> Block {
        let mut x = words(block);
        for k in &self.round_keys {
            x = [
                (x[0] ^ k[0]).wrapping_add(x[1] ^ k[1]).rotate_left(9),
                (x[1] ^ k[2]).wrapping_add(x[2] ^ k[3]).rotate_right(5),
                (x[2] ^ k[4]).wrapping_add(x[3] ^ k[5]).rotate_right(3),
                x[0],
            ];
        }
        bytes(x)
    }

    fn decrypt(&self, block: Block) -> Block {
        let mut x = words(block);
        for k in self.round_keys.iter().rev() {
            let first = x[3];
            let second = x[0].rotate_right(9).wrapping_sub(first ^ k[0]) ^ k[1];
            let third = x[1].rotate_left(5).wrapping_sub(second ^ k[2]) ^ k[3];
            let fourth = x[2].rotate_left(3).wrapping_sub(third ^ k[4]) ^ k[5];
            x = [first, second, third, fourth];
        }
        bytes(x)
    }
}

fn words(block: Block) -> [u32; 4] {
    let words = block.as_chunks().0;
    [0, 1, 2, 3].map(|place| u32::from_le_bytes(words[place]))
}

fn bytes(words: [u32; 4]) -> Block {
    words.map(u32::to_le_bytes).as_flattened().try_into().unwrap()
}

fn xor(block: Block, mask: Block) -> Block {
    (u128::from_ne_bytes(block) ^ u128::from_ne_bytes(mask)).to_ne_bytes()
}

/// The masks of a run (IEEE 1619-2018, section 5.2).
fn successors(first: Block) -> impl Iterator<Item = Block> {
    std::iter::successors(Some(u128::from_le_bytes(first)), |mask| {
        Some((mask << 1) ^ if mask >> 127 == 1 { 0x87 } else { 0 })
    })
    .map(u128::to_le_bytes)
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 16), vec(any::<u8>(), 24), vec(any::<u8>(), 32)]
}

/// Compares all operations on all paths.
fn check(key: &[u8], blocks: &[Block], masks: &[Block]) {
    let (lea, specification) = (Lea::new(key).unwrap(), Specification::new(key));
    let each = |what: &dyn Fn(Block, Block) -> Block| -> Vec<Block> {
        blocks.iter().zip(masks).map(|(block, mask)| what(*block, *mask)).collect()
    };
    let encrypted = each(&|block, _| specification.encrypt(block));
    let decrypted = each(&|block, _| specification.decrypt(block));
    let encrypted_masked = each(&|block, mask| xor(specification.encrypt(xor(block, mask)), mask));
    let decrypted_masked = each(&|block, mask| xor(specification.decrypt(xor(block, mask)), mask));
    for path in Path::available() {
        let got = |run: &dyn Fn(&mut [Block])| {
            let mut text = blocks.to_vec();
            run(&mut text);
            text
        };
        let name = path.name();
        assert_eq!(got(&|text| lea.encrypt_on(path, text)), encrypted, "{name}");
        assert_eq!(got(&|text| lea.decrypt_on(path, text)), decrypted, "{name}");
        assert_eq!(got(&|text| lea.encrypt_masked_on(path, text, masks)), encrypted_masked, "{name}");
        assert_eq!(got(&|text| lea.decrypt_masked_on(path, text, masks)), decrypted_masked, "{name}");
        for run in [1, 7, 16, 32, 64, 96] {
            let first = &masks[..blocks.len().div_ceil(run)];
            let masks: Vec<_> = first.iter().flat_map(|mask| successors(*mask).take(run)).collect();
            let encrypted = got(&|text| lea.encrypt_masked_on(Path::PORTABLE, text, &masks[..text.len()]));
            assert_eq!(got(&|text| lea.encrypt_xex_on(path, text, run, first)), encrypted, "{name}, {run}");
            let decrypted = got(&|text| lea.decrypt_masked_on(Path::PORTABLE, text, &masks[..text.len()]));
            assert_eq!(got(&|text| lea.decrypt_xex_on(path, text, run, first)), decrypted, "{name}, {run}");
            // Any first counters, and those whose last 32 bits run over within a run.
            let near_the_end = |block: &Block| (u128::from_be_bytes(*block) | 0xffff_fff0).to_be_bytes();
            for first in [first.to_vec(), first.iter().map(near_the_end).collect()] {
                let counter = |at: usize| {
                    let number = u128::from_be_bytes(first[at / run]).wrapping_add((at % run) as u128);
                    specification.encrypt(number.to_be_bytes())
                };
                let expected: Vec<_> =
                    (0..).zip(blocks).map(|(at, block)| xor(*block, counter(at))).collect();
                assert_eq!(
                    got(&|text| lea.xor_keystream_on(path, text, run, &first)),
                    expected,
                    "{name}, {run}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn the_paths_agree(key in key(), texts in vec((uniform16(any::<u8>()), uniform16(any::<u8>())), 0..100)) {
        let (blocks, masks): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        check(&key, &blocks, &masks);
    }
}

#[test]
fn every_number_of_blocks() {
    let text: Vec<Block> = (0..101_u128)
        .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes())
        .collect();
    for key in [vec![1; 16], vec![2; 24], vec![3; 32]] {
        for count in 0..=100 {
            check(&key, &text[..count], &text[1..=count]);
        }
    }
}

#[test]
fn the_best_path_is_what_is_called_without_a_name() {
    assert!(Path::available().any(|path| path == Path::best()));
    let lea = Lea::new(&[5; 32]).unwrap();
    let masks = [[3; 16]; 40];
    let mut text = [[7; 16]; 40];
    lea.encrypt(&mut text);
    let mut named = [[7; 16]; 40];
    lea.encrypt_on(Path::PORTABLE, &mut named);
    assert_eq!(text, named);
    lea.encrypt_masked(&mut text, &masks);
    lea.decrypt_masked(&mut text, &masks);
    lea.decrypt(&mut text);
    assert_eq!(text, [[7; 16]; 40]);
}

#[test]
#[should_panic(expected = "as many masks as blocks")]
fn fewer_masks_than_blocks() {
    Lea::new(&[0; 16]).unwrap().encrypt_masked(&mut [[0; 16]; 3], &[[0; 16]; 2]);
}

#[test]
fn the_key_is_not_shown() {
    let shown = format!("{:?}", Lea::new(&[0xab; 24]).unwrap());
    assert_eq!(shown, "Lea { key_bits: 192, .. }");
}
