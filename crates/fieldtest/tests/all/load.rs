//! What `dnssec load` says of what it is given, before a server that is not there. `lab/load.sh` has real ones.

use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::scratch::{Run, Scratch};

/// A query for `. NS` by this client, as a record of a capture of raw IP, of which so many octets were kept.
fn record(second: u32, client: u8, kept: usize) -> Vec<u8> {
    record_to(second, [client, 53], kept)
}

fn record_to(second: u32, [client, server]: [u8; 2], kept: usize) -> Vec<u8> {
    let message = [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1];
    let ports = [0xc0, 0, 0, 53, 0, 8 + message.len() as u8, 0, 0];
    let length = (20 + ports.len() + message.len()) as u8;
    let header = [0x45, 0, 0, length, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, client, 192, 0, 2, server];
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
fn load(scratch: &Scratch, more: &str) -> Run {
    let nobody = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let server = nobody.local_addr().expect("its address").to_string();
    scratch.run(&format!("dnssec load {server} --timeout 0.1 {more}"))
}

#[test]
fn half_of_a_capture_is_cut() {
    let scratch = Scratch::new();
    let records = [record(5, 1, 99), record(6, 2, 40), record(4, 3, 99), record(7, 1, 30)];
    scratch.write("cut.pcap", capture(&records));
    let run = load(&scratch, "--capture cut.pcap --speed 1000 --format json");
    assert_eq!(run.code, Some(1), "nothing was answered: {run:?}");
    let told = run.json();
    let expected = json!({
        "replayed": 2, "out of order": 1, "of resolvers": 0, "not replayed": { "cut by the capture": 2 },
    });
    assert_eq!(told["capture"], expected);
    assert_eq!((&told["counts"]["due"], &told["counts"]["sent"]), (&json!(2), &json!(2)));
    assert!(run.stderr.contains("warning: 2 of 4 in cut.pcap "), "{run:?}");
    let run = load(&scratch, "--capture cut.pcap --speed 1000");
    assert!(run.stdout.contains("the capture holds"), "{run:?}");
}

#[test]
fn what_cannot_be_replayed() {
    let scratch = Scratch::new();
    scratch.write("odd", "no capture\u{1b}[2J");
    scratch.write("all-cut.pcap", capture(&[record(5, 1, 30)]));
    for (words, parts) in [
        ("--csv /dev/null", &["/dev/null", "regular file"][..]),
        ("--capture /dev/null", &["regular file"]),
        ("--capture odd", &["odd: ", "pcap, pcapng, dnstap"]),
        ("--capture all-cut.pcap", &["all-cut.pcap has no query; "]),
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
    let run = load(&scratch, "--csv table.csv.gz --format json");
    let told = run.json();
    assert!(told["plan"].as_str().is_some_and(|plan| plan.contains("2 queries of 2 clients")), "{told}");
    assert_eq!(told["capture"], Value::Null);
}

/// As tcpdump takes it on a resolver, whose own queries are none of its clients'.
#[test]
fn a_resolvers_own_queries() {
    let scratch = Scratch::new();
    let packets = [[1, 53], [53, 9], [2, 53], [53, 8]].map(|ends| record_to(5, ends, 99));
    scratch.write("both.pcap", capture(&packets));
    let server = "dnssec load 127.0.0.1:9 --capture both.pcap";
    scratch.refuses(server, (2, "both-sides"), &["both.pcap", "--capture-server 192.0.2.53"]);
    let run = load(&scratch, "--capture both.pcap --capture-server 192.0.2.53 --format json");
    let told = run.json();
    let expected = json!({
        "replayed": 2, "out of order": 0, "of resolvers": 0, "not replayed": { "to other servers": 2 },
    });
    assert_eq!(told["capture"], expected);
    // It may ask from another address; so do an authority's clients.
    let without_rd = |ends| [&record_to(5, ends, 99)[..46], &[0], &record_to(5, ends, 99)[47..]].concat();
    for (clients, of_resolvers) in [([[1, 53], [2, 53]], 2), ([[1, 9], [2, 8]], 0)] {
        let asked = [[54, 9], [54, 8]].map(without_rd);
        scratch.write("apart.pcap", capture(&[clients.map(|ends| record_to(5, ends, 99)), asked].concat()));
        let run = load(&scratch, "--capture apart.pcap --format json");
        let told = run.json();
        assert_eq!(told["capture"]["of resolvers"], of_resolvers, "{told}");
        assert_eq!(run.stderr.contains("--capture-server"), of_resolvers > 0, "{run:?}");
    }
}

#[test]
fn options_that_would_do_nothing() {
    let scratch = Scratch::with_zone();
    scratch.write("questions", "a.test A\n");
    scratch.write("one.pcap", capture(&[record(5, 1, 99)]));
    let (questions, zone, captured) = ("--questions questions", "--zone zone", "--capture one.pcap");
    for (of, option) in [
        (questions, "--types A"),
        (captured, "--missing 1"),
        (questions, "--zipf 1"),
        (captured, "--rate 5"),
        (captured, "--clients 5"),
        (captured, "--spacing even"),
        (zone, "--speed 5"),
        (zone, "--capture-server 192.0.2.1"),
        (zone, "--fresh-connections"),
        (captured, "--transport tcp --truncated kept"),
        (captured, "--transport tls --sockets 5"),
        (captured, "--transport tcp --resume-sessions"),
    ] {
        let named = option.split(' ').rfind(|word| word.starts_with("--")).expect("an option");
        scratch.refuses(&format!("dnssec load 127.0.0.1:9 {of} {option}"), (2, "no-effect"), &[named]);
    }
}

/// Lists that are made of logs, here on standard input.
#[test]
fn lines_that_are_no_questions() {
    let scratch = Scratch::new();
    let mut command = scratch.command("dnssec load 127.0.0.1:9 --questions -");
    command.args(["--seconds", "0.1", "--timeout", "0.1", "--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let mut list = child.stdin.take().expect("a pipe");
    list.write_all(b"a.test A 1\nb..test A\nc.test\nd.test AAAA\n").expect("it reads");
    drop(list);
    let run = Run::of(child);
    assert!(run.stderr.contains("2, 3") && run.stderr.contains("'b..test'"), "{run:?}");
    let told = run.json();
    assert!(told["counts"]["due"].as_u64() > Some(1), "{told}");
}

#[test]
fn no_query_is_due() {
    let scratch = Scratch::with_zone();
    let run = load(&scratch, "--zone zone --rate 0.001 --seconds 0.1");
    run.tells(1, &["--rate", "--seconds"]);
}

/// What the program itself has no files for is no fault of the server's, and the exit code says so. Of the two limits that a shell sets, the
/// program raises the soft one.
#[test]
fn more_connections_than_files() {
    let scratch = Scratch::with_zone();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let server = listener.local_addr().expect("its address").to_string();
    for (limit, is_short) in [("ulimit -n 64", true), ("ulimit -S -n 64", false)] {
        let load = format!("dnssec load {server} --zone zone --transport tcp --clients 100");
        let run = scratch
            .run_after(limit, &format!("{load} --rate 1000 --seconds 0.5 --timeout 0.2 --format json"));
        assert_eq!(run.code, Some(1), "{run:?}");
        let told = run.json();
        let refused = told["counts"]["local failures"].as_u64();
        assert_eq!(refused > Some(0), is_short, "{run:?}");
        assert_eq!(told["sockets"], 100);
    }
}
