//! Signals: who presses Ctrl-C keeps what is measured or done, and finds no half-written file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::message::failure;

/// The exit code of a program that its user ended.
pub const INTERRUPTED: u8 = 130;

/// Whether there is a measurement to be ended in good order.
static MEASURING: AtomicBool = AtomicBool::new(false);
/// Whether the user asked for its end.
static ASKED: AtomicBool = AtomicBool::new(false);
/// How many threads wait for somebody else.
static WAITING: AtomicUsize = AtomicUsize::new(0);
/// What ends soon when it is asked to, and what is left of what does not. Whoever ends the program holds this and never
/// gives it back, so that what he says stays true.
static STATE: Mutex<State> = Mutex::new(State { in_order: 0, left: String::new() });
/// Files that are not complete yet, and whose they are.
static UNFINISHED: Mutex<Vec<(Owner, PathBuf)>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct State {
    /// How many pieces of work look at the flag.
    in_order: usize,
    /// What a program that is ended at once leaves, in words; empty where there is nothing to tell.
    left: String,
}

/// Who decides whether an unfinished file stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// Whoever holds [`Unfinished`].
    Work,
    /// One [`Partial`].
    Partial,
}

/// The flag that measurements look at between rounds: the first Ctrl-C (or SIGTERM, or SIGHUP) sets it, the second one
/// ends the program.
pub fn flag() -> &'static AtomicBool {
    MEASURING.store(true, Ordering::Relaxed);
    handle();
    &ASKED
}

/// Whether the user asked for the end of the measurement.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// What a program says from here on when a signal ends it at once: what it leaves in which state. Nothing at first.
pub fn left(words: impl Into<String>) {
    handle();
    state().left = words.into();
}

/// Does what must not end half-way and looks often at the flag that it is given: signals only raise the flag, for as
/// long as the work takes. [`left`] may be called meanwhile, and holds for what comes after.
pub fn in_order<T>(work: impl FnOnce(&'static AtomicBool) -> T) -> T {
    struct InOrder;
    impl Drop for InOrder {
        fn drop(&mut self) {
            state().in_order -= 1;
        }
    }
    handle();
    state().in_order += 1;
    let _in_order = InOrder;
    work(&ASKED)
}

/// Within [`in_order`], work that leaves nothing when it is ended at once, such as the derivation of a key, which takes as
/// long as its user wants and looks at no flag.
pub fn endable<T>(work: impl FnOnce() -> T) -> T {
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            state().in_order += 1;
        }
    }
    state().in_order -= 1;
    let _again = Again;
    let _waiting = reading();
    work()
}

/// Says that this thread waits for somebody else: for the reader of a FIFO, for whoever writes into one. While it does,
/// nobody looks at the [`flag`], so a signal ends the program at once, as long as this lives.
pub fn waiting() -> Waiting {
    WAITING.fetch_add(1, Ordering::SeqCst);
    Waiting(())
}

/// As [`waiting`], for what is to be read: nothing more of that is waited for once the user asked for the end.
pub(crate) fn reading() -> Waiting {
    let waiting = waiting();
    if asked() && state().in_order == 0 {
        end(&state());
    }
    waiting
}

/// See [`waiting`].
#[derive(Debug)]
pub struct Waiting(());

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Files that are worth nothing yet: they are removed when this is dropped, and when the user ends the program. One
/// piece of work holds this at a time.
#[derive(Debug)]
pub struct Unfinished(());

impl Unfinished {
    /// Nothing is unfinished so far.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Unfinished {
        handle();
        Unfinished(())
    }

    /// Adds a file, which need not be there yet, to those of whoever is at work.
    pub fn add(path: &Path) {
        unfinished().push((Owner::Work, path.to_path_buf()));
    }

    /// All of them are complete and stay.
    pub fn keep(self) {
        unfinished().retain(|(owner, _)| *owner != Owner::Work);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove_unfinished(|owner, _| owner == Owner::Work);
    }
}

/// One file that is worth nothing under this name: it is removed when this is dropped, and when the user ends the
/// program.
#[derive(Debug)]
pub(crate) struct Partial(PathBuf);

impl Partial {
    /// The file need not be there yet.
    pub(crate) fn new(path: PathBuf) -> Partial {
        handle();
        unfinished().push((Owner::Partial, path.clone()));
        Partial(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The file is not there any more, or was never made by this program.
    pub(crate) fn forget(self) {
        unfinished().retain(|(owner, path)| *owner != Owner::Partial || *path != self.0);
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        remove_unfinished(|owner, path| owner == Owner::Partial && path == self.0);
    }
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail as on a full disk. Without a handler the signal
/// would end the program, and leave the part that was written.
pub fn survive_file_size_limit() {
    // Where this fails, the system's default stays.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unfinished() -> MutexGuard<'static, Vec<(Owner, PathBuf)>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove_unfinished(which: impl Fn(Owner, &Path) -> bool) {
    unfinished().retain(|(owner, path)| {
        let goes = which(*owner, path);
        if goes {
            // It may not be there yet, or not any more; or it is a directory, into which somebody may still be writing.
            let mut removed = fs::remove_file(path);
            for _ in 0..3 {
                if removed.is_err() && path.is_dir() {
                    removed = fs::remove_dir_all(path);
                }
            }
        }
        !goes
    });
}

/// Installs the handler, on the first call.
pub(crate) fn handle() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // Before the signals are caught: what nobody listens to would do nothing.
        let (hand, handed) = mpsc::channel();
        let listening = std::thread::Builder::new().spawn(move || handed.iter().for_each(listen));
        match listening.and_then(|_| Signals::new(handled())) {
            // The listener takes them, as it waits for nothing else.
            Ok(signals) => drop(hand.send(signals)),
            Err(error) => {
                failure(&format!("cannot handle Ctrl-C ({error}); it will stop the program at once"))
            }
        }
    });
}

fn listen(mut signals: Signals) {
    for _ in signals.forever() {
        let state = state();
        if state.in_order > 0 {
            ASKED.store(true, Ordering::Relaxed);
            continue;
        }
        let in_good_order = MEASURING.load(Ordering::Relaxed) && WAITING.load(Ordering::SeqCst) == 0;
        if in_good_order && !ASKED.swap(true, Ordering::Relaxed) {
            failure("stopping cleanly; press again to stop at once.");
        } else {
            end(&state);
        }
    }
}

fn end(state: &State) -> ! {
    remove_unfinished(|_, _| true);
    if !state.left.is_empty() {
        failure(&state.left);
    }
    std::process::exit(INTERRUPTED.into());
}

/// The signals that ask for an end, but for those that whoever started the program has it ignore: under `nohup` it
/// outlives its terminal, and in the background of a script (`&`) Ctrl-C is for others (POSIX.1-2024, XCU 2.12).
fn handled() -> Vec<i32> {
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !ignored(signal)).collect()
}

/// Whether a signal was set to be ignored by whoever started the program: a bit of `SigIgn` (proc(5)).
fn ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
