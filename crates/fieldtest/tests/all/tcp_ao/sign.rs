//! Captures that are signed, and places that cannot be written to.

use super::{KEY, OTHER, says, with_plain, with_signed};
use crate::captures::{TYPED_ISNS, pcap, pcapng, session, snap};

fn sign<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["tcp-ao", "sign"], more].concat()
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
        scratch.fine(&sign(&["plain", "-k", &key, "-i", "rustcrypto", "-o", "signed"]));
        scratch.fine(&["tcp-ao", "verify", "signed", "-k", &key]);
    }
}

#[test]
fn an_output_is_whole_or_as_it_was() {
    let scratch = with_plain();
    scratch.write("out", "as it was");
    scratch.write("garbage", "no capture");
    scratch.refuses(&sign(&["garbage", "-k", KEY, "-o", "out"]), 1, &["garbage: not a capture"]);
    scratch.refuses(&sign(&["missing", "-k", KEY, "-o", "out"]), 1, &["the capture missing"]);
    scratch.refuses(&sign(&["plain", "-k", "61", "-o", "out"]), 2, &["ends too early"]);
    assert_eq!(scratch.read("out"), "as it was");
    scratch.fine(&sign(&["plain", "-k", KEY, "-o", "out"]));
    // Even over the capture itself.
    scratch.fine(&sign(&["plain", "-k", KEY, "-o", "plain"]));
    scratch.fine(&["tcp-ao", "verify", "plain", "-k", KEY]);
    assert_eq!(std::fs::read(scratch.path("plain")).ok(), std::fs::read(scratch.path("out")).ok());
    scratch.refuses(
        &sign(&["plain", "-k", KEY, "-o", "missing/out"]),
        1,
        &["no directory missing", "create it first"],
    );
    scratch.refuses(&sign(&["plain", "-k", KEY, "-o", "."]), 1, &["directory"]);
    scratch.refuses_by_clap(&sign(&["plain", "-k", KEY]), &["--output <FILE>"]);
}

#[cfg(unix)]
#[test]
fn an_output_that_becomes_too_large() {
    let scratch = with_plain();
    scratch.write("large", pcap(&vec![session(); 40].concat()));
    scratch.write("out", "as it was");
    let mut command = scratch.command_after("ulimit -f 8", &sign(&["large", "-k", KEY, "-o", "out"]));
    scratch.refused(&mut command, 1, &["out", "File too large"]);
    assert_eq!(scratch.read("out"), "as it was");
}

#[test]
fn keys_for_two_ends_at_most() {
    let scratch = with_plain();
    let third = KEY.replace("61:", "1:");
    scratch.refuses(&sign(&["plain", "-k", KEY, "-k", OTHER, "-k", &third, "-o", "out"]), 2, &["two keys"]);
    scratch.write("keys", format!("{KEY}\n{OTHER}\n"));
    says(&scratch.run(&sign(&["plain", "--keys", "keys", "-o", "out"])), 0, &["6 segments signed"]);
    says(&scratch.run(&["tcp-ao", "verify", "out", "-k", KEY]), 1, &["4 verified, 2 with"]);
}

#[test]
fn what_cannot_be_signed_is_said_and_copied() {
    let scratch = with_signed();
    scratch.write("middle", pcap(&session()[3..]));
    let run = scratch.run(&sign(&["middle", "-k", KEY, "-o", "out"]));
    says(&run, 1, &["packet 1 is not signed", "0 segments signed, 3 left unsigned"]);
    says(
        &scratch.run(&sign(&["middle", "-k", KEY, "-o", "out", "--isns", TYPED_ISNS])),
        0,
        &["3 segments signed"],
    );
    scratch.fine(&["tcp-ao", "verify", "out", "-k", KEY, "--isns", TYPED_ISNS]);

    // A tunnel, and a piece of a packet.
    let inner = session().remove(3);
    let mut outer = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 4, 0, 0, 198, 51, 100, 1, 198, 51, 100, 2];
    outer[2..4].copy_from_slice(&(20 + inner.len() as u16).to_be_bytes());
    let mut piece = inner.clone();
    piece[6] = 0x20;
    scratch.write("wrapped", pcap(&[session(), vec![[outer, inner].concat(), piece]].concat()));
    says(
        &scratch.run(&sign(&["wrapped", "-k", KEY, "-o", "out"])),
        1,
        &["packet 7 is not signed: ", "packet 8 is not signed: "],
    );

    let mut snapped = pcap(&session());
    snap(&mut snapped, 1);
    scratch.write("snapped", snapped);
    says(&scratch.run(&sign(&["snapped", "-k", KEY, "-o", "out"])), 1, &["packet 6 is not signed"]);

    scratch.write("empty", pcap(&[]));
    says(&scratch.run(&sign(&["empty", "-k", KEY, "-o", "out"])), 1, &["0 segments signed"]);

    let whole = pcap(&session());
    scratch.write("cut", &whole[..whole.len() - 1]);
    says(&scratch.run(&sign(&["cut", "-k", KEY, "-o", "out"])), 1, &["5 segments signed", "1 fault"]);
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
    let run = scratch.run(&sign(&["simple", "-k", KEY, "-o", "out"]));
    says(&run, 1, &["6 segments signed, 1 left unsigned", "packet 7 is not signed: the capture cut"]);
    let out = std::fs::read(scratch.path("out")).expect("the output");
    assert!(out.ends_with(&cut));
    assert!(out.starts_with(&head.concat()));
    let piped = scratch.command(&sign(&["simple", "-k", KEY, "-o", "-"])).output().expect("it runs");
    assert_eq!((piped.status.code(), piped.stdout), (Some(1), out));
}

/// A file of which nothing can be read leaves what was there.
#[test]
fn nothing_to_write() {
    let scratch = with_plain();
    scratch.write("out", "as it was");
    let mut whole = pcapng(&session());
    whole[24] = 99;
    scratch.write("torn", whole);
    let words = ["torn: ", "28 bytes", "99 "];
    scratch.refuses(&sign(&["torn", "-k", KEY, "-o", "out"]), 1, &words);
    assert_eq!(scratch.read("out"), "as it was");
    let run = scratch.run(&["tcp-ao", "verify", "torn", "-k", KEY]);
    says(&run, 1, &["28 bytes", "99 ", "0 verified"]);
}
