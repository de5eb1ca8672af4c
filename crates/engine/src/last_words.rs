//! What an engine writes to standard error: read so that it never waits, and kept as far as it may explain an end.

use std::io::Read;
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Octets that are kept.
const KEPT: usize = 2_000;

/// The end of what was written.
#[derive(Debug)]
pub(crate) struct LastWords {
    end: Arc<Mutex<Vec<u8>>>,
    /// Is closed when there is no more to come.
    open: Mutex<Receiver<()>>,
}

impl LastWords {
    /// Reads on a thread of its own until it is closed.
    pub(crate) fn of(mut errors: ChildStderr) -> LastWords {
        let end = Arc::new(Mutex::new(Vec::new()));
        let (closes, open) = mpsc::channel();
        let kept = Arc::clone(&end);
        std::thread::spawn(move || {
            let _closes = closes;
            let mut piece = [0; 1_000];
            while let Ok(read @ 1..) = errors.read(&mut piece) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&piece[..read]);
                let more = kept.len().saturating_sub(KEPT);
                kept.drain(..more);
            }
        });
        LastWords { end, open: Mutex::new(open) }
    }

    /// The last line that is not empty. What an engine left running may keep the pipe open, so that is not waited for long.
    pub(crate) fn line(&self) -> String {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = open.recv_timeout(Duration::from_millis(200));
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&end);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }
}
