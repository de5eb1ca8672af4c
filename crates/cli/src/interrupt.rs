//! Signals: who presses Ctrl-C keeps what is measured or done, and finds no half-written file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::output;

/// Whether there is a measurement to be ended in good order.
static MEASURING: AtomicBool = AtomicBool::new(false);
/// Whether the user asked for its end.
static ASKED: AtomicBool = AtomicBool::new(false);
/// Files that are not complete yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The flag that measurements look at between rounds: the first Ctrl-C (or SIGTERM) sets it, the second one ends the
/// program.
pub(crate) fn flag() -> &'static AtomicBool {
    MEASURING.store(true, Ordering::Relaxed);
    handle();
    &ASKED
}

/// Whether the user asked for the end of the measurement.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Files that are worth nothing yet: they are removed when this is dropped, and when the user ends the program. One
/// piece of work holds this at a time.
pub(crate) struct Unfinished(());

impl Unfinished {
    /// Nothing is unfinished so far.
    pub(crate) fn new() -> Unfinished {
        handle();
        Unfinished(())
    }

    /// Adds a file, which need not be there yet, to those of whoever is at work.
    pub(crate) fn add(path: &Path) {
        unfinished().push(path.to_path_buf());
    }

    /// All of them are complete and stay.
    pub(crate) fn keep(self) {
        unfinished().clear();
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove_unfinished();
    }
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail as on a full disk. Without a handler the signal
/// would end the program, and leave the part that was written.
pub(crate) fn survive_file_size_limit() {
    // Where this fails, the system's default stays.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // It may not be there yet, or not any more; or it is a folder, into which somebody may still write.
        let mut removed = fs::remove_file(&path);
        for _ in 0..3 {
            if removed.is_err() && path.is_dir() {
                removed = fs::remove_dir_all(&path);
            }
        }
    }
}

/// Installs the handler, on the first call.
fn handle() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| match Signals::new([SIGINT, SIGTERM]) {
        Ok(mut signals) => {
            std::thread::spawn(move || {
                for _ in signals.forever() {
                    if MEASURING.load(Ordering::Relaxed) && !ASKED.swap(true, Ordering::Relaxed) {
                        output::message("stopping in good order. Press again to end at once.");
                    } else {
                        remove_unfinished();
                        std::process::exit(130);
                    }
                }
            });
        }
        Err(error) => {
            output::message(&format!("cannot handle Ctrl-C ({error}); it will end the program at once"));
        }
    });
}
