//! Every option that takes a number of some unit takes the unit, too: `5s`, `0.5%`, `1232B`.

use std::ffi::OsString;

use clap::Command;
use clap::error::ErrorKind;
use fieldtest_frame::arguments;
use fieldtest_frame::text::units;

/// A unit that bare numbers of an option do not have, and so many of them as one of these.
const OTHERS: [(&str, &str, u64); 6] = [
    ("SECONDS", "ms", 1000),
    ("DAYS", "h", 24),
    ("BYTES", "B", 1),
    ("SHARE", "%", 100),
    ("PERCENT", "%", 1),
    ("MILLISECONDS", "us", 1000),
];

#[test]
fn every_option_takes_its_unit() {
    let mut program = fieldtest::command();
    program.build();
    let mut tried = 0;
    walk(&program, &program, &mut vec!["fieldtest".to_owned()], &mut tried);
    assert!(tried >= 20, "{tried} options have a unit");
}

fn walk(program: &Command, command: &Command, path: &mut Vec<String>, tried: &mut usize) {
    for option in command.get_arguments() {
        let placeholder = option.get_value_names().unwrap_or_default().first();
        let (Some(long), Some(word)) = (option.get_long(), placeholder) else { continue };
        if !units::is_known(word) {
            continue;
        }
        // A number that the option takes, whatever its range.
        let Some(number) = [1, 16, 512, 4096, 65_536]
            .into_iter()
            .find(|number| takes(program, path, long, &number.to_string()))
        else {
            panic!("{} --{long}: no number is taken", path.join(" "));
        };
        for (_, unit, factor) in OTHERS.iter().filter(|(of, ..)| of == word) {
            let typed = format!("{}{unit}", number * factor);
            assert!(takes(program, path, long, &typed), "{} --{long} {typed}", path.join(" "));
            *tried += 1;
        }
    }
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        walk(program, below, path, tried);
        path.pop();
    }
}

/// Whether a value is taken; other words that are missing are another matter.
fn takes(program: &Command, path: &[String], long: &str, value: &str) -> bool {
    let option = [format!("--{long}"), value.to_owned()];
    let words: Vec<OsString> = path.iter().chain(&option).map(Into::into).collect();
    let error = arguments::read(program, &words).err().map(|error| error.kind());
    !matches!(error, Some(ErrorKind::ValueValidation | ErrorKind::InvalidValue))
}
