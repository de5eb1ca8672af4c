//! `fieldtest dnssec sizes`: every answer's size with every algorithm, without signing.

use std::path::Path;

use anyhow::{Context, Result};
use fieldtest_dnssec::Zone;
use fieldtest_dnssec::sample::Sample;
use fieldtest_dnssec::sizes::project::Traffic;
use fieldtest_dnssec::sizes::rssac::Statistics;
use fieldtest_dnssec::sizes::{DenialMethod, KeySet, Setup, Signers, ZoneFacts, fit, published};
use fieldtest_frame::measuring::refused;
use fieldtest_frame::text;
use fieldtest_report::{Cell, Kind, Table};
use fieldtest_study::selection;

use crate::args::{DenialKind, Sizes, ZoneFile};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};
use crate::report::fit;
use crate::study::sizes::{Answers, Forecast, TRAFFIC, algorithm_size, own_denial};
use crate::words::Answer;

pub(crate) fn run(args: &Sizes, format: Format) -> Result<Outcome> {
    if args.published {
        return rebuild_published(format);
    }
    let algorithms = selection::algorithms(&args.what.algorithms).map_err(refused)?;
    let beside = args.beside.as_deref().map(fieldtest_catalog::signature::find).transpose().map_err(usage)?;
    let is_twice = |name: &String| beside.is_some_and(|beside| *name == beside.facts.name);
    if !args.what.algorithms.is_empty()
        && let Some(twice) = algorithms.iter().map(|it| &it.facts.name).find(|name| is_twice(name))
    {
        return Err(usage(format!(
            "cannot sign twice with '{twice}': --double-sign adds another algorithm to that of --algorithm; give another one"
        )));
    }
    let traffic = match &args.rssac[..] {
        [] => None,
        files => Some(read_traffic(files)?),
    };
    let zone = load(args)?;
    let facts = ZoneFacts::new(&zone)?;
    let denial = match args.denial {
        None => own_denial(&zone),
        Some(DenialKind::Nsec) => DenialMethod::Nsec,
        Some(DenialKind::Nsec3) => DenialMethod::Nsec3,
        Some(DenialKind::Nsec3OptOut) => DenialMethod::Nsec3OptOut,
        Some(DenialKind::Compact) => DenialMethod::Compact,
    };
    let signers = if beside.is_some() { Signers::Two } else { Signers::One };
    let setup = Setup { signers, ..Setup::new(denial) };
    let answers = Answers::compose(&facts, setup);
    let raw = facts.raw_size(setup, KeySet::KskZsk);
    let forecast = (zone.apex().as_wire().len() == 1 || traffic.is_some())
        .then(|| Forecast::new(&facts, traffic.as_ref().unwrap_or(TRAFFIC)));

    let title = format!("Answers of {} with {}, in bytes", zone.apex(), denial.label());
    let mut table = Table::new(title)
        .column("algorithm", Kind::Text)
        .numbers(answers.answers().map(|answer| answer.word()), "bytes")
        .numbers(["own over 1232", "own over 1452"], "count")
        .numbers(["NXDOMAIN over 1232", "referrals over 1232"], "share")
        .column("signed zone, raw", Kind::number("bytes"));
    if forecast.is_some() {
        table =
            table.column("truncated", Kind::number("share")).column("TCP queries", Kind::number("per-day"));
    }
    for algorithm in algorithms.into_iter().filter(|it| !is_twice(&it.facts.name)) {
        let mut lengths = algorithm_size(algorithm.facts);
        if let Some(beside) = beside {
            lengths = lengths.and(algorithm_size(beside.facts));
        }
        let name = &algorithm.facts.name;
        if let Err(misfit) = fit::check(lengths, zone.apex().as_wire().len()) {
            table.note(format!("{name} is skipped: {misfit}"));
            continue;
        }
        let sizes: Vec<_> = answers.sizes(lengths).collect();
        let of = |answer: Answer| sizes.iter().find(|size| size.answer == answer);
        let own = |at: usize| of(Answer::OwnMax).map(|size| Cell::from(size.over[at].1 as f64)).into();
        let over = |answer| of(answer).map(|size| Cell::from(size.over[1].1 as f64 / size.of as f64)).into();
        let mut row: Vec<Cell> = vec![name.as_str().into()];
        row.extend(sizes.iter().map(|size| {
            let octets = size.octets as f64;
            Cell::from(octets).with_mark(Some(fit(octets)))
        }));
        row.extend([
            own(1),
            own(2),
            over(Answer::NxdomainTypical),
            over(Answer::ReferralMax),
            (raw.size(lengths) as f64).into(),
        ]);
        if let Some(forecast) = &forecast {
            let projection = forecast.of(lengths);
            row.extend([projection.truncated.high.into(), projection.tcp_queries.high.into()]);
        }
        table.keyed_row(name, row);
    }
    if let Some(beside) = beside {
        table.note(format!("every RRset is signed with {} too", beside.facts.name));
    }
    if let Some(forecast) = &forecast {
        table.note(format!(
            "truncated and TCP queries: projected on {}, answers of at most 1232 bytes over UDP",
            forecast.origin()
        ));
    }
    output::table(&table.without_empty_columns(), format)?;
    Ok(Outcome::Fine)
}

fn load(args: &Sizes) -> Result<Zone> {
    match &args.what.zone {
        Some(zone) => super::load(&ZoneFile { zone: zone.clone(), origin: args.what.origin.clone() }),
        None => Ok(Sample::default().zone()?),
    }
}

/// The sizes and the volume of one server's day, in whichever order the files were named.
fn read_traffic(files: &[std::path::PathBuf]) -> Result<Traffic> {
    let read = |path: &Path| -> Result<Statistics> {
        let bytes = super::read_small(path)?;
        let text =
            text::decoded(&bytes).map_err(|why| anyhow::anyhow!("cannot read {}: {why}", path.display()))?;
        Statistics::parse(text).with_context(|| path.display().to_string())
    };
    let statistics = files.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let of = |metric: &str| {
        statistics.iter().find(|s| s.metric == metric).ok_or_else(|| {
            usage(format!(
                "no file with the metric {metric}; give both traffic-sizes and traffic-volume with --rssac"
            ))
        })
    };
    Ok(Traffic::from_rssac(of("traffic-sizes")?, of("traffic-volume")?)?)
}

fn rebuild_published(format: Format) -> Result<Outcome> {
    let mut table = Table::new("The published sizes of nine algorithms, rebuilt by formula")
        .texts(["algorithm", "answer"])
        .numbers(["published", "computed"], "bytes")
        .column("explanation", Kind::Text);
    let (mut agree, mut all) = (0, 0);
    for cell in published::cells() {
        all += 1;
        agree += usize::from(cell.agrees());
        table.keyed_row(
            cell.row,
            [
                cell.row.into(),
                cell.column.label().into(),
                (cell.published as f64).into(),
                (cell.computed as f64).into(),
                cell.explanation.unwrap_or_default().into(),
            ],
        );
    }
    table.note(format!("{agree} of {all} cells agree"));
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
