//! `fieldtest man`: the manual, a page for every command.

use std::path::Path;

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;

use crate::args;
use crate::outcome::Outcome;
use crate::output::{self, Directory, Format};

pub(super) fn run(directory: &Path, format: Format) -> Result<Outcome> {
    format.only_human("`fieldtest man` writes manual pages")?;
    let _made = Directory::make(directory)?;
    // A page for `help` would say nothing that it does not say itself.
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    let written = pages(&program, directory)?;
    output::message(&format!(
        "wrote {} to {}; read them with: man {}",
        output::count(written, "page"),
        directory.display(),
        directory.join("fieldtest.1").display()
    ));
    Ok(Outcome::Fine)
}

/// Writes the page of a command and those of its subcommands, and says how many.
fn pages(command: &Command, directory: &Path) -> Result<usize> {
    let page = Man::new(command.clone()).source(concat!("fieldtest ", env!("CARGO_PKG_VERSION")));
    output::whole_file(&directory.join(page.get_filename()), |out| Ok(page.render(out)?))?;
    command.get_subcommands().try_fold(1, |written, below| Ok(written + pages(below, directory)?))
}
