//! Published examples, by every path of this processor, one at a time and in batches.

use data_encoding::HEXLOWER;
use fieldtest_sha::{Hash, Hmac, Lane, Path, Sha1, Sha256, sha1_on, sha256_on, tag_many_on};

/// The example messages of FIPS 180-4 as <https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values>
/// lists them, with the digests of SHA-1 and SHA-256.
#[test]
fn fips_180_4() {
    let a_million = vec![b'a'; 1_000_000];
    let examples: [(&[u8], &str, &str); 3] = [
        (
            b"abc",
            "a9993e364706816aba3e25717850c26c9cd0d89d",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            &a_million,
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ),
    ];
    for path in Path::available() {
        for (message, sha1, sha256) in examples {
            assert_eq!(HEXLOWER.encode(&sha1_on(path, message)), sha1, "SHA-1, {}", path.name());
            assert_eq!(HEXLOWER.encode(&sha256_on(path, message)), sha256, "SHA-256, {}", path.name());
        }
    }
}

/// A key, a message and the tag, possibly truncated, in hexadecimal.
type Example = (Vec<u8>, Vec<u8>, &'static str);

/// The examples with this hash function in the catalog's file: hash function, key, message, tag.
fn examples(hash: &str) -> Vec<Example> {
    let file = include_str!("../../../../catalog/vectors/mac/hmac.txt");
    let hex = |digits: &str| HEXLOWER.decode(digits.as_bytes()).unwrap();
    let rows = file.lines().map(|row| row.split(' ').collect::<Vec<_>>());
    rows.filter(|row| row[0] == hash).map(|row| (hex(row[1]), hex(row[2]), row[3])).collect()
}

#[test]
fn rfc_2202() {
    let examples = examples("sha-1");
    assert_eq!(examples.len(), 8);
    check::<Sha1>(&examples);
}

#[test]
fn rfc_4231() {
    let examples = examples("sha-256");
    assert_eq!(examples.len(), 7);
    check::<Sha256>(&examples);
}

fn check<H: Hash>(examples: &[Example]) {
    for path in Path::available() {
        for (key, message, expected) in examples {
            let mut tag = vec![0; expected.len() / 2];
            Hmac::<H>::new_on(path, key).tag_on(path, message, &mut tag).unwrap();
            assert_eq!(HEXLOWER.encode(&tag), *expected, "{}", path.name());
        }
        for repeated in 1..5 {
            let examples = || examples.iter().cycle().take(repeated * examples.len());
            let keys: Vec<_> = examples().map(|(key, ..)| Hmac::<H>::new(key)).collect();
            let mut jobs: Vec<_> = examples()
                .zip(&keys)
                .map(|((_, message, expected), key)| (key, message, vec![0; expected.len() / 2]))
                .collect();
            tag_many_on(path, &mut jobs, |(key, message, tag)| Lane { key, message, tag }).unwrap();
            for ((_, _, tag), (_, _, expected)) in jobs.iter().zip(examples()) {
                assert_eq!(HEXLOWER.encode(tag), *expected, "{} in a batch", path.name());
            }
        }
    }
}
