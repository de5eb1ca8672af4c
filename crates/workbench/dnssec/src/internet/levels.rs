//! What is typed for one level of an internet: `TIED=WORD`, for each level once.

use anyhow::Result;
use fieldtest_dns_internet::Level;

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
        let denials = of_levels(&args.denials, ("--denial", "tld=nsec3-opt-out"), |_, word| {
            Denial::from_word(word).ok_or_else(|| {
                let ways = Denial::ALL.map(Denial::word).join(", ");
                usage(format!("invalid --denial '{word}': expected one of {ways}"))
            })
        })?;
        let denials = denials.map(|denial| denial.unwrap_or(Denial::Nsec));
        let combined = of_levels(&args.keys, ("--keys", "domain=csk"), |_, word| match word {
            "csk" => Ok(true),
            "ksk-zsk" => Ok(false),
            _ => Err(usage(format!("invalid --keys '{word}': expected ksk-zsk or csk"))),
        })?;
        let beside = of_levels(&args.beside, ("--double-sign", "domain=ml-dsa-44"), |level, name| {
            match denials[level as usize] {
                Denial::Compact => Err(usage(format!(
                    "Knot signs the answers of the level {level} online and has only one key; omit --double-sign or --denial"
                ))),
                _ => algorithm(level, name),
            }
        })?;
        let fixed = of_levels(&args.levels, ("--level", "tld=ml-dsa-44"), algorithm)?;
        Ok(OfLevels { fixed, denials, combined: combined.map(|one| one.unwrap_or(false)), beside })
    }
}

/// What an option says of each level, with an example of it.
fn of_levels<T>(
    all: &[String],
    (option, example): (&str, &str),
    read: impl Fn(Level, &str) -> Result<T>,
) -> Result<[Option<T>; 3]> {
    let mut found = [None, None, None];
    for typed in all {
        let split = typed.split_once('=').and_then(|(level, word)| Some((Level::from_word(level)?, word)));
        let (level, word) = split.ok_or_else(|| {
            usage(format!(
                "invalid {option} '{typed}': expected root, tld or domain first, as in {option} {example}"
            ))
        })?;
        if found[level as usize].replace(read(level, word)?).is_some() {
            return Err(usage(format!("{option} names the level {level} twice; name it once")));
        }
    }
    Ok(found)
}
