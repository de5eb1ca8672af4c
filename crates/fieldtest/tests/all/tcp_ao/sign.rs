//! Captures that are signed, and places that cannot be written to.

use super::{KEY, OTHER, says, with_plain, with_signed};
use crate::captures::{TYPED_ISNS, pcap, session};

fn sign(more: &str) -> String {
    format!("tcp-ao sign {more}")
}

#[test]
fn other_algorithms_and_implementations() {
    let scratch = with_plain();
    for algorithm in [
        "hmac-sha1-96",
        "hmac-sha256-128:maclen=12",
        "kmac256-128:maclen=12",
        "aes-128-cmac-96:exclude-options",
    ] {
        let (name, more) = algorithm
            .split_once(':')
            .map_or((algorithm, String::new()), |(name, more)| (name, format!(":{more}")));
        let key = format!("7:{name}:{}{more}", "0123456789abcdef".repeat(4));
        scratch.fine(&sign(&format!("plain -k {key} -i rustcrypto -o signed")));
        scratch.fine(&format!("tcp-ao verify signed -k {key}"));
    }
}

#[test]
fn an_output_is_whole_or_as_it_was() {
    let scratch = with_plain();
    scratch.write("out", "as it was");
    scratch.write("garbage", "no capture");
    scratch.refuses(&sign(&format!("garbage -k {KEY} -o out")), 1, &["garbage: not a capture"]);
    scratch.refuses(&sign(&format!("missing -k {KEY} -o out")), 1, &["the capture missing"]);
    scratch.refuses(&sign("plain -k 61 -o out"), 2, &["'61'", "ID:ALGORITHM:HEX"]);
    assert_eq!(scratch.read("out"), "as it was");
    scratch.fine(&sign(&format!("plain -k {KEY} -o out")));
    let plain = std::fs::read(scratch.path("plain")).ok();
    scratch.refuses(&sign(&format!("plain -k {KEY} -o plain")), 2, &["'plain'"]);
    assert_eq!(std::fs::read(scratch.path("plain")).ok(), plain);
    scratch.refuses(
        &sign(&format!("plain -k {KEY} -o missing/out")),
        1,
        &["no directory missing", "create it first"],
    );
    scratch.refuses(&sign(&format!("plain -k {KEY} -o .")), 1, &["directory"]);
    scratch.refuses_by_clap(&sign(&format!("plain -k {KEY}")), &["--output FILE"]);
}

#[cfg(unix)]
#[test]
fn an_output_that_becomes_too_large() {
    let scratch = with_plain();
    scratch.write("large", pcap(&vec![session(); 40].concat()));
    scratch.write("out", "as it was");
    let mut command = scratch.command_after("ulimit -f 8", &sign(&format!("large -k {KEY} -o out")));
    scratch.refused(&mut command, 1, &["out", "file too large"]);
    assert_eq!(scratch.read("out"), "as it was");
}

#[test]
fn keys_for_two_ends_at_most() {
    let scratch = with_plain();
    let third = KEY.replace("61:", "1:");
    scratch.refuses(&sign(&format!("plain -k {KEY} -k {OTHER} -k {third} -o out")), 2, &["two keys"]);
    scratch.write("keys", format!("{KEY}\n{OTHER}\n"));
    says(&scratch.run(&sign("plain --keys keys -o out")), 0, &["6 segments signed"]);
    says(&scratch.run(&format!("tcp-ao verify out -k {KEY}")), 1, &["4 verified, 2 with"]);
}

#[test]
fn what_cannot_be_signed_is_said_and_copied() {
    let scratch = with_signed();
    scratch.write("middle", pcap(&session()[3..]));
    let middle = sign(&format!("middle -k {KEY} -o out"));
    says(&scratch.run(&middle), 1, &["packet 1 is not signed", "0 segments signed, 3 left unsigned"]);
    says(&scratch.run(&format!("{middle} --isns {TYPED_ISNS}")), 0, &["3 segments signed"]);
    scratch.fine(&format!("tcp-ao verify out -k {KEY} --isns {TYPED_ISNS}"));

    scratch.write("empty", pcap(&[]));
    says(&scratch.run(&sign(&format!("empty -k {KEY} -o new"))), 1, &["no TCP segment"]);
    assert!(!scratch.path("new").exists());

    let whole = pcap(&session());
    scratch.write("cut", &whole[..whole.len() - 1]);
    says(
        &scratch.run(&sign(&format!("cut -k {KEY} -o out"))),
        1,
        &["5 segments signed", "1 fault", "cut: record", "incomplete", "'out'"],
    );
}

/// Simple Packet Blocks whose captured length hangs on the snapshot length: the second attempt leaves that as it is,
/// wherever the output goes.
#[test]
fn simple_packet_blocks_that_were_cut_off() {
    let scratch = with_plain();
    let block = |kind: u32, body: &[u8]| {
        let body = [body, &vec![0; body.len().next_multiple_of(4) - body.len()]].concat();
        let length = (body.len() as u32 + 12).to_le_bytes();
        [&kind.to_le_bytes()[..], &length, &body, &length].concat()
    };
    let head = [
        block(0x0a0d_0d0a, &[&[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0][..], &[0xff; 8]].concat()),
        block(1, &[101, 0, 0, 0, 90, 0, 0, 0]),
    ];
    let simple = |packet: Vec<u8>| {
        let kept = packet.get(..90).unwrap_or(&packet);
        block(3, &[&(packet.len() as u32).to_le_bytes()[..], kept].concat())
    };
    let mut long = session().remove(3);
    long.resize(300, 0);
    long[2..4].copy_from_slice(&300_u16.to_be_bytes());
    let cut = simple(long);
    let blocks: Vec<u8> = session().into_iter().flat_map(simple).collect();
    scratch.write("simple", [&head.concat()[..], &blocks, &cut].concat());
    let run = scratch.run(&sign(&format!("simple -k {KEY} -o out")));
    says(&run, 1, &["6 segments signed, 1 left unsigned", "packet 7 is not signed: the capture cut"]);
    let out = std::fs::read(scratch.path("out")).expect("the output");
    assert!(out.ends_with(&cut));
    assert!(out.starts_with(&head.concat()));
    let piped = scratch.command(&sign(&format!("simple -k {KEY} -o -"))).output().expect("it runs");
    assert_eq!((piped.status.code(), piped.stdout), (Some(1), out));
}
