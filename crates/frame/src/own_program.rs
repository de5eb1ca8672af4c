//! Fresh processes of this very program, which time what they are told to.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use fieldtest_study::launcher::Processes;

/// What is typed for it.
pub const COMMAND: &str = "worker";

/// The program that answers to [`COMMAND`].
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says that this program answers to [`COMMAND`]; without that, studies time everything in the one process they run in.
pub fn offer() {
    // On Linux this name is the program that runs even where its file was replaced since.
    let own = PathBuf::from("/proc/self/exe");
    let program = if own.exists() { Some(own) } else { std::env::current_exe().ok() };
    if let Some(program) = program {
        let _ = PROGRAM.set(program);
    }
}

/// What is typed before [`COMMAND`], so that such a process knows what this one does.
static WORDS: OnceLock<Vec<String>> = OnceLock::new();

/// Gives every process words that this one got. To be called once, before any is started.
pub fn hand_on(words: Vec<String>) {
    let _ = WORDS.set(words);
}

/// This program, if it [offered](offer) itself.
pub fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// This program with the same arguments and more environment in place of this process; returns if that fails.
pub fn start_again(environment: Vec<(&str, String)>) -> io::Error {
    let Some(program) = program() else { return io::ErrorKind::Unsupported.into() };
    let mut words = std::env::args_os();
    let mut command = Command::new(program);
    command.arg0(words.next().unwrap_or_default()).args(words).envs(environment).exec()
}

/// The processes of this program, if it offered them.
pub fn processes() -> Option<Processes> {
    let program = PROGRAM.get()?.clone();
    let words = WORDS.get().into_iter().flatten().cloned();
    Some(Processes { program, arguments: words.chain([COMMAND.to_owned()]).collect() })
}
