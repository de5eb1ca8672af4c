//! `fieldtest dnssec`: the carrier's tools, and what they share.

mod generate;
mod keygen;
mod sign;
mod sizes;
mod study;
mod verify;

use anyhow::{Context, Result};
use fieldtest_catalog::signature;
use fieldtest_dnssec::codepoints::{CodePoint, CodePoints as Table};
use fieldtest_dnssec::{Name, Zone};
use fieldtest_study::code_points;

use crate::args::{CodePointTable, CodePoints, Dnssec, ZoneFile};
use crate::outcome::{Outcome, usage};
use crate::output::Format;

pub(crate) fn run(command: Dnssec, format: Format) -> Result<Outcome> {
    match command {
        Dnssec::Keygen(args) => keygen::run(&args, format),
        Dnssec::Sign(args) => sign::run(&args, format),
        Dnssec::Verify(args) => verify::run(&args, format),
        Dnssec::Sizes(args) => sizes::run(&args, format),
        Dnssec::Study(args) => study::run(args, format),
        Dnssec::Generate(args) => generate::run(&args),
    }
}

/// Reads a zone file in either form.
fn load(file: &ZoneFile) -> Result<Zone> {
    Ok(fieldtest_dnssec::load(&file.zone, origin(file.origin.as_deref())?)?)
}

/// An origin as it was typed; the dot at its end may be missing.
fn origin(typed: Option<&str>) -> Result<Option<Name>> {
    typed.map(|typed| Name::parse(typed.as_bytes(), Some(&Name::ROOT)).map_err(usage)).transpose()
}

/// The table of code points that was asked for.
fn code_points(args: &CodePoints) -> Result<Table> {
    let mut chosen = Vec::new();
    for typed in &args.code_point {
        let (algorithm, code_point) = typed
            .split_once('=')
            .ok_or_else(|| usage(format!("“{typed}” is not ALGORITHM=NUMBER, such as hawk-512=200")))?;
        let algorithm = signature::find(algorithm).map_err(usage)?.facts.name.clone();
        chosen.push((algorithm, code_point.parse::<CodePoint>().map_err(usage)?));
    }
    let table = match args.code_points {
        CodePointTable::Iana => "iana",
        CodePointTable::Oqs => "oqs",
        CodePointTable::Patad => "patad",
    };
    code_points::code_points(table, &chosen).map_err(usage)
}

/// An algorithm's code point and the implementation to use, for making keys.
fn algorithm(
    table: &Table,
    name: &str,
    implementation: Option<&str>,
) -> Result<(CodePoint, &'static signature::Implementation)> {
    let algorithm = signature::find(name).map_err(usage)?;
    let name = algorithm.facts.name.as_str();
    let implementation = match implementation {
        Some(wanted) => algorithm.implementation(wanted).map_err(usage)?,
        None => algorithm.implementations.first().ok_or_else(|| {
            usage(format!(
                "{name} has no implementation here, only sizes; `fieldtest list` shows those that have one"
            ))
        })?,
    };
    let code_point = table.get(name).ok_or_else(|| {
        usage(format!(
            "{name} has no DNSSEC number in this table; give it one with --code-point {name}=NUMBER"
        ))
    })?;
    Ok((code_point.clone(), implementation))
}

/// A moment as it was typed: `YYYYMMDDHHmmSS` in UTC, or seconds since 1970.
fn moment(typed: &str) -> Result<u32> {
    fieldtest_dnssec::format::parse_time(typed).ok_or_else(|| {
        usage(format!("“{typed}” is no time; write YYYYMMDDHHmmSS in UTC, or seconds since 1970"))
    })
}

/// Seconds since 1970 now, as RRSIG counts them.
fn now() -> u32 {
    jiff::Timestamp::now().as_second() as u32
}

/// Runs `work` on so many threads; on all cores if no number is given.
fn on_threads<T: Send>(threads: Option<u16>, work: impl FnOnce() -> T + Send) -> Result<T> {
    match threads {
        None => Ok(work()),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build();
            Ok(pool.context("cannot start the threads")?.install(work))
        }
    }
}
