//! What the host's libgcrypt does not say of keys that others made.
#![allow(clippy::print_stderr)]

use fieldtest_catalog::signature::find;
use pkcs1::{EncodeRsaPrivateKey as _, RsaPrivateKeyRef};
use rsa::{BoxedUint, PrivateKey};

/// It wants the smaller prime first, and gives one wrong signature in a hundred where it is the larger one.
#[test]
fn rsa_keys_with_their_primes_in_either_order() {
    let algorithm = find("rsa-2048").expect("it is there");
    let Ok(libgcrypt) = algorithm.implementation("libgcrypt-host") else {
        assert!(
            std::env::var_os("FIELDTEST_PEERS").is_none_or(|wanted| wanted != "required"),
            "libgcrypt is missing, and FIELDTEST_PEERS=required demands it"
        );
        eprintln!("SKIPPED: libgcrypt is missing");
        return;
    };
    for _ in 0..3 {
        let pair = libgcrypt.code.generate().expect("a key pair");
        let key = RsaPrivateKeyRef::try_from(&pair.secret[..]).expect("PKCS #1");
        let number = |octets: &[u8]| BoxedUint::from_be_slice_vartime(octets);
        let [p, q, e] = [key.prime1, key.prime2, key.public_exponent].map(|it| number(it.as_bytes()));
        let orders = [[&p, &q], [&q, &p]].map(|[first, second]| {
            let key = PrivateKey::from_p_q(first.clone(), second.clone(), e.clone()).expect("primes");
            let der = key.to_pkcs1_der().expect("PKCS #1");
            libgcrypt.code.signing_key(der.as_bytes()).expect("a key")
        });
        let verifying = libgcrypt.code.verifying_key(&pair.public).expect("a key");
        for message in 0..200_u8 {
            let [mut one, mut other] = [Vec::new(), Vec::new()];
            orders[0].sign(&[message], &mut one).expect("a signature");
            orders[1].sign(&[message], &mut other).expect("a signature");
            assert_eq!(one, other, "message {message}");
            verifying.verify(&[message], &one).expect("its signature");
        }
    }
}
