//! Official values.

use fieldtest_aes::{Aes, BlockCipher16 as _, KeyLength, Path};

/// A block from 32 hexadecimal digits.
fn block(number: u128) -> [u8; 16] {
    number.to_be_bytes()
}

/// FIPS 197, appendix C: key 00 01 02 …, plaintext 00 11 22 ….
#[test]
fn fips_197_appendix_c() {
    let key: [u8; 32] = core::array::from_fn(|at| at as u8);
    let plain = block(0x00112233445566778899aabbccddeeff);
    let expected = [
        (16, 0x69c4e0d86a7b0430d8cdb78070b4c55a),
        (24, 0xdda97ca4864cdfe06eaf70a0ec0d7191),
        (32, 0x8ea2b7ca516745bfeafc49904b496089),
    ];
    for path in Path::available() {
        for (length, expected) in expected {
            let aes = Aes::new_on(path, &key[..length]).unwrap();
            let mut blocks = [plain; 67];
            aes.encrypt(&mut blocks);
            assert_eq!(blocks, [block(expected); 67], "{path:?}, key of {length} bytes");
            aes.decrypt(&mut blocks);
            assert_eq!(blocks, [plain; 67], "{path:?}, key of {length} bytes");
        }
    }
}

/// SP 800-38A, appendix F.1 (ECB) and F.5 (CTR), where the catalog has them typed in.
#[test]
fn sp_800_38a() {
    let files = [
        include_str!("../../../../catalog/vectors/cipher/modes-aes-128-ecb.txt"),
        include_str!("../../../../catalog/vectors/cipher/modes-aes-192-ecb.txt"),
        include_str!("../../../../catalog/vectors/cipher/modes-aes-256-ecb.txt"),
        include_str!("../../../../catalog/vectors/cipher/modes-aes-128-ctr.txt"),
        include_str!("../../../../catalog/vectors/cipher/modes-aes-192-ctr.txt"),
        include_str!("../../../../catalog/vectors/cipher/modes-aes-256-ctr.txt"),
    ];
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    let blocks = |hex: &str| bytes(hex).as_chunks::<16>().0.to_vec();
    let rows = files.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let [key, counter, plain, cipher] = row.split(' ').collect::<Vec<_>>().try_into().unwrap();
        for path in Path::available() {
            let aes = Aes::new_on(path, &bytes(key)).unwrap();
            let mut text = blocks(plain);
            if counter == "-" {
                aes.encrypt(&mut text);
                assert_eq!(text, blocks(cipher), "{path:?}, key {key}");
                aes.decrypt(&mut text);
            } else {
                let run = text.len();
                aes.xor_keystream(&mut text, run, &blocks(counter));
                assert_eq!(text, blocks(cipher), "{path:?}, key {key}");
                aes.xor_keystream(&mut text, run, &blocks(counter));
            }
            assert_eq!(text, blocks(plain), "{path:?}, key {key}");
        }
        count += 1;
    }
    assert_eq!(count, 9);
}

#[test]
fn other_lengths_of_keys_are_refused() {
    for found in (0..70).filter(|length| ![16, 24, 32].contains(length)) {
        assert_eq!(Aes::new(&vec![0; found]).unwrap_err(), KeyLength { found });
    }
}
