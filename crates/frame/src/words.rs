//! The words that the command follows: those that were typed, and options of the user's configuration.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::text;

/// The words that were typed, with the options of a file.
struct Extended {
    path: PathBuf,
    document: String,
    words: Vec<OsString>,
    /// Those of the file.
    added: Vec<String>,
}

static EXTENDED: OnceLock<Extended> = OnceLock::new();

/// Keeps them for those who ask below; returns the options of the file.
pub(crate) fn keep(
    (path, document): (PathBuf, String),
    words: Vec<OsString>,
    typed: &[OsString],
) -> &'static [String] {
    let added = words.iter().filter(|word| !typed.contains(word));
    let added = added.map(|word| word.to_string_lossy().into_owned()).collect();
    &EXTENDED.get_or_init(|| Extended { path, document, words, added }).added
}

/// The command as it runs, without the program.
pub(crate) fn followed() -> Vec<String> {
    let words = EXTENDED.get().map_or_else(|| env::args_os().collect(), |it| it.words.clone());
    words.into_iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Where an option was set that an error names, or whose value it quotes, if it was not typed: ` (set in config.toml, line
/// 3)`.
pub(crate) fn set_in(error: &str) -> String {
    let Some(it) = EXTENDED.get() else { return String::new() };
    let mut added = it.added.iter().map(|word| word.split_once('=').unwrap_or((word, "")));
    // Paths stand without quotes.
    let is_quoted = |value: &str| {
        error.contains(&format!("'{value}'")) || (value.contains(['.', '/']) && error.contains(value))
    };
    let Some((name, _)) = added.find(|(name, value)| error.contains(name) || is_quoted(value)) else {
        return String::new();
    };
    let line = text::toml::line_of(&it.document, name.trim_start_matches('-'));
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    format!(" (set in {}{line})", text::path(&it.path))
}
