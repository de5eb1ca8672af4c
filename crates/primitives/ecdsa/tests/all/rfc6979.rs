//! The examples of RFC 6979, A.2.5 and A.2.6, with the three hash functions of this crate.

use data_encoding::HEXLOWER;
use fieldtest_ecdsa::{Curve, Hash, P256, P384, SigningKey};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The catalog's file: curve, secret key, public key, hash function, message, signature.
const EXAMPLES: &str = include_str!("../../../../catalog/vectors/ecdsa-rfc6979.txt");

fn check<C: Curve>(curve: &str) {
    let rows = EXAMPLES.lines().map(|row| row.split(' ').collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row[0] == curve).collect();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let hex = |column: usize| HEXLOWER.decode(row[column].as_bytes()).unwrap();
        let (message, expected) = (row[4], hex(5));
        let (hash, digest) = match row[3] {
            "sha-256" => (Hash::Sha256, Sha256::digest(message).to_vec()),
            "sha-384" => (Hash::Sha384, Sha384::digest(message).to_vec()),
            _ => (Hash::Sha512, Sha512::digest(message).to_vec()),
        };
        let key = SigningKey::<C>::new(&hex(1)).unwrap();
        assert_eq!(key.public().as_ref(), hex(2));
        let public = crate::Both::<C>::new(key.public().as_ref()).unwrap();
        let mut signature = vec![0; expected.len()];
        key.sign_digest(hash, &digest, &mut signature).unwrap();
        assert_eq!(signature, expected, "{message}, {hash:?}");
        public.verify_digest(&digest, &signature).unwrap();
    }
}

#[test]
fn both_curves() {
    check::<P256>("p256");
    check::<P384>("p384");
}
