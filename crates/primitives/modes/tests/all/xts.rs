//! XTS against the standard's vectors, NIST's, and a set for LEA.

use crate::common::{block, counting, digits, hex, rows, sha256};
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

/// IEEE 1619-2007, Annex B, all of it, and of NIST's Cryptographic Algorithm Validation Program some of XTSGenAES128.rsp and
/// XTSGenAES256.rsp (with the tweak as a hexadecimal string): name, key, tweak, plaintext, ciphertext or its SHA-256.
#[test]
fn official_vectors() {
    let ieee = include_str!("../../../../catalog/vectors/cipher/ieee-1619.txt");
    let cavp = include_str!("../../../../catalog/vectors/cipher/cavp-xts.txt");
    let mut count = 0;
    for file in [ieee, cavp] {
        let mut before = Vec::new();
        for row in rows(file) {
            let plain = match row[3] {
                "count" => counting(512),
                "previous" => before,
                plain => hex(plain),
            };
            before = encrypted(row[1], row[2], &plain);
            match row[4].strip_prefix("sha256:") {
                Some(digest) => assert_eq!(sha256(&before), digest, "{}", row[0]),
                None => assert_eq!(digits(&before), row[4], "{}", row[0]),
            }
            count += 1;
        }
    }
    assert_eq!(count, 19 + 8);
}

/// There are no official vectors of LEA-XTS. These were computed with Crypto++ 8.7 and confirmed with a second, slow
/// implementation from the specifications: key and plaintext count from 0, the tweak is the sector's number.
#[test]
fn lea() {
    let file = include_str!("../../../../catalog/vectors/cipher/xts-lea.txt");
    assert_eq!(rows(file).count(), 8);
    for row in rows(file) {
        let (key, length): (usize, usize) = (row[0].parse().unwrap(), row[2].parse().unwrap());
        let sector = u128::from_str_radix(row[1], 16).unwrap();
        let xts = Xts::<Lea>::new(&counting(key)).unwrap();
        let mut data = counting(length);
        xts.encrypt_sectors(sector, 1, length, &mut data).unwrap();
        assert_eq!(sha256(&data), row[4], "key of {key} bytes, sector {sector:#x} of {length} bytes");
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
    let xts = Xts::<Aes>::new(&counting(64)).unwrap();
    for found in [0, 1, 15, (16 << 20) + 1] {
        let refused = xts.encrypt_sectors(0, 1, found, &mut counting(found));
        assert!(matches!(refused, Err(Error::SectorSize { found: size, .. }) if size == found));
    }
    let refused = xts.decrypt_sectors(0, 1, 512, &mut counting(513));
    assert_eq!(refused, Err(Error::PartialSector { length: 513, sector_size: 512 }));
    assert_eq!(xts.encrypt_sectors(0, 1, 512, &mut []), Ok(()));
}
