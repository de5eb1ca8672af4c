//! What `dnssec load` says of what it is given, before a server that is not there. `lab/load.sh` has real ones.

use std::net::UdpSocket;

use serde_json::{Value, json};

use crate::scratch::{Run, Scratch};

/// A query for `. NS` by this client, as a record of a capture of raw IP, of which so many octets were kept.
fn record(second: u32, client: u8, kept: usize) -> Vec<u8> {
    let message = [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1];
    let ports = [0xc0, 0, 0, 53, 0, 8 + message.len() as u8, 0, 0];
    let length = (20 + ports.len() + message.len()) as u8;
    let header = [0x45, 0, 0, length, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, client, 192, 0, 2, 53];
    let packet = [&header[..], &ports, &message].concat();
    let kept = kept.min(packet.len());
    let lengths = [second, 0, kept as u32, packet.len() as u32].map(u32::to_le_bytes).concat();
    [&lengths, &packet[..kept]].concat()
}

fn capture(records: &[Vec<u8>]) -> Vec<u8> {
    let header = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 0xffff, 101].map(u32::to_le_bytes).concat();
    [header, records.concat()].concat()
}

/// Sends to a port of this machine at which nobody answers.
fn load(scratch: &Scratch, more: &[&str]) -> Run {
    let nobody = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let server = nobody.local_addr().expect("its address").to_string();
    scratch.run(&[&["dnssec", "load", &server, "--timeout", "0.1", "--speed", "1000"], more].concat())
}

#[test]
fn half_of_a_capture_is_cut() {
    let scratch = Scratch::new();
    scratch.write(
        "cut.pcap",
        capture(&[record(5, 1, 99), record(6, 2, 40), record(4, 3, 99), record(7, 1, 30)]),
    );
    let run = load(&scratch, &["--capture", "cut.pcap", "--format", "json"]);
    assert_eq!(run.code, Some(1), "nothing was answered: {run:?}");
    let told: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let expected = json!({ "replayed": 2, "out of order": 1, "not replayed": { "cut by the capture": 2 } });
    assert_eq!(told["capture"], expected);
    assert_eq!((&told["counts"]["due"], &told["counts"]["sent"]), (&json!(2), &json!(2)));
    assert!(run.stderr.contains("warning: 2 of 4 in cut.pcap "), "{run:?}");
    let run = load(&scratch, &["--capture", "cut.pcap"]);
    assert!(run.stdout.contains("the capture holds"), "{run:?}");
}

#[test]
fn what_cannot_be_replayed() {
    let scratch = Scratch::new();
    scratch.write("odd", "no capture\u{1b}[2J");
    scratch.write("all-cut.pcap", capture(&[record(5, 1, 30)]));
    for (words, parts) in [
        (&["--csv", "/dev/null"][..], &["/dev/null", "no regular file"][..]),
        (&["--capture", "/dev/null"], &["no regular file"]),
        (&["--capture", "odd"], &["“no c”", "pcap, pcapng, dnstap"]),
        (&["--capture", "all-cut.pcap"], &["all-cut.pcap has no query; "]),
    ] {
        let run = load(&scratch, words);
        assert!(run.code.is_some_and(|code| code != 0) && run.stdout.is_empty(), "{run:?}");
        assert!(
            parts.iter().all(|part| run.stderr.contains(part)) && !run.stderr.contains('\u{1b}'),
            "{run:?}"
        );
    }
}

/// A table as a spreadsheet saves it, compressed: with a mark of byte order, quotes, and the ends of lines that they have there.
#[test]
fn a_compressed_table() {
    let scratch = Scratch::new();
    let text =
        "\u{feff}time,client,name,type\r\n\"0.1\",\"Smith, J.\",\"a.example\",A\r\n0.2,b,c.example.,NS\r\n";
    scratch.write("table.csv", text);
    let packed = std::process::Command::new("gzip").arg(scratch.path("table.csv")).status();
    assert!(packed.expect("gzip").success());
    let run = load(&scratch, &["--csv", "table.csv.gz", "--format", "json"]);
    let told: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert!(told["plan"].as_str().is_some_and(|plan| plan.contains("2 queries of 2 clients")), "{told}");
    assert_eq!(told["capture"], Value::Null);
}
