//! What must hold for every implementation of every MAC algorithm in the catalog, whatever it is.

use fieldtest_catalog::mac::{Algorithm, Implementation, all};
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Job, MacKey};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Master keys that every derivation takes.
const SHORTEST_MASTER_KEY: usize = 32;
/// Messages that are long enough for every nonce.
const SHORTEST_MESSAGE: usize = 16;
const CONTEXT: &[u8] = b"ten bytes of each end";

fn for_each(check: impl Fn(&Algorithm, &Implementation)) {
    for algorithm in all() {
        for implementation in &algorithm.implementations {
            check(algorithm, implementation);
        }
    }
}

fn label(algorithm: &Algorithm, implementation: &Implementation) -> String {
    format!("{} by {}", algorithm.facts.name, implementation.name)
}

fn derived(code: &Implementation, master_key: &[u8], context: &[u8]) -> Result<Vec<u8>, Error> {
    let mut key = b"what is overwritten".to_vec();
    code.code.derive(master_key, context, &mut key).map(|()| key)
}

fn tagged(key: &dyn MacKey, message: &[u8], length: usize) -> Vec<u8> {
    let mut tag = vec![0xa5; length];
    key.tag(message, &mut tag).expect("a tag of an offered length");
    tag
}

#[test]
fn reproduces_its_known_answers() {
    for_each(|algorithm, code| {
        let proof = code.kat().unwrap_or_else(|error| panic!("{}: {error}", label(algorithm, code)));
        assert!(!proof.origins.is_empty(), "{}", label(algorithm, code));
        // Nobody publishes answers of TCP-MD5.
        let official = algorithm.facts.name != "tcp-md5";
        assert_eq!(proof.vectors > 0, official, "{}", label(algorithm, code));
    });
}

#[test]
fn reproduces_the_known_answers_of_tcp_ao() {
    for (name, rfc) in
        [("hmac-sha1-96", "RFC 9235, sections 4 and 6"), ("aes-128-cmac-96", "RFC 9235, sections 5 and 7")]
    {
        let algorithm = fieldtest_catalog::mac::find(name).expect("an algorithm of RFC 5926");
        for code in &algorithm.implementations {
            let proof = code.kat().expect("proven");
            assert!(proof.origins.iter().any(|origin| origin == rfc), "{}", label(algorithm, code));
        }
    }
}

#[test]
fn has_the_sizes_that_the_facts_state() {
    for_each(|algorithm, code| {
        let facts = &algorithm.facts.kind;
        for length in [SHORTEST_MASTER_KEY, 33, 64, 80, 200] {
            let master_key = vec![7; length];
            let key = derived(code, &master_key, CONTEXT).expect("a master key that is long enough");
            assert_eq!(key.len(), facts.traffic_key.unwrap_or(length), "{}", label(algorithm, code));
            code.code.prepare(&key).expect("its own traffic key");
        }
        assert!(code.code.longest_tag() >= facts.tag, "{}", label(algorithm, code));
        assert!(code.version.starts_with(|c: char| c.is_ascii_digit()), "version {}", code.version);
    });
}

#[test]
fn traffic_keys_depend_on_master_key_and_context() {
    for_each(|algorithm, code| {
        let key =
            |master_key: &[u8], context: &[u8]| derived(code, master_key, context).expect("a traffic key");
        let first = key(&[1; 32], b"one connection");
        assert_eq!(first, key(&[1; 32], b"one connection"));
        assert_ne!(first, key(&[2; 32], b"one connection"), "{}", label(algorithm, code));
        if algorithm.facts.kind.traffic_key.is_some() {
            assert_ne!(first, key(&[1; 32], b"another connection"), "{}", label(algorithm, code));
        }
    });
}

#[test]
fn refuses_keys_of_the_wrong_length() {
    for_each(|algorithm, code| {
        let label = label(algorithm, code);
        let malformed = |outcome: Result<(), Error>| matches!(outcome, Err(Error::MalformedKey(_)));
        assert!(malformed(derived(code, b"", CONTEXT).map(drop)), "{label}: empty master key");
        let shortest = if algorithm.facts.kind.master_key.starts_with("at least") { 31 } else { 0 };
        for length in 1..=shortest {
            assert!(malformed(derived(code, &vec![1; length], CONTEXT).map(drop)), "{label}: {length} bytes");
        }
        assert!(derived(code, &vec![1; shortest + 1], CONTEXT).is_ok(), "{label}: {} bytes", shortest + 1);
        // HMAC, KMAC and TCP MD5 have keys of any length.
        if ["AES-CMAC", "CMAC of ARIA and LEA", "BLAKE", "SipHash", "MACs with a nonce"]
            .contains(&algorithm.facts.family.as_str())
        {
            let length = algorithm.facts.kind.traffic_key.expect("a derived key");
            for wrong in [0, length + 1] {
                assert!(malformed(code.code.prepare(&vec![1; wrong]).map(drop)), "{label}: {wrong} bytes");
            }
        }
    });
}

#[test]
fn refuses_tags_that_are_too_long() {
    for_each(|algorithm, code| {
        let label = label(algorithm, code);
        let traffic_key = derived(code, &[9; 32], CONTEXT).expect("a traffic key");
        let key = code.code.prepare(&traffic_key).expect("its own traffic key");
        let longest = code.code.longest_tag();
        let message = [3; 40];
        assert!(key.tag(&message, &mut vec![0; longest]).is_ok(), "{label}");
        let mut tag = vec![0; longest + 1];
        assert!(matches!(key.tag(&message, &mut tag), Err(Error::Library(_))), "{label}");
        let (mut good, mut others) = (vec![0; longest], vec![0; longest]);
        let mut jobs = [
            Job { key: &*key, message: &message, tag: &mut good },
            Job { key: &*key, message: &message, tag: &mut tag },
            Job { key: &*key, message: &message, tag: &mut others },
        ];
        assert!(matches!(code.code.tag_many(&mut jobs), Err(Error::Library(_))), "{label}");
        assert!(code.code.tag_many(&mut []).is_ok(), "{label}");
    });
}

#[test]
fn a_shorter_tag_is_the_beginning_unless_the_facts_say_otherwise() {
    for_each(|algorithm, code| {
        let traffic_key = derived(code, &[9; 32], CONTEXT).expect("a traffic key");
        let key = code.code.prepare(&traffic_key).expect("its own traffic key");
        let message = [3; 40];
        let whole = tagged(&*key, &message, 16);
        for length in [4, 8, 12, 15] {
            let is_beginning = tagged(&*key, &message, length) == whole[..length];
            let binds = algorithm.facts.kind.binds_length;
            assert_eq!(is_beginning, !binds, "{}: {length} bytes", label(algorithm, code));
        }
    });
}

/// A master key, and messages of one key each with the length of the tag.
#[derive(Debug, Clone)]
struct Batch {
    master_keys: Vec<Vec<u8>>,
    messages: Vec<(usize, Vec<u8>, usize)>,
}

fn batches() -> impl Strategy<Value = Batch> {
    let bytes = |lengths: std::ops::Range<usize>| prop::collection::vec(any::<u8>(), lengths);
    let messages = prop_oneof![
        4 => bytes(SHORTEST_MESSAGE..200),
        1 => bytes(SHORTEST_MESSAGE..2000),
    ];
    let message = (0..5_usize, messages, 1..=16_usize);
    (prop::collection::vec(bytes(SHORTEST_MASTER_KEY..81), 5), prop::collection::vec(message, 1..40))
        .prop_map(|(master_keys, messages)| Batch { master_keys, messages })
}

#[test]
fn implementations_agree_one_by_one_and_in_batches() {
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    runner
        .run(&batches(), |batch| {
            for algorithm in all() {
                let mut reference: Option<Outcome> = None;
                for code in &algorithm.implementations {
                    let found = tags(code, &batch)
                        .map_err(|why| TestCaseError::fail(format!("{}: {why}", label(algorithm, code))))?;
                    match &reference {
                        None => reference = Some(found),
                        Some(reference) => prop_assert_eq!(reference, &found, "{}", label(algorithm, code)),
                    }
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Traffic keys and tags.
type Outcome = (Vec<Vec<u8>>, Vec<Vec<u8>>);

/// The outcome of a batch, whose tags must be the same alone and together.
fn tags(code: &Implementation, batch: &Batch) -> Result<Outcome, String> {
    let text = |error: Error| error.to_string();
    let derive = |master_key: &Vec<u8>| derived(code, master_key, CONTEXT);
    let traffic_keys: Vec<Vec<u8>> =
        batch.master_keys.iter().map(derive).collect::<Result<_, _>>().map_err(text)?;
    let prepare = |key: &Vec<u8>| code.code.prepare(key);
    let keys: Vec<Box<dyn MacKey>> =
        traffic_keys.iter().map(prepare).collect::<Result<_, _>>().map_err(text)?;

    let alone: Vec<Vec<u8>> =
        batch.messages.iter().map(|(key, message, length)| tagged(&*keys[*key], message, *length)).collect();
    let mut together: Vec<Vec<u8>> =
        batch.messages.iter().map(|(_, _, length)| vec![0x5a; *length]).collect();
    let mut jobs: Vec<Job<'_>> = batch
        .messages
        .iter()
        .zip(&mut together)
        .map(|((key, message, _), tag)| Job { key: &*keys[*key], message, tag })
        .collect();
    code.code.tag_many(&mut jobs).map_err(text)?;
    if alone != together {
        return Err("a batch has other tags than its messages one by one".to_owned());
    }
    Ok((traffic_keys, alone))
}

#[test]
fn implementations_agree_on_short_messages() {
    for algorithm in all().iter().filter(|algorithm| !algorithm.facts.kind.needs_nonce) {
        let text: Vec<u8> = (0..=255).collect();
        for length in 0..=text.len() {
            let mut tags = algorithm.implementations.iter().map(|code| {
                let traffic_key = derived(code, &[4; 32], CONTEXT).expect("a traffic key");
                let key = code.code.prepare(&traffic_key).expect("its own traffic key");
                (code, tagged(&*key, &text[..length], 16))
            });
            let Some((_, first)) = tags.next() else { continue };
            for (code, tag) in tags {
                assert_eq!(first, tag, "{}: {length} bytes", label(algorithm, code));
            }
        }
    }
}

/// Ten thousand messages of each cipher and key length by every library that is here, long ones among them.
#[test]
fn libraries_agree_on_ten_thousand_cmacs() {
    for algorithm in all().iter().filter(|algorithm| algorithm.facts.name.contains("-cmac-")) {
        let [first, others @ ..] = &algorithm.implementations[..] else { panic!("none has CMAC") };
        let mut random = TestRunner::deterministic();
        for _ in 0..1000 {
            let mut key = vec![0; algorithm.facts.kind.traffic_key.expect("keys of one length")];
            random.rng().fill_bytes(&mut key);
            let prepare = |code: &Implementation| code.code.prepare(&key).expect("a key of its length");
            let (expects, others): (_, Vec<_>) = (prepare(first), others.iter().map(prepare).collect());
            for longest in [20, 60, 100, 140, 180, 220, 260, 300, 340, 2000] {
                let mut message = vec![0; random.rng().random_range(0..=longest)];
                random.rng().fill_bytes(&mut message);
                let expected = tagged(&*expects, &message, 16);
                for (key, code) in others.iter().zip(&algorithm.implementations[1..]) {
                    let found = tagged(&**key, &message, 16);
                    assert_eq!(found, expected, "{}: {} bytes", label(algorithm, code), message.len());
                }
            }
        }
    }
}

#[test]
fn a_batch_may_hold_keys_of_another_implementation() {
    for algorithm in all() {
        let keys: Vec<Box<dyn MacKey>> = algorithm
            .implementations
            .iter()
            .map(|code| {
                code.code.prepare(&derived(code, &[4; 32], CONTEXT).expect("a traffic key")).expect("a key")
            })
            .collect();
        let message = [6; 100];
        for code in &algorithm.implementations {
            let mut tags = vec![[0; 12]; 2 * keys.len()];
            let mut jobs: Vec<Job<'_>> = keys
                .iter()
                .chain(&keys)
                .zip(&mut tags)
                .map(|(key, tag)| Job { key: &**key, message: &message, tag })
                .collect();
            code.code.tag_many(&mut jobs).expect("keys of the same algorithm");
            assert!(tags.iter().all(|tag| *tag == tags[0]), "{}", label(algorithm, code));
        }
    }
}

#[test]
fn one_key_works_in_several_threads() {
    for_each(|algorithm, code| {
        let traffic_key = derived(code, &[5; 32], CONTEXT).expect("a traffic key");
        let key = code.code.prepare(&traffic_key).expect("its own traffic key");
        let expected: Vec<Vec<u8>> = (0..50_u8).map(|byte| tagged(&*key, &[byte; 90], 12)).collect();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for (byte, tag) in (0_u8..).zip(&expected) {
                        assert_eq!(&tagged(&*key, &[byte; 90], 12), tag, "{}", label(algorithm, code));
                    }
                });
            }
        });
    });
}
