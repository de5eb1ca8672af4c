//! Every path against RustCrypto's implementations, on random keys, messages and batches.

use fieldtest_sha::{
    DigestLength, Hash, Hasher, Hmac, HmacSha1, HmacSha256, Lane, Message, Path, Sha1, Sha256, TagTooLong,
    hash_many, hash_many_on, hash_on, sha1_on, sha256_on, tag_many, tag_many_on,
};
use hmac::{KeyInit, Mac};
use proptest::collection::vec;
use proptest::prelude::*;
use sha1::Digest;

/// RustCrypto's tag.
fn expected<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    <M as KeyInit>::new_from_slice(key).unwrap().chain_update(message).finalize().into_bytes().to_vec()
}

type ReferenceSha1 = hmac::Hmac<sha1::Sha1>;
type ReferenceSha256 = hmac::Hmac<sha2::Sha256>;

/// A key, a message and the length of the tag.
fn job(longest_tag: usize) -> impl Strategy<Value = (Vec<u8>, Vec<u8>, usize)> {
    let message = prop_oneof![vec(any::<u8>(), 0..200), vec(any::<u8>(), 0..2000)];
    (vec(any::<u8>(), 0..200), message, 0..=longest_tag)
}

fn single<H: Hash, M: Mac + KeyInit>(key: &[u8], message: &[u8], length: usize) {
    let expected = expected::<M>(key, message);
    for path in Path::available() {
        let mut tag = vec![0; length];
        Hmac::<H>::new_on(path, key).tag_on(path, message, &mut tag).unwrap();
        assert_eq!(tag, expected[..length], "{}", path.name());
    }
}

fn batch<H: Hash, M: Mac + KeyInit>(jobs: &[(Vec<u8>, Vec<u8>, usize)]) {
    for path in Path::available() {
        let mut batch: Vec<_> = jobs
            .iter()
            .map(|(key, message, length)| (Hmac::<H>::new(key), &message[..], vec![0; *length]))
            .collect();
        tag_many_on(path, &mut batch, |(key, message, tag)| Lane { key, message, tag }).unwrap();
        for ((_, _, tag), (key, message, length)) in batch.iter().zip(jobs) {
            assert_eq!(*tag, expected::<M>(key, message)[..*length], "{}", path.name());
        }
    }
}

/// A head, a body and where they are cut for streaming.
fn message() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let head = prop_oneof![vec(any::<u8>(), 0..20), vec(any::<u8>(), 0..200)];
    let body = prop_oneof![vec(any::<u8>(), 0..200), vec(any::<u8>(), 0..9000)];
    (head, body)
}

/// Every way to hash the messages: one by one, in pieces, and all at once.
fn hashes<H: Hash, R: Digest>(messages: &[(Vec<u8>, Vec<u8>)]) {
    let expected: Vec<_> = messages
        .iter()
        .map(|(head, body)| R::new().chain_update(head).chain_update(body).finalize().to_vec())
        .collect();
    for path in Path::available() {
        let mut digest = vec![0; H::DIGEST];
        for ((head, body), expected) in messages.iter().zip(&expected) {
            hash_on::<H>(path, head, body, &mut digest).unwrap();
            assert_eq!(digest, *expected, "{}", path.name());
            let mut hasher = Hasher::<H>::new_on(path);
            hasher.update(head);
            body.chunks(1 + head.len()).for_each(|piece| hasher.update(piece));
            hasher.finish(&mut digest).unwrap();
            assert_eq!(digest, *expected, "{} in pieces", path.name());
        }
        let mut jobs: Vec<_> = messages.iter().map(|message| (message, vec![0; H::DIGEST])).collect();
        hash_many_on::<H, _>(path, &mut jobs, |((head, body), digest)| Message { head, body, digest })
            .unwrap();
        for ((_, digest), expected) in jobs.iter().zip(&expected) {
            assert_eq!(digest, expected, "{} in a batch", path.name());
        }
    }
}

proptest! {
    #[test]
    fn many_digests(messages in vec(message(), 0..50)) {
        hashes::<Sha1, sha1::Sha1>(&messages);
        hashes::<Sha256, sha2::Sha256>(&messages);
    }

    #[test]
    fn digests(message in vec(any::<u8>(), 0..2000)) {
        for path in Path::available() {
            assert_eq!(sha1_on(path, &message)[..], sha1::Sha1::digest(&message)[..]);
            assert_eq!(sha256_on(path, &message)[..], sha2::Sha256::digest(&message)[..]);
        }
    }

    #[test]
    fn single_tags((key, message, length) in job(20), (other, text, longer) in job(32)) {
        single::<Sha1, ReferenceSha1>(&key, &message, length);
        single::<Sha256, ReferenceSha256>(&other, &text, longer);
    }

    #[test]
    fn batches_of_tags(jobs in vec(job(20), 0..70), others in vec(job(32), 0..70)) {
        batch::<Sha1, ReferenceSha1>(&jobs);
        batch::<Sha256, ReferenceSha256>(&others);
    }
}

/// Every length around the borders of blocks, in batches of every size up to three times the widest engine's.
#[test]
fn every_length_and_every_size() {
    let bytes: Vec<u8> = (0..=255).cycle().take(300).collect();
    for length in 0..bytes.len() {
        single::<Sha1, ReferenceSha1>(b"key", &bytes[..length], 20);
        single::<Sha256, ReferenceSha256>(b"key", &bytes[..length], 32);
    }
    for size in 0..48 {
        let equal: Vec<_> = (0..size).map(|n| (vec![n; 20], bytes[..144].to_vec(), 16)).collect();
        let unequal: Vec<_> =
            (0..size).map(|n| (vec![n; 20], bytes[..usize::from(n) * 37 % 300].to_vec(), 16)).collect();
        for jobs in [equal, unequal] {
            batch::<Sha1, ReferenceSha1>(&jobs);
            batch::<Sha256, ReferenceSha256>(&jobs);
        }
    }
}

#[test]
fn a_tag_longer_than_the_digest_is_refused() {
    let mut tag = [7; 33];
    let refused = HmacSha256::new(b"key").tag(b"message", &mut tag);
    assert_eq!(refused, Err(TagTooLong { asked: 33, longest: 32 }));
    assert_eq!(tag, [7; 33]);

    let key = HmacSha1::new(b"key");
    for longest in [0, 20, 40] {
        let mut jobs: Vec<_> = (0..longest).map(|_| vec![0; 20]).chain([vec![0; 21]]).collect();
        let refused = tag_many(&mut jobs, |tag| Lane { key: &key, message: b"message", tag });
        assert_eq!(refused, Err(TagTooLong { asked: 21, longest: 20 }));
    }
}

/// More messages than the window has, of lengths from nothing to many blocks; and every head around a block's border.
#[test]
fn batches_larger_than_the_window() {
    let bytes: Vec<u8> = (0..=250).cycle().take(5000).collect();
    let messages: Vec<_> = (0..700)
        .map(|n| (bytes[..n % 131].to_vec(), bytes[n % 7..][..n * 7919 % 2000 / 3 * (n % 3)].to_vec()))
        .collect();
    hashes::<Sha1, sha1::Sha1>(&messages);
    hashes::<Sha256, sha2::Sha256>(&messages);
}

#[test]
fn a_digest_of_another_length_is_refused() {
    let refused = Err(DigestLength { given: 31, digest: 32 });
    let mut digest = [7; 31];
    assert_eq!(hash_on::<Sha256>(Path::best(), b"head", b"body", &mut digest), refused);
    assert_eq!(Hasher::<Sha256>::new().finish(&mut digest), refused);
    assert_eq!(digest, [7; 31]);
    for longest in [0, 20, 300] {
        let mut jobs: Vec<_> = (0..longest).map(|_| vec![0; 32]).chain([vec![0; 31]]).collect();
        assert_eq!(
            hash_many::<Sha256, _>(&mut jobs, |digest| Message { head: b"", body: b"", digest }),
            refused
        );
    }
}
