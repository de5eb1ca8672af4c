//! How paths, counts and progress are shown.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fieldtest_frame::text;
use fieldtest_ima::space::Prediction;
use fieldtest_ima::tree::{Progress as Run, Skip, Tallies, Tally};

use crate::output;
use crate::progress::Progress;

/// A path that cannot move the cursor: names of files may have any byte in them.
pub(super) fn path(path: &Path) -> String {
    text::path(path)
}

/// A number of files, or of something else.
pub(super) fn count(number: u64, what: &str) -> String {
    output::count(usize::try_from(number).unwrap_or(usize::MAX), what)
}

pub(super) fn first(tally: &Tally) -> String {
    list(&tally.first, tally.count)
}

/// The first of the files that would be refused, whatever the reason.
pub(super) fn refused(prediction: &Prediction) -> String {
    let paths = prediction.refused.iter().flat_map(|refused| &refused.files.first);
    list(paths, prediction.refused_files())
}

/// The first of so many paths.
fn list<'a>(paths: impl IntoIterator<Item = &'a PathBuf>, all: u64) -> String {
    const SHOWN: usize = 3;
    let mut text: Vec<String> = paths.into_iter().take(SHOWN).map(|at| path(at)).collect();
    if all > text.len() as u64 {
        text.push("…".to_owned());
    }
    text.join(", ")
}

/// That what is set on some files is set outside of the tree too.
pub(super) fn elsewhere(tally: &Tally) -> String {
    format!(
        "{} of the tree {} extra hard links that were not found in it ({}): what contains those links is changed too, such as the \
         objects of an ostree repository or another backup",
        count(tally.count, "file"),
        if tally.count == 1 { "has" } else { "have" },
        first(tally)
    )
}

/// What was passed over, as the end of a sentence; nothing if nothing was.
pub(super) fn skipped(skipped: &Tallies<Skip>) -> String {
    let all: u64 = skipped.values().map(|tally| tally.count).sum();
    if all == 0 {
        return String::new();
    }
    let kinds: Vec<String> = skipped.iter().map(|(skip, tally)| format!("{skip}: {}", tally.count)).collect();
    format!("; {all} skipped ({})", kinds.join(", "))
}

/// The line with the spinner, renewed some times a second and not at every file.
pub(super) struct Spinner {
    line: Progress,
    last: Option<Instant>,
}

impl Spinner {
    pub(super) fn new() -> Spinner {
        Spinner { line: Progress::new(), last: None }
    }

    /// Says how far a run is.
    pub(super) fn show(&mut self, run: &Run) {
        self.say(|| {
            let mebibytes = run.bytes_read >> 20;
            let done = output::grouped(&run.files_done.to_string());
            format!("{done} of {} found so far, {mebibytes} MiB read", count(run.files_found, "file"))
        });
    }

    /// Says something, unless something was said just now.
    pub(super) fn say(&mut self, text: impl FnOnce() -> String) {
        if self.last.is_none_or(|last| last.elapsed() >= Duration::from_millis(100)) {
            self.line.say(&text());
            self.last = Some(Instant::now());
        }
    }
}
