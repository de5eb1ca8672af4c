//! `fieldtest disk` as its users meet it. Nothing here needs a kernel that has the ciphers; what needs root is skipped by
//! name without it.

mod changes;
mod harm;
mod keys;
mod left;
mod peers;

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fieldtest_testing::process::{self, send};
use rustix::process::Signal;

use crate::scratch::{Run, Scratch, Typed, installed, wait_until};
use crate::study::interrupt;
use crate::unfinished::is_writing;

const SIZE: usize = 3 << 20;
/// Ends with a newline, which is a part of it.
const KEY: &[u8] = b"correct horse\n";
const CHEAP: &str = "--kdf pbkdf2 --iter-time 10";
const BY_FILE: &str = "--key-file key";

/// Bytes that do not repeat.
fn pattern(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = vec![0; length.next_multiple_of(8)];
    for word in bytes.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word.copy_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// A directory with a key file and an image.
fn with_image() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("key", KEY);
    scratch.write("plain", pattern(SIZE));
    scratch
}

/// The same with that image in the container `luks`.
pub(crate) fn with_container(spec: &str) -> Scratch {
    let scratch = with_image();
    scratch.fine(&format!("disk format luks --from plain -c {spec} {CHEAP} {BY_FILE}"));
    scratch
}

fn bytes(scratch: &Scratch, name: &str) -> Vec<u8> {
    fs::read(scratch.path(name)).expect("a file")
}

fn damage(scratch: &Scratch, offset: u64) {
    let file = OpenOptions::new().write(true).open(scratch.path("luks")).expect("the container");
    file.write_all_at(&[0x55; 4096], offset).expect("damage");
}

#[test]
fn images_go_in_and_come_out() {
    for spec in ["aes-xts-plain64", "lea-xts-plain64", "aria-xts-plain64", "xchacha12,aes-adiantum-plain64"] {
        let scratch = with_container(spec);
        let mode = fs::metadata(scratch.path("luks")).expect("the container").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        scratch.fine("disk copy luks out -d key").tells(0, &["3 MiB from luks to out", "GB/s"]);
        assert!(bytes(&scratch, "out") == bytes(&scratch, "plain"), "{spec}");
        // What was left as it is would be where it was, in its sector.
        let (container, first) = (bytes(&scratch, "luks"), pattern(16));
        assert!(container.chunks(16).all(|block| block != first), "{spec}");

        scratch.write("other", vec![7; 4096]);
        let into = "disk copy other luks -d key";
        scratch.refuses(into, 1, &["cannot be undone", "--overwrite"]);
        scratch.fine(&format!("{into} --overwrite -j 1")).tells(0, &[" 3068 KiB "]);
        scratch.refuses("disk copy luks out -d key", 1, &["out already exists", "--overwrite"]);
        scratch.fine("disk copy luks out -d key --overwrite");
        let out = bytes(&scratch, "out");
        assert!(out[..4096] == [7; 4096] && out[4096..] == pattern(SIZE)[4096..]);
    }
}

#[test]
fn every_implementation_reads_what_ours_wrote() {
    let scratch = with_container("aes-xts-plain64");
    for implementation in ["fieldtest", "fieldtest-portable", "rustcrypto"] {
        scratch
            .fine(&format!("disk copy luks {implementation} -d key -i {implementation}"))
            .tells(0, &[&format!("aes-256-xts ({implementation})")]);
        assert!(bytes(&scratch, implementation) == bytes(&scratch, "plain"));
    }
    scratch.refuses("disk copy luks out -d key -i hctr2-rs", 2, &["hctr2-rs", "aes-256-xts"]);
}

#[test]
fn what_opens_is_shown() {
    let scratch = with_container("lea-xts-plain64");
    let run = scratch.fine("disk open luks -d key --format csv");
    for line in ["keyslot,0", "cipher,lea-xts-plain64", "key,512 bits", "lea-256-xts", "3 MiB"] {
        assert!(run.stdout.contains(line), "{line}: {run:?}");
    }
    let run = scratch.fine("disk dump luks --format csv");
    for line in [
        "first copy,good",
        "second copy,good",
        "cipher,lea-xts-plain64",
        "\"pbkdf2 with sha256",
        "4096 bytes",
    ] {
        assert!(run.stdout.contains(line), "{line}: {run:?}");
    }
}

#[test]
fn wrong_passphrases() {
    let scratch = with_container("aes-xts-plain64");
    let (code, words) = ((1, "wrong-passphrase"), ["luks: ", "newline"]);
    // Without its newline the key is another one.
    scratch.write("wrong", "correct horse");
    scratch.refuses("disk open luks -d wrong", code, &words);
    scratch.refuses("disk copy luks out -d wrong", code, &words);
    scratch.refuses("disk serve luks -l socket -d wrong", 1, &words);
    scratch.refuses("disk open luks -d missing", 1, &["missing", "no such file"]);
    scratch.refuses("disk open luks", (1, "no-passphrase"), &["--key-file"]);
    scratch.write("empty", "");
    scratch.refuses("disk open luks -d empty", (1, "failed"), &["empty is empty"]);
}

#[test]
fn what_is_piped_is_a_passphrase_or_a_key_file() {
    let scratch = with_image();
    let piped = |input: &str, arguments: &str| {
        scratch.write("input", input);
        scratch.run_on("input", arguments).code
    };
    let format = format!("disk format luks --size 1M --overwrite {CHEAP}");
    assert_eq!(piped("secret\nmore", &format), Some(0));
    let open = "disk open luks";
    let file = "disk open luks -d -";
    assert_eq!([piped("secret", open), piped("secret\n", open), piped("secret", file)], [Some(0); 3]);
    assert_eq!([piped("secret\n", file), piped(" secret", open)], [Some(1); 2]);
    assert_eq!(piped("secret\nmore", &format!("{format} -d -")), Some(0));
    assert_eq!([piped("secret\nmore", open), piped("secret\nmore", file)], [Some(1), Some(0)]);
    assert_eq!([piped("\n", &format), piped("", &format), piped("", file)], [Some(1); 3]);
}

/// A terminal, as util-linux's `script` makes one, with somebody who answers questions. The shell in between survives
/// Ctrl-C, which reaches it as well: unlike bash, dash would end with it and not run what is typed behind.
fn at_a_terminal(scratch: &Scratch, typed: &str, answers: &[(&str, &str)]) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_fieldtest");
    let mut script = process::program("script")
        .args(["-q", "-e", "-c", &format!("trap : INT; {program} {typed}"), "/dev/null"])
        .env("SHELL", "/bin/sh")
        .current_dir(scratch.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script starts");
    let _limit = process::limit(&script);
    let (mut keyboard, mut screen) = (script.stdin.take(), script.stdout.take().expect("a screen"));
    let mut seen = Vec::new();
    let mut answers = answers.iter();
    let mut next = answers.next();
    let mut byte = [0];
    while screen.read(&mut byte).is_ok_and(|read| read > 0) {
        seen.extend(byte);
        if let (Some((question, answer)), Some(keys)) = (next, &mut keyboard)
            && seen.ends_with(question.as_bytes())
        {
            keys.write_all(answer.as_bytes()).expect("keys");
            next = answers.next();
        }
    }
    let code = script.wait().expect("its end").code();
    (code, String::from_utf8_lossy(&seen).into_owned())
}

#[test]
fn passphrases_are_asked_for_and_not_shown() {
    if !installed("script") {
        return;
    }
    let scratch = with_image();
    let format = "disk format luks --size 1M --kdf pbkdf2 --iter-time 10";
    let (new, again, old) = ("New passphrase for luks: ", "The same again: ", "Passphrase for luks: ");
    let (code, seen) = at_a_terminal(&scratch, format, &[(new, "horse\n"), (again, "house\n")]);
    assert!(code == Some(1) && seen.contains("passphrases differ"), "{seen}");
    assert!(!scratch.path("luks").exists());
    let (code, seen) = at_a_terminal(&scratch, format, &[(new, "horse\n"), (again, "horse\n")]);
    assert!(code == Some(0) && !seen.contains("horse"), "{seen}");
    let (code, seen) = at_a_terminal(&scratch, "disk open luks", &[(old, "horse\n")]);
    assert!(code == Some(0) && !seen.contains("horse") && seen.contains("keyslot"), "{seen}");
    // Ctrl-C, and the terminal shows again what is typed.
    let (code, seen) = at_a_terminal(&scratch, "disk open luks; echo $?; stty -a", &[(old, "\x03")]);
    assert!(code == Some(0) && seen.contains("130") && seen.contains(" echo "), "{seen}");
    // Where SIGINT is ignored, so is Ctrl-C. The end of input ends the question, too.
    let ignores =
        format!("list > /dev/null; trap '' INT; {} disk open luks; echo $?", env!("CARGO_BIN_EXE_fieldtest"));
    let (code, seen) = at_a_terminal(&scratch, &ignores, &[(old, "\x03\x04")]);
    assert!(code == Some(0) && seen.contains("--key-file") && seen.contains("\n1\r"), "{seen}");
}

#[test]
fn damaged_headers() {
    let scratch = with_container("aes-xts-plain64");
    for (place, which) in [(0, "first"), (16_384, "second")] {
        damage(&scratch, place);
        let run = scratch.fine("disk open luks -d key");
        assert!(run.stderr.contains(&format!("the {which} header is damaged")), "{run:?}");
        assert!(run.stderr.contains("fieldtest disk repair luks"), "{run:?}");
        let run = scratch.fine("disk dump luks");
        assert!(run.stdout.contains("damaged") && run.stderr.contains("disk repair luks"), "{run:?}");
        scratch.fine("disk repair luks").tells(0, &[&format!("{which} header was")]);
        scratch.fine("disk repair luks").tells(0, &["nothing was written"]);
    }
    // The magic bytes stay, so that it is seen what it was.
    damage(&scratch, 4096);
    damage(&scratch, 16_384 + 4096);
    for command in ["open", "dump", "repair"] {
        scratch.refuses(&format!("disk {command} luks"), (1, "both-headers-damaged"), &["luksHeaderRestore"]);
    }
}

#[test]
fn files_that_are_no_whole_containers() {
    let scratch = with_container("aes-xts-plain64");
    scratch.refuses("disk open plain -d key", (1, "not-luks"), &["plain is"]);
    scratch.refuses("disk dump missing", 1, &["missing", "no such file"]);
    scratch.refuses("disk copy missing out -d key", (1, "missing"), &["missing"]);
    scratch.refuses("disk copy plain key -d key", 2, &["neither plain nor key", "disk format"]);
    scratch.refuses("disk copy luks luks -d key", 2, &["both containers"]);
    scratch.refuses("disk copy luks /dev/null -d key", 1, &["regular file", "disk serve"]);
    let file = OpenOptions::new().write(true).open(scratch.path("luks")).expect("the container");
    file.set_len(16 << 20).expect("a shorter container");
    scratch.refuses("disk copy luks out -d key", 1, &["luks is truncated", "16777216"]);
}

#[test]
fn specifications_are_judged() {
    let scratch = with_image();
    let format = |spec| format!("disk format luks --size 1M -c {spec} {CHEAP} {BY_FILE}");
    scratch.refuses(&format("chacha20-plain64"), 1, &["stream cipher", "keystream", "adiantum", "--force"]);
    scratch.refuses(&format("aes-ecb"), 1, &["equal 16-byte blocks", "--force"]);
    scratch.refuses(&format("cast6-xts-plain64"), 2, &["unknown cipher", "lea-xts-plain64"]);
    scratch.fine(&format("aes-ecb --force")).tells(0, &["equal 16-byte blocks"]);
}

#[test]
fn what_is_there_is_kept() {
    let scratch = with_image();
    let format = |more| format!("disk format luks {more} {CHEAP} {BY_FILE}");
    scratch.refuses(&format(""), (2, "no-size"), &["luks does", "--size 64M"]);
    scratch.write("luks", "something");
    scratch.refuses(&format("--size 1M"), 1, &["luks already exists", "--overwrite"]);
    scratch.refuses(&format("--from plain"), 1, &["luks already exists", "--overwrite"]);
    scratch.refuses(&format(""), (1, "truncated"), &["luks already exists", "--size", "--overwrite"]);
    assert_eq!(scratch.read("luks"), "something");
    // A file that has nothing but its size.
    File::create(scratch.path("luks")).and_then(|file| file.set_len(20 << 20)).expect("an empty image");
    scratch.fine(&format(""));
    assert_eq!(bytes(&scratch, "luks").len(), 20 << 20);
    scratch.refuses(&format(""), 1, &["luks already exists", "--overwrite"]);
    scratch.fine(&format("--overwrite --label again"));
    assert!(scratch.fine("disk dump luks").stdout.contains("again"));
    scratch.fine(&format("--overwrite --size 1M"));
    assert_eq!(bytes(&scratch, "luks").len(), 17 << 20);
}

/// A server and the URI that it printed.
pub(crate) fn serve(scratch: &Scratch, arguments: &(impl Typed + ?Sized)) -> (Child, String) {
    let arguments = [&"disk serve luks -d key".words()[..], &arguments.words()].concat();
    let mut child = scratch.command(&arguments).spawn().expect("the program starts");
    let mut uri = String::new();
    let _limit = process::limit(&child);
    BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut uri).expect("a URI");
    (child, uri.trim_end().to_owned())
}

/// Ends a server as its user does, and gives its last words.
pub(crate) fn end(child: Child) -> String {
    interrupt(&child);
    let run = Run::of(child);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("ended after"), "{run:?}");
    run.stderr
}

#[test]
fn a_server_ends_in_order() {
    let scratch = with_container("lea-xts-plain64");
    let (server, uri) = serve(&scratch, "--listen socket");
    assert!(uri.starts_with("nbd+unix:///?socket=/") && uri.ends_with("/socket"), "{uri}");
    // Who writes has it alone.
    scratch.refuses("disk open luks -d key", 1, &["luks is in use"]);
    let format = "disk format luks --size 1M --overwrite -d key";
    scratch.refuses(&format!("{format} {CHEAP}"), 1, &["luks is in use"]);
    let words = end(server);
    assert!(words.contains("ended after 0 connections; everything is durable"), "{words}");
    assert!(!scratch.path("socket").exists());
    let (server, uri) = serve(&scratch, "--listen 127.0.0.1:0 --read-only");
    assert!(uri.starts_with("nbd://127.0.0.1:") && !uri.ends_with(":0"), "{uri}");
    scratch.fine("disk open luks -d key");
    end(server);
    let listen = |place| ["disk", "serve", "luks", "-d", "key", "-l", place];
    scratch.refuses(&listen("192.0.2.1:10809"), 1, &["192.0.2.1:10809", "unencrypted", "127.0.0.1"]);
    scratch.refuses(&listen("localhost:10809"), 2, &["localhost:10809", "127.0.0.1:10809"]);
    scratch.refuses(&listen("missing/socket"), 1, &["no directory", "missing"]);
    scratch.refuses(&listen("plain"), 1, &["plain exists"]);
    // Nobody answers on what a server left that was killed.
    drop(std::os::unix::net::UnixListener::bind(scratch.path("stale")).expect("a socket"));
    end(serve(&scratch, "--listen stale").0);
    let _listener = std::os::unix::net::UnixListener::bind(scratch.path("busy")).expect("a socket");
    scratch.refuses(&listen("busy"), 1, &["busy is in use"]);
    for (link, leads_to) in [("one", "busy"), ("two", "nowhere"), ("three", "plain")] {
        std::os::unix::fs::symlink(leads_to, scratch.path(link)).expect("a link");
        let told = format!("/{leads_to}, ");
        scratch.refuses(&listen(link), 1, &[link, &told, "remove the link"]);
        assert!(scratch.path(link).is_symlink());
    }
    let _messages = std::os::unix::net::UnixDatagram::bind(scratch.path("messages")).expect("a socket");
    scratch.refuses(&listen("messages"), 1, &["messages is in use"]);
}

#[test]
fn ctrl_c_leaves_no_half_container() {
    let scratch = with_image();
    // Long enough to be interrupted: a slow implementation on one thread, with an image that has no data on the disk.
    File::create(scratch.path("large")).and_then(|file| file.set_len(1 << 30)).expect("an image of holes");
    let slow = "-i fieldtest-portable -c aria-xts-plain64 -j 1";
    let format = format!("disk format luks --from large {CHEAP} {BY_FILE} {slow}");
    let before = scratch.listing();
    let child = scratch.command(&format).spawn().expect("the program starts");
    wait_until("something is written", || is_writing(&scratch, &child));
    interrupt(&child);
    Run::of(child).tells(130, &["interrupted; nothing was made"]);
    assert_eq!(scratch.listing(), before);
}
