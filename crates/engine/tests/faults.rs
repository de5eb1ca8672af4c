//! Engines that do what no engine may do.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fieldtest_engine::signature::{Engine, Sizes};
use fieldtest_engine::{Connection, Program};
use fieldtest_kinds::signature::Signature as _;
use tempfile::TempDir;

const SIZES: Sizes = Sizes { public_key: 32, secret_key: 32, signature: 32 };

fn shell(script: &str) -> Engine {
    let words = ["sh", "-c", script].map(str::to_owned).to_vec();
    engine(words, PathBuf::from("/"), 2_000)
}

fn program(words: Vec<String>, directory: PathBuf, milliseconds: u64) -> Program {
    let deadline = Duration::from_millis(milliseconds);
    Program { title: "it".to_owned(), words, directory, deadline, processes: NonZero::<usize>::MIN }
}

fn engine(words: Vec<String>, directory: PathBuf, milliseconds: u64) -> Engine {
    let program = program(words, directory, milliseconds);
    Engine::new(Connection::new("toy".to_owned(), program), SIZES, true)
}

fn fault(engine: &Engine) -> String {
    engine.generate().err().expect("it is no engine").to_string()
}

#[test]
fn each_is_named() {
    for (script, what) in [
        ("exit 3", "(exit status 3)"),
        ("echo; echo no board here >&2; exit 1", "no board here"),
        ("kill -SEGV $$", "(signal 11)"),
        ("sleep 60", " 2 s"),
        ("exec >&-; sleep 60", "closed"),
        ("yes", "'y\\ny\\n'"),
        ("printf '\\5\\0\\0\\0'; sleep 60", " 83886080 "),
        ("printf '\\0\\0\\0\\0'; sleep 60", "version 1"),
        ("printf '\\0\\0\\0\\2\\2\\7'; sleep 60", "version 1"),
        // Hello comes back as it was, and so does what follows: an operation is no outcome.
        ("cat", "it says"),
    ] {
        let found = fault(&shell(script));
        assert!(found.contains("toy") && found.contains(what), "{script}: {found}");
    }
    let nowhere = engine(vec!["./nowhere".to_owned()], PathBuf::from("/"), 500);
    assert!(fault(&nowhere).contains("'./nowhere'"), "{}", fault(&nowhere));
}

#[test]
fn ends_are_counted() {
    let words = ["sh", "-c", "exit 3"].map(str::to_owned).to_vec();
    let connection = Connection::new("toy".to_owned(), program(words, PathBuf::from("/"), 2_000));
    assert_eq!(connection.ended(), 0);
    for ended in 1..3 {
        assert!(connection.attachment(1).is_err());
        assert_eq!(connection.ended(), ended);
    }
}

/// It is killed with what it started, also where that has its pipes.
#[test]
fn nothing_is_left() {
    let here = TempDir::new().expect("a directory for the test");
    let script = "trap '' TERM HUP; sleep 1000 & echo $! > pid; sleep 1000";
    let words = ["sh", "-c", script].map(str::to_owned).to_vec();
    let found = fault(&engine(words, here.path().to_path_buf(), 2_000));
    assert!(found.contains(" 2 s"), "{found}");
    let pid = std::fs::read_to_string(here.path().join("pid")).expect("it was started");
    let until = Instant::now() + Duration::from_secs(10);
    while runs(pid.trim()) {
        assert!(Instant::now() < until, "it is left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A zombie that nobody waited for yet does not.
fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    status.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z"))
}

/// A key's mistake is the caller's, and no engine is started for it.
#[test]
fn keys_of_a_wrong_length() {
    let engine = shell("exit 3");
    for found in [engine.signing_key(&[0; 31]).err(), engine.verifying_key(&[0; 33]).err()] {
        assert!(found.expect("refused").to_string().contains("key has 32 bytes"));
    }
}
