//! What people type of a zone, for commands and internets alike: which number stands for which algorithm, and what time it is.

use anyhow::Result;
use fieldtest_catalog::signature;
use fieldtest_dnssec::codepoints::{CodePoint, CodePoints as Table};

use crate::algorithms;
use crate::args::{CodePointTable, CodePoints};
use crate::outcome::{coded, named, usage};
use crate::output;

pub(crate) fn code_points(args: &CodePoints) -> Result<Table> {
    let mut chosen = Vec::new();
    for typed in &args.code_point {
        let (algorithm, code_point) = typed.split_once('=').ok_or_else(|| {
            usage(format!("invalid --code-point '{typed}': expected ALGORITHM=NUMBER, such as hawk-512=200"))
        })?;
        let algorithm = self::algorithm(algorithm)?;
        let code_point = code_point.parse::<CodePoint>().map_err(|error| {
            let said = error.to_string();
            let (_, expected) = said.split_once(": ").unwrap_or(("", &said));
            coded(named(&error), usage(format!("invalid --code-point '{typed}': {expected}")))
        })?;
        chosen.push((algorithm, code_point));
    }
    let table = match args.code_points {
        CodePointTable::Iana => "iana",
        CodePointTable::Oqs => "oqs",
        CodePointTable::Patad => "patad",
    };
    let table = algorithms::code_points(table, &chosen).map_err(usage)?;
    for (algorithm, code_point) in &chosen {
        if let Some(other) = algorithms::belongs_to(algorithm, code_point) {
            output::message(&format!(
                "warning: {code_point} is IANA's number for {other}; other programs will read keys and \
                 signatures of {algorithm} as {other}'s"
            ));
        }
    }
    Ok(table)
}

/// The catalog's name of an algorithm.
pub(crate) fn algorithm(typed: &str) -> Result<String> {
    Ok(signature::find(typed).map_err(usage)?.facts.name.clone())
}

/// A validity of a month, now in its midst, for zones that are made to be measured.
pub(crate) fn validity() -> [u32; 2] {
    const HALF: u32 = 15 * 86_400;
    [now().wrapping_sub(HALF), now().wrapping_add(HALF)]
}

/// Seconds since 1970 now, as RRSIG counts them.
pub(crate) fn now() -> u32 {
    jiff::Timestamp::now().as_second() as u32
}
