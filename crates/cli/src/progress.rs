//! Progress on standard error, where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line with a spinner or a bar that vanishes when it is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A spinner; `indicatif` shows nothing where standard error is no terminal.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        // The template is ours and valid; the default one serves if it were not.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress(bar)
    }

    /// Replaces the text.
    pub(crate) fn say(&self, text: &str) {
        self.0.set_message(text.to_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
