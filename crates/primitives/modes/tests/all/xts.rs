//! XTS against the standard's vectors, NIST's, and a set for LEA.

use crate::common::{block, counting, digits, hex, sha256};
use fieldtest_aes::Aes;
use fieldtest_lea::Lea;
use fieldtest_modes::{Error, SectorMode, Xts};

/// Encrypts and decrypts again.
fn encrypted(key: &str, tweak: &str, plain: &[u8]) -> Vec<u8> {
    let xts = Xts::<Aes>::new(&hex(key)).unwrap();
    let mut sector = plain.to_vec();
    xts.encrypt(&block(tweak), &mut sector).unwrap();
    let ciphertext = sector.clone();
    xts.decrypt(&block(tweak), &mut sector).unwrap();
    assert_eq!(sector, plain, "decrypted");
    ciphertext
}

/// IEEE P1619-2007, Appendix B, the vectors 1 to 3 and 15 to 18: key, tweak, plaintext, ciphertext.
const SHORT: [[&str; 4]; 7] = [
    [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "00000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e",
    ],
    [
        "1111111111111111111111111111111122222222222222222222222222222222",
        "33333333330000000000000000000000",
        "4444444444444444444444444444444444444444444444444444444444444444",
        "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
    ],
    [
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f022222222222222222222222222222222",
        "33333333330000000000000000000000",
        "4444444444444444444444444444444444444444444444444444444444444444",
        "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89",
    ],
    [
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a785634120000000000000000000000",
        "000102030405060708090a0b0c0d0e0f10",
        "6c1625db4671522d3d7599601de7ca09ed",
    ],
    [
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a785634120000000000000000000000",
        "000102030405060708090a0b0c0d0e0f1011",
        "d069444b7a7e0cab09e24447d24deb1fedbf",
    ],
    [
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a785634120000000000000000000000",
        "000102030405060708090a0b0c0d0e0f101112",
        "e5df1351c0544ba1350b3363cd8ef4beedbf9d",
    ],
    [
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a785634120000000000000000000000",
        "000102030405060708090a0b0c0d0e0f10111213",
        "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac",
    ],
];

const E_PI: &str = "2718281828459045235360287471352631415926535897932384626433832795";
const E_PI_512: &str = "27182818284590452353602874713526624977572470936999595749669676273141592653589793238462643383279502884197169399375105820974944592";

/// The vectors 4 to 6, 10 to 14 and 19, each of 512 bytes: key, tweak, first block of the ciphertext, SHA-256 of the
/// whole. The plaintext counts from 0 to 255 twice, except that those of 5 and 6 are the ciphertexts before them.
const SECTORS: [[&str; 4]; 9] = [
    [
        E_PI,
        "00000000000000000000000000000000",
        "27a7479befa1d476489f308cd4cfa6e2",
        "ebee4d64dd2395bb2d6a2d37a0a48ecb2bf4913cfc99d27c2214f2f4144715ea",
    ],
    [
        E_PI,
        "01000000000000000000000000000000",
        "264d3ca8512194fec312c8c9891f279f",
        "bed1b9d9bf8ce83a2ae1981fbd5f2b0c40e21bba5d57df2ea16ecd0975f25215",
    ],
    [
        E_PI,
        "02000000000000000000000000000000",
        "fa762a3680b76007928ed4a4f49a9456",
        "68f1e84faa401c9914a7fd6fc565eaa7b531cedbc22bd28269aa58b15ceec03f",
    ],
    [
        E_PI_512,
        "ff000000000000000000000000000000",
        "1c3b3a102f770386e4836c99e370cf9b",
        "e97e974fa393af794f7a4684395814cf820de60a01eaec677d87b452e316b364",
    ],
    [
        E_PI_512,
        "ffff0000000000000000000000000000",
        "77a31251618a15e6b92d1d66dffe7b50",
        "def4fad29e95dfe1a24b1ad4620f86d7be094cced5b19e0b121aa82d9e6baf98",
    ],
    [
        E_PI_512,
        "ffffff00000000000000000000000000",
        "e387aaa58ba483afa7e8eb469778317e",
        "8bf44861a081dd660d91ce615b5cdfb4d5df9d72c3025c12e67cc0ae097fa5d5",
    ],
    [
        E_PI_512,
        "ffffffff000000000000000000000000",
        "bf53d2dade78e822a4d949a9bc6766b0",
        "c706140a11affda7402234f5e6331eacbfeb687d8e80d83962691823bb3636f0",
    ],
    [
        E_PI_512,
        "ffffffffff0000000000000000000000",
        "64497e5a831e4a932c09be3e5393376d",
        "afba71abc4e95b186d89a63a5437c1bafcfd1a18ca273970c534aba4f8d05282",
    ],
    [
        "e0e1e2e3e4e5e6e7e8e9eaebecedeeefc0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
        "21436587a90000000000000000000000",
        "38b45812ef43a05bd957e545907e223b",
        "36e32e6ec26a4e2a05993f91af535f405e0317863a14aea7c0cfbdafed6442ca",
    ],
];

#[test]
fn ieee_1619_appendix_b() {
    for [key, tweak, plain, cipher] in SHORT {
        assert_eq!(digits(&encrypted(key, tweak, &hex(plain))), cipher);
    }
    let mut before = Vec::new();
    for (at, [key, tweak, first, digest]) in SECTORS.into_iter().enumerate() {
        let plain = if matches!(at, 1 | 2) { before } else { counting(512) };
        before = encrypted(key, tweak, &plain);
        assert_eq!((&*digits(&before[..16]), &*sha256(&before)), (first, digest), "tweak {tweak}");
    }
}

/// NIST's Cryptographic Algorithm Validation Program, the first encryption of XTSGenAES128.rsp and of XTSGenAES256.rsp
/// (with the tweak as a hexadecimal string).
#[test]
fn cavp() {
    let cases = [
        [
            "a1b90cba3f06ac353b2c343876081762090923026e91771815f29dab01932f2f",
            "4faef7117cda59c66e4b92013e768ad5",
            "ebabce95b14d3c8d6fb350390790311c",
            "778ae8b43cb98d5a825081d5be471c63",
        ],
        [
            "1ea661c58d943a0e4801e42f4b0947149e7f9f8e3e68d0c7505210bd311a0e7cd6e13ffdf2418d8d1911c004cda58da3d619b7e2b9141e58318eea392cf41b08",
            "adf8d92627464ad2f0428e84a9f87564",
            "2eedea52cd8215e1acc647e810bbc3642e87287f8d2e57e36c0a24fbc12a202e",
            "cbaad0e2f6cea3f50b37f934d46a9b130b9d54f07e34f36af793e86f73c6d7db",
        ],
    ];
    for [key, tweak, plain, cipher] in cases {
        assert_eq!(digits(&encrypted(key, tweak, &hex(plain))), cipher);
    }
}

/// There are no official vectors of LEA-XTS. These were computed with Crypto++ 8.7 and confirmed with a second, slow
/// implementation from the specifications: key and plaintext count from 0, the tweak is the sector's number.
#[test]
fn lea() {
    let cases = [
        (32, 0, 512, "b69ca1bb904da8c7fb4db4875465ce727967b0ab90fe0b30609619886293f632"),
        (32, 0, 4096, "7ff0e88f732971af3c241b46ab906e7d3dfd40af1f8395c79f5fcc864f614b26"),
        (32, 0x12_3456_789a, 512, "69afb42ba138bff55bf86df607ae9d29cb671ca603dd80220e721ffc9ef00144"),
        (32, 0x12_3456_789a, 4096, "a8cf471e2903095123c5a9c59e33c97b49545df10333bd68afbdd1199603dfd5"),
        (64, 0, 512, "de659654577ea7c986b2229592b4d5a93b00011332c36fcbc972824de32f2eda"),
        (64, 0, 4096, "3a57134a53f36dd1fdb33d477eee3f470b802107ff94c4dbb3321c70f786e575"),
        (64, 0x12_3456_789a, 512, "7955d9497179473fc11983e39051da3b1d53573aff3c8a4d39ccf0f45e679fa8"),
        (64, 0x12_3456_789a, 4096, "08be1f4d5b7b5f218055778bf2f73780416a00d5c45386ba3a326f76f37d7446"),
    ];
    for (key, sector, length, digest) in cases {
        let xts = Xts::<Lea>::new(&counting(key)).unwrap();
        let mut data = counting(length);
        xts.encrypt_sectors(sector, 1, length, &mut data).unwrap();
        assert_eq!(sha256(&data), digest, "key of {key} bytes, sector {sector:#x} of {length} bytes");
        xts.decrypt_sectors(sector, 1, length, &mut data).unwrap();
        assert_eq!(data, counting(length));
    }
}

#[test]
fn refusals() {
    for found in [0, 16, 31, 33, 65, 128] {
        assert_eq!(Xts::<Aes>::new(&vec![0; found]).err(), Some(Error::KeyLength { found }));
    }
    assert!(Xts::<Aes>::new(&[7; 64]).is_ok());
    assert_eq!(Xts::<Aes>::with_distinct_keys(&[7; 64]).err(), Some(Error::EqualKeys));
    assert!(Xts::<Aes>::with_distinct_keys(&counting(64)).is_ok());
    let xts = Xts::<Aes>::new(&counting(64)).unwrap();
    for found in [0, 1, 15, (16 << 20) + 1] {
        let refused = xts.encrypt_sectors(0, 1, found, &mut counting(found));
        assert!(matches!(refused, Err(Error::SectorSize { found: size, .. }) if size == found));
    }
    let refused = xts.decrypt_sectors(0, 1, 512, &mut counting(513));
    assert_eq!(refused, Err(Error::PartialSector { length: 513, sector_size: 512 }));
    assert_eq!(xts.encrypt_sectors(0, 1, 512, &mut []), Ok(()));
}
