//! Official values.

use fieldtest_aes::{Aes, KeyLength, Path};

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

/// SP 800-38A, appendix F.1 (ECB) and F.5 (CTR): the same four blocks of plaintext.
#[test]
fn sp_800_38a() {
    let plain = [
        block(0x6bc1bee22e409f96e93d7e117393172a),
        block(0xae2d8a571e03ac9c9eb76fac45af8e51),
        block(0x30c81c46a35ce411e5fbc1191a0a52ef),
        block(0xf69f2445df4f9b17ad2b417be66c3710),
    ];
    let counter = block(0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff);
    let key_128 = block(0x2b7e151628aed2a6abf7158809cf4f3c).to_vec();
    let key_192 =
        [&block(0x8e73b0f7da0e6452c810f32b809079e5)[..], &0x62f8ead2522c6b7b_u64.to_be_bytes()].concat();
    let key_256 =
        [block(0x603deb1015ca71be2b73aef0857d7781), block(0x1f352c073b6108d72d9810a30914dff4)].concat();
    let cases = [
        (
            key_128,
            [
                0x3ad77bb40d7a3660a89ecaf32466ef97,
                0xf5d3d58503b9699de785895a96fdbaaf,
                0x43b1cd7f598ece23881b00e3ed030688,
                0x7b0c785e27e8ad3f8223207104725dd4,
            ],
            [
                0x874d6191b620e3261bef6864990db6ce,
                0x9806f66b7970fdff8617187bb9fffdff,
                0x5ae4df3edbd5d35e5b4f09020db03eab,
                0x1e031dda2fbe03d1792170a0f3009cee,
            ],
        ),
        (
            key_192,
            [
                0xbd334f1d6e45f25ff712a214571fa5cc,
                0x974104846d0ad3ad7734ecb3ecee4eef,
                0xef7afd2270e2e60adce0ba2face6444e,
                0x9a4b41ba738d6c72fb16691603c18e0e,
            ],
            [
                0x1abc932417521ca24f2b0459fe7e6e0b,
                0x090339ec0aa6faefd5ccc2c6f4ce8e94,
                0x1e36b26bd1ebc670d1bd1d665620abf7,
                0x4f78a7f6d29809585a97daec58c6b050,
            ],
        ),
        (
            key_256,
            [
                0xf3eed1bdb5d2a03c064b5a7e3db181f8,
                0x591ccb10d410ed26dc5ba74a31362870,
                0xb6ed21b99ca6f4f9f153e7b1beafed1d,
                0x23304b7a39f9f3ff067d8d8f9e24ecc7,
            ],
            [
                0x601ec313775789a5b7a7f504bbf3d228,
                0xf443e3ca4d62b59aca84e990cacaf5c5,
                0x2b0930daa23de94ce87017ba2d84988d,
                0xdfc9c58db67aada613c2dd08457941a6,
            ],
        ),
    ];
    for path in Path::available() {
        for (key, ecb, ctr) in &cases {
            let aes = Aes::new_on(path, key).unwrap();
            let mut blocks = plain;
            aes.encrypt(&mut blocks);
            assert_eq!(blocks, ecb.map(block), "{path:?}, key of {} bytes", key.len());
            aes.decrypt(&mut blocks);
            assert_eq!(blocks, plain, "{path:?}, key of {} bytes", key.len());
            aes.xor_keystream(&mut blocks, 4, &[counter]);
            assert_eq!(blocks, ctr.map(block), "{path:?}, key of {} bytes", key.len());
        }
    }
}

#[test]
fn other_lengths_of_keys_are_refused() {
    for found in (0..70).filter(|length| ![16, 24, 32].contains(length)) {
        assert_eq!(Aes::new(&vec![0; found]).unwrap_err(), KeyLength { found });
    }
}
