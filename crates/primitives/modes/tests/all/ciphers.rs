//! AES and ARIA in CBC and CTR against values computed with OpenSSL 3.0.22, ARIA against its authors' vectors, and LEA
//! against KISA's.

use crate::common::{block, counting, digits, hex, rows, sha256};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{BlockCipher16, Cbc, Ctr, Error};

/// Values for one key length. The key counts from 0, initialisation vector and counter from 0x40; the message is the
/// first 1000 bytes (992 for CBC) of 0, 1, … 255, 0, …. Ciphertexts are given by their SHA-256.
struct Expected {
    key: usize,
    cbc: &'static str,
    ctr: &'static str,
}

const AES: [Expected; 3] = [
    Expected {
        key: 16,
        cbc: "d326c169d8d481849fbdafd5ce9e8b036532572d01de3c0674af2c5ad3b4e27d",
        ctr: "45f9b73313fa1808c6037bbf1922fae34f0a425ce1288c278322188d97e40a94",
    },
    Expected {
        key: 24,
        cbc: "6233b258915be46dc3596f8c9aad498239b86f4a2c180218dad5c47eed2e407c",
        ctr: "dca7a6dea2d5a47ef73789a2686ad487110a4d107a3dc96529a6dd2e9c2230cb",
    },
    Expected {
        key: 32,
        cbc: "eb3beb39c3d8e0ce436de6c85ba5fe87532c302137c5dd4ba24888d560b25fcd",
        ctr: "10fbb5464f4a2187f7a5a228969a1c8eeed64d2e5005977bee172b4c041fe5fd",
    },
];

const ARIA: [Expected; 3] = [
    Expected {
        key: 16,
        cbc: "73474a28906f388a6a1e61b0c095ab97e161b20b30a297fb3d55395f3e75eba1",
        ctr: "12b0b16dbc4a30c301b41bebd98fb51b602226ad999233a1ab51ebca525a8b76",
    },
    Expected {
        key: 24,
        cbc: "b33aaab44e6df05c5fbb55657235803f352750385b4ddbd9b962a1263dcc0be3",
        ctr: "cb2179747e7852bed84ea2b47052fbd3eb5d80d8d74f457cd0558a45a7c8b1e9",
    },
    Expected {
        key: 32,
        cbc: "a67b5f3aa8dc9a382e0f235f7d9a7a2f61e36c51ef1b6cd1ac51e4eeb58ee009",
        ctr: "bfcd2b4aab89738603096095b60efccdd9da14f5f2890e495f39aa834e4bd37d",
    },
];

fn all_modes<C: BlockCipher16>(table: &[Expected]) {
    let start = block("404142434445464748494a4b4c4d4e4f");
    let plain = counting(1000);
    for expected in table {
        let key = counting(expected.key);
        let mut message = plain[..992].to_vec();
        let cbc = Cbc::<C>::new(&key).unwrap();
        cbc.encrypt(&start, &mut message).unwrap();
        assert_eq!(sha256(&message), expected.cbc, "CBC, key of {} bytes", expected.key);
        cbc.decrypt(&start, &mut message).unwrap();
        assert_eq!(message, plain[..992], "CBC, key of {} bytes", expected.key);

        let mut message = plain.clone();
        Ctr::<C>::new(&key).unwrap().apply(&start, &mut message);
        assert_eq!(sha256(&message), expected.ctr, "CTR, key of {} bytes", expected.key);
    }
}

#[test]
fn aes() {
    all_modes::<Aes>(&AES);
}

#[test]
fn aria() {
    all_modes::<Aria>(&ARIA);
}

/// The rows of CBC or CTR for the three key lengths: key, initialisation vector or first counter, plaintext, ciphertext.
macro_rules! vectors {
    ($cipher:literal, $mode:literal) => {
        [
            include_str!(concat!(
                "../../../../catalog/vectors/cipher/modes-",
                $cipher,
                "-128-",
                $mode,
                ".txt"
            )),
            include_str!(concat!(
                "../../../../catalog/vectors/cipher/modes-",
                $cipher,
                "-192-",
                $mode,
                ".txt"
            )),
            include_str!(concat!(
                "../../../../catalog/vectors/cipher/modes-",
                $cipher,
                "-256-",
                $mode,
                ".txt"
            )),
        ]
    };
}

fn agrees<C: BlockCipher16>(cbc: [&'static str; 3], ctr: [&'static str; 3]) {
    for row in cbc.into_iter().flat_map(rows) {
        let mut message = hex(row[2]);
        let cbc = Cbc::<C>::new(&hex(row[0])).unwrap();
        cbc.encrypt(&block(row[1]), &mut message).unwrap();
        assert_eq!(digits(&message), row[3]);
        cbc.decrypt(&block(row[1]), &mut message).unwrap();
        assert_eq!(digits(&message), row[2]);
    }
    for row in ctr.into_iter().flat_map(rows) {
        let (plain, cipher) = (hex(row[2]), hex(row[3]));
        let ctr = Ctr::<C>::new(&hex(row[0])).unwrap();
        // And every shorter message.
        for length in 0..=plain.len() {
            let mut message = plain[..length].to_vec();
            ctr.apply(&block(row[1]), &mut message);
            assert_eq!(message, cipher[..length]);
        }
    }
}

/// "ARIA Test Vectors" (5 May 2004): ten blocks in CBC and CTR with keys of 128, 192 and 256 bits.
#[test]
fn aria_by_its_authors() {
    agrees::<Aria>(vectors!("aria", "cbc"), vectors!("aria", "ctr"));
}

/// KISA's lea_vs for CBC and CTR.
#[test]
fn lea() {
    agrees::<Lea>(vectors!("lea", "cbc"), vectors!("lea", "ctr"));
}

/// NIST SP 800-38A, appendices F.2 and F.5.
#[test]
fn aes_by_nist() {
    agrees::<Aes>(vectors!("aes", "cbc"), vectors!("aes", "ctr"));
}

#[test]
fn partial_blocks_are_refused() {
    let cbc = Cbc::<Aes>::new(&[0; 16]).unwrap();
    let refused = cbc.encrypt(&[0; 16], &mut [0; 17]);
    assert!(matches!(refused, Err(Error::MessageLength { found: 17, .. })));
}
