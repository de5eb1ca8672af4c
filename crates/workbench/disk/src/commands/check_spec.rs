//! `fieldtest disk check-spec`: is this cipher one for a disk?

use anyhow::Result;
use fieldtest_disk::judge::{Use, Verdict, judge};
use fieldtest_report::Table;

use super::format::integrity;
use super::shown;
use crate::args::DiskCheckSpec;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(super) fn run(args: &DiskCheckSpec, format: Format) -> Result<Outcome> {
    let intended = Use {
        key_bits: args.key_size,
        sector_size: Some(args.sector_size),
        block_size: args.block_size,
        integrity: integrity(args.integrity.as_deref())?,
        device_size: args.size.as_deref().map(|size| shown::parse_size("--size", size)).transpose()?,
        ..Use::default()
    };
    let judgement = judge(&args.spec, &intended);
    let verdict = word(judgement.verdict);
    let mut table = Table::new(format!("{}: {verdict}", shown::text(&args.spec)))
        .texts(["finding", "verdict", "reason", "remedy", "source"]);
    for found in &judgement.findings {
        table.row([
            found.name.into(),
            match found.is_mapped {
                false if found.verdict == Verdict::Refused => NOT_MAPPED,
                _ => word(found.verdict),
            }
            .into(),
            found.reason.as_str().into(),
            found.remedy.as_str().into(),
            found.source.into(),
        ]);
    }
    if table.is_empty() {
        table.row(["none".into(), verdict.into(), "no objections".into()]);
    }
    output::table(&table, format)?;
    Ok(if judgement.verdict == Verdict::Safe { Outcome::Fine } else { Outcome::Failed })
}

const NOT_MAPPED: &str = "rejected by dm-crypt";

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::WorksBut => "works, but",
        Verdict::Refused => "rejected",
    }
}
