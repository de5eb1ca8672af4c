//! What was typed, and what is said of it where it makes no sense.

mod wording;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::{process, thread};

use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, ColorChoice, Command, FromArgMatches as _, value_parser};

use crate::message::Talk;
use crate::text::units;
use crate::{configuration, message, outcome, output, text, words};

/// Which algorithms and implementations.
#[derive(Debug, Args)]
pub struct Select {
    /// Algorithms [default: all]
    #[arg(value_name = "ALGORITHM")]
    pub algorithms: Vec<String>,
    /// Only this implementation, `all` for all [can be repeated] [default: all]
    #[arg(long = "implementation", short = 'i', value_name = "NAME")]
    pub implementations: Vec<String>,
}

/// How to measure.
#[derive(Debug, Clone, Default, Args)]
pub struct Measure {
    /// Time budget in seconds, or with a unit such as 500ms, 10s, 2min or 1h [default: 100]
    #[arg(long, value_name = "SECONDS")]
    pub budget: Option<f64>,
    /// Stop earlier once each result's 95% interval is within ± this share [default: 0.005]
    #[arg(long, value_name = "SHARE")]
    pub target: Option<f64>,
    /// Seed for keys, messages, order and resampling [default: 1]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Measure every implementation, including those of the host's libraries and kernel, and every operation, instead of
    /// a selection
    #[arg(long)]
    pub thorough: bool,
}

/// For [`Command::mut_args`]: the default that an option has in one command. `mut_arg` would move the option to the end of
/// docs/cli.md.
pub fn defaulting(id: &'static str, default: &'static str) -> impl FnMut(Arg) -> Arg {
    move |option| {
        if option.get_id() != id {
            return option;
        }
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let text = help.split(" [default").next().unwrap_or_default();
        option.help(format!("{text} [default: {default}]"))
    }
}

/// For [`Command::mut_args`]: hides the options of [`Measure`] that change nothing in commands that measure in rounds.
pub fn in_rounds(option: Arg) -> Arg {
    if ["target", "thorough"].contains(&option.get_id().as_str()) { option.hide(true) } else { option }
}

/// How many threads a command takes.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Threads {
    /// Number of threads [default: all cores]
    #[arg(long = "threads", short = 'j', value_name = "NUMBER", value_parser = value_parser!(u16).range(1..=1024))]
    pub number: Option<u16>,
}

impl Threads {
    /// As many as were asked for, or one on each core.
    pub fn or_all(self) -> NonZeroUsize {
        let asked = self.number.and_then(|number| NonZeroUsize::new(number.into()));
        asked.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    /// What each of so many workers has of them.
    pub fn of_each(self, workers: u16) -> NonZeroUsize {
        NonZeroUsize::new(self.or_all().get() / usize::from(workers.max(1))).unwrap_or(NonZeroUsize::MIN)
    }
}

/// How a study runs, and where its results go.
#[derive(Debug, Args)]
pub struct StudyRun {
    /// How it is measured
    #[command(flatten)]
    pub measure: Measure,
    /// Show every table instead of a summary
    #[arg(long)]
    pub full: bool,
    /// Directory for records.jsonl, windows.csv.gz and report.html
    #[arg(long, short, value_name = "DIRECTORY", default_value = "fieldtest-report")]
    pub output: PathBuf,
}

/// What stands over examples in the help.
const EXAMPLES: &str = "Examples:";
/// What stands before a question, and before the command that answers it.
const INDENT: [&str; 2] = ["  ", "    "];

/// The end of a command's help: what may be asked of it, each with the command as it is typed. Other words may stand
/// before it, a line apart; [`after_help`] takes it all apart again.
pub fn examples(examples: &[(&str, &str)]) -> String {
    let header = Styles::styled().get_header().to_owned();
    let lines = examples.iter().map(|(what, typed)| format!("\n{}{what}:\n{}{typed}", INDENT[0], INDENT[1]));
    format!("{header}{EXAMPLES}{header:#}{}", lines.collect::<String>())
}

/// A command and those below it with their examples: `text` has a block for each that has some, a line apart, which begins
/// with the words that are typed for it; then each question, with the command that answers it below.
pub fn with_examples(command: Command, text: &str) -> Command {
    text.split("\n\n").filter(|block| !block.is_empty()).fold(command, |command, block| {
        let lines: Vec<&str> = block.lines().map(str::trim).collect();
        let path: Vec<&str> = lines[0].split(' ').skip(1).collect();
        let pairs: Vec<(&str, &str)> = lines[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        ending_in(command, &path, &examples(&pairs))
    })
}

fn ending_in(command: Command, path: &[&str], end: &str) -> Command {
    let Some((name, below)) = path.split_first() else {
        let before = command.get_after_help().map(|words| format!("{words}\n\n")).unwrap_or_default();
        return command.after_help(before + end);
    };
    command.mut_subcommands(|it| if it.get_name() == *name { ending_in(it, below, end) } else { it })
}

/// What stands at the end of a command's help.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AfterHelp {
    /// Before the examples.
    pub words: String,
    /// As [`examples`] got them.
    pub examples: Vec<(String, String)>,
}

/// The end of a command's help, taken apart for what shows it in another form.
pub fn after_help(command: &Command) -> AfterHelp {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let Some((words, lines)) = text.split_once(EXAMPLES) else {
        return AfterHelp { words: text, ..AfterHelp::default() };
    };
    let lines: Vec<&str> = lines.lines().skip(1).map(str::trim_start).collect();
    let pair = |pair: &[&str]| match pair {
        [what, typed] => Some((what.trim_end_matches(':').to_owned(), (*typed).to_owned())),
        _ => None,
    };
    AfterHelp { words: words.trim_end().to_owned(), examples: lines.chunks(2).filter_map(pair).collect() }
}

/// The arguments that the program was started with, and the user's defaults. What is wrong with them is said by clap, which
/// quotes them; so they are made fit to be shown before. Ends the program after help, versions and errors.
pub fn parse(command: &Command) -> ArgMatches {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let matches =
        read(command, &typed).unwrap_or_else(|error| end(&harmless(command, error, &typed), &typed));
    let failed = |error: anyhow::Error| -> ! {
        outcome::report(
            &outcome::coded("configuration", outcome::usage(format!("{error:#}"))),
            wants_json(&typed),
        );
        process::exit(2)
    };
    let extended = configuration::extended(command, &matches, &typed).unwrap_or_else(|error| failed(error));
    let Some(extended) = extended else {
        settle(&matches);
        return matches;
    };
    let matches = read(command, &extended.words).unwrap_or_else(|error| {
        let (_, said) = in_one_line(&harmless(command, error, &extended.words));
        failed(extended.cannot_use(&said))
    });
    settle(&matches);
    let path = extended.path.clone();
    let added = words::keep((extended.path, extended.document), extended.words, &typed);
    if message::is(Talk::Verbose) {
        output::message(&format!("options from {}: {}", text::path(&path), added.join(" ")));
    }
    matches
}

/// What stands above the options of every command in the help: between a command's own they hid these.
pub const EVERYWHERE: &str = "Options of every command";

/// Options that every command has.
#[derive(Debug, Args)]
pub struct Everywhere {
    /// Show errors only: no progress, no remarks
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = EVERYWHERE)]
    quiet: bool,
    /// Report progress every second, and which options the configuration adds
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    verbose: bool,
    /// Color of tables
    #[arg(long, global = true, value_name = "WHEN", default_value_t, help_heading = EVERYWHERE)]
    color: ColorChoice,
}

fn settle(matches: &ArgMatches) {
    let Ok(asked) = Everywhere::from_arg_matches(matches) else { return };
    message::talk(match (asked.quiet, asked.verbose) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::Verbose,
        _ => Talk::Usual,
    });
    // Without a wish the environment decides: NO_COLOR, CLICOLOR_FORCE and TERM.
    match asked.color {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Reads the words. A value with a unit (`5s`, `0.5%`, `1232B`), where the option takes a number, is read as
/// that number in the unit of the option's placeholder. One place for all: each of some 60 options would
/// otherwise need its own parser, and each new one would have to remember it.
///
/// # Errors
/// clap's, about the words as they were typed.
pub fn read(command: &Command, words: &[OsString]) -> Result<ArgMatches, Error> {
    let (typed_words, mut words) = (words, words.to_vec());
    let mut typed: Option<Error> = None;
    loop {
        let error = match command.clone().try_get_matches_from(&words) {
            Ok(matches) => return wording::infinite(&matches).map_or(Ok(matches), Err),
            Err(error) => error,
        };
        if let Some((at, plain)) = without_unit(&error, &words) {
            words[at] = plain;
            typed = Some(error);
            continue;
        }
        if let Some(joined) = wording::negative(&words, &error) {
            words = joined;
            continue;
        }
        // Where the number does not fit either, what was typed is quoted and not what was made of it.
        let option = |error: &Error| error.get(ContextKind::InvalidArg).cloned();
        let is_same = |typed: &Error| typed.kind() == error.kind() && option(typed) == option(&error);
        let typed = typed.filter(is_same);
        return Err(wording::worded(command, typed_words, typed.unwrap_or(error)));
    }
}

/// The word that an error is about without its unit, and where it stands.
fn without_unit(error: &Error, words: &[OsString]) -> Option<(usize, OsString)> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidValue) else { return None };
    let (flag, placeholder) = option.split_once([' ', '='])?;
    let number = units::plain(typed, placeholder.trim_matches(['<', '>', '[', ']']))?;
    let (at, flag) = place(words, flag, typed)?;
    Some((at, format!("{flag}{number}").into()))
}

/// Where an option's value was typed, and what stands before it in the same word.
fn place(words: &[OsString], flag: &str, typed: &str) -> Option<(usize, String)> {
    // Only the value of an option: another word may be the name of a file.
    words.iter().enumerate().find_map(|(at, word)| match word.to_str()? {
        word if word.strip_prefix(flag).and_then(|word| word.strip_prefix('=')) == Some(typed) => {
            Some((at, format!("{flag}=")))
        }
        word if word == typed => {
            let before = words.get(at.checked_sub(1)?)?.to_str()?;
            let is_short = before.len() == 2 && before.starts_with('-');
            (before == flag || is_short).then(|| (at, String::new()))
        }
        _ => None,
    })
}

/// Ends the program with what clap has to say. Help and versions are data: where they cannot be written, that is said.
fn end(words: &Error, typed: &[OsString]) -> ! {
    if words.use_stderr() {
        let ((kind, said), as_json) = (in_one_line(words), wants_json(typed));
        if kind == ErrorKind::MissingSubcommand && !as_json {
            words.exit();
        }
        outcome::report(&outcome::coded(outcome::named(&kind), outcome::usage(said)), as_json);
        process::exit(words.exit_code());
    }
    let shown = output::standard(|| {
        words.print()?;
        io::stdout().flush()
    });
    process::exit(match shown {
        Ok(()) => words.exit_code(),
        Err(error) => {
            message::failure(&format!("{error:#}"));
            1
        }
    })
}

/// Whether errors are to be JSON. clap has no values when it refuses, so the words are searched.
fn wants_json(typed: &[OsString]) -> bool {
    let options: Vec<&OsString> = typed.iter().take_while(|word| *word != "--").collect();
    let apart = options.windows(2).any(|two| two[0] == "--format" && two[1] == "json");
    apart || options.iter().any(|word| *word == "--format=json")
}

/// What clap says, without usage and the way to the help, and what it is called.
fn in_one_line(error: &Error) -> (ErrorKind, String) {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    ) {
        let said = "a command or an argument is missing; --help lists them";
        return (ErrorKind::MissingSubcommand, said.to_owned());
    }
    let words = error.render().to_string();
    let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let said = said.fold(String::new(), |before, line| match &*before {
        "" => line.trim_start_matches("error: ").to_owned(),
        list if list.ends_with(':') => format!("{before} {line}"),
        _ => format!("{before}; {line}"),
    });
    (error.kind(), said)
}

/// The same error about arguments that are fit to be shown.
fn harmless(command: &Command, error: Error, typed: &[OsString]) -> Error {
    let shown: Vec<OsString> = typed.iter().map(|word| text::bytes(word.as_encoded_bytes()).into()).collect();
    if shown == typed {
        return error;
    }
    match read(command, &shown) {
        Err(same) if same.kind() == error.kind() => same,
        // Such as words that are no UTF-8, which they are now.
        _ => {
            let words = error.render().to_string();
            let words = text::lines(words.strip_prefix("error: ").unwrap_or(&words)).into_owned();
            Error::raw(error.kind(), words)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use clap::{CommandFactory as _, FromArgMatches as _, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[arg(long)]
        number: Option<u8>,
        #[arg(long, value_name = "SECONDS")]
        seconds: Option<f64>,
        #[arg(long, value_name = "BYTES")]
        bytes: Option<u32>,
        word: Option<String>,
    }

    fn said(words: &[&[u8]]) -> String {
        let typed: Vec<OsString> =
            [&b"program"[..]].iter().chain(words).map(|word| OsString::from_vec(word.to_vec())).collect();
        let command = Typed::command();
        let error = read(&command, &typed).expect_err("it makes no sense");
        in_one_line(&harmless(&command, error, &typed)).1
    }

    #[test]
    fn examples_are_told_from_other_words() {
        let one = [("What it says", "program --number 1"), ("What: it asks", "program: word | wc -l")];
        let owned = one.map(|(what, typed)| (what.to_owned(), typed.to_owned())).to_vec();
        for words in ["", "Before them."] {
            let text = format!("{words}\n\n{}", examples(&one));
            let found = after_help(&Command::new("program").after_help(text));
            assert_eq!(found, AfterHelp { words: words.to_owned(), examples: owned.clone() });
        }
        assert_eq!(after_help(&Command::new("program").after_help("Words.")).words, "Words.");
        assert_eq!(after_help(&Command::new("program")), AfterHelp::default());
    }

    #[test]
    fn values_may_have_units() {
        let typed = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            read(&Typed::command(), &words).map(|found| Typed::from_arg_matches(&found).expect("it was read"))
        };
        let seconds = |words: &[&str]| typed(words).expect("a number with a unit").seconds;
        assert_eq!(seconds(&["program", "--seconds", "5s"]), Some(5.0));
        assert_eq!(seconds(&["program", "--seconds=1.5min"]), Some(90.0));
        let both = typed(&["program", "--seconds", "90ms", "--bytes=1KiB"]).expect("two of them");
        assert_eq!((both.seconds, both.bytes), (Some(0.09), Some(1024)));
        // Of another kind, no whole number, without a unit in the placeholder: quoted as typed.
        let negative = typed(&["program", "--seconds", "-1.5min"]).expect("the value of an option");
        assert_eq!(negative.seconds, Some(-90.0));
        for words in [["--seconds", "5B"], ["--bytes", "0.3B"], ["--number", "5s"], ["--bytes", "-1K"]] {
            let error = typed(&["program", words[0], words[1]]).expect_err("it is refused").to_string();
            assert!(error.contains(&format!("'{}'", words[1])), "{error}");
        }
    }

    #[test]
    fn errors_quote_without_harm() {
        for (words, quoted) in [
            (&[&b"--number=\x1b]0;x\x07"[..]][..], "'\\x1b]0;x\\x07'"),
            (&[b"a", b"b\nerror: c"], "'b\\nerror: c'"),
            (&["--n\u{202e}x".as_bytes()], "'--n\\u{202e}x'"),
            (&[b"--number=300"], "300"),
            (&[b"\x1b\xff"], "UTF-8"),
        ] {
            let said = said(words);
            assert!(said.contains(quoted) && said == text::line(&said), "{said}");
            assert!(!said.contains('\n') && !said.starts_with("error: "), "{said}");
        }
    }
}
