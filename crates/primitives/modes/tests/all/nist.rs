//! AES in CBC and CTR against the examples of SP 800-38A.

use crate::common::{block, digits, hex};
use fieldtest_aes::Aes;
use fieldtest_modes::{Cbc, Ctr, Error};

const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
const KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

/// SP 800-38A, appendix F.2.
#[test]
fn cbc() {
    let iv = block("000102030405060708090a0b0c0d0e0f");
    let cases = [
        (
            KEY_128,
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
             73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        ),
        (
            KEY_192,
            "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a\
             571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
        ),
        (
            KEY_256,
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
             39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
        ),
    ];
    for (key, cipher) in cases {
        let cbc = Cbc::<Aes>::new(&hex(key)).unwrap();
        let mut message = hex(PLAIN);
        cbc.encrypt(&iv, &mut message).unwrap();
        assert_eq!(digits(&message), cipher);
        cbc.decrypt(&iv, &mut message).unwrap();
        assert_eq!(digits(&message), PLAIN);
    }
    let cbc = Cbc::<Aes>::new(&[0; 16]).unwrap();
    assert!(matches!(cbc.encrypt(&iv, &mut [0; 17]), Err(Error::MessageLength { found: 17, .. })));
}

/// SP 800-38A, appendix F.5, and every shorter message.
#[test]
fn ctr() {
    let counter = block("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    let cipher = hex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                      2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
    let ctr = Ctr::<Aes>::new(&hex(KEY_256)).unwrap();
    for length in 0..=64 {
        let mut message = hex(PLAIN);
        ctr.apply(&counter, &mut message[..length]);
        assert_eq!(message[..length], cipher[..length]);
    }
}
