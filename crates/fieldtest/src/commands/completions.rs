//! `fieldtest completions`: what a shell must know to complete a command line.

use anyhow::Result;
use clap_complete::Shell;

use crate::args;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(super) fn run(shell: Shell, format: Format) -> Result<Outcome> {
    format.only_human("`fieldtest completions` writes a script for the shell")?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "fieldtest", &mut script);
    output::data(&String::from_utf8(script)?)?;
    Ok(Outcome::Fine)
}
