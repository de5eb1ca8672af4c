//! Every path against RustCrypto's implementations, one message at a time, in pieces and in batches.

use fieldtest_keccak::{
    DigestLength, Hash, Hasher, Kt128, Message, Path, Sha3_256, Shake128, hash_many, hash_many_on, hash_on,
    kt128, sha3_256, shake128,
};
use k12::CustomRefKt128;
use proptest::collection::vec;
use proptest::prelude::*;
use sha3::digest::{Digest, ExtendableOutput, Update};

type Reference = fn(&[u8], usize) -> Vec<u8>;

fn reference_sha3(message: &[u8], _: usize) -> Vec<u8> {
    sha3::Sha3_256::digest(message).to_vec()
}

fn reference_shake(message: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    let mut hasher = shake::Shake128::default();
    hasher.update(message);
    hasher.finalize_xof_into(&mut output);
    output
}

fn reference_kt128(message: &[u8], length: usize) -> Vec<u8> {
    reference_customized(message, b"", length)
}

fn reference_customized(message: &[u8], customization: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    let mut hasher = CustomRefKt128::new_customized(customization);
    hasher.update(message);
    hasher.finalize_xof_into(&mut output);
    output
}

/// A head, a body and the length of the digest.
type Job = (Vec<u8>, Vec<u8>, usize);

/// Every way to hash the messages: one by one, in pieces, and all at once.
fn check<H: Hash>(jobs: &[Job], reference: Reference) {
    let length = |job: &Job| H::DIGEST.unwrap_or(job.2);
    let expected: Vec<_> =
        jobs.iter().map(|job| reference(&[&job.0[..], &job.1].concat(), length(job))).collect();
    for path in Path::available() {
        let name = path.name();
        for (job @ (head, body, _), expected) in jobs.iter().zip(&expected) {
            let mut digest = vec![0; length(job)];
            hash_on::<H>(path, head, body, &mut digest).unwrap();
            assert_eq!(digest, *expected, "{} and {} bytes, {name}", head.len(), body.len());
            let mut hasher = Hasher::<H>::new_on(path);
            hasher.update(head);
            body.chunks(1 + head.len()).for_each(|piece| hasher.update(piece));
            hasher.finish(&mut digest).unwrap();
            assert_eq!(digest, *expected, "{} and {} bytes in pieces, {name}", head.len(), body.len());
        }
        let mut batch: Vec<_> = jobs.iter().map(|job| (job, vec![0; length(job)])).collect();
        hash_many_on::<H, _>(path, &mut batch, |((head, body, _), digest)| Message { head, body, digest })
            .unwrap();
        for (((head, body, _), digest), expected) in batch.iter().zip(&expected) {
            assert_eq!(digest, expected, "{} and {} bytes in a batch, {name}", head.len(), body.len());
        }
    }
}

fn check_all(jobs: &[Job]) {
    check::<Sha3_256>(jobs, reference_sha3);
    check::<Shake128>(jobs, reference_shake);
    check::<Kt128>(jobs, reference_kt128);
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| ((index * 31) >> 3) as u8).collect()
}

#[test]
fn every_length_to_600() {
    let jobs: Vec<_> = (0..600).map(|length| (bytes(length % 23), bytes(length), 32 + length % 3)).collect();
    check_all(&jobs);
}

/// Messages of whole chunks of KT128, a few bytes more and fewer; with no head, the byte that follows the message makes
/// the difference.
#[test]
fn around_chunks() {
    let mut jobs = vec![];
    for chunks in [1, 2, 3, 8, 9, 17, 18] {
        for length in 8192 * chunks - 3..8192 * chunks + 3 {
            jobs.push((vec![], bytes(length), 32));
            jobs.push((bytes(9), bytes(length - 9), 32));
            jobs.push((bytes(length - 100), bytes(100), 32));
        }
    }
    check::<Kt128>(&jobs, reference_kt128);
}

/// More chaining values than are kept for a batch, in one message and in all together.
#[test]
fn large_messages() {
    let mut jobs = vec![(bytes(9), bytes(6_000_000), 32), (bytes(9), bytes(17_usize.pow(5)), 200)];
    jobs.extend((0..40).map(|index| (bytes(9), bytes(200_000 + index * 7919), 32)));
    check::<Kt128>(&jobs, reference_kt128);
}

/// More messages than are looked at together.
#[test]
fn large_batches() {
    let jobs: Vec<_> = (0..700).map(|n| (bytes(n % 131), bytes(n * 7919 % 3000 * (n % 3)), 32)).collect();
    check_all(&jobs);
}

proptest! {
    #[test]
    fn many(jobs in vec((vec(any::<u8>(), 0..200), vec(any::<u8>(), 0..20_000), 0..400_usize), 0..30)) {
        check_all(&jobs);
    }

    #[test]
    fn customized(message in vec(any::<u8>(), 0..20_000), customization in vec(any::<u8>(), 0..20_000)) {
        let mut digest = [0; 40];
        kt128(&message, &customization, &mut digest);
        assert_eq!(digest[..], reference_customized(&message, &customization, 40));
    }

    #[test]
    fn short_hands(message in vec(any::<u8>(), 0..1000)) {
        assert_eq!(sha3_256(&message)[..], reference_sha3(&message, 32));
        let mut digest = [0; 400];
        shake128(&message, &mut digest);
        assert_eq!(digest[..], reference_shake(&message, 400));
    }
}

#[test]
fn a_digest_of_another_length_is_refused() {
    let refused = Err(DigestLength { given: 31, digest: 32 });
    let mut digest = [7; 31];
    assert_eq!(hash_on::<Sha3_256>(Path::best(), b"head", b"body", &mut digest), refused);
    assert_eq!(digest, [7; 31]);
    for longest in [0, 20, 300] {
        let mut jobs: Vec<_> = (0..longest).map(|_| vec![0; 32]).chain([vec![0; 31]]).collect();
        assert_eq!(
            hash_many::<Sha3_256, _>(&mut jobs, |digest| Message { head: b"", body: b"", digest }),
            refused
        );
    }
}
