//! Signing and verifying what was hashed already, as IMA does.

use fieldtest_catalog::signature::find;
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::DigestAlgorithm;
use sha2::{Digest, Sha256, Sha384};

const MESSAGE: &[u8] = b"what was hashed already";

const ALGORITHMS: [DigestAlgorithm; 7] = [
    DigestAlgorithm::Sha1,
    DigestAlgorithm::Sha256,
    DigestAlgorithm::Sha384,
    DigestAlgorithm::Sha512,
    DigestAlgorithm::Sha3_256,
    DigestAlgorithm::Sha3_384,
    DigestAlgorithm::Sha3_512,
];

/// A signature over the digest is one over the message where the algorithm's own hash was used.
#[test]
fn a_digest_stands_for_its_message() {
    for (name, algorithm, digest) in [
        ("rsa-2048", DigestAlgorithm::Sha256, Sha256::digest(MESSAGE).to_vec()),
        ("ecdsa-p256", DigestAlgorithm::Sha256, Sha256::digest(MESSAGE).to_vec()),
        ("ecdsa-p384", DigestAlgorithm::Sha384, Sha384::digest(MESSAGE).to_vec()),
    ] {
        let all = &find(name).unwrap().implementations;
        let pair = all[0].code.generate().unwrap();
        let mut signers = 0;
        for signer in all {
            let mut signature = Vec::new();
            match signer.code.signing_key(&pair.secret).unwrap().sign_digest(
                algorithm,
                &digest,
                &mut signature,
            ) {
                Ok(()) => signers += 1,
                Err(Error::Unsupported(_)) => continue,
                Err(error) => panic!("{name} by {}: {error}", signer.name),
            }
            for verifier in all {
                let key = verifier.code.verifying_key(&pair.public).unwrap();
                key.verify(MESSAGE, &signature).unwrap();
                match key.verify_digest(algorithm, &digest, &signature) {
                    Ok(()) => {
                        let mut other = digest.clone();
                        other[3] ^= 1;
                        assert_eq!(
                            key.verify_digest(algorithm, &other, &signature),
                            Err(Error::InvalidSignature)
                        );
                    }
                    Err(Error::Unsupported(_)) => {}
                    Err(error) => panic!("{name} by {}: {error}", verifier.name),
                }
            }
        }
        assert!(signers >= 2, "{name}");
    }
}

/// Digests of all lengths, and every verifier agrees with every signer. Where two implementations are deterministic they
/// agree byte for byte.
#[test]
fn every_digest_algorithm() {
    for name in ["rsa-2048", "ecdsa-p256", "ecdsa-p384"] {
        let all = &find(name).unwrap().implementations;
        let pair = all[0].code.generate().unwrap();
        for algorithm in ALGORITHMS {
            let digest: Vec<u8> = (1..=algorithm.length() as u8).collect();
            let mut alike = Vec::new();
            for signer in all {
                let key = signer.code.signing_key(&pair.secret).unwrap();
                let mut signature = Vec::new();
                match key.sign_digest(algorithm, &digest, &mut signature) {
                    Err(Error::Unsupported(_)) => continue,
                    signed => signed.unwrap(),
                }
                let mut again = Vec::new();
                key.sign_digest(algorithm, &digest, &mut again).unwrap();
                if signature == again {
                    alike.push((signer.name, again));
                }
                for verifier in all {
                    let key = verifier.code.verifying_key(&pair.public).unwrap();
                    match key.verify_digest(algorithm, &digest, &signature) {
                        Ok(()) | Err(Error::Unsupported(_)) => {}
                        Err(error) => {
                            panic!("{name} {algorithm:?} {} {}: {error}", signer.name, verifier.name)
                        }
                    }
                }
                assert!(key.sign_digest(algorithm, &digest[1..], &mut signature).is_err());
            }
            assert!(alike.iter().any(|(signer, _)| *signer == "rustcrypto"), "{name} {algorithm:?}");
            assert!(alike.windows(2).all(|two| two[0].1 == two[1].1), "{name} {algorithm:?}: {alike:?}");
        }
    }
}
