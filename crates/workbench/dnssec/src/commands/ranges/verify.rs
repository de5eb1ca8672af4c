//! `fieldtest dnssec verify --job`: a signed zone larger than memory, validated range by range.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use fieldtest_dnssec::ranges::Part;
use fieldtest_dnssec::verify::{Finding, Report, Tally, verify_part, verify_parts};
use fieldtest_dnssec::{Name, Rtype};
use fieldtest_frame::job::{self, Item, Job, Made};
use fieldtest_frame::stamp::of_file;
use fieldtest_frame::text;
use serde_json::{Value, json};

use super::{CUT, Cut, Purpose, number};
use crate::args::Verify;
use crate::commands::sign::instant;
use crate::commands::verify::{self, Told, Wanted};
use crate::outcome::Outcome;
use crate::output::{self, Format};

/// The waves.
const CHECK: u32 = 1;
const JOIN: u32 = 2;

pub(in crate::commands) fn run(args: &Verify, folder: &Path, format: Format) -> Result<Outcome> {
    super::check_places(folder, &[("the zone", &args.zone.zone)])?;
    let begun = Job::planned(folder)?.map(|plan| plan.what).unwrap_or_default();
    let ranges = super::ranges(&args.zone, &args.ranges, &begun)?;
    // The moment of the first beginning, whenever it goes on.
    let earlier = begun["at"].as_u64().and_then(|at| u32::try_from(at).ok());
    let at = match (&args.at, earlier) {
        (None, Some(at)) => at,
        _ => verify::moment(args)?,
    };
    let what = json!({
        "command": "dnssec verify",
        "zone": super::stamp(&args.zone)?,
        "anchor": args.anchor.as_deref().map(of_file).transpose()?,
        "code points": format!("{:?}", args.code_points),
        "implementation": args.implementation,
        "at": at,
        "ranges": ranges,
    });
    let checks = (0..ranges).map(|at| (CHECK, format!("check range {at}")));
    let items = [(CUT, super::CUTTING.to_owned())].into_iter().chain(checks);
    let plan = job::Plan::new(what, items.chain([(JOIN, "join".to_owned())]));
    let cut = Cut {
        zone: &args.zone,
        limits: &args.ranges,
        ranges,
        folder,
        threads: args.threads.number,
        purpose: Purpose::Verify,
        output: None,
    };
    cut.check_included(&plan)?;
    check_now(args, folder, &plan, at)?;
    let work = Work { args, at, cut };
    let done = |item: &Item| work.item(item).map_err(|error| super::of_own(error, folder));
    let state = match job::run(&args.ranges.run, plan.clone(), done)?.whole() {
        Ok(state) => state,
        Err(end) => return Ok(end),
    };
    let facts = |wave: u32| {
        let items = plan.items.iter().filter(move |item| item.wave == wave);
        items.filter_map(|item| state.of(&item.id)).map(|entry| &entry.facts)
    };
    let mut sum = facts(JOIN).next().cloned().unwrap_or_default();
    super::add_up(facts(CHECK), &["outside"], &mut sum);
    let number = |name: &str| sum[name].as_u64().unwrap_or(0);
    let report = Report {
        signatures: number("signatures"),
        rrsets: number("rrsets"),
        foreign_signatures: number("foreign"),
        unchecked_signatures: number("unchecked"),
        findings: read_findings(&work.findings())?,
    };
    work.cut.clear(&["names", "links", "tally"]);
    let zone = sum["zone"].as_str().unwrap_or_default();
    let told = Told { zone, outside: number("outside") as usize, warnings: super::warnings(&sum) };
    verify::tell(args, &report, &told, format)
}

/// Refuses to answer from an earlier verdict where the zone's state now was asked for.
fn check_now(args: &Verify, folder: &Path, plan: &job::Plan, at: u32) -> Result<()> {
    if args.at.is_some()
        || args.ranges.run.item.is_some()
        || !Job::sketch(folder, plan.clone())?.is_whole()?
    {
        return Ok(());
    }
    bail!(
        "the job in {} is done, and its verdict is of {}; take another folder, or hear it again with --at {at}",
        text::path(folder),
        instant(at)
    )
}

/// What items are done with.
struct Work<'w> {
    args: &'w Verify,
    at: u32,
    cut: Cut<'w>,
}

impl Work<'_> {
    fn item(&self, item: &Item) -> Result<Made> {
        match item.wave {
            CUT => self.cut.cut(),
            CHECK => self.check(number(item)),
            JOIN => self.join(),
            wave => bail!("a job of another version of fieldtest: it has a wave {wave}"),
        }
    }

    /// What is wrong with the zone.
    fn findings(&self) -> PathBuf {
        self.cut.folder.join("findings.jsonl")
    }

    fn wanted(&self, part: &Part) -> Result<Wanted<'_>> {
        let table = crate::typed::code_points(&self.args.code_points)?;
        Wanted::of(self.args, table, part.zone(), self.at)
    }

    fn check(&self, at: u32) -> Result<Made> {
        let part = self.cut.part(at)?;
        let wanted = self.wanted(&part)?;
        let [names, links, tally] = ["names", "links", "tally"].map(|kind| self.cut.file(kind, at));
        let found = output::whole_file(&names, |names| {
            output::whole_file(&links, |links| {
                let checked =
                    self.cut.on_threads(|| wanted.with(|options| verify_part(&part, options, names, links)));
                Ok(checked??)
            })
        })?;
        let mut facts = json!({ "findings": found.findings.len() });
        super::add_remarks(&part, &mut facts);
        output::whole_file(&tally, |out| write_tally(&found, out))?;
        Ok(Made { outputs: vec![names, links, tally], facts })
    }

    fn join(&self) -> Result<Made> {
        let apex = Part::apex(&self.cut.folder())?;
        let wanted = self.wanted(&apex)?;
        let tallies =
            self.cut.all("tally").iter().map(|path| read_tally(path)).collect::<Result<Vec<_>>>()?;
        let (names, links) = (self.cut.all("names"), self.cut.all("links"));
        let load = |at| Part::load(&self.cut.folder(), at);
        let report = wanted.with(|options| verify_parts(&apex, options, tallies, [&names, &links], load))?;
        let path = self.findings();
        output::whole_file(&path, |out| report.findings.iter().try_for_each(|it| write_finding(it, out)))?;
        let facts = json!({
            "zone": apex.zone().apex().to_string(),
            "signatures": report.signatures,
            "rrsets": report.rrsets,
            "foreign": report.foreign_signatures,
            "unchecked": report.unchecked_signatures,
            "findings": report.findings.len(),
        });
        Ok(Made { outputs: vec![path], facts })
    }
}

fn write_tally(tally: &Tally, out: &mut impl Write) -> Result<()> {
    let requests: Vec<(u16, usize)> =
        tally.request_signers.iter().map(|(rtype, key)| (rtype.0, *key)).collect();
    let head = json!({
        "signatures": tally.signatures,
        "rrsets": tally.rrsets,
        "foreign": tally.foreign_signatures,
        "unchecked": tally.unchecked,
        "DNSKEY signers": tally.dnskey_signers,
        "request signers": requests,
    });
    writeln!(out, "{head}")?;
    tally.findings.iter().try_for_each(|finding| write_finding(finding, out))
}

fn read_tally(path: &Path) -> Result<Tally> {
    let mut lines = lines(path)?;
    let head = lines.next().unwrap_or_else(|| Err(damaged(path)))?;
    let take = |name: &str| head[name].clone();
    let number = |name: &str| head[name].as_u64().unwrap_or(0);
    let wrong = |_| damaged(path);
    let requests: Vec<(u16, usize)> = serde_json::from_value(take("request signers")).map_err(wrong)?;
    Ok(Tally {
        signatures: number("signatures"),
        rrsets: number("rrsets"),
        foreign_signatures: number("foreign"),
        unchecked: serde_json::from_value(take("unchecked")).map_err(wrong)?,
        dnskey_signers: serde_json::from_value(take("DNSKEY signers")).map_err(wrong)?,
        request_signers: requests.into_iter().map(|(rtype, key)| (Rtype(rtype), key)).collect(),
        findings: lines.map(|line| finding(&line?, path)).collect::<Result<_>>()?,
    })
}

fn write_finding(finding: &Finding, out: &mut impl Write) -> Result<()> {
    let owner = finding.owner.to_string();
    writeln!(out, "{}", json!({ "owner": owner, "type": finding.rtype.0, "finding": finding.what }))?;
    Ok(())
}

fn read_findings(path: &Path) -> Result<Vec<Finding>> {
    lines(path)?.map(|line| finding(&line?, path)).collect()
}

fn finding(line: &Value, path: &Path) -> Result<Finding> {
    let owner = line["owner"].as_str().and_then(|owner| owner.parse::<Name>().ok());
    let rtype = line["type"].as_u64().and_then(|rtype| u16::try_from(rtype).ok());
    let what = line["finding"].as_str();
    match (owner, rtype, what) {
        (Some(owner), Some(rtype), Some(what)) => {
            Ok(Finding { owner, rtype: Rtype(rtype), what: what.to_owned() })
        }
        _ => Err(damaged(path)),
    }
}

fn lines(path: &Path) -> Result<impl Iterator<Item = Result<Value>>> {
    let shown = path.to_owned();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = move |line: std::io::Result<String>| -> Result<Value> {
        serde_json::from_str(&line.with_context(|| format!("cannot read {}", shown.display()))?)
            .map_err(|_| damaged(&shown))
    };
    Ok(BufReader::new(file).lines().map(line))
}

fn damaged(path: &Path) -> anyhow::Error {
    anyhow::anyhow!(super::damaged(path))
}
