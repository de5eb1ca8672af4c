//! Round trips by every path, and that all paths make the same.

use fieldtest_antrag::{InvalidSignature, Path, SIGNATURE, SigningKey, VerifyingKey};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

/// Signs and verifies messages of growing length with several keys; signed by one path, verified by all.
fn round_trips(keys: u32, messages: u32) {
    let paths: Vec<Path> = Path::available().collect();
    for number in 0..keys {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&number.to_le_bytes());
        let key = SigningKey::from_seed_on(paths[number as usize % paths.len()], &seed);
        let public: Vec<VerifyingKey> =
            paths.iter().map(|path| VerifyingKey::new_on(*path, key.public_key()).unwrap()).collect();
        let mut message = Vec::new();
        for number in 0..messages {
            message.push(number as u8);
            let mut signature = [0; SIGNATURE];
            key.sign(&message, &[number as u8; 32], &mut signature).unwrap();
            for public in &public {
                public.verify(&message, &signature).unwrap();
                assert_eq!(public.verify(&message[1..], &signature), Err(InvalidSignature));
            }
        }
    }
}

#[test]
fn two_hundred_round_trips() {
    round_trips(6, 34);
}

#[test]
#[ignore = "a few seconds"]
fn ten_thousand_round_trips() {
    round_trips(50, 200);
}

#[test]
fn paths_make_the_same_keys_and_signatures() {
    for seed in 0..3 {
        let mut made = Path::available().map(|path| {
            let key = SigningKey::from_seed_on(path, &[seed; 32]);
            let mut all = key.public_key().to_vec();
            all.extend_from_slice(&*key.to_bytes());
            let again = SigningKey::from_bytes_on(path, &*key.to_bytes()).unwrap();
            assert_eq!(again.public_key(), key.public_key());
            for number in 0..20_u8 {
                let mut signature = [0; SIGNATURE];
                key.sign(&[number], &[seed; 32], &mut signature).unwrap();
                all.extend_from_slice(&signature);
                let mut other = [0; SIGNATURE];
                again.sign(&[number], &[seed; 32], &mut other).unwrap();
                assert_eq!(signature, other);
            }
            (path.name(), all)
        });
        let (_, portable) = made.next().unwrap();
        for (name, other) in made {
            assert!(other == portable, "{name}");
        }
    }
}

/// There are no official vectors. These are of this crate's own, so that a change of keys, signatures or encodings does
/// not go unnoticed.
#[test]
fn keys_and_signatures_stay_the_same() {
    let key = SigningKey::from_seed(&[0; 32]);
    let mut signature = [0; SIGNATURE];
    key.sign(b"Antrag-512", &[0; 32], &mut signature).unwrap();
    let digest = |bytes: &[u8]| {
        let mut digest = [0; 8];
        Shake256::default().chain(bytes).finalize_xof().read(&mut digest);
        u64::from_be_bytes(digest)
    };
    let digests = [digest(key.public_key()), digest(&*key.to_bytes()), digest(&signature)];
    assert_eq!(
        digests,
        [0x2ced_410d_f601_893b, 0x926c_d9df_53c7_9c8b, 0x1271_0775_1a71_c8be],
        "{digests:016x?}"
    );
}

#[test]
fn signatures_depend_on_message_key_and_randomizer() {
    let key = SigningKey::from_seed(&[1; 32]);
    let sign = |message: &[u8], randomizer: u8| {
        let mut signature = [0; SIGNATURE];
        key.sign(message, &[randomizer; 32], &mut signature).unwrap();
        signature
    };
    assert_eq!(sign(b"a", 0), sign(b"a", 0));
    assert_ne!(sign(b"a", 0)[..40], sign(b"a", 1)[..40], "the salts");
    assert_ne!(sign(b"a", 0)[..40], sign(b"b", 0)[..40]);
    let other = SigningKey::from_seed(&[2; 32]);
    let mut signature = [0; SIGNATURE];
    other.sign(b"a", &[0; 32], &mut signature).unwrap();
    assert_ne!(sign(b"a", 0)[..40], signature[..40]);
    let public = VerifyingKey::new(key.public_key()).unwrap();
    assert_eq!(public.verify(b"a", &signature), Err(InvalidSignature));
}
