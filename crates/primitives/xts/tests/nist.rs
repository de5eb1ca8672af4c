//! AES in the other modes against the examples of NIST's special publications and RFC 3962.

mod common;

use common::{block, digits, hex};
use fieldtest_aes::Aes;
use fieldtest_xts::{Cbc, CbcCts, Ccm, Cmac, Ctr, Error, Gcm};

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

/// SP 800-38B, appendix D (examples 1 to 4 of AES-128, 5 and 8 of AES-192, 9 to 12 of AES-256).
#[test]
fn cmac() {
    let cases = [
        (KEY_128, 0, "bb1d6929e95937287fa37d129b756746"),
        (KEY_128, 16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (KEY_128, 40, "dfa66747de9ae63030ca32611497c827"),
        (KEY_128, 64, "51f0bebf7e3b9d92fc49741779363cfe"),
        (KEY_192, 0, "d17ddf46adaacde531cac483de7a9367"),
        (KEY_192, 64, "a1d5df0eed790f794d77589659f39a11"),
        (KEY_256, 0, "028962f61b7bf89efc6b551f4667d983"),
        (KEY_256, 16, "28a7023f452e8f82bd4bf28d8c37c35c"),
        (KEY_256, 40, "aaf3d8f1de5640c232f5b169b9c911e6"),
        (KEY_256, 64, "e1992190549f6ed5696a2c056c315410"),
    ];
    for (key, length, tag) in cases {
        let cmac = Cmac::<Aes>::new(&hex(key)).unwrap();
        let message = &hex(PLAIN)[..length];
        assert_eq!(digits(&cmac.tag(message)), tag);
        assert_eq!(cmac.verify(message, &hex(tag)[..12]), Ok(()));
        assert_eq!(cmac.verify(b"another", &hex(tag)), Err(Error::Forged));
        assert!(matches!(cmac.verify(message, &hex(tag)[..3]), Err(Error::TagLength { found: 3, .. })));
    }
}

/// SP 800-38C, appendix C: examples 1 to 4.
#[test]
fn ccm() {
    let key = hex("404142434445464748494a4b4c4d4e4f");
    let associated_4: Vec<u8> = (0..65536_u32).map(|at| at as u8).collect();
    let cases: [(&str, &[u8], &str, &str, &str); 4] = [
        ("10111213141516", &hex("0001020304050607"), "20212223", "7162015b", "4dac255d"),
        (
            "1011121314151617",
            &hex("000102030405060708090a0b0c0d0e0f"),
            "202122232425262728292a2b2c2d2e2f",
            "d2a1f0e051ea5f62081a7792073d593d",
            "1fc64fbfaccd",
        ),
        (
            "101112131415161718191a1b",
            &hex("000102030405060708090a0b0c0d0e0f10111213"),
            "202122232425262728292a2b2c2d2e2f3031323334353637",
            "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5",
            "484392fbc1b09951",
        ),
        (
            "101112131415161718191a1b1c",
            &associated_4,
            "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72",
            "b4ac6bec93e8598e7f0dadbcea5b",
        ),
    ];
    let ccm = Ccm::<Aes>::new(&key).unwrap();
    for (nonce, associated, plain, cipher, expected) in cases {
        let (nonce, mut message, mut tag) = (hex(nonce), hex(plain), vec![0; expected.len() / 2]);
        ccm.encrypt(&nonce, associated, &mut message, &mut tag).unwrap();
        assert_eq!((&*digits(&message), &*digits(&tag)), (cipher, expected));
        let mut forged = message.clone();
        ccm.decrypt(&nonce, associated, &mut message, &tag).unwrap();
        assert_eq!(digits(&message), plain);
        forged[0] ^= 1;
        assert_eq!(ccm.decrypt(&nonce, associated, &mut forged, &tag), Err(Error::Forged));
        assert!(forged.iter().all(|byte| *byte == 0));
    }
    assert!(matches!(ccm.encrypt(&[0; 14], &[], &mut [], &mut [0; 16]), Err(Error::NonceLength { .. })));
    assert!(matches!(ccm.encrypt(&[0; 13], &[], &mut [], &mut [0; 5]), Err(Error::TagLength { .. })));
    let refused = ccm.encrypt(&[0; 13], &[], &mut [0; 65536], &mut [0; 16]);
    assert!(matches!(refused, Err(Error::MessageLength { found: 65536, .. })));
}

/// "The Galois/Counter Mode of Operation" (McGrew, Viega), appendix B, to which SP 800-38D refers: test cases 1 to 6, and
/// 13, 15, 16, 18 of AES-256.
#[test]
fn gcm() {
    let zeros = "00000000000000000000000000000000";
    let zeros_256 = &[zeros, zeros].concat();
    let zero_nonce = "000000000000000000000000";
    let key = "feffe9928665731c6d6a8f9467308308";
    let key_256 = &[key, key].concat();
    let nonce = "cafebabefacedbaddecaf888";
    let long_nonce = "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728\
                      c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b";
    let plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                 1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
    let short = &plain[..120];
    let associated = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    let cases = [
        [zeros, zero_nonce, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"],
        [
            zeros,
            zero_nonce,
            "",
            zeros,
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ],
        [
            key,
            nonce,
            "",
            plain,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
            "4d5c2af327cd64a62cf35abd2ba6fab4",
        ],
        [
            key,
            nonce,
            associated,
            short,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ],
        [
            key,
            "cafebabefacedbad",
            associated,
            short,
            "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423\
             73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
            "3612d2e79e3b0785561be14aaca2fccb",
        ],
        [
            key,
            long_nonce,
            associated,
            short,
            "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7\
             01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
            "619cc5aefffe0bfa462af43c1699d050",
        ],
        [zeros_256, zero_nonce, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"],
        [
            key_256,
            nonce,
            "",
            plain,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
             8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            "b094dac5d93471bdec1a502270e3cc6c",
        ],
        [
            key_256,
            nonce,
            associated,
            short,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
             8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b",
        ],
        [
            key_256,
            long_nonce,
            associated,
            short,
            "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf4\
             0fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3f",
            "a44a8266ee1c8eb0c8b5d4cf5ae9f19a",
        ],
    ];
    for [key, nonce, associated, plain, cipher, expected] in cases {
        let gcm = Gcm::<Aes>::new(&hex(key)).unwrap();
        let (nonce, associated, mut message) = (hex(nonce), hex(associated), hex(plain));
        let tag = gcm.encrypt(&nonce, &associated, &mut message).unwrap();
        assert_eq!((&*digits(&message), &*digits(&tag)), (cipher, expected));
        assert_eq!(gcm.decrypt(&nonce, b"other", &mut message, &tag), Err(Error::Forged));
        gcm.decrypt(&nonce, &associated, &mut message, &tag).unwrap();
        assert_eq!(digits(&message), plain);
    }
    let gcm = Gcm::<Aes>::new(&[0; 16]).unwrap();
    assert!(matches!(gcm.encrypt(&[], &[], &mut []), Err(Error::NonceLength { found: 0, .. })));
}

/// RFC 3962, appendix B.
#[test]
fn ciphertext_stealing() {
    let plain = hex("4920776f756c64206c696b652074686520 47656e6572616c20476175277320436869636b656e2c\
                     20706c656173652c20616e6420776f6e746f6e20736f75702e");
    let cases = [
        "c6353568f2bf8cb4d8a580362da7ff7f97",
        "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5",
        "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584",
        "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e\
         39312523a78662d5be7fcbcc98ebf5",
        "97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd8\
         39312523a78662d5be7fcbcc98ebf5a8",
        "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a8\
         4807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8",
    ];
    let cts = CbcCts::<Aes>::new(&hex("636869636b656e207465726979616b69")).unwrap();
    for cipher in cases {
        let length = cipher.len() / 2;
        let mut message = plain[..length].to_vec();
        cts.encrypt(&[0; 16], &mut message).unwrap();
        assert_eq!(digits(&message), cipher);
        cts.decrypt(&[0; 16], &mut message).unwrap();
        assert_eq!(message, plain[..length]);
    }
    assert!(matches!(cts.encrypt(&[0; 16], &mut [0; 15]), Err(Error::MessageLength { found: 15, .. })));
}
