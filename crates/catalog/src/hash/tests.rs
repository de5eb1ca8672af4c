//! What must hold for every implementation of every hash function in the catalog, whatever it is.

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::{Hash, Job};
use proptest::prelude::*;

use super::{Algorithm, Implementation, all};

fn for_each(check: impl Fn(&Algorithm, &Implementation, &str)) {
    for algorithm in all() {
        for implementation in &algorithm.implementations {
            check(algorithm, implementation, &format!("{} by {}", algorithm.facts.name, implementation.name));
        }
    }
}

fn digest(code: &dyn Hash, head: &[u8], body: &[u8]) -> Vec<u8> {
    let mut digest = vec![0xa5; code.digest_len()];
    code.digest(head, body, &mut digest).expect("a digest");
    digest
}

fn in_pieces<'a>(code: &dyn Hash, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut digest = vec![0xa5; code.digest_len()];
    let mut stream = code.start();
    pieces.for_each(|piece| stream.update(piece));
    stream.finish(&mut digest).expect("a digest");
    digest
}

fn batch(code: &dyn Hash, messages: &[(&[u8], &[u8])]) -> Vec<Vec<u8>> {
    let mut digests = vec![vec![0xa5; code.digest_len()]; messages.len()];
    let mut jobs: Vec<Job<'_>> =
        messages.iter().zip(&mut digests).map(|(&(head, body), digest)| Job { head, body, digest }).collect();
    code.digest_many(&mut jobs).expect("digests");
    digests
}

/// Bytes without a pattern that a hash could share, so that a block that was taken twice or left out shows.
fn noise(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect()
}

/// Every length up to 300, and one around each end of a block, of a lane or of a tree's leaf.
fn lengths() -> Vec<usize> {
    let edges = [512, 1024, 2048, 3072, 4096, 8192, 16384, 24576, 32768, 65536, 136 * 8, 168 * 8, 1 << 20];
    (0..=300).chain(edges.iter().flat_map(|edge| edge - 2..=edge + 2)).collect()
}

#[test]
fn every_algorithm_is_implemented_and_proven() {
    assert_eq!(all().len(), 10);
    for algorithm in all() {
        assert!(!algorithm.implementations.is_empty(), "{}", algorithm.facts.name);
    }
    for_each(|algorithm, code, label| {
        let proof = code.kat().unwrap_or_else(|error| panic!("{label}: {error}"));
        assert!(!proof.origins.is_empty(), "{label}");
        assert_eq!(proof.vectors > 0, algorithm.facts.name != "blake2bp-256", "{label}");
        assert_eq!(code.code.digest_len(), algorithm.facts.kind.digest, "{label}");
        assert!(code.version.starts_with(|c: char| c.is_ascii_digit()), "{label} {}", code.version);
    });
}

/// Alone, in pieces and in one batch of all lengths, against the function's last implementation. SHA-1 with detection
/// is held against SHA-1.
#[test]
fn implementations_agree_over_all_lengths() {
    let message = noise((1 << 20) + 2);
    let mut references = std::collections::BTreeMap::new();
    for_each(|algorithm, code, _| assert_eq!(code.code.digest_len(), algorithm.facts.kind.digest));
    for algorithm in all() {
        let digests: Vec<Vec<u8>> = match algorithm.implementations.last() {
            Some(last) => {
                lengths().iter().map(|&length| digest(&*last.code, &[], &message[..length])).collect()
            }
            None => continue,
        };
        references.insert(algorithm.facts.name.as_str(), digests);
    }
    for_each(|algorithm, code, label| {
        let expected = match algorithm.facts.name.as_str() {
            "sha-1dc" => &references["sha-1"],
            name => &references[name],
        };
        let messages: Vec<(&[u8], &[u8])> = lengths()
            .into_iter()
            .enumerate()
            .map(|(number, length)| message[..length].split_at(length.min(number % 70)))
            .collect();
        let batch = batch(&*code.code, &messages);
        for ((&(head, body), expected), in_batch) in messages.iter().zip(expected).zip(&batch) {
            let length = head.len() + body.len();
            assert_eq!(&digest(&*code.code, head, body), expected, "{label}: {length} bytes");
            assert_eq!(in_batch, expected, "{label}: {length} bytes in a batch");
            let pieces = message[..length].chunks(length / 4 + 1);
            assert_eq!(&in_pieces(&*code.code, pieces), expected, "{label}: {length} bytes in pieces");
        }
    });
}

#[test]
fn refuses_room_of_the_wrong_size() {
    for_each(|_, code, label| {
        let length = code.code.digest_len();
        for wrong in [0, length - 1, length + 1, 100] {
            let library = |outcome| matches!(outcome, Err(Error::Library(_)));
            let mut digest = vec![0; wrong];
            assert!(library(code.code.digest(b"head", b"body", &mut digest)), "{label}: {wrong}");
            assert!(library(code.code.start().finish(&mut digest)), "{label}: {wrong}");
            let mut jobs = [Job { head: b"head", body: b"body", digest: &mut digest }];
            assert!(library(code.code.digest_many(&mut jobs)), "{label}: {wrong}");
        }
        assert_eq!(batch(&*code.code, &[]), Vec::<Vec<u8>>::new(), "{label}: an empty batch");
        assert_eq!(digest(&*code.code, b"", b"abc"), digest(&*code.code, b"abc", b""), "{label}");
    });
}

/// A function that detects attacks goes on to hash what is no attack.
#[test]
fn detection_is_of_one_message_only() {
    let row = include_str!("../../vectors/hash/sha-1-collisions.txt").lines().last().expect("a row");
    let message = crate::adapt::hex(row.split(' ').nth(1).expect("the first message"));
    for code in &super::find("sha-1dc").expect("in the catalog").implementations {
        let mut found = [0; 20];
        let outcome = code.code.digest(&[], &message, &mut found);
        assert_eq!(outcome, Err(Error::CollisionAttack), "{}", code.name);
        // The colliding blocks elsewhere than where they collide are no attack.
        code.code.digest(b"x", &message, &mut found).expect("a digest");
        code.code.digest(&[], b"abc", &mut found).expect("a digest");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However a message is cut and whatever else is in the batch, its digest is the same.
    #[test]
    fn cuts_and_neighbours_do_not_matter(
        messages in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..700), 0..700_usize), 1..20),
        piece in 1..200_usize,
    ) {
        for_each(|_, code, label| {
            let cut: Vec<(&[u8], &[u8])> =
                messages.iter().map(|(message, at)| message.split_at(message.len().min(*at))).collect();
            let batch = batch(&*code.code, &cut);
            for ((message, _), in_batch) in messages.iter().zip(batch) {
                let whole = digest(&*code.code, &[], message);
                assert_eq!(in_batch, whole, "{label}");
                assert_eq!(in_pieces(&*code.code, message.chunks(piece)), whole, "{label}");
            }
        });
    }
}
