//! `fieldtest man`: the manual, a page for every command.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use fieldtest_frame::arguments::after_help;

use crate::args;
use crate::outcome::Outcome;
use crate::output::{self, Directory, Format};

pub(super) fn run(directory: &Path, format: Format) -> Result<Outcome> {
    format.only_human("`fieldtest man` writes manual pages")?;
    let _made = Directory::make(directory)?;
    // A page for `help` would say nothing that it does not say itself.
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    let mut written = 0;
    pages(&program, directory, &mut written).map_err(|error| match written {
        0 => error,
        some => {
            error.context(format!("wrote only {} to {}", output::count(some, "page"), directory.display()))
        }
    })?;
    output::message(&format!(
        "wrote {} to {}; read them with: man {}",
        output::count(written, "page"),
        directory.display(),
        directory.join("fieldtest.1").display()
    ));
    Ok(Outcome::Fine)
}

/// Writes the page of a command and those of its subcommands, and counts them.
fn pages(command: &Command, directory: &Path, written: &mut usize) -> Result<()> {
    let end = after_help(command);
    // clap would run the examples together.
    let words = if end.words.is_empty() { Resettable::Reset } else { Resettable::Value(end.words.into()) };
    let page =
        Man::new(command.clone().after_help(words)).source(concat!("fieldtest ", env!("CARGO_PKG_VERSION")));
    let path = directory.join(page.get_filename());
    let write = |out: &mut BufWriter<output::Output>| {
        page.render(out)?;
        Ok(examples(&end.examples, out)?)
    };
    // Pages of an earlier release are replaced; what somebody else has under the name is kept.
    match fs::read_to_string(&path).is_ok_and(|text| text.contains("\n.TH fieldtest")) {
        true => output::own_whole_file(&path, write)?,
        false => output::whole_file(&path, write)?,
    }
    *written += 1;
    command.get_subcommands().try_for_each(|below| pages(below, directory, written))
}

/// The section of examples: a paragraph for each, the command below it as it is typed.
fn examples(examples: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
    if examples.is_empty() {
        return Ok(());
    }
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]);
    for (what, typed) in examples {
        section.control("PP", []).text([roman(format!("{what}:"))]).control("RS", ["4"]).control("nf", []);
        section.text([bold(typed.as_str())]).control("fi", []).control("RE", []);
    }
    section.to_writer(out)
}
