//! CBC and CTR against official vectors: AES against NIST's, ARIA against its authors', and LEA against KISA's.

use crate::common::{block, digits, hex, rows};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{BlockCipher16, Cbc, Ctr, Error};

/// The files of CBC or CTR for the three key lengths: key, initialisation vector or first counter, plaintext, ciphertext.
macro_rules! vectors {
    ($cipher:literal, $mode:literal) => {
        vectors!($cipher, $mode, "-128-", "-192-", "-256-")
    };
    ($cipher:literal, $mode:literal, $($bits:literal),*) => {
        [$(include_str!(concat!("../../../../catalog/vectors/cipher/modes-", $cipher, $bits, $mode, ".txt"))),*]
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
