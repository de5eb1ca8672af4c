//! What engines answer.

use fieldtest_engine::protocol::{self, Operation};

use super::Target;

pub(super) const TARGETS: &[Target] = &[Target { name: "engine-answer", run: answer, seeds }];

/// What is taken apart is all that was there, and is the same when it is put together again.
fn answer(input: &[u8]) {
    let Ok((outcome, fields)) = protocol::answer(input) else { return };
    let Ok(mut whole) = protocol::request(Operation::Hello, &fields) else { return };
    whole[4] = outcome as u8;
    assert_eq!(whole[..4], (input.len() as u32).to_be_bytes());
    assert_eq!(&whole[4..], input);
}

fn seeds() -> Vec<Vec<u8>> {
    let all: [&[&[u8]]; 4] = [&[], &[b"\x01", b"toy"], &[&[7; 32], &[], &[9; 300]], &[b"no such operation"]];
    all.iter()
        .flat_map(|fields| protocol::request(Operation::Hello, fields))
        .flat_map(|message| (0..4).map(move |outcome| [&[outcome], &message[5..]].concat()))
        .collect()
}
