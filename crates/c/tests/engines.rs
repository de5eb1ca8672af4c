//! Engines in a program of somebody else's: attached by a call and by the environment, over forks, ends and signals.
//!
//! One test in a process of its own, since algorithms are attached before any is looked for, once in a process, and since it
//! forks and takes signals.

// The C functions are called as C calls them; all pointers are to the tests' own memory.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, missing_docs)]

mod support;

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::thread;

use fieldtest_c::*;
use support::*;

fn toy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines").join(name)
}

fn attach(path: &Path, flags: i32) -> i32 {
    let path = CString::new(path.to_str().expect("UTF-8")).expect("no NUL");
    unsafe { ft_engine_attach(path.as_ptr(), flags) }
}

fn engines() -> Vec<i32> {
    let own = std::process::id().to_string();
    let of = |entry: std::io::Result<std::fs::DirEntry>| {
        let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (name, rest) = stat.rsplit_once(')')?;
        (name.contains("python3") && rest.split_whitespace().nth(1) == Some(&own)).then_some(pid)
    };
    std::fs::read_dir("/proc").expect("it is mounted").filter_map(of).collect()
}

#[test]
fn engines_in_somebody_elses_process() {
    // As a program in C has it, which ends by it.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    // Before anything else, and to one level.
    let restrict = |level: &std::ffi::CStr| unsafe { ft_restrict_extensions(level.as_ptr()) };
    assert_eq!(restrict(c"sse5"), FT_EARGUMENT);
    well(restrict(c"none"));
    well(restrict(c"none"));
    if cfg!(target_arch = "x86_64") {
        assert_eq!(restrict(c"sse"), FT_ELATE);
    }
    // SAFETY: no other thread is there yet that reads it.
    unsafe {
        std::env::set_var("FIELDTEST_ENGINES", format!("{}:none.toml", toy("toy-hash.toml").display()))
    };
    assert_eq!(attach(Path::new("nowhere.toml"), 0), FT_EENGINE);
    assert!(detail().contains("nowhere.toml"), "{}", detail());
    assert_eq!(attach(&toy("toy-library.toml"), 0), FT_EENGINE);
    assert!(detail().contains("toy-library.toml"), "{}", detail());
    assert_eq!(attach(&toy("toy.toml"), 8), FT_EARGUMENT);
    well(attach(&toy("toy.toml"), 0));
    well(attach(&toy("toy-mac.toml"), 0));
    let (_, code) = serving("toy");
    assert_eq!(attach(&toy("toy-cipher.toml"), 0), FT_ELATE);
    // What of the environment came before the one that is not there is attached, and whoever misses something hears why.
    serving("toy-hash");
    let mut handle = std::ptr::null();
    assert_eq!(unsafe { ft_algorithm_find(c"toy-cipher".as_ptr(), &mut handle) }, FT_EENGINE);
    assert!(detail().contains("FIELDTEST_ENGINES: ") && detail().contains("none.toml"), "{}", detail());
    let algorithm = found(|it| unsafe { ft_algorithm_find_number(c"dnssec-private".as_ptr(), 220, it) });
    assert_eq!(text(unsafe { ft_algorithm_name(algorithm) }), "toy");
    let mut answers = 7;
    well(unsafe { ft_implementation_prove(code, &mut answers) });
    assert_eq!(answers, 0, "none is official");

    // What the program has open, and did not close for whatever it starts, is none of the engine's.
    let open = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) };
    assert!(open > 2);
    let (secret, public) = pair(code);
    let files = |pid: i32| std::fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs").count();
    assert_eq!(engines().into_iter().map(files).collect::<Vec<_>>(), [3]);
    let signing = given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) });
    let verifying = given(|key| unsafe { ft_verifying_key_new(code, public.as_ptr(), public.len(), key) });
    let signature =
        output(32, |to, room, length| unsafe { ft_sign(signing, b"m".as_ptr(), 1, to, room, length) });
    let (verifying, of) = (verifying as usize, signature.clone());
    let right = move |message: &[u8]| unsafe {
        ft_verify(verifying as *const VerifyingKey, message.as_ptr(), message.len(), of.as_ptr(), of.len())
    };
    assert_eq!((right(b"m"), right(b"n")), (FT_OK, FT_EWRONG));

    // Many threads with one key and one process.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| assert_eq!((right(b"m"), right(b"n")), (FT_OK, FT_EWRONG))));
        }
    });
    assert_eq!(engines().len(), 1);

    // One that was killed is named, and the next call has another.
    let killed = engines();
    for pid in &killed {
        assert_eq!(unsafe { libc::kill(*pid, libc::SIGKILL) }, 0);
    }
    assert_eq!(right(b"m"), FT_ELIBRARY);
    assert!(detail().contains(" toy ") && detail().contains("signal 9"), "{}", detail());
    assert_eq!(right(b"m"), FT_OK);
    assert!(engines().iter().all(|pid| !killed.contains(pid)));

    // A name server forks when it goes into the background: parent and child have answers of their own.
    let before = engines();
    let child = unsafe { libc::fork() };
    if child == 0 {
        let fine = (0..20).all(|_| right(b"m") == FT_OK && right(b"n") == FT_EWRONG) && engines().len() == 1;
        unsafe { libc::_exit(if fine { 0 } else { 1 }) };
    }
    for _ in 0..20 {
        assert_eq!((right(b"m"), right(b"n")), (FT_OK, FT_EWRONG));
    }
    let mut status = 0;
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child of a fork");
    assert_eq!(right(b"m"), FT_OK);
    assert_eq!(engines(), before, "the child's end is nothing to the parent's engine");

    // Children that are nobody's: their ends cannot be asked for.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    for pid in engines() {
        assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0);
    }
    assert_eq!(right(b"m"), FT_ELIBRARY);
    assert_eq!(right(b"m"), FT_OK);
    unsafe {
        well(ft_signing_key_free(signing));
        well(ft_verifying_key_free(verifying as *mut VerifyingKey));
        well(ft_verifying_key_free(null_mut()));
    }
}
