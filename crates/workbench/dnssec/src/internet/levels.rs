//! What is typed for one level of an internet: `TIED=WORD`, for each level once.

use anyhow::Result;
use fieldtest_dns_internet::Level;
use fieldtest_frame::text::near::meant;

use crate::args;
use crate::outcome::usage;
use crate::typed;
use crate::words::Denial;

/// What levels have, each in its place, whatever is measured.
pub(super) struct OfLevels {
    /// Their algorithms, where they are not those of the others.
    pub(super) fixed: [Option<String>; 3],
    pub(super) denials: [Denial; 3],
    pub(super) combined: [bool; 3],
    pub(super) beside: [Option<String>; 3],
}

impl OfLevels {
    pub(super) fn read(args: &args::World) -> Result<OfLevels> {
        let algorithm = |_, name: &str| typed::algorithm(name);
        let denials = of_levels(&args.denials, ("--denial", "WAY", "nsec3-opt-out"), |level, word| {
            let ways = Denial::ALL.map(|way| format!("{level}={}", way.word()));
            Denial::from_word(word).ok_or_else(|| {
                no_word("--denial", &format!("{level}={word}"), &ways.each_ref().map(String::as_str))
            })
        })?;
        let denials = denials.map(|denial| denial.unwrap_or(Denial::Nsec));
        let combined = of_levels(&args.keys, ("--keys", "KEYS", "csk"), |level, word| match word {
            "csk" => Ok(true),
            "ksk-zsk" => Ok(false),
            _ => Err(usage(format!("invalid --keys '{level}={word}': expected ksk-zsk or csk"))),
        })?;
        let beside = of_levels(&args.beside, ("--double-sign", "ALGORITHM", "ml-dsa-44"), |level, name| {
            match denials[level as usize] {
                Denial::Compact => Err(usage(format!(
                    "Knot signs the answers of the level {level} online and has only one key; omit --double-sign or --denial"
                ))),
                _ => algorithm(level, name),
            }
        })?;
        let fixed = of_levels(&args.levels, ("--level", "ALGORITHM", "ml-dsa-44"), algorithm)?;
        Ok(OfLevels { fixed, denials, combined: combined.map(|one| one.unwrap_or(false)), beside })
    }
}

/// What is said of a value that is none of the option's words.
pub(crate) fn no_word(option: &str, typed: &str, words: &[&str]) -> anyhow::Error {
    let meant = meant(typed, words.iter().copied());
    usage(format!("invalid {option} '{typed}': expected one of {}{meant}", words.join(", ")))
}

/// What an option says of each level; what its words are called, and one of them.
fn of_levels<T>(
    all: &[String],
    (option, words, example): (&str, &str, &str),
    read: impl Fn(Level, &str) -> Result<T>,
) -> Result<[Option<T>; 3]> {
    let mut found = [None, None, None];
    for typed in all {
        let (level, word) = typed.split_once('=').ok_or_else(|| {
            usage(format!("invalid {option} '{typed}': expected LEVEL={words}, such as tld={example}"))
        })?;
        let level = Level::from_word(level).ok_or_else(|| {
            let meant = meant(level, Level::ALL.map(Level::word));
            usage(format!("invalid {option} '{typed}': expected root, tld or domain before '='{meant}"))
        })?;
        if found[level as usize].replace(read(level, word)?).is_some() {
            return Err(usage(format!("{option} names the level {level} twice; name it once")));
        }
    }
    Ok(found)
}
