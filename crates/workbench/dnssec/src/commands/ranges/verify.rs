//! `fieldtest dnssec verify --job`: a signed zone larger than memory, validated range by range.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use fieldtest_dnssec::ranges::Part;
use fieldtest_dnssec::verify::{Finding, Report, Tally, verify_part, verify_parts};
use fieldtest_dnssec::{Name, Rtype};
use fieldtest_frame::job::{self, Claim, Item, Job, Made};
use fieldtest_frame::stamp::of_file;
use fieldtest_frame::text;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{CUT, Cut, Purpose, number};
use crate::args::Verify;
use crate::commands::remarks::Remarks;
use crate::commands::sign::instant;
use crate::commands::verify::{self, Wanted};
use crate::outcome::Outcome;
use crate::output::{self, Format};

/// The waves.
const CHECK: u32 = 1;
const JOIN: u32 = 2;

/// What checking a range leaves: of the NSEC3 chains the names that belong into them, and their records; and what is wrong.
const FILES: [&str; 3] = ["names", "links", "findings"];

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
    let job = Claim::of(folder, &plan.what)?.begin(plan)?;
    cut.check_included(&job)?;
    check_now(args, folder, &job, at)?;
    let work = Work { args, at, cut, job: &job };
    let done = |item: &Item| work.item(item).map_err(|error| super::of_own(error, folder));
    if !job::run(&args.ranges.run, &job, done)? {
        return Ok(job::stopped());
    }
    let joined: Vec<Joined> = super::facts(&job, JOIN)?;
    let Some(joined) = joined.into_iter().next() else { bail!("the ranges are not joined") };
    let mut remarks = Remarks::default();
    super::facts(&job, CHECK)?.into_iter().for_each(|range: Checked| remarks.add(range.remarks));
    let report = Report {
        signatures: joined.signatures,
        rrsets: joined.rrsets,
        foreign_signatures: joined.foreign,
        unchecked_signatures: joined.unchecked,
        findings: read_findings(&work.findings())?,
    };
    work.cut.clear(&FILES);
    verify::tell(args, &report, joined.zone, &remarks, format)
}

/// What the ledger says of a range, beside its findings.
#[derive(Serialize, Deserialize)]
struct Checked {
    remarks: Remarks,
    signatures: u64,
    rrsets: u64,
    foreign: u64,
    unchecked: Vec<u64>,
    dnskey_signers: Vec<usize>,
    request_signers: Vec<(u16, usize)>,
}

/// What the ledger says of the last item.
#[derive(Serialize, Deserialize)]
struct Joined {
    zone: String,
    signatures: u64,
    rrsets: u64,
    foreign: u64,
    unchecked: u64,
}

/// Refuses to answer from an earlier verdict where the zone's state now was asked for.
fn check_now(args: &Verify, folder: &Path, job: &Job, at: u32) -> Result<()> {
    if args.at.is_some() || !job.is_whole() {
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
    job: &'w Job,
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
        let [names, links, findings] = FILES.map(|kind| self.cut.file(kind, at));
        let found = output::whole_file(&names, |names| {
            output::whole_file(&links, |links| {
                let checked =
                    self.cut.on_threads(|| wanted.with(|options| verify_part(&part, options, names, links)));
                Ok(checked??)
            })
        })?;
        write_findings(&found.findings, &findings)?;
        let facts = serde_json::to_value(Checked {
            remarks: super::remarks(&part),
            signatures: found.signatures,
            rrsets: found.rrsets,
            foreign: found.foreign_signatures,
            unchecked: found.unchecked,
            dnskey_signers: found.dnskey_signers,
            request_signers: found.request_signers.into_iter().map(|(rtype, key)| (rtype.0, key)).collect(),
        })?;
        Ok(Made { outputs: vec![names, links, findings], facts })
    }

    fn join(&self) -> Result<Made> {
        let apex = Part::apex(&self.cut.folder())?;
        let wanted = self.wanted(&apex)?;
        let [names, links, findings] = FILES.map(|kind| self.cut.all(kind));
        let tally = |(checked, findings): (Checked, &PathBuf)| -> Result<Tally> {
            let requests = checked.request_signers.into_iter();
            Ok(Tally {
                signatures: checked.signatures,
                rrsets: checked.rrsets,
                foreign_signatures: checked.foreign,
                unchecked: checked.unchecked,
                dnskey_signers: checked.dnskey_signers,
                request_signers: requests.map(|(rtype, key)| (Rtype(rtype), key)).collect(),
                findings: read_findings(findings)?,
            })
        };
        let checked = super::facts(self.job, CHECK)?;
        let tallies = checked.into_iter().zip(&findings).map(tally).collect::<Result<Vec<_>>>()?;
        let load = |at| Part::load(&self.cut.folder(), at);
        let report = wanted.with(|options| verify_parts(&apex, options, tallies, [&names, &links], load))?;
        let path = self.findings();
        write_findings(&report.findings, &path)?;
        let facts = serde_json::to_value(Joined {
            zone: apex.zone().apex().to_string(),
            signatures: report.signatures,
            rrsets: report.rrsets,
            foreign: report.foreign_signatures,
            unchecked: report.unchecked_signatures,
        })?;
        Ok(Made { outputs: vec![path], facts })
    }
}

/// A finding, a line of a file.
#[derive(Serialize, Deserialize)]
struct Line {
    owner: String,
    r#type: u16,
    finding: String,
}

fn write_findings(findings: &[Finding], path: &Path) -> Result<()> {
    output::whole_file(path, |out| {
        findings.iter().try_for_each(|Finding { owner, rtype, what }| {
            let line = Line { owner: owner.to_string(), r#type: rtype.0, finding: what.clone() };
            Ok(writeln!(out, "{}", serde_json::to_string(&line)?)?)
        })
    })
}

fn read_findings(path: &Path) -> Result<Vec<Finding>> {
    let unread = || format!("cannot read {}", text::path(path));
    let finding = |line: std::io::Result<String>| {
        let line: Option<Line> = serde_json::from_str(&line.with_context(unread)?).ok();
        let finding = line.and_then(|line| {
            let owner = line.owner.parse::<Name>().ok()?;
            Some(Finding { owner, rtype: Rtype(line.r#type), what: line.finding })
        });
        finding.with_context(|| super::damaged(path))
    };
    BufReader::new(File::open(path).with_context(unread)?).lines().map(finding).collect()
}
