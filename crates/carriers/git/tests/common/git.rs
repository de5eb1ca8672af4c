//! Git itself, which says whether we read repositories as it does.
#![allow(dead_code, clippy::print_stderr)] // no test needs all of it; a test that is skipped says so

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether Git is there. With `FIELDTEST_PEERS=required` in the environment its absence is a failure.
pub(crate) fn is_installed() -> bool {
    let found = Command::new("git").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        assert!(
            std::env::var_os("FIELDTEST_PEERS").is_none_or(|wanted| wanted != "required"),
            "git is not installed, and FIELDTEST_PEERS=required demands it"
        );
        eprintln!("SKIPPED: git is not installed");
    }
    found
}

/// Runs Git in a directory, independent of whoever runs the tests, and returns what it prints.
#[track_caller]
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = command(folder, arguments)
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.org")])
        .envs([("GIT_AUTHOR_DATE", "1700000000 +0100"), ("GIT_COMMITTER_DATE", "1700000000 -0230")])
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "git {arguments:?}: {}\n{stdout}{stderr}", output.status);
    stdout.into_owned()
}

pub(crate) fn git_runs(folder: &Path, arguments: &[&str]) -> bool {
    command(folder, arguments).output().unwrap().status.success()
}

/// Whether `git fsck` finds nothing wrong; none without Git.
pub(crate) fn is_sound(folder: &Path) -> Option<bool> {
    is_installed().then(|| git_runs(folder, &["fsck", "--full", "--no-dangling"]))
}

/// A command of Git that no settings of this machine change.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
    command
}
