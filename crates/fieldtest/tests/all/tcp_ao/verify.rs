//! Captures that verify, that do not, and that are none.

use std::process::Stdio;

use super::{KEY, OTHER, says, with_signed};
use crate::captures::{TYPED_ISNS, pcap, pcapng, session, snap};
use crate::scratch::Run;

fn verify(more: &str) -> String {
    format!("tcp-ao verify {more}")
}

#[test]
fn either_form_from_a_file_or_a_pipe() {
    let scratch = with_signed();
    scratch.write("plain", pcapng(&session()));
    scratch.fine(&format!("tcp-ao sign plain -k {KEY} -o signed-ng"));
    for name in ["signed", "signed-ng"] {
        let run = scratch.fine(&verify(&format!("{name} -k {KEY}")));
        assert_eq!(run.stdout, "");
        let run = scratch.run_on(name, &verify(&format!("- -k {KEY}")));
        says(&run, 0, &["6 verified"]);
    }
    // Standard input that ends before it begins.
    scratch.refuses(&verify(&format!("- -k {KEY}")), 1, &["not a capture"]);
}

#[test]
fn the_middle_of_a_connection() {
    let scratch = with_signed();
    let whole = std::fs::read(scratch.path("signed")).expect("a capture");
    // Right behind the handshake the initial numbers can be told from those that follow.
    scratch.write("early", without_first(&whole, 3));
    says(&scratch.run(&verify(&format!("early -k {KEY}"))), 0, &["3 verified"]);
    scratch.write("middle", without_first(&whole, 4));
    // Later they are searched for, and said in the form that --isns takes.
    // The end that was heard first comes first.
    let found = "--isns 192.0.2.2:179=0x7d0,192.0.2.1:50000=0x3e8";
    says(&scratch.run(&verify(&format!("middle -k {KEY}"))), 0, &["2 verified", found]);
    let run = scratch.run(&verify(&format!("middle -k {}", KEY.replace("6162", "ffff"))));
    says(&run, 1, &["0 verified", "--isns"]);
    says(&scratch.run(&verify(&format!("middle -k {KEY} --isns {TYPED_ISNS}"))), 0, &["2 verified"]);
    let wrong = TYPED_ISNS.replace("=1000", "=1001");
    // Wrong ones are not believed either.
    says(&scratch.run(&verify(&format!("middle -k {KEY} --isns {wrong}"))), 0, &["2 verified", found]);
    let extended = TYPED_ISNS.replace("=1000", "=1000+0");
    says(&scratch.run(&verify(&format!("middle -k {KEY} --isns {extended}"))), 0, &["2 verified"]);
    for typed in [
        "",
        ",",
        "192.0.2.1:50000=1000",
        "192.0.2.1:50000=1000,192.0.2.2:179",
        "192.0.2.1=1000,192.0.2.2:179=2000",
        "192.0.2.1:50000=1000,192.0.2.2:179=4294967296",
        "192.0.2.1:50000=1000,192.0.2.2:179=0xg",
        "192.0.2.1:50000=-1,192.0.2.2:179=1",
        "192.0.2.1:50000=1+,192.0.2.2:179=1",
        "192.0.2.1:50000=1+4294967296,192.0.2.2:179=1",
    ] {
        let typed = format!("--isns={typed}");
        scratch.refuses(
            &verify(&format!("middle -k {KEY} {typed}")),
            2,
            &["ADDRESS:PORT=ISN,ADDRESS:PORT=ISN"],
        );
    }
    let mixed = "192.0.2.1:50000=1,[2001:db8::1]:179=2";
    scratch.refuses(&verify(&format!("middle -k {KEY} --isns {mixed}")), 2, &["192.0.2.1", "2001:db8::1"]);
}

fn without_first(pcap: &[u8], packets: usize) -> Vec<u8> {
    let mut left = pcap[24..].to_vec();
    for _ in 0..packets {
        let length = u32::from_le_bytes(*left[8..].first_chunk().expect("a record")) as usize;
        left.drain(..16 + length);
    }
    [&pcap[..24], &left].concat()
}

#[test]
fn files_that_are_no_captures() {
    let scratch = with_signed();
    let verify = |name| verify(&format!("{name} -k {KEY}"));
    scratch.refuses(&verify("missing"), (1, "io"), &["missing", "no such file"]);
    scratch.refuses(&verify("."), 1, &["directory"]);
    scratch.write("empty", "");
    scratch.refuses(&verify("empty"), 1, &["empty: not a capture", "ends after 0 bytes"]);
    scratch.write("garbage", "this is text, and no capture");
    scratch.refuses(&verify("garbage"), 1, &["garbage: not a capture", "pcap or pcapng"]);
    scratch.write("zeros", [0; 4096]);
    scratch.refuses(&verify("zeros"), 1, &["zeros: not a capture"]);
}

#[test]
fn captures_without_their_end() {
    let scratch = with_signed();
    let whole = std::fs::read(scratch.path("signed")).expect("a capture");
    scratch.write("cut", &whole[..whole.len() - 1]);
    let run = scratch.run(&verify(&format!("cut -k {KEY}")));
    says(&run, 1, &["5 verified", "record 6 at byte"]);
    let mut snapped = whole;
    snap(&mut snapped, 1);
    scratch.write("snapped", snapped);
    says(&scratch.run(&verify(&format!("snapped -k {KEY}"))), 1, &["5 verified, 1 cut"]);
    // Where nothing verifies, nothing is proven.
    scratch.write("nothing", pcap(&[]));
    says(&scratch.run(&verify(&format!("nothing -k {KEY}"))), 1, &["nothing: 0 verified"]);
}

#[test]
fn keys_that_are_none() {
    let scratch = with_signed();
    let key = |key: &str, words: &[&str]| {
        scratch.refuses(&["tcp-ao", "verify", "signed", "-k", key], 2, words);
    };
    key("61", &["ID:ALGORITHM:HEX", "'61': "]);
    key("", &["ID:ALGORITHM:HEX"]);
    key("256:aes-128-cmac-96:00", &["KeyID '256'", "0 to 255"]);
    key("61:aes-128-cmac-96:abc", &["KeyID 61:", "hexadecimal", "3", "text:"]);
    key("61:aes-128-cmac-96:secret!!", &["hexadecimal", "text:"]);
    key("61:aes-128-cmac:00", &["unknown algorithm 'aes-128-cmac'; did you mean 'aes-128-cmac-96'?"]);
    key("61:ed25519:00", &["'ed25519'", "give a MAC"]);
    key("61:tcp-md5:00", &["tcp-md5 ", "fieldtest list mac"]);
    key("61:hmac-sha224-128:00", &["hmac-sha224-128 "]);
    key(&format!("{KEY}:maclen=0"), &["length 0", "1 to 16"]);
    key(&format!("{KEY}:maclen=17"), &["length 17"]);
    key(&format!("{KEY}:maclen=many"), &["'many'"]);
    key(&format!("{KEY}:exclude"), &["'exclude'"]);
    key(&format!("{KEY}:10.0.0.0/33"), &["33 bits", "10.0.0.0"]);
    let named = verify(&format!("signed -k {KEY} -i nonsense"));
    scratch.refuses(&named, 2, &["unknown implementation 'nonsense'"]);
    scratch.refuses_by_clap(&verify("signed"), &["--key KEY", "--keys FILE"]);
    // A master key is not repeated, whatever is wrong beside it.
    let run = scratch.run(&verify(&format!("signed -k {KEY}zz")));
    assert!(!run.stderr.contains("6162"), "{run:?}");
}

#[test]
fn files_of_keys() {
    let scratch = with_signed();
    let file = |content: &str| scratch.write("keys", content);
    let with_file = verify("signed --keys keys");
    file(&format!("# both ends have them\n\n  {OTHER}\n{KEY}:192.0.2.0/24\n   # the end\n"));
    scratch.fine(&with_file);
    file(&format!("# a comment\r\n{KEY}\r\n"));
    scratch.fine(&with_file);
    file(&format!("# a comment\n{KEY}\n\n85:aes-128-cmac-96:abc\n"));
    scratch.refuses(&with_file, 2, &["keys, line 4: ", "KeyID 85:", "hexadecimal"]);
    file("61:aes-128-cmac:00\n");
    scratch.refuses(&with_file, 2, &["keys, line 1", "did you mean 'aes-128-cmac-96'?"]);
    file("# nothing\n");
    scratch.refuses(&with_file, 2, &["from keys", "ID:ALGORITHM:HEX"]);
    scratch.write("keys", b"\xff\xfea\0");
    scratch.refuses(&with_file, 1, &["keys", "UTF-16"]);
    scratch.refuses(&verify("signed --keys missing"), 1, &["the keys in missing", "no such file"]);
    scratch.refuses(&verify("signed --keys ."), 1, &["the keys in .", "directory"]);
}

#[test]
fn every_form_of_the_table() {
    let scratch = with_signed();
    let all =
        |format: &str| scratch.fine(&verify(&format!("signed -k {KEY} --all --format {format}"))).stdout;
    let csv = all("csv");
    assert_eq!(csv.lines().next(), Some("packet,connection,verdict"));
    assert_eq!(csv.lines().count(), 7, "{csv}");
    assert_eq!(csv.matches("\"verified, key 61 (aes-128-cmac-96)\"").count(), 6, "{csv}");
    let json = scratch.json(&verify(&format!("signed -k {KEY} --all")), 0);
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(6), "{json}");
    assert_eq!(json["rows"][0]["packet"], 1);
    assert!(all("md").contains("| 6 |"));
    // A form for programs has its heading where there is nothing to show.
    let run = scratch.fine(&verify(&format!("signed -k {KEY} --format csv")));
    assert_eq!(run.stdout, "packet,connection,verdict\n");
    let run = scratch.fine(&verify(&format!("signed -k {KEY} --all --show 0")));
    says(&run, 0, &["6 packets more", "--show 6"]);
}

#[test]
fn keys_that_are_typed_as_text() {
    let scratch = with_signed();
    let text = "61:aes-128-cmac-96:text:abcdefghijklmnop";
    says(&scratch.run(&verify(&format!("signed -k {text}"))), 0, &["6 verified"]);
    says(&scratch.run(&verify(&format!("signed -k {text}:192.0.2.0/24"))), 0, &["6 verified"]);
}

/// A file in which everything comes too late, from a disk and through a pipe that can be read only once.
#[test]
fn the_order_of_the_file_does_not_matter() {
    let scratch = with_signed();
    let signed = std::fs::read(scratch.path("signed")).expect("a capture");
    let mut records = Vec::new();
    let mut left = &signed[24..];
    while !left.is_empty() {
        let length = 16 + u32::from_le_bytes(*left[8..].first_chunk().expect("a record")) as usize;
        records.push(&left[..length]);
        left = &left[length..];
    }
    records.reverse();
    scratch.write("backwards", [&signed[..24], &records.concat()].concat());
    says(&scratch.run(&verify(&format!("backwards -k {KEY}"))), 0, &["6 verified"]);
    let file = std::fs::File::open(scratch.path("backwards")).expect("a capture");
    let mut cat = std::process::Command::new("cat").stdin(file).stdout(Stdio::piped()).spawn().expect("cat");
    let mut command = scratch.command(&verify(&format!("- -k {KEY}")));
    let pipe = cat.stdout.take().expect("a pipe");
    let run = Run::from(command.stdin(pipe).output().expect("the program starts"));
    cat.wait().expect("cat ends");
    says(&run, 0, &["6 verified"]);
}

#[test]
fn json_says_all() {
    let scratch = with_signed();
    let other = KEY.replace("6162", "ffff");
    let arguments = verify(&format!("signed -k {other}"));
    let json = scratch.json(&arguments, 1);
    assert_eq!(json["good"], false);
    assert_eq!((&json["counts"]["wrong_mac"], &json["counts"]["opaque"]), (&6.into(), &0.into()));
    let connection = &json["connections"][0];
    assert_eq!(
        (&connection["opener"], &connection["isns"]["opener"]),
        (&"192.0.2.1:50000".into(), &1000.into())
    );
    assert_eq!(connection["isns"]["typed"], "192.0.2.1:50000=0x3e8,192.0.2.2:179=0x7d0");
    assert_eq!(json["diagnosis"]["samples"], 6);
    assert_eq!(json["diagnosis"]["texts"].as_array().map(Vec::len), Some(1));
    for what in ["rows", "keys", "rollovers", "problems", "unanswered", "ignored_requests", "two_keys"] {
        assert!(json[what].is_array(), "{what}");
    }
    assert_eq!(json["diagnosis"]["unexplained"].as_array().map(Vec::len), Some(6));
    assert!(scratch.json(&format!("{arguments} --no-diagnosis"), 1)["diagnosis"].is_null());
    // What has no such form says so.
    scratch.refuses("tcp-ao keys --format json", 2, &["tcp-ao keys"]);
    scratch.refuses(&format!("tcp-ao sign signed -k {KEY} -o out --format csv"), 2, &["tcp-ao sign"]);
}

#[test]
fn a_syn_that_nobody_answers() {
    let scratch = with_signed();
    let signed = std::fs::read(scratch.path("signed")).expect("a capture");
    let length = 24 + 16 + u32::from_le_bytes(*signed[32..].first_chunk().expect("a record")) as usize;
    let twice = [&signed[..length], &signed[24..length]].concat();
    scratch.write("silent", twice);
    let run = scratch.run(&verify(&format!("silent -k {KEY}")));
    says(&run, 1, &["2 verified", "the SYN of 192.0.2.1:50000 ", "2 times"]);
}

/// What the capture hides is no reason to say that all is well.
#[test]
fn fragments_and_tunnels_count() {
    let scratch = with_signed();
    let esp =
        [&[0x45, 0, 0, 40, 0, 0, 0, 0, 64, 50, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2][..], &[7; 20]].concat();
    let mut fragment = session().remove(3);
    fragment[6] = 0x20;
    let signed = std::fs::read(scratch.path("signed")).expect("a capture");
    for (packet, word) in [(esp, "ESP"), (fragment, "fragment")] {
        scratch.write("hidden", [&signed[..], &pcap(&[packet])[24..]].concat());
        says(&scratch.run(&verify(&format!("hidden -k {KEY}"))), 1, &["6 verified", word]);
    }
}

/// A file of keys that does not end, and a master key that is too short.
#[test]
fn keys_without_an_end_and_too_short() {
    let scratch = with_signed();
    #[cfg(unix)]
    scratch.refuses("tcp-ao verify signed --keys /dev/zero", 1, &["/dev/zero", "more than 16 MiB"]);
    scratch.refuses(
        "tcp-ao verify signed -k 1:hmac-sha256-128:aa",
        2,
        &["KeyID 1", "hmac-sha256-128", "1 bytes", "at least 32"],
    );
}

/// What gzip only warns of is no fault, and what is cut off is one; the rest is judged.
#[test]
fn damaged_and_lengthened_gzip_data() {
    let scratch = with_signed();
    let mut gzip = std::process::Command::new("gzip");
    let whole = gzip.arg("-c").arg(scratch.path("signed")).output().expect("gzip").stdout;
    scratch.write("junk.gz", [&whole[..], b"junk"].concat());
    let run = scratch.run(&format!("tcp-ao verify junk.gz -k {KEY}"));
    says(&run, 0, &["gzip", "6 verified"]);
    scratch.write("cut.gz", &whole[..whole.len() - 8]);
    let run = scratch.run(&format!("tcp-ao verify cut.gz -k {KEY}"));
    says(&run, 1, &["gzip", "6 verified"]);
    let run = scratch.run(&format!("tcp-ao verify cut.gz -k {KEY} --format json"));
    says(&run, 1, &["\"problem_count\": 1", "\"warning\": false"]);
}
