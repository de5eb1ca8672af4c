//! Published examples, by every path of this processor, one at a time and in batches.

use data_encoding::HEXLOWER;
use fieldtest_keccak::{Hash, Hasher, Kt128, Message, Path, Sha3_256, Shake128, hash_many_on, hash_on};

/// A message, the length of the digest, and how the digest ends, in hexadecimal.
type Example = (Vec<u8>, usize, &'static str);

fn check<H: Hash>(examples: &[Example]) {
    for path in Path::available() {
        for (message, length, end) in examples {
            let mut digest = vec![0; *length];
            hash_on::<H>(path, &[], message, &mut digest).unwrap();
            assert!(HEXLOWER.encode(&digest).ends_with(end), "{} bytes, {}", message.len(), path.name());
        }
        let mut jobs: Vec<_> = examples.iter().map(|example| (example, vec![0; example.1])).collect();
        hash_many_on::<H, _>(path, &mut jobs, |((message, ..), digest)| {
            let (head, body) = message.split_at(message.len() / 3);
            Message { head, body, digest }
        })
        .unwrap();
        for ((message, _, end), digest) in jobs {
            assert!(
                HEXLOWER.encode(&digest).ends_with(end),
                "{} bytes in a batch, {}",
                message.len(),
                path.name()
            );
        }
    }
}

/// The messages of 0 and 1600 bits for SHA3-256 as
/// <https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values> lists them, and those of
/// FIPS 180-4.
#[test]
fn fips_202_sha3_256() {
    check::<Sha3_256>(&[
        (vec![], 32, "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
        (vec![0xa3; 200], 32, "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787"),
        (b"abc".to_vec(), 32, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".to_vec(),
            32,
            "41c0dba2a9d6240849100376a8235e2c82e1b9998a999e21db32dd97496d3376",
        ),
        (vec![b'a'; 1_000_000], 32, "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1"),
    ]);
}

/// The messages of 0 and 1600 bits for SHAKE128 of the same list, and the beginnings of their outputs.
#[test]
fn fips_202_shake128() {
    check::<Shake128>(&[
        (vec![], 32, "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
        (
            vec![],
            64,
            "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26\
             3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e2",
        ),
        (vec![0xa3; 200], 32, "131ab8d2b594946b9c81333f9bb6e0ce75c3b93104fa3469d3917457385da037"),
    ]);
}

/// `ptn(n)` of RFC 9861, section 5.
fn pattern(length: usize) -> Vec<u8> {
    (0..=0xfa).cycle().take(length).collect()
}

/// RFC 9861, section 5, the messages without a customization string: those of the catalog's file, and longer outputs.
#[test]
fn rfc_9861() {
    let rows = include_str!("../../../../catalog/vectors/hash/kt128.txt").lines();
    let rows = rows.filter(|row| !row.starts_with('#')).map(|row| row.split_once(' ').unwrap());
    let of_32_bytes = rows.map(|(length, digest)| (pattern(length.parse().unwrap()), 32, digest));
    let longer = [
        (
            vec![],
            64,
            "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5\
             4269c056b8c82e48276038b6d292966cc07a3d4645272e31ff38508139eb0a71",
        ),
        (vec![], 10_032, "e8dc563642f7228c84684c898405d3a834799158c079b12880277a1d28e2ff6d"),
    ];
    check::<Kt128>(&of_32_bytes.chain(longer).collect::<Vec<_>>());
}

/// RFC 9861, section 5, the messages with a customization string.
#[test]
fn rfc_9861_customized() {
    for path in Path::available() {
        for (index, expected) in [
            "fab658db63e94a246188bf7af69a133045f46ee984c56e3c3328caaf1aa1a583",
            "d848c5068ced736f4462159b9867fd4c20b808acc3d5bc48e0b06ba0a3762ec4",
            "c389e5009ae57120854c2e8c64670ac01358cf4c1baf89447a724234dc7ced74",
            "75d2f86a2e644566726b4fbcfc5657b9dbcf070c7b0dca06450ab291d7443bcf",
        ]
        .iter()
        .enumerate()
        {
            let mut hasher = Hasher::<Kt128>::new_on(path);
            hasher.update(&vec![0xff; (1 << index) - 1]);
            let mut digest = [0; 32];
            hasher.finish_customized(&pattern(41_usize.pow(index as u32)), &mut digest);
            assert_eq!(HEXLOWER.encode(&digest), *expected, "{index}, {}", path.name());
        }
    }
}
