//! `fieldtest dnssec`: the carrier's tools, and what they share.

mod downgrade;
mod generate;
mod internet;
mod keygen;
mod keytrap;
mod load;
mod project;
mod rekey;
mod remarks;
mod resolver;
mod sign;
mod sizes;
mod study;
mod torture;
mod verify;

use std::error::Error as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use fieldtest_catalog::Wanted;
use fieldtest_catalog::signature;
use fieldtest_dnssec::codepoints::{CodePoint, CodePoints as Table};
use fieldtest_dnssec::keys::ZoneKey;
use fieldtest_dnssec::{Name, Zone};
use fieldtest_frame::input;
use serde_json::{Value, json};

use crate::algorithms;
use crate::args::{Dnssec, ZoneFile};
use crate::outcome::{Outcome, coded, of_option, usage};
use crate::output::{self, Format};

const STDIN: &str = "-";
/// The octets of the largest file beside zones that makes sense.
const SMALL: u64 = 1 << 26;

pub(crate) fn run(command: Dnssec, format: Format) -> Result<Outcome> {
    match command {
        Dnssec::Keygen(args) => keygen::run(&args, format),
        Dnssec::Sign(args) => sign::run(&args, format),
        Dnssec::Verify(args) => verify::run(&args, format),
        Dnssec::Torture(args) => torture::run(&args, format),
        Dnssec::Sizes(args) => sizes::run(&args, format),
        Dnssec::Study(args) => study::run(args, format),
        Dnssec::Load(args) => load::run(&args, format),
        Dnssec::Internet(args) => internet::run(&args, format),
        Dnssec::Resolver(args) => resolver::run(*args, format),
        Dnssec::Downgrade(args) => downgrade::run(*args, format),
        Dnssec::Rekey(args) => rekey::run(*args, format),
        Dnssec::KeyTrap(args) => keytrap::run(*args, format),
        Dnssec::Project(args) => project::run(&args, format),
        Dnssec::Generate(args) => generate::run(&args, format),
    }
}

fn load(file: &ZoneFile) -> Result<Zone> {
    let origin = origin(file.origin.as_deref())?;
    if file.zone.as_os_str() == STDIN {
        return Ok(fieldtest_dnssec::read(std::io::stdin().lock(), Path::new("standard input"), origin)?);
    }
    Ok(input::announced(&file.zone, |path| fieldtest_dnssec::load(path, origin))?)
}

/// Refuses an output that is one of the files that a zone includes: unlike the zone itself, they are not kept. What they are is in
/// the zone and not in what was typed.
fn check_included<'a>(output: &Path, included: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    // No file's name stands for standard input.
    let files: Vec<PathBuf> = included.into_iter().map(|file| Path::new(".").join(file)).collect();
    let kept =
        files.iter().map(|file| (file.as_path(), "a file that the zone includes, which would be lost"));
    output::check_keeps(output, kept).map_err(|error| anyhow!(error.to_string()))
}

/// The whole of a small file, such as DS records or statistics; what is larger than any of them is not read to its end.
fn read_small(path: &Path) -> Result<Vec<u8>> {
    input::read(path, SMALL).with_context(|| format!("cannot read {}", path.display()))
}

/// Refuses forms that a command which writes a file does not have, and a report that would go into the file's midst.
fn report_form(format: Format, file: &Path, command: &str) -> Result<()> {
    const FORMS: [Format; 2] = [Format::Human, Format::Json];
    format.apart_from(Some(file), "the file", &FORMS, "-o")?;
    format.one_of(&FORMS, &format!("{command} writes a file and reports as text or JSON"))
}

fn report(document: &Value) -> Result<()> {
    output::data(&format!("{document:#}\n"))
}

/// What a report says of a key that lies in a directory.
fn key(key: &ZoneKey, directory: &Path) -> Value {
    json!({
        "file": directory.join(key.file_name() + ".key").to_string_lossy(),
        "zone": key.owner().to_string(),
        "flags": key.flags(),
        "algorithm": key.code_point().to_string(),
        "tag": key.tag(),
    })
}

/// A directory for keys, which must be there: one with a typing error in its name would hide them.
fn present(directory: &Path) -> Result<()> {
    let shown = directory.display();
    match directory.is_dir() {
        true => Ok(()),
        false if directory.exists() => {
            Err(coded("not-a-directory", anyhow!("{shown} is not a directory; give another one")))
        }
        false => Err(coded("no-directory", anyhow!("there is no directory {shown}; create it first"))),
    }
}

fn origin(typed: Option<&str>) -> Result<Option<Name>> {
    typed.map(|typed| typed.parse::<Name>().map_err(|error| of_option("--origin", error))).transpose()
}

/// An algorithm's code point and the implementation to use, for making keys. Says so if it is broken.
fn algorithm(
    table: &Table,
    name: &str,
    implementation: Option<&str>,
) -> Result<(CodePoint, &'static signature::Implementation)> {
    let algorithm = signature::find(name).map_err(usage)?;
    let name = algorithm.facts.name.as_str();
    let implementation = algorithm.served(Wanted::only(implementation)).map_err(usage)?;
    let code_point = table.get(name).ok_or_else(|| {
        let number = algorithms::iana_number(name).map(CodePoint::Number);
        let taken =
            number.and_then(|number| Some(format!("{number} is {}'s now", table.algorithm(&number)?)));
        usage(format!(
            "{name} has no DNSSEC number in this table{}; {}",
            taken.map_or(String::new(), |taken| format!(", as {taken}")),
            algorithms::to_number(name)
        ))
    })?;
    remarks::tell(remarks::broken(algorithm.facts).as_slice());
    Ok((code_point.clone(), implementation))
}

/// A moment as it was typed: `YYYYMMDDHHmmSS` in UTC, seconds since 1970, or `YYYYMMDD` for the day's
/// beginning. Eight digits are a day, as for BIND's dnssec-settime: as seconds they would mean a day in 1970. So would a
/// year's four, or six with its month, which are refused, as are ten with a day and its hour, which would mean 2033 or later.
fn moment(option: &str, typed: &str) -> Result<u32> {
    let whole = if typed.len() == 8 { format!("{typed}000000") } else { typed.to_owned() };
    let part =
        |from: usize| typed.get(from..from + 2).and_then(|it| it.parse::<u8>().ok()).unwrap_or_default();
    let is_day = (1..=12).contains(&part(4)) && (1..=31).contains(&part(6)) && part(8) < 24;
    let is_short = match typed.len() {
        4 | 6 => typed.starts_with("19") || typed.starts_with("20"),
        10 => typed.starts_with("20") && is_day,
        _ => false,
    };
    fieldtest_dnssec::format::parse_time(&whole).filter(|_| !is_short).ok_or_else(|| {
        usage(format!(
            "invalid {option} '{typed}': expected YYYYMMDD or YYYYMMDDHHmmSS, a day and time that exist in UTC from 1970 to 2106, or \
             seconds since 1970"
        ))
    })
}

const NO_THREADS: &str =
    "cannot start the threads; lower --threads, or raise the limits of memory and threads (ulimit -v, -u)";

fn on_threads<T: Send>(threads: Option<u16>, work: impl FnOnce() -> T + Send) -> Result<T> {
    match threads {
        None => {
            // What is started by itself would end the program where it cannot be. That it is started already has no source.
            let started = rayon::ThreadPoolBuilder::new().build_global();
            started
                .or_else(|error| error.source().is_none().then_some(()).ok_or(error))
                .context(NO_THREADS)?;
            Ok(work())
        }
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build();
            Ok(pool.context(NO_THREADS)?.install(work))
        }
    }
}
