//! `fieldtest git`: repositories under other hash functions.

mod study;

use anyhow::Result;

use crate::args::Git;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(command: Git, format: Format) -> Result<Outcome> {
    match command {
        Git::Study(args) => study::run(args, format),
        Git::Verify(_) | Git::Map(_) | Git::Id(_) | Git::Convert(_) => todo!("written next"),
    }
}
