//! `fieldtest dnssec sign --job`: a zone larger than memory, sorted on disk and signed range by range.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use data_encoding::HEXLOWER;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::DsDigest;
use fieldtest_dnssec::ranges::Part;
use fieldtest_dnssec::sign::{Counts, Links, Piece, Plan, SignError, Signer, write_hashes};
use fieldtest_frame::job::{self, Entry, Item, Job, Made, State, Status};
use fieldtest_frame::stamp::of_file;
use fieldtest_frame::text::{self, names};
use serde_json::{Value, json};

use super::{CUT, Cut, Purpose, number};
use crate::args::Sign;
use crate::commands::remarks;
use crate::commands::sign::{self, Times};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Earlier, Format};

/// The waves.
const HASH: u32 = 1;
const SIGN: u32 = 2;
const JOIN: u32 = 3;
const JOINING: &str = "join";

pub(in crate::commands) fn run(args: &Sign, folder: &Path, format: Format) -> Result<Outcome> {
    if args.algorithm.is_some() {
        return Err(usage(
            "a job signs with keys that are there, so that it can go on after any end; make them with “fieldtest dnssec keygen”, and name them with --key",
        ));
    }
    if output::is_stream(&args.output)? {
        return Err(usage("a job writes a file, since it may be begun again; name one"));
    }
    super::check_places(folder, &[("the zone", &args.zone.zone), ("the signed zone", &args.output)])?;
    job::check_output(&args.ranges.run, &args.output)?;
    let (what, times, ranges) = what(args, folder)?;
    let nsec = args.nsec;
    let hashes = (0..ranges).filter(|_| !nsec).map(|at| (HASH, format!("hash range {at}")));
    let signs = (0..ranges).map(|at| (SIGN, format!("sign range {at}")));
    let items = [(CUT, super::CUTTING.to_owned())].into_iter().chain(hashes).chain(signs);
    let plan = job::Plan::new(what, items.chain([(JOIN, JOINING.to_owned())]));

    let cut = Cut {
        zone: &args.zone,
        limits: &args.ranges,
        ranges,
        folder,
        threads: args.threads.number,
        purpose: Purpose::Sign,
        output: Some(&args.output),
    };
    cut.check_included(&plan)?;
    let work = Work { args, times, cut };
    let job = Job::sketch(folder, plan.clone())?;
    work.set_aside(&job)?;
    let was_whole = job.is_whole()?;
    let done = |item: &Item| work.item(item).map_err(|error| super::of_own(error, folder));
    let state = match job::run(&args.ranges.run, plan.clone(), done)?.whole() {
        Ok(state) => state,
        Err(end) => return Ok(end),
    };
    work.cut.clear(&["hashes", "signed", "covered"]);
    let sum = sum(&plan, &state);
    let kept = sum["kept"].as_array().into_iter().flatten().filter_map(Value::as_str).map(names::path);
    // Of an earlier run that was told then.
    if !was_whole {
        output::tell_kept(&kept.collect::<Vec<_>>());
    }
    tell(args, &sum, format)
}

/// All on which the result depends, as JSON; the times, which are those of the first beginning; how many ranges.
fn what(args: &Sign, folder: &Path) -> Result<(Value, Times, u32)> {
    let begun = Job::planned(folder)?.map(|plan| plan.what).unwrap_or_default();
    let earlier = |name: &str| begun[name].as_u64().and_then(|value| u32::try_from(value).ok());
    let now = sign::times(args)?;
    let times = Times {
        inception: earlier("inception").filter(|_| args.inception.is_none()).unwrap_or(now.inception),
        expiration: earlier("expiration").filter(|_| args.expiration.is_none()).unwrap_or(now.expiration),
    };
    let ranges = super::ranges(&args.zone, &args.ranges, &begun)?;
    let what = json!({
        "command": "dnssec sign",
        "zone": super::stamp(&args.zone)?,
        // Whatever their files are called, and whatever is under these names the next time.
        "keys": sign::named_keys(args)?.iter().map(|key| HEXLOWER.encode(&key.ds(DsDigest::Sha256))).collect::<Vec<_>>(),
        "code points": format!("{:?}", args.code_points),
        "implementation": args.implementation,
        "output": std::path::absolute(&args.output)?.to_string_lossy(),
        "form": format!("{:?}", args.output_format),
        "denial": sign::denial(args)?.map(|denial| format!("{denial:?}")),
        "ZONEMD": format!("{:?}", args.zonemd),
        "CDS": format!("{:?}", args.cds),
        "all keys sign DNSKEY": args.all_keys_sign_dnskey,
        "inception": times.inception,
        "expiration": times.expiration,
        "ranges": ranges,
    });
    Ok((what, times, ranges))
}

/// What items are done with.
struct Work<'w> {
    args: &'w Sign,
    times: Times,
    cut: Cut<'w>,
}

impl Work<'_> {
    fn item(&self, item: &Item) -> Result<Made> {
        let at = number(item);
        match item.wave {
            CUT => self.cut.cut(),
            HASH => self.hash(at),
            SIGN => self.sign(at),
            JOIN => self.join(),
            wave => bail!("a job of another version of fieldtest: it has a wave {wave}"),
        }
    }

    /// Keeps what has been done to the signed zone since this job left it: where it would count as done, and where the job is done again.
    fn set_aside(&self, job: &Job) -> Result<()> {
        let run = &self.args.ranges.run;
        let path = std::path::absolute(&self.args.output)?;
        let is_left = |entry: &Entry| entry.status == Status::Done && entry.name == JOINING;
        if run.item.is_some()
            || run.dry_run
            || !path.exists()
            || !job.state()?.entries().any(is_left)
            || self.is_as_left(&path)?
        {
            return Ok(());
        }
        output::message(&format!(
            "{} is not as the job in {} left it, which is done again",
            text::path(&self.args.output),
            text::path(self.cut.folder)
        ));
        if job.is_whole()? {
            // Of the same length, so that the job would find itself done.
            let kept = Earlier::secure(&[&path])?.keep();
            let target = fs::canonicalize(&path)?;
            fs::remove_file(&target).with_context(|| format!("cannot remove {}", text::path(&target)))?;
            output::tell_kept(&kept);
        }
        Ok(())
    }

    /// Whether this job left what is there now, as far as its ledger knows.
    fn is_as_left(&self, path: &Path) -> Result<bool> {
        let Some(plan) = Job::planned(self.cut.folder)? else { return Ok(false) };
        let Some(joining) = plan.items.iter().find(|item| item.wave == JOIN) else { return Ok(false) };
        let state = Job::sketch(self.cut.folder, plan.clone())?.state()?;
        let entry = state.of(&joining.id).filter(|entry| entry.status == Status::Done);
        Ok(entry.is_some_and(|entry| left(path).is_ok_and(|now| entry.facts["left"] == now)))
    }

    fn plan(&self, part: &Part) -> Result<Plan> {
        let (keys, _) = sign::keys(self.args, part.zone())?;
        let denial = sign::denial(self.args)?.unwrap_or_else(|| Denial::of(part.zone()));
        Ok(sign::plan(self.args, keys, &self.times, denial))
    }

    fn hash(&self, at: u32) -> Result<Made> {
        let part = self.cut.part(at)?;
        let plan = self.plan(&part)?;
        let signer =
            Signer::of_part(&part, &plan, Links::default()).map_err(|error| sign::refused(error, &plan))?;
        let path = self.cut.file("hashes", at);
        output::whole_file(&path, |out| {
            self.cut.on_threads(|| write_hashes(&signer, &part, self.cut.ranges as usize, out))?.map_err(told)
        })?;
        Ok(Made { outputs: vec![path], ..Made::default() })
    }

    fn sign(&self, at: u32) -> Result<Made> {
        let part = self.cut.part(at)?;
        let plan = self.plan(&part)?;
        let links = match plan.denial {
            Denial::Nsec => Links::default(),
            _ => {
                self.cut.on_threads(|| Links::gather(&self.cut.all("hashes"), at as usize))?.map_err(told)?
            }
        };
        let signer = Signer::of_part(&part, &plan, links).map_err(|error| sign::refused(error, &plan))?;
        let (signed, covered) = (self.cut.file("signed", at), self.cut.file("covered", at));
        let counts = output::whole_file(&signed, |out| {
            output::whole_file(&covered, |covered| {
                self.cut.on_threads(|| signer.write_part(sign::form(self.args), out, covered))?.map_err(told)
            })
        })?;
        let mut facts = facts(&counts);
        super::add_remarks(&part, &mut facts);
        Ok(Made { outputs: vec![signed, covered], facts })
    }

    fn join(&self) -> Result<Made> {
        let apex = Part::apex(&self.cut.folder())?;
        let plan = self.plan(&apex)?;
        let signer =
            Signer::of_part(&apex, &plan, Links::default()).map_err(|error| sign::refused(error, &plan))?;
        let pieces: Vec<Piece> = (0..self.cut.ranges)
            .map(|at| Piece { signed: self.cut.file("signed", at), covered: self.cut.file("covered", at) })
            .collect();
        let path = std::path::absolute(&self.args.output)?;
        // As large as the zone: what was left of a join that was killed might be in the way of this one.
        output::clear_partial(&path);
        let mut earlier = None;
        let counts = output::whole_file(&path, |out| {
            let counts = signer.join(sign::form(self.args), &pieces, out).map_err(told)?;
            out.flush()?;
            // Here, and not by whoever runs the job: that may be over when a node comes to this.
            if !self.is_as_left(&path)? {
                earlier = Some(Earlier::secure(&[&path])?);
            }
            Ok(counts)
        })?;
        let kept = earlier.map(Earlier::keep).unwrap_or_default();
        let mut facts = facts(&counts);
        facts["kept"] = kept.iter().map(|path| names::of(path)).collect();
        facts["left"] = left(&path)?;
        facts["zone"] = apex.zone().apex().to_string().into();
        facts["stale"] = signer.stale_requests().into();
        facts["entry"] = signer.has_entry().into();
        facts["denial"] = match (&plan.denial, sign::denial(self.args)?) {
            (Denial::Nsec3(nsec3), None) => sign::as_asked(nsec3).into(),
            _ => Value::Null,
        };
        Ok(Made { outputs: vec![path], facts })
    }
}

/// What tells a file from one that was written to since, also where it was copied elsewhere in between.
fn left(path: &Path) -> Result<Value> {
    let now = of_file(path)?;
    Ok(json!([now["bytes"], now["modified"]]))
}

/// An error of the system as such, so that the file is named that was being written.
fn told(error: SignError) -> anyhow::Error {
    match error {
        SignError::Write(error) => error.into(),
        other => anyhow!(other),
    }
}

fn facts(counts: &Counts) -> Value {
    json!({
        "signatures": counts.signatures,
        "rrsets": counts.rrsets,
        "records": counts.records,
        "octets": counts.octets,
    })
}

/// What the ledger says of all items, added up; of what only the join knows, that.
fn sum(plan: &job::Plan, state: &State) -> Value {
    let of = |wave: u32| {
        let items = plan.items.iter().filter(move |item| item.wave == wave);
        items.filter_map(|item| state.of(&item.id)).map(|entry| &entry.facts)
    };
    let mut sum = of(JOIN).next().cloned().unwrap_or_default();
    super::add_up(of(SIGN), &["signatures", "rrsets", "records", "names", "outside"], &mut sum);
    sum
}

/// Says what was done, as signing in one run does.
fn tell(args: &Sign, sum: &Value, format: Format) -> Result<Outcome> {
    let number = |name: &str| sum[name].as_u64().unwrap_or(0);
    let texts = |name: &str| -> Vec<&str> {
        sum[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let zone = sum["zone"].as_str().unwrap_or_default();
    if let Some(said) = sign::left_out(&texts("stale")) {
        output::message(&said);
    }
    if let Some(said) = sum["denial"].as_str() {
        output::message(said);
    }
    remarks::tell_outside(zone, number("outside") as usize);
    let mut warnings = super::warnings(sum);
    if sum["entry"] == false {
        warnings.push(sign::NO_ENTRY.to_owned());
    }
    remarks::tell(&warnings);
    let counts = Counts {
        signatures: number("signatures"),
        rrsets: number("rrsets"),
        records: number("records"),
        octets: number("octets"),
    };
    if format == Format::Json {
        crate::commands::report(&json!({
            "zone": zone,
            "file": args.output.to_string_lossy(),
            "signatures": counts.signatures,
            "names": number("names"),
            "RRsets, signatures included": counts.rrsets,
            "records": counts.records,
            "bytes": counts.octets,
            "new keys": [],
            "left out": { "records outside": number("outside"), "stale": texts("stale") },
            "warnings": warnings,
        }))?;
    }
    sign::tell_counts(args, zone, number("names") as usize, &counts);
    Ok(Outcome::Fine)
}
