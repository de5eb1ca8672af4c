//! The traits of RustCrypto's `cipher` against the crate's own interface.

use cipher::array::Array;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use fieldtest_lea::{Block, Lea, Lea128, Lea192, Lea256};

fn check<C: KeyInit + BlockCipherEncrypt<BlockSize = cipher::consts::U16> + BlockCipherDecrypt>(key: &[u8]) {
    let (lea, same) = (Lea::new(key).unwrap(), C::new_from_slice(key).unwrap());
    for count in 0..80 {
        let plaintext: Vec<Block> = (0..count).map(|n| [n; 16]).collect();
        let mut expected = plaintext.clone();
        lea.encrypt(&mut expected);

        let mut text = plaintext.clone();
        same.encrypt_blocks(Array::cast_slice_from_core_mut(&mut text));
        assert_eq!(text, expected);
        same.decrypt_blocks(Array::cast_slice_from_core_mut(&mut text));
        assert_eq!(text, plaintext);

        let (from, to) =
            (Array::cast_slice_from_core(&plaintext), Array::cast_slice_from_core_mut(&mut text));
        same.encrypt_blocks_b2b(from, to).unwrap();
        assert_eq!(text, expected);

        for (block, expected) in plaintext.iter().zip(&expected) {
            let mut block = Array::from(*block);
            same.encrypt_block(&mut block);
            assert_eq!(block.0, *expected);
        }
    }
}

#[test]
fn the_traits_do_the_same() {
    check::<Lea128>(&[1; 16]);
    check::<Lea192>(&[2; 24]);
    check::<Lea256>(&[3; 32]);
}

#[test]
fn other_key_lengths_are_refused() {
    assert!(Lea256::new_from_slice(&[0; 31]).is_err());
}
