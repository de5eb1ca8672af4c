//! Progress on standard error: a line that changes where that is a terminal, and elsewhere one every ten seconds of what has
//! a time of its own.

use std::io::{self, IsTerminal as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::message::{self, Talk};
use crate::{output, text};

/// Between two lines where nothing can be written over.
const BETWEEN: Duration = Duration::from_secs(10);
/// The same for whoever wants to know more.
const BRIEFLY: Duration = Duration::from_secs(1);

/// A line with a spinner or a bar that vanishes when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// When it began, and how long it is to take.
    time: Option<(Instant, Duration)>,
    /// When a line was last written, where standard error is no terminal.
    written: Option<Mutex<Instant>>,
}

impl Progress {
    /// A spinner; `indicatif` shows nothing where standard error is no terminal.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        if message::is(Talk::Quiet) {
            return Progress { bar: ProgressBar::hidden(), time: None, written: None };
        }
        let bar = ProgressBar::new_spinner();
        // The template is ours and valid; the default one serves if it were not.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let written = message::is(Talk::Verbose).then(Progress::lines).flatten();
        Progress { bar, time: None, written }
    }

    /// For lines where nothing can be written over.
    fn lines() -> Option<Mutex<Instant>> {
        (!io::stderr().is_terminal()).then(|| Mutex::new(Instant::now()))
    }

    /// The same with the share of so much time and what is left of it.
    pub fn within(budget: Duration) -> Self {
        let mut progress = Progress::new();
        progress.time = Some((Instant::now(), budget));
        progress.written = Progress::lines();
        progress
    }

    /// Replaces the text.
    pub fn say(&self, text: &str) {
        let text = text::line(text);
        let text = match self.time {
            None => text.into_owned(),
            Some((begun, budget)) => format!("{}{text}", of_time(begun.elapsed(), budget)),
        };
        // Whoever finds it taken is told by whoever has it.
        if let Some(mut written) = self.written.as_ref().and_then(|written| written.try_lock().ok())
            && written.elapsed() >= if message::is(Talk::Verbose) { BRIEFLY } else { BETWEEN }
        {
            *written = Instant::now();
            output::message(&text);
        }
        self.bar.set_message(text);
    }
}

/// The share of a time that is over, and what is left; nothing of a time that is none.
fn of_time(taken: Duration, budget: Duration) -> String {
    if budget.is_zero() {
        return String::new();
    }
    let share = taken.as_secs_f64() / budget.as_secs_f64();
    match budget.checked_sub(taken) {
        Some(left) => format!("{:.0}%, {} s left: ", 100.0 * share, left.as_secs()),
        // Nobody wants to know of less than a second.
        None if (taken - budget).as_secs() == 0 => "100%, 0 s left: ".to_owned(),
        None => format!("budget exceeded by {} s: ", (taken - budget).as_secs()),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_and_time_left() {
        let of = |taken, budget| of_time(Duration::from_secs(taken), Duration::from_secs(budget));
        assert_eq!(of(0, 135), "0%, 135 s left: ");
        assert_eq!(of(50, 135), "37%, 85 s left: ");
        assert_eq!(of(140, 135), "budget exceeded by 5 s: ");
        assert_eq!(of(3, 0), "");
        let over = of_time(Duration::from_millis(135_400), Duration::from_secs(135));
        assert!(over.starts_with("100%"), "{over}");
    }
}
