//! Progress on standard error, where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::text;

/// A line with a spinner or a bar that vanishes when it is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// A spinner; `indicatif` shows nothing where standard error is no terminal.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        // The template is ours and valid; the default one serves if it were not.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress(bar)
    }

    /// Replaces the text.
    pub fn say(&self, text: &str) {
        self.0.set_message(text::line(text).into_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
