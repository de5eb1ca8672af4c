//! `fieldtest ima` on tar archives: signed as they stream by, and verified.

use std::fs::{self, File};
use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use fieldtest_testing::process::send;
use rustix::process::Signal;

use crate::ima::keygen;
use crate::scratch::{Run, Scratch};

/// The program with this on its standard input; its standard output as it is.
fn piped(scratch: &Scratch, input: &[u8], arguments: &str) -> Vec<u8> {
    scratch.write("input", input);
    let file = fs::File::open(scratch.path("input")).expect("the input");
    let output = scratch.command(arguments).stdin(Stdio::from(file)).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// An archive with one file, in the format of POSIX.1-1988.
pub(crate) fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut archive = header.to_vec();
    archive.extend(content);
    archive.resize(archive.len().next_multiple_of(512) + 1024, 0);
    archive
}

#[test]
fn archives_are_signed_as_they_stream_by() {
    let scratch = Scratch::new();
    let (private, certificate) = keygen(&scratch, "ml-dsa-87");
    let plain = archive("usr/bin/true", b"content");
    let sign = format!("ima sign - --store tar --key {private}");
    let signed = piped(&scratch, &plain, &sign);
    assert!(signed.len() > plain.len() + 4636);
    assert_eq!(signed, piped(&scratch, &signed, &sign), "what is signed stays as it is");
    scratch.write("plain.tar", &plain);
    scratch.fine(&format!("ima sign plain.tar --store tar --key {private} -o signed.tar"));
    assert_eq!(fs::read(scratch.path("signed.tar")).expect("the archive"), signed);
    scratch
        .fine(&format!("ima verify signed.tar --store tar --key {certificate}"))
        .tells(0, &["1 file good"]);
    let run = scratch.run(&format!("ima verify plain.tar --store tar --key {certificate}"));
    assert!(run.code == Some(1) && run.stdout.contains("not signed"), "{run:?}");

    // What cannot be an archive leaves none.
    scratch.write("cut.tar", &plain[..515]);
    let two = [plain.clone(), vec![0; 1 << 17], plain].concat();
    scratch.write("two.tar", &two);
    let behind = format!("damaged at byte {}: ", 2048 + (1 << 17));
    let verify = format!("ima verify two.tar --store tar --key {certificate}");
    scratch.run(&verify).tells(1, &[&behind]);
    for (name, word) in
        [("cut.tar", "cut.tar"), ("two.tar", &behind), ("keys", "directory"), ("missing.tar", "cannot read")]
    {
        let sign = format!("ima sign {name} --store tar --key {private} -o new.tar");
        let code = if name == "keys" { 2 } else { 1 };
        scratch.refuses(&sign, code, &[name, word]);
    }
}

/// The summary and the exit code are those of a reader that stays, whether it goes before the first write or in between.
#[test]
fn a_reader_that_went_away_hides_no_file_that_is_not_signed() {
    let scratch = Scratch::new();
    let (private, _) = keygen(&scratch, "ecdsa-p256");
    let mut kept = archive("pax", b"34 SCHILY.xattr.user.comment=mine\n");
    kept[156] = b'x';
    kept[148..156].fill(b' ');
    let sum: u32 = kept[..512].iter().map(|byte| u32::from(*byte)).sum();
    kept[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let big = archive("big", &vec![7; 1 << 20]);
    let kept = [&kept[..1024], &archive("own", b"content")].concat();
    scratch.write("short", &kept);
    scratch.write("long", [&big[..big.len() - 1024], &kept].concat());
    fs::create_dir(scratch.path("tree")).expect("a directory");
    scratch.write("tree/file", "content");
    for (tree, store, code) in [("short", "tar", 1), ("long", "tar", 1), ("tree", "manifest", 0)] {
        let sign = format!("ima sign {tree} --store {store} --key {private} --attribute user.comment");
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let run = |command: &mut Command| command.output().expect("the program starts");
        let left = run(scratch.command(&sign).stdout(writer));
        let stayed = run(&mut scratch.command(&sign));
        assert_eq!(left.status.code(), Some(code), "{tree}: {left:?}");
        assert_eq!((left.status, left.stderr), (stayed.status, stayed.stderr), "{tree}");
    }
}

/// The first signal ends every wait for what somebody else writes, before he begins and in between.
#[test]
fn no_wait_outlives_a_signal() {
    let scratch = Scratch::new();
    let (private, certificate) = keygen(&scratch, "ecdsa-p256");
    fs::create_dir(scratch.path("tree")).expect("a directory");
    scratch.fifo("fifo");
    let list = format!("ima verify tree --store manifest --manifest fifo --key {certificate}");
    let sign = |tree: &str| format!("ima sign {tree} --store tar --key {private} -o signed");
    let verify = format!("ima verify - --store tar --key {certificate}");
    let commands = [list, sign("fifo"), sign("-"), verify];
    scratch.refuses(&sign("/dev/zero"), 1, &["/dev/zero", "byte 1"]);
    for is_open in [false, true] {
        // Whoever opened it may be slow to write.
        let fifo = || File::options().read(true).write(true).open(scratch.path("fifo"));
        let _writer = is_open.then(|| fifo().expect("a FIFO"));
        for arguments in &commands {
            let (input, _silent) = io::pipe().expect("a pipe");
            let mut command = scratch.command(arguments);
            let child = command.stdin(input).spawn().expect("the program starts");
            thread::sleep(Duration::from_millis(500));
            send(&child, Signal::INT);
            let run = Run::of(child);
            assert_eq!(run.code, Some(130), "{arguments:?}: {run:?}");
        }
    }
}
