//! Every path against RustCrypto's `cmac`, and batches against single messages.

use cmac::{KeyInit, Mac};
use fieldtest_aes_cmac::{Cmac, Cmac128, Cmac256, Lane, Path, TagTooLong, tag_many_on};
use proptest::prelude::*;

/// The independent implementation's tag.
fn expected<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    <M as KeyInit>::new_from_slice(key).unwrap().chain_update(message).finalize().into_bytes().to_vec()
}

fn agrees<M: Mac + KeyInit, const ROUNDS: usize>(
    prepared: &Cmac<ROUNDS>,
    key: &[u8],
    message: &[u8],
    length: usize,
) {
    let expected = expected::<M>(key, message);
    for path in Path::available() {
        let mut tag = [0; 16];
        prepared.tag_on(path, message, &mut tag[..length]).unwrap();
        assert_eq!(tag[..length], expected[..length], "{}", path.name());
        assert_eq!(tag[length..], [0; 16][length..], "{} wrote beyond the tag", path.name());
    }
}

/// A message with the number of its key and the length of its tag.
type Job = (Vec<u8>, usize, Vec<u8>);

/// Messages of which many are equally long, some short, some around a cipher block's boundary, and a few very long.
fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let length = prop_oneof![
        4 => Just(144usize),
        4 => 0usize..200,
        2 => (0usize..12).prop_map(|blocks| 16 * blocks),
        2 => 0usize..2000,
        1 => 2000usize..5000,
    ];
    let job = (length, any::<u8>(), 0usize..8, 0usize..=16).prop_map(|(length, start, key, tag)| {
        ((0..length).map(|at| (at * 31 + at / 256) as u8 ^ start).collect(), key, vec![0; tag])
    });
    prop_oneof![4 => 0usize..=70, 1 => 120usize..=140]
        .prop_flat_map(move |count| prop::collection::vec(job.clone(), count))
}

fn batch_agrees<const ROUNDS: usize>(keys: &[Cmac<ROUNDS>], mut jobs: Vec<Job>) {
    let expected: Vec<_> = jobs
        .iter()
        .map(|(message, key, tag)| {
            let mut tag = tag.clone();
            keys[*key].tag(message, &mut tag).unwrap();
            tag
        })
        .collect();
    for path in Path::available() {
        jobs.iter_mut().for_each(|(_, _, tag)| tag.fill(0));
        tag_many_on(path, &mut jobs, |(message, key, tag)| Lane { key: &keys[*key], message, tag }).unwrap();
        for (index, (job, expected)) in jobs.iter().zip(&expected).enumerate() {
            assert_eq!(job.2, *expected, "{}, message {index} of {} bytes", path.name(), job.0.len());
        }
    }
}

proptest! {
    #[test]
    fn single(key: [u8; 32], message in prop::collection::vec(any::<u8>(), 0..2000), length in 0usize..=16) {
        let short: [u8; 16] = *key.first_chunk().unwrap();
        agrees::<cmac::Cmac<aes::Aes128>, 10>(&Cmac128::new(&short), &short, &message, length);
        agrees::<cmac::Cmac<aes::Aes256>, 14>(&Cmac256::new(&key), &key, &message, length);
    }

    #[test]
    fn batches(short: [[u8; 16]; 8], long: [[u8; 32]; 8], jobs in jobs()) {
        batch_agrees(&short.each_ref().map(Cmac128::new), jobs.clone());
        batch_agrees(&long.each_ref().map(Cmac256::new), jobs);
    }
}

/// Every length up to five blocks, where the cutting of the message has its cases.
#[test]
fn all_short_lengths() {
    let key = [0x5a; 16];
    let message: Vec<u8> = (0..80).collect();
    for length in 0..=message.len() {
        agrees::<cmac::Cmac<aes::Aes128>, 10>(&Cmac128::new(&key), &key, &message[..length], 16);
    }
}

#[test]
fn a_tag_that_is_too_long_is_refused() {
    let key = Cmac128::new(&[0; 16]);
    assert_eq!(key.tag(b"", &mut [0; 17]), Err(TagTooLong { length: 17 }));
    for count in [1, 2, 40] {
        let mut tags = vec![[0; 17]; count];
        let tagged = tag_many_on(Path::best(), &mut tags, |tag| Lane { key: &key, message: b"", tag });
        assert_eq!(tagged, Err(TagTooLong { length: 17 }));
    }
}
