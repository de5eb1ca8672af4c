//! `docs/cli.md` lists every command with its options and defaults, as clap has them.
//!
//! `TRYCMD=overwrite cargo test --release -p fieldtest reference` writes the page again.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::{Arg, Command};

const HEAD: &str = "# Commands\n\nEvery command with its arguments, options and defaults. The program's own definitions generate this \
                    page:\n`TRYCMD=overwrite cargo test --release -p fieldtest reference` writes it. `--help` has examples too.\n\nA number \
                    takes a unit where its placeholder names one: `5s`, `300ms`, `0.5%`, `64KiB`. A bare number is in the unit named.\n";

#[test]
fn reference() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let mut page = HEAD.to_owned();
    let mut program = fieldtest::command().disable_help_subcommand(true);
    program.build();
    describe(&program, &[], &mut page);
    if std::env::var_os("TRYCMD").is_some_and(|what| what == "overwrite") {
        fs::write(&place, &page).expect("docs/cli.md can be written");
    }
    let there = fs::read_to_string(&place).unwrap_or_default();
    let differs = page.lines().zip(there.lines()).find(|(new, old)| new != old);
    assert!(
        page == there,
        "docs/cli.md is not of this program, first in {differs:?}; write it again with: TRYCMD=overwrite cargo test --release -p \
         fieldtest reference"
    );
}

/// A command and those below it, without the options of the commands above it, which take the same.
fn describe(command: &Command, above: &[&Arg], page: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(str::trim).collect::<Vec<_>>().join(" ");
    // Writing to a string cannot fail.
    let _ = writeln!(page, "\n## {name}\n\n{}.\n\n`{usage}`", about.trim_end_matches('.'));
    let own = |argument: &&Arg| {
        !argument.is_hide_set()
            && !["help", "version"].contains(&argument.get_id().as_str())
            && !above.iter().any(|it| it.get_id() == argument.get_id() && same_help(it, argument))
    };
    let arguments: Vec<&Arg> = command.get_arguments().filter(own).collect();
    for (at, argument) in arguments.iter().enumerate() {
        let space = if at == 0 { "\n" } else { "" };
        let _ = writeln!(page, "{space}* `{}`: {}", typed(argument), said(argument));
    }
    let above = [above, arguments.as_slice()].concat();
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        describe(below, &above, page);
    }
}

fn same_help(one: &Arg, other: &Arg) -> bool {
    one.get_help().map(ToString::to_string) == other.get_help().map(ToString::to_string)
}

/// `-o, --output <FILE>`.
fn typed(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let takes = argument.get_action().takes_values();
    let values = argument.get_value_names().unwrap_or_default().iter().filter(|_| takes);
    let values: Vec<String> = values.map(|value| format!("<{value}>")).collect();
    [names.join(", "), values.join(" ")]
        .iter()
        .filter(|part| !part.is_empty())
        .cloned()
        .collect::<Vec<_>>()
        .join(" ")
}

fn said(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values = argument.get_possible_values();
    let values: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name()).collect();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let mut said = help;
    if argument.get_action().takes_values() {
        for (what, words) in [("one of", values.join(", ")), ("default:", defaults.join(", "))] {
            if !words.is_empty() && (what != "one of" || !argument.is_hide_possible_values_set()) {
                let _ = write!(said, " [{what} {words}]");
            }
        }
    }
    said
}
