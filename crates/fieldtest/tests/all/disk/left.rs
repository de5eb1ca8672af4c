//! What a disk command leaves that is ended early, and where its output goes.

use std::os::unix::fs::symlink;

use super::*;

/// Long enough to be interrupted: a slow implementation on one thread.
const SLOW: &str = "-i fieldtest-portable -j 1";
/// Bytes of an image that is long enough for it.
const LONG: u64 = 1 << 30;

/// A directory with a key file, an image of holes, and a container for it.
fn with_long_image() -> Scratch {
    let scratch = with_image();
    File::create(scratch.path("large")).and_then(|file| file.set_len(LONG)).expect("an image of holes");
    let format = "disk format luks --size 1G -c aria-xts-plain64";
    scratch.fine(&format!("{format} {CHEAP} {BY_FILE}"));
    scratch
}

/// Starts a command and ends it by a signal once `begun` says so.
fn ended(scratch: &Scratch, signal: Signal, arguments: &str, begun: impl Fn(&Child) -> bool) -> Run {
    let child = scratch.command(arguments).spawn().expect("the program starts");
    wait_until("it begins", || begun(&child));
    send(&child, signal);
    Run::of(child)
}

#[test]
fn format_follows_links() {
    let scratch = with_image();
    fs::create_dir(scratch.path("there")).expect("a directory");
    let format = |more: &str| {
        scratch.fine(&format!("disk format link {more} {CHEAP} {BY_FILE}"));
        assert!(fs::symlink_metadata(scratch.path("link")).expect("a link").is_symlink(), "{more:?}");
        scratch.fine("disk open there/luks -d key");
        let mode = fs::metadata(scratch.path("there/luks")).expect("a container").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{more:?}");
    };
    symlink("there/luks", scratch.path("link")).expect("a link");
    format("--size 1M");
    format("--from plain --overwrite");
    format("--overwrite");
    let listing = scratch.listing();
    assert_eq!(listing.len(), 5, "{listing:?}");
    for stream in ["-", "/dev/stdout"] {
        let arguments = format!("disk format {stream} --size 1M {CHEAP} {BY_FILE}");
        scratch.refuses(&arguments, (1, "no-storage"), &[stream]);
    }
}

#[test]
fn format_that_is_killed_leaves_nothing() {
    let scratch = with_long_image();
    let before = scratch.listing();
    let format = "disk format new --from large -c aria-xts-plain64";
    let format = format!("{format} {CHEAP} {BY_FILE} {SLOW}");
    let named = std::cell::Cell::new(false);
    ended(&scratch, Signal::KILL, &format, |child| {
        named.set(scratch.listing().iter().any(|name| name.contains("partial")));
        is_writing(&scratch, child)
    });
    // Where every file has to have a name, one may be left.
    assert!(named.get() || scratch.listing() == before, "{:?}", scratch.listing());
}

#[test]
fn copy_out_that_is_ended_says_what_is_left() {
    let scratch = with_long_image();
    let copy = format!("disk copy luks new -d key {SLOW}");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let before = scratch.listing();
        let run = ended(&scratch, signal, &copy, |child| is_writing(&scratch, child));
        let said = run.stderr.contains("new was not made");
        assert!(run.code == Some(130) && said, "{signal:?}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{signal:?}: {run:?}");
        assert_eq!(scratch.listing(), before, "{signal:?}");
    }
    let run =
        ended(&scratch, Signal::INT, &format!("{copy} --overwrite"), |child| is_writing(&scratch, child));
    assert!(run.stderr.contains("new was not made"), "{run:?}");
    scratch.write("new", "old");
    let run =
        ended(&scratch, Signal::INT, &format!("{copy} --overwrite"), |child| is_writing(&scratch, child));
    assert!(run.stderr.contains("interrupted; new "), "{run:?}");
    assert_eq!(scratch.read("new"), "old");
}

/// Of a container that has a part of an image, as many bytes as it says, from its beginning on and no more.
#[test]
fn copy_in_that_is_ended_says_how_much_there_is() {
    let scratch = with_long_image();
    let container = || File::open(scratch.path("luks")).expect("the container");
    // Nothing was written there yet, so what is written is seen.
    let first = || {
        let mut bytes = [0; 512];
        container().read_exact_at(&mut bytes, 16 << 20).expect("a sector");
        bytes
    };
    let copy = format!("disk copy large luks --overwrite -d key {SLOW}");
    let run = ended(&scratch, Signal::TERM, &copy, |_| first() != [0; 512]);
    assert_eq!(run.code, Some(130), "{run:?}");
    let (_, rest) = run.stderr.split_once("luks opens and has the first ").expect(&run.stderr);
    let (size, rest) = rest.split_once(" of large").expect(&run.stderr);
    assert!(rest.contains("copy it again") && run.stderr.lines().count() == 1, "{run:?}");
    let mebibytes: f64 = match size.split_once(' ') {
        Some((number, "KiB")) => number.parse::<f64>().expect("a number") / 1024.0,
        Some((number, "MiB")) => number.parse().expect("a number"),
        _ => panic!("{run:?}"),
    };
    let done = (mebibytes * f64::from(1 << 20)).round() as u64;
    assert!(done > 0 && done < LONG, "{run:?}");
    let is_hole = |at: u64| {
        let mut bytes = [0; 512];
        container().read_exact_at(&mut bytes, (16 << 20) + at).expect("a sector");
        bytes == [0; 512]
    };
    assert!(!is_hole(done - 512) && is_hole(done), "{run:?}");
    scratch.fine("disk open luks -d key");
}

/// A write that fails in the middle: what is said of the container is what is there, byte for byte.
#[test]
fn copy_in_that_fails_says_what_there_is() {
    const DATA: usize = 16 << 20;
    let scratch = with_image();
    let image = pattern(40 << 20);
    scratch.write("large", &image);
    let format = "disk format luks --size 40M";
    for threads in ["1", "4"] {
        scratch.fine(&format!("{format} {CHEAP} {BY_FILE} --overwrite"));
        let before = bytes(&scratch, "luks");
        let copy = format!("disk copy large luks --overwrite -d key -j {threads}");
        // In units of 512 or 1024 bytes, as the shell likes it: within the data in either case.
        let run = scratch.run_after("ulimit -f 40960", &copy);
        assert!(run.code == Some(1) && run.stderr.contains("cannot write"), "{run:?}");
        assert!(run.stderr.contains("copy it again") && run.stderr.lines().count() == 1, "{run:?}");
        let (_, rest) = run.stderr.split_once("luks opens and has the first ").expect(&run.stderr);
        let (whole, rest) = rest.split_once(" of large, in the next ").expect(&run.stderr);
        let (part, _) = rest.split_once(" some of it").expect(&run.stderr);
        let number = |size: &str| match size.split_once(' ') {
            Some((number, "KiB")) => number.parse::<usize>().expect("a number") << 10,
            Some((number, "MiB")) => number.parse::<usize>().expect("a number") << 20,
            _ => panic!("{run:?}"),
        };
        let (whole, reached) = (number(whole), number(whole) + number(part));
        assert!(whole > 0 && reached < image.len(), "{run:?}");
        assert!(bytes(&scratch, "luks")[DATA + reached..] == before[DATA + reached..], "{run:?}");
        scratch.fine("disk copy luks out -d key --overwrite");
        assert!(bytes(&scratch, "out")[..whole] == image[..whole], "{run:?}");
    }
    // Of a new file nothing is left, and of one that is there it is said what it is.
    let new = "disk format new --from large";
    let new = format!("{new} {CHEAP} {BY_FILE}");
    let run = scratch.run_after("ulimit -f 40960", &new);
    assert!(run.code == Some(1) && !scratch.path("new").exists(), "{run:?}");
}

#[test]
fn images_are_files_or_devices() {
    let scratch = with_image();
    fs::create_dir(scratch.path("tree")).expect("a directory");
    scratch.fifo("pipe");
    let format = |image| format!("disk format luks --from {image} {CHEAP} {BY_FILE}");
    scratch.refuses(&format("tree"), (1, "directory"), &["tree is", "mkfs.ext4 -d tree"]);
    scratch.refuses(&format("pipe"), (1, "no-storage"), &["pipe is"]);
    scratch.refuses(&format("missing"), (1, "io"), &["missing"]);
    assert!(!scratch.path("luks").exists());
}

#[test]
fn open_that_is_ended_says_so() {
    let scratch = with_image();
    // A key slot that takes seconds.
    let format = "disk format luks --size 1M --kdf pbkdf2 --iter-time 2000";
    scratch.fine(&format!("{format} {BY_FILE}"));
    let before = bytes(&scratch, "luks");
    let busy = |child: &Child| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
        // User time, the twelfth field behind the name (proc(5)), in hundredths of a second.
        let field = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(11));
        field.and_then(|ticks| ticks.parse::<u64>().ok()).is_some_and(|ticks| ticks > 10)
    };
    let run = ended(&scratch, Signal::INT, "disk open luks -d key", busy);
    let said = run.stderr.contains("interrupted; ");
    assert!(run.code == Some(130) && said && run.stdout.is_empty(), "{run:?}");
    assert_eq!(bytes(&scratch, "luks"), before);
}
