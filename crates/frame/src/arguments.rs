//! What was typed, and what is said of it where it makes no sense.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process;

use clap::Parser;
use clap::error::Error;

use crate::{output, text};

/// The arguments that the program was started with. What is wrong with them is said by clap, which quotes them; so they
/// are made fit to be shown before. Ends the program after help, versions and errors.
pub fn parse<P: Parser>() -> P {
    let typed: Vec<OsString> = std::env::args_os().collect();
    P::try_parse_from(&typed).unwrap_or_else(|error| end(&harmless::<P>(error, &typed)))
}

/// Ends the program with what clap has to say. Help and versions are data: where they cannot be written, that is said.
fn end(words: &Error) -> ! {
    if words.use_stderr() {
        words.exit();
    }
    let shown = output::standard(|| {
        words.print()?;
        io::stdout().flush()
    });
    process::exit(match shown {
        Ok(()) => words.exit_code(),
        Err(error) => {
            output::message(&format!("{error:#}"));
            1
        }
    })
}

/// The same error about arguments that are fit to be shown.
fn harmless<P: Parser>(error: Error, typed: &[OsString]) -> Error {
    let shown: Vec<OsString> = typed.iter().map(|word| text::bytes(word.as_encoded_bytes()).into()).collect();
    if shown == typed {
        return error;
    }
    match P::try_parse_from(&shown) {
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

    use super::*;

    #[derive(Debug, Parser)]
    struct Args {
        #[arg(long)]
        number: Option<u8>,
        word: Option<String>,
    }

    fn said(words: &[&[u8]]) -> String {
        let typed: Vec<OsString> =
            [&b"program"[..]].iter().chain(words).map(|word| OsString::from_vec(word.to_vec())).collect();
        let error = Args::try_parse_from(&typed).expect_err("it makes no sense");
        harmless::<Args>(error, &typed).render().to_string()
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
            assert!(said.starts_with("error: ") && said.contains(quoted), "{said}");
            assert!(said.lines().all(|line| line == text::line(line)), "{said:?}");
        }
    }
}
