//! `fieldtest dnssec sign --job`: a zone larger than memory, sorted on disk and signed range by range.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use data_encoding::HEXLOWER;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::DsDigest;
use fieldtest_dnssec::ranges::Part;
use fieldtest_dnssec::sign::{Links, Piece, Plan, Signer, write_hashes};
use fieldtest_frame::job::{self, Claim, Item, Job, Made, Status};
use fieldtest_frame::text::{self, names};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CUT, Cut, number};
use crate::args::Sign;
use crate::commands::sign::{self, Signed, Times};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Earlier, Format};

/// The waves.
const HASH: u32 = 1;
const SIGN: u32 = 2;
const JOIN: u32 = 3;

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
    output::check_place(&args.output)?;
    let (what, times, ranges) = what(args, folder)?;
    let nsec = args.nsec;
    let hashes = (0..ranges).filter(|_| !nsec).map(|at| (HASH, format!("hash range {at}")));
    let signs = (0..ranges).map(|at| (SIGN, format!("sign range {at}")));
    let items = [(CUT, super::CUTTING.to_owned())].into_iter().chain(hashes).chain(signs);
    let plan = job::Plan::new(what, items.chain([(JOIN, "join".to_owned())]));

    let cut = Cut {
        zone: &args.zone,
        limits: &args.ranges,
        ranges,
        folder,
        threads: args.threads.number,
        output: &args.output,
    };
    let job = Claim::of(folder, &plan.what)?.begin(plan)?;
    cut.check_included(&job)?;
    let work = Work { args, times, cut, job: &job };
    if args.output.exists() && work.is_as_left() == Some(false) {
        output::message(&format!(
            "{} is not as the job in {} left it, which is done again",
            text::path(&args.output),
            text::path(folder)
        ));
    }
    let was_whole = job.is_whole();
    let done = |item: &Item| work.item(item).map_err(|error| super::of_own(error, folder));
    if !job::run(&args.ranges.run, &job, done)? {
        return Ok(job::stopped());
    }
    work.cut.clear(&["hashes", "signed", "covered"]);
    let joined: Vec<Joined> = super::facts(&job, JOIN)?;
    let Some(Joined { mut signed, kept }) = joined.into_iter().next() else {
        bail!("the zone is not joined")
    };
    super::facts(&job, SIGN)?.into_iter().for_each(|range| signed.add(range));
    // Of an earlier run that was told then.
    if !was_whole {
        output::tell_kept(&kept.iter().map(|name| names::path(name)).collect::<Vec<_>>());
    }
    signed.tell(args, Vec::new(), format)
}

/// What the ledger says of the last item.
#[derive(Serialize, Deserialize)]
struct Joined {
    signed: Signed,
    /// What was in the place of the signed zone, by its new names.
    kept: Vec<String>,
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
    job: &'w Job,
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

    /// Whether the signed zone is there as this job left it; none where it never left one.
    fn is_as_left(&self) -> Option<bool> {
        let (state, joining) = (self.job.state(), self.job.plan().items.last()?);
        let entry = state.of(&joining.id).filter(|entry| entry.status == Status::Done)?;
        Some(state.is_done(&entry.item))
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
        output::own_whole_file(&path, |out| {
            self.cut
                .on_threads(|| write_hashes(&signer, &part, self.cut.ranges as usize, out))?
                .map_err(sign::unwritten)
        })?;
        Ok(Made { outputs: vec![path], ..Made::default() })
    }

    fn sign(&self, at: u32) -> Result<Made> {
        let part = self.cut.part(at)?;
        let plan = self.plan(&part)?;
        let links = match plan.denial {
            Denial::Nsec => Links::default(),
            _ => self
                .cut
                .on_threads(|| Links::gather(&self.cut.all("hashes"), at as usize))?
                .map_err(sign::unwritten)?,
        };
        let signer = Signer::of_part(&part, &plan, links).map_err(|error| sign::refused(error, &plan))?;
        let (signed, covered) = (self.cut.file("signed", at), self.cut.file("covered", at));
        let counts = output::own_whole_file(&signed, |out| {
            output::own_whole_file(&covered, |covered| {
                self.cut
                    .on_threads(|| signer.write_part(sign::form(self.args), out, covered))?
                    .map_err(sign::unwritten)
            })
        })?;
        let facts = serde_json::to_value(Signed::of_range(counts, super::remarks(&part)))?;
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
        let counts = output::own_whole_file(&path, |out| {
            let counts = signer.join(sign::form(self.args), &pieces, out).map_err(sign::unwritten)?;
            out.flush()?;
            if self.is_as_left() != Some(true) {
                earlier = Some(Earlier::secure(&[&path])?);
            }
            Ok(counts)
        })?;
        let kept = earlier.map(Earlier::keep).unwrap_or_default();
        let has_asked = sign::denial(self.args)?.is_some();
        let facts = serde_json::to_value(Joined {
            signed: Signed::of(apex.zone(), &signer, counts, &plan, has_asked),
            kept: kept.iter().map(|path| names::of(path)).collect(),
        })?;
        Ok(Made { outputs: vec![path], facts })
    }
}
