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
type Example = (Vec<u8>, &'static [u8], &'static str);

/// The key of the fourth case of both documents.
fn counting_key() -> Vec<u8> {
    (1..=25).collect()
}

/// RFC 2202, section 3.
#[test]
fn rfc_2202() {
    check::<Sha1>(&[
        (vec![0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
        (b"Jefe".to_vec(), b"what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (vec![0xaa; 20], &[0xdd; 50], "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        (counting_key(), &[0xcd; 50], "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        (vec![0x0c; 20], b"Test With Truncation", "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
        (vec![0x0c; 20], b"Test With Truncation", "4c1a03424b55e07fe7f27be1"),
        (
            vec![0xaa; 80],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112",
        ),
        (
            vec![0xaa; 80],
            b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
            "e8e99d0f45237d786d6bbaa7965c7808bbff1a91",
        ),
    ]);
}

/// RFC 4231, section 4.
#[test]
fn rfc_4231() {
    check::<Sha256>(&[
        (vec![0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe".to_vec(),
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (vec![0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (counting_key(), &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (vec![0x0c; 20], b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
        (
            vec![0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            vec![0xaa; 131],
            b"This is a test using a larger than block-size key and a larger than block-size data. \
              The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ]);
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
                .map(|((_, message, expected), key)| (key, *message, vec![0; expected.len() / 2]))
                .collect();
            tag_many_on(path, &mut jobs, |(key, message, tag)| Lane { key, message, tag }).unwrap();
            for ((_, _, tag), (_, _, expected)) in jobs.iter().zip(examples()) {
                assert_eq!(HEXLOWER.encode(tag), *expected, "{} in a batch", path.name());
            }
        }
    }
}
