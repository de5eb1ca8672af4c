//! The published vectors, on every path.

use fieldtest_aes_cmac::{Cmac, Cmac128, Cmac256, Lane, Path, tag_many_on};

/// The message of both documents' examples; each example takes its beginning.
const MESSAGE: [u8; 64] = bytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
);

/// Turns hexadecimal digits into bytes.
const fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N);
    let mut bytes = [0; N];
    let mut at = 0;
    while at < digits.len() {
        let digit = digits[at];
        bytes[at / 2] = bytes[at / 2] << 4 | if digit > b'9' { digit - b'a' + 10 } else { digit - b'0' };
        at += 1;
    }
    bytes
}

fn check<const ROUNDS: usize>(key: &Cmac<ROUNDS>, examples: &[(usize, [u8; 16])]) {
    for path in Path::available() {
        for (length, expected) in examples {
            let mut tag = [0; 16];
            key.tag_on(path, &MESSAGE[..*length], &mut tag).unwrap();
            assert_eq!(tag, *expected, "{}, {length} bytes", path.name());
        }
        let mut jobs: Vec<_> = examples.iter().map(|(length, _)| (&MESSAGE[..*length], [0; 16])).collect();
        tag_many_on(path, &mut jobs, |(message, tag)| Lane { key, message, tag }).unwrap();
        for ((length, expected), (_, tag)) in examples.iter().zip(jobs) {
            assert_eq!(tag, *expected, "{}, {length} bytes in a batch", path.name());
        }
    }
}

/// RFC 4493, section 4, examples 1 to 4.
#[test]
fn rfc_4493() {
    check(
        &Cmac128::new(&bytes("2b7e151628aed2a6abf7158809cf4f3c")),
        &[
            (0, bytes("bb1d6929e95937287fa37d129b756746")),
            (16, bytes("070a16b46b4d4144f79bdd9dd04a287c")),
            (40, bytes("dfa66747de9ae63030ca32611497c827")),
            (64, bytes("51f0bebf7e3b9d92fc49741779363cfe")),
        ],
    );
}

/// NIST's examples for CMAC-AES256 (SP 800-38B, appendix D.3, examples 9 to 12).
#[test]
fn sp_800_38b_aes_256() {
    check(
        &Cmac256::new(&bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")),
        &[
            (0, bytes("028962f61b7bf89efc6b551f4667d983")),
            (16, bytes("28a7023f452e8f82bd4bf28d8c37c35c")),
            (40, bytes("aaf3d8f1de5640c232f5b169b9c911e6")),
            (64, bytes("e1992190549f6ed5696a2c056c315410")),
        ],
    );
}
