//! GCM, CCM and CMAC: published values, and RustCrypto's and the definitions' answers on random messages.

use crate::aes_by::AesBy;
use crate::common::{hex, rows};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{AeadMode, Block, BlockCipher16, Ccm, Cmac, Error, Gcm};
use proptest::collection::vec;
use proptest::prelude::*;

/// Seals and opens again, and opens nothing with another tag.
fn agrees(mode: &impl AeadMode, [nonce, associated, plaintext, ciphertext, tag]: [&str; 5]) {
    let [nonce, associated, plaintext, ciphertext, mut tag] =
        [nonce, associated, plaintext, ciphertext, tag].map(hex);
    let (mut message, mut found) = (plaintext.clone(), vec![0; tag.len()]);
    mode.seal(&nonce, &associated, &mut message, &mut found).expect("sealed");
    assert_eq!((&message, &found), (&ciphertext, &tag));
    tag[0] ^= 0x80;
    assert_eq!(mode.open(&nonce, &associated, &mut message, &tag), Err(Error::WrongTag));
    assert_eq!(message, ciphertext, "what does not verify is not decrypted");
    mode.open(&nonce, &associated, &mut message, &found).expect("opened");
    assert_eq!(message, plaintext);
}

/// McGrew and Viega, The Galois/Counter Mode of Operation (GCM), appendix B, test cases 1, 2, 4, 5, 10 and 16.
#[test]
fn gcm_of_its_authors() {
    let plaintext = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    let associated = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
    let zero = Gcm::<Aes>::new(&[0; 16]).unwrap();
    let none = "000000000000000000000000";
    agrees(&zero, [none, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"]);
    agrees(
        &zero,
        [
            none,
            "",
            "00000000000000000000000000000000",
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ],
    );
    let of = |bytes: usize| Gcm::<Aes>::new(&hex(key)[..bytes]).unwrap();
    agrees(
        &of(16),
        [
            "cafebabefacedbaddecaf888",
            associated,
            plaintext,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ],
    );
    agrees(
        &of(16),
        [
            "cafebabefacedbad",
            associated,
            plaintext,
            "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
            "3612d2e79e3b0785561be14aaca2fccb",
        ],
    );
    agrees(
        &of(24),
        [
            "cafebabefacedbaddecaf888",
            associated,
            plaintext,
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
            "2519498e80f1478f37ba55bd6d27618c",
        ],
    );
    agrees(
        &of(32),
        [
            "cafebabefacedbaddecaf888",
            associated,
            plaintext,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b",
        ],
    );
}

/// SP 800-38C, appendix C, examples 1 to 4.
#[test]
fn ccm_of_nist() {
    let ccm = Ccm::<Aes>::new(&hex("404142434445464748494a4b4c4d4e4f")).unwrap();
    agrees(&ccm, ["10111213141516", "0001020304050607", "20212223", "7162015b", "4dac255d"]);
    agrees(
        &ccm,
        [
            "1011121314151617",
            "000102030405060708090a0b0c0d0e0f",
            "202122232425262728292a2b2c2d2e2f",
            "d2a1f0e051ea5f62081a7792073d593d",
            "1fc64fbfaccd",
        ],
    );
    agrees(
        &ccm,
        [
            "101112131415161718191a1b",
            "000102030405060708090a0b0c0d0e0f10111213",
            "202122232425262728292a2b2c2d2e2f3031323334353637",
            "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5",
            "484392fbc1b09951",
        ],
    );
    let long: String = (0..65536).map(|byte| format!("{:02x}", byte % 256)).collect();
    agrees(
        &ccm,
        [
            "101112131415161718191a1b1c",
            &long,
            "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72",
            "b4ac6bec93e8598e7f0dadbcea5b",
        ],
    );
}

/// SP 800-38B, appendix D (the first edition's), examples 1 to 12: lengths of 0, 16, 40 and 64 bytes.
#[test]
fn cmac_of_nist() {
    for row in rows(include_str!("../../../../catalog/vectors/mac/cmac-aes.txt")) {
        let (message, mut tag) = (hex(row[1].trim_matches('-')), [0; 16]);
        Cmac::<Aes>::new(&hex(row[0])).unwrap().tag(&message, &mut tag).unwrap();
        assert_eq!(tag[..], hex(row[2]), "{} bytes", message.len());
    }
}

fn encrypted<C: BlockCipher16>(cipher: &C, block: Block) -> Block {
    let mut blocks = [block];
    cipher.encrypt(&mut blocks);
    blocks[0]
}

fn xor(a: Block, b: Block) -> Block {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// Blocks of bytes, the last filled up with zeros.
fn blocks(bytes: &[u8]) -> Vec<Block> {
    let mut filled = bytes.to_vec();
    filled.resize(bytes.len().next_multiple_of(16), 0);
    filled.as_chunks().0.to_vec()
}

/// SP 800-38D, algorithm 4, with the multiplication bit by bit.
fn gcm_by_definition<C: BlockCipher16>(
    cipher: &C,
    nonce: &[u8],
    associated: &[u8],
    message: &[u8],
) -> (Vec<u8>, Block) {
    let subkey = u128::from_be_bytes(encrypted(cipher, [0; 16]));
    let hash = |parts: [&[u8]; 2]| {
        let lengths = ((8 * parts[0].len() as u128) << 64) | (8 * parts[1].len() as u128);
        let all = parts.iter().flat_map(|part| blocks(part)).chain([lengths.to_be_bytes()]);
        all.fold(0_u128, |state, block| {
            let factor = state ^ u128::from_be_bytes(block);
            let (mut multiple, mut product) = (subkey, 0);
            for at in 0..128 {
                product ^= if factor << at >> 127 == 1 { multiple } else { 0 };
                multiple = (multiple >> 1) ^ if multiple & 1 == 1 { 0xe1 << 120 } else { 0 };
            }
            product
        })
        .to_be_bytes()
    };
    let first = match nonce.len() {
        12 => blocks(nonce)[0].map(|byte| byte),
        _ => hash([&[], nonce]),
    };
    let first = if nonce.len() == 12 { (u128::from_be_bytes(first) | 1).to_be_bytes() } else { first };
    let counter = |number: u32| {
        let mut block = first;
        let low = u128::from_be_bytes(first) as u32;
        block[12..].copy_from_slice(&low.wrapping_add(number).to_be_bytes());
        block
    };
    let ciphertext: Vec<u8> = (1..)
        .zip(message.chunks(16))
        .flat_map(|(number, chunk)| {
            let stream = encrypted(cipher, counter(number));
            chunk.iter().zip(stream).map(|(a, b)| a ^ b).collect::<Vec<u8>>()
        })
        .collect();
    let tag = xor(hash([associated, &ciphertext]), encrypted(cipher, counter(0)));
    (ciphertext, tag)
}

/// SP 800-38C, section 6.1, for short associated data and a nonce of 11 bytes.
fn ccm_by_definition<C: BlockCipher16>(
    cipher: &C,
    nonce: &[u8],
    associated: &[u8],
    message: &[u8],
) -> (Vec<u8>, Block) {
    let mut first = [0; 16];
    first[0] = 64 * u8::from(!associated.is_empty()) + 8 * 7 + 3;
    first[1..12].copy_from_slice(nonce);
    first[12..].copy_from_slice(&(message.len() as u32).to_be_bytes());
    let mut formatted = vec![first];
    if !associated.is_empty() {
        let length = (associated.len() as u16).to_be_bytes();
        formatted.extend(blocks(&[&length, associated].concat()));
    }
    formatted.extend(blocks(message));
    let mac = formatted.into_iter().fold([0; 16], |state, block| encrypted(cipher, xor(state, block)));
    let counter = |number: u32| {
        let mut block = [0; 16];
        block[0] = 3;
        block[1..12].copy_from_slice(nonce);
        block[12..].copy_from_slice(&number.to_be_bytes());
        encrypted(cipher, block)
    };
    let ciphertext = (1..)
        .zip(message.chunks(16))
        .flat_map(|(number, chunk)| {
            chunk.iter().zip(counter(number)).map(|(a, b)| a ^ b).collect::<Vec<u8>>()
        })
        .collect();
    (ciphertext, xor(mac, counter(0)))
}

/// SP 800-38B, sections 6.1 and 6.2.
fn cmac_by_definition<C: BlockCipher16>(cipher: &C, message: &[u8]) -> Block {
    let doubled = |block: Block| {
        let number = u128::from_be_bytes(block);
        (number << 1 ^ if number >> 127 == 1 { 0x87 } else { 0 }).to_be_bytes()
    };
    let whole = doubled(encrypted(cipher, [0; 16]));
    let (bytes, subkey) = match message.len() % 16 {
        0 if !message.is_empty() => (message.to_vec(), whole),
        _ => ([message, &[0x80]].concat(), doubled(whole)),
    };
    let mut all = blocks(&bytes);
    if let Some(last) = all.last_mut() {
        *last = xor(*last, subkey);
    }
    all.into_iter().fold([0; 16], |state, block| encrypted(cipher, xor(state, block)))
}

#[derive(Debug, Clone)]
struct Job {
    key: Vec<u8>,
    nonce: Vec<u8>,
    associated: Vec<u8>,
    message: Vec<u8>,
}

fn job() -> impl Strategy<Value = Job> {
    let key = prop_oneof![vec(any::<u8>(), 16), vec(any::<u8>(), 24), vec(any::<u8>(), 32)];
    let nonce = prop_oneof![3 => vec(any::<u8>(), 12), 1 => vec(any::<u8>(), 1..70)];
    let bytes = prop_oneof![vec(any::<u8>(), 0..70), vec(any::<u8>(), 0..1500)];
    let message =
        prop_oneof![vec(any::<u8>(), 0..70), vec(any::<u8>(), 0..1500), vec(any::<u8>(), 3500..9000)];
    (key, nonce, bytes, message).prop_map(|(key, nonce, associated, message)| Job {
        key,
        nonce,
        associated,
        message,
    })
}

impl Job {
    fn all<C: BlockCipher16>(&self) {
        let cipher = C::with_key(&self.key).unwrap();
        let expected = gcm_by_definition(&cipher, &self.nonce, &self.associated, &self.message);
        self.agrees(&Gcm::<C>::new(&self.key).unwrap(), &self.nonce, expected);
        let nonce = [7; 11];
        let expected = ccm_by_definition(&cipher, &nonce, &self.associated, &self.message);
        self.agrees(&Ccm::<C>::new(&self.key).unwrap(), &nonce, expected);
        let mut tag = [0; 16];
        Cmac::<C>::new(&self.key).unwrap().tag(&self.message, &mut tag).unwrap();
        assert_eq!(tag, cmac_by_definition(&cipher, &self.message));
    }

    fn agrees(&self, mode: &impl AeadMode, nonce: &[u8], (ciphertext, tag): (Vec<u8>, Block)) {
        let (mut message, mut found) = (self.message.clone(), [0; 16]);
        mode.seal(nonce, &self.associated, &mut message, &mut found).unwrap();
        assert!(message == ciphertext && found == tag);
        let mut wrong = tag;
        wrong[15] ^= 1;
        assert_eq!(mode.open(nonce, &self.associated, &mut message, &wrong), Err(Error::WrongTag));
        assert!(message == ciphertext, "what does not verify is not decrypted");
        mode.open(nonce, &self.associated, &mut message, &tag).unwrap();
        assert!(message == self.message);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn modes_agree_with_their_definitions(job in job()) {
        job.all::<AesBy<0>>();
        job.all::<AesBy<1>>();
        job.all::<AesBy<2>>();
        job.all::<AesBy<3>>();
        job.all::<Aria>();
        job.all::<Lea>();
    }
}

/// A nonce whose hash is a counter that runs over within the message: the 32 bits that are counted begin anew, and the rest of
/// the counter stays. The nonce was found by trying.
#[test]
fn counters_of_32_bits_run_over() {
    let key = [3; 16];
    let cipher = Aes::with_key(&key).unwrap();
    let gcm = Gcm::<Aes>::new(&key).unwrap();
    let near_the_end = (0_u32..).find(|number| {
        // The keystream's counter is seen by what encrypts zeros; here it is enough to hash.
        let (_, tag) = gcm_by_definition(&cipher, &number.to_be_bytes(), &[], &[]);
        let hides: Block = tag;
        let mut counter = [hides];
        cipher.decrypt(&mut counter);
        // With nothing to hash the tag is the encrypted counter.
        u128::from_be_bytes(counter[0]) as u32 > u32::MAX - 500 * 32
    });
    let nonce = near_the_end.unwrap().to_be_bytes();
    let message = vec![5; 600 * 512];
    let job = Job { key: key.to_vec(), nonce: nonce.to_vec(), associated: Vec::new(), message };
    job.agrees(&gcm, &nonce, gcm_by_definition(&cipher, &nonce, &[], &job.message));
}

#[test]
fn refusals() {
    let (gcm, ccm) = (Gcm::<Aes>::new(&[1; 16]).unwrap(), Ccm::<Aes>::new(&[1; 16]).unwrap());
    let mut message = vec![9; 100];
    for length in [0, 1, 2, 3, 5, 7, 9, 11, 17] {
        let mut tag = vec![0; length];
        let refused = Err(Error::TagLength { found: length, expected: "4, 8 or 12 to 16 bytes" });
        assert_eq!(gcm.seal(&[0; 12], &[], &mut message, &mut tag), refused);
        assert_eq!(gcm.open(&[0; 12], &[], &mut message, &tag), refused);
        let refused = Err(Error::TagLength { found: length, expected: "even lengths of 4 to 16 bytes" });
        assert_eq!(ccm.seal(&[0; 12], &[], &mut message, &mut tag), refused);
    }
    let tag = &mut [0; 16];
    assert!(matches!(gcm.seal(&[], &[], &mut message, tag), Err(Error::NonceLength { found: 0, .. })));
    for length in [0, 6, 14] {
        let refused = ccm.seal(&vec![0; length], &[], &mut message, tag);
        assert!(matches!(refused, Err(Error::NonceLength { found, .. }) if found == length));
    }
    let refused = ccm.seal(&[0; 13], &[], &mut vec![0; 65536], tag);
    assert!(matches!(refused, Err(Error::MessageLength { found: 65536, .. })));
    assert_eq!(ccm.seal(&[0; 13], &[], &mut vec![0; 65535], tag), Ok(()));
    assert!(matches!(
        Cmac::<Aes>::new(&[1; 16]).unwrap().tag(&[], &mut [0; 17]),
        Err(Error::TagLength { .. })
    ));
    assert!(matches!(Gcm::<Aes>::new(&[1; 17]), Err(Error::KeyLength { found: 17 })));
    assert_eq!(message, [9; 100]);
}
