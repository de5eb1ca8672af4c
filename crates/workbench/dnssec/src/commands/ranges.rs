//! `fieldtest dnssec sign --job`: a zone larger than memory, sorted on disk and signed range by range.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::UNIX_EPOCH;

use anyhow::{Context as _, Result, anyhow, bail};
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::ranges::{Part, Split, split};
use fieldtest_dnssec::sign::{Counts, Links, Piece, Plan, SignError, Signer, write_hashes};
use fieldtest_dnssec::zone::Role;
use fieldtest_frame::job::{self, Ended, Item, Job, Made, State};
use serde_json::{Value, json};

use super::remarks;
use super::sign::{self, Times};
use crate::args::Sign;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

/// What a range takes in memory for each octet on disk: its records, sorted, with their names' order keys, and beside them
/// the chain of NSEC3.
const GROWTH: u64 = 4;
const MEBIBYTE: u64 = 1 << 20;

/// The waves.
const CUT: u32 = 0;
const HASH: u32 = 1;
const SIGN: u32 = 2;
const JOIN: u32 = 3;

pub(super) fn run(args: &Sign, folder: &Path, format: Format) -> Result<Outcome> {
    if args.algorithm.is_some() {
        return Err(usage(
            "a job signs with keys that are there, so that it can go on after any end; make them with “fieldtest dnssec keygen”, and name them with --key",
        ));
    }
    if args.zone.zone.as_os_str() == super::STDIN || output::is_stream(&args.output)? {
        return Err(usage("a job reads a file and writes one, since it may be begun again; name both"));
    }
    let (what, times, ranges) = what(args, folder)?;
    let nsec = args.nsec;
    let hashes = (0..ranges).filter(|_| !nsec).map(|at| (HASH, format!("hash range {at}")));
    let signs = (0..ranges).map(|at| (SIGN, format!("sign range {at}")));
    let items = [(CUT, "sort and cut".to_owned())].into_iter().chain(hashes).chain(signs);
    let plan = job::Plan::new(what, items.chain([(JOIN, "join".to_owned())]));

    let work = Work { args, times, ranges, folder };
    let earlier = output::kept_in_place(&args.output, &args.zone.zone)?;
    let state = match job::run(&args.ranges.run, plan.clone(), |item| work.item(item))? {
        Ended::Whole(state) => state,
        Ended::Stopped => {
            output::message("stopped; the same command goes on where this ends");
            return Ok(Outcome::Interrupted);
        }
        Ended::Piece => return Ok(Outcome::Fine),
    };
    output::tell_kept(&earlier.keep());
    work.clear();
    tell(args, &sum(&plan, &state), format)
}

/// All on which the result depends, as JSON; the times, which are those of the first beginning; how many ranges.
fn what(args: &Sign, folder: &Path) -> Result<(Value, Times, u32)> {
    let zone = &args.zone.zone;
    let shown = || format!("cannot read {}", zone.display());
    let found = fs::metadata(zone).with_context(shown)?;
    let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let begun = Job::planned(folder)?.map(|plan| plan.what).unwrap_or_default();
    let earlier = |name: &str| begun[name].as_u64().and_then(|value| u32::try_from(value).ok());
    let now = sign::times(args)?;
    let times = Times {
        inception: earlier("inception").filter(|_| args.inception.is_none()).unwrap_or(now.inception),
        expiration: earlier("expiration").filter(|_| args.expiration.is_none()).unwrap_or(now.expiration),
    };
    // A zone file and the same zone in raw format have about the same size.
    let fit = (found.len() * GROWTH).div_ceil(u64::from(args.ranges.memory) * MEBIBYTE).max(1);
    let ranges = args.ranges.ranges.or_else(|| earlier("ranges")).unwrap_or(fit.min(100_000) as u32);
    let what = json!({
        "command": "dnssec sign",
        "zone": fs::canonicalize(zone).with_context(shown)?.to_string_lossy(),
        "bytes": found.len(),
        "modified": modified.map(|since| since.as_nanos().to_string()),
        "origin": args.zone.origin,
        "keys": args.keys.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
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
    ranges: u32,
    folder: &'w Path,
}

impl Work<'_> {
    fn item(&self, item: &Item) -> Result<Made> {
        let at = item.name.rsplit(' ').next().and_then(|last| last.parse().ok()).unwrap_or(0);
        match item.wave {
            CUT => self.cut(),
            HASH => self.hash(at),
            SIGN => self.sign(at),
            JOIN => self.join(),
            wave => bail!("a job of another version of fieldtest: it has a wave {wave}"),
        }
    }

    fn memory(&self) -> u64 {
        u64::from(self.args.ranges.memory) * MEBIBYTE
    }

    /// The folder of the ranges.
    fn zone(&self) -> PathBuf {
        self.folder.join("zone")
    }

    fn file(&self, kind: &str, at: u32) -> PathBuf {
        self.folder.join(format!("{kind}-{at}"))
    }

    fn all(&self, kind: &str) -> Vec<PathBuf> {
        (0..self.ranges).map(|at| self.file(kind, at)).collect()
    }

    fn cut(&self) -> Result<Made> {
        let (done, partial) = (self.zone(), self.folder.join("zone.partial"));
        // What a worker left that was killed.
        for old in [&done, &partial] {
            if old.exists() {
                fs::remove_dir_all(old).with_context(|| format!("cannot remove {}", old.display()))?;
            }
        }
        fs::create_dir(&partial)
            .with_context(|| format!("cannot make the directory {}", partial.display()))?;
        let path = &self.args.zone.zone;
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let into = Split { folder: &partial, ranges: self.ranges as usize, memory: self.memory() as usize };
        let origin = super::origin(self.args.zone.origin.as_deref())?;
        let cut = split(BufReader::with_capacity(1 << 18, file), path, origin, into);
        if cut.is_err() {
            let _ = fs::remove_dir_all(&partial);
        }
        cut?;
        fs::rename(&partial, &done).with_context(|| format!("cannot write {}", done.display()))?;
        let outputs = fs::read_dir(&done)?.map(|entry| entry.map(|entry| entry.path()));
        Ok(Made { outputs: outputs.collect::<Result<_, _>>()?, ..Made::default() })
    }

    fn part(&self, at: u32) -> Result<Part> {
        let zone = self.zone();
        let needed = Part::size(&zone, at as usize)? * GROWTH;
        if needed > self.memory() {
            bail!(
                "range {at} takes about {} MiB of memory, and may take {}; begin a job with more --ranges, or with more --memory",
                needed.div_ceil(MEBIBYTE),
                self.args.ranges.memory
            );
        }
        Ok(Part::load(&zone, at as usize)?)
    }

    fn plan(&self, part: &Part) -> Result<Plan> {
        let (keys, _) = sign::keys(self.args, part.zone())?;
        let denial = sign::denial(self.args)?.unwrap_or_else(|| Denial::of(part.zone()));
        Ok(sign::plan(self.args, keys, &self.times, denial))
    }

    fn hash(&self, at: u32) -> Result<Made> {
        let part = self.part(at)?;
        let plan = self.plan(&part)?;
        let signer =
            Signer::of_part(&part, &plan, Links::default()).map_err(|error| sign::refused(error, &plan))?;
        let path = self.file("hashes", at);
        output::whole_file(&path, |out| {
            self.on_threads(|| write_hashes(&signer, &part, self.ranges as usize, out))
        })?;
        Ok(Made { outputs: vec![path], ..Made::default() })
    }

    fn sign(&self, at: u32) -> Result<Made> {
        let part = self.part(at)?;
        let plan = self.plan(&part)?;
        let links = match plan.denial {
            Denial::Nsec => Links::default(),
            _ => self.on_threads(|| Links::gather(&self.all("hashes"), at as usize))?,
        };
        let signer = Signer::of_part(&part, &plan, links).map_err(|error| sign::refused(error, &plan))?;
        let (signed, covered) = (self.file("signed", at), self.file("covered", at));
        let counts = output::whole_file(&signed, |out| {
            output::whole_file(&covered, |covered| {
                self.on_threads(|| signer.write_part(sign::form(self.args), out, covered))
            })
        })?;
        let own = || part.zone().owners_in(part.own());
        let outside = own().filter(|owner| owner.role() == Role::Outside).flat_map(|owner| owner.rrsets());
        let wildcards =
            part.zone().wildcard_delegations().filter(|owner| part.own().contains(&owner.id().index()));
        let mut facts = facts(&counts);
        facts["names"] = part.own().len().into();
        facts["outside"] = outside.map(|rrset| rrset.rdata().len()).sum::<usize>().into();
        facts["wildcards"] = wildcards.map(|owner| owner.name().to_string()).collect();
        Ok(Made { outputs: vec![signed, covered], facts })
    }

    fn join(&self) -> Result<Made> {
        let apex = Part::apex(&self.zone())?;
        let plan = self.plan(&apex)?;
        let signer =
            Signer::of_part(&apex, &plan, Links::default()).map_err(|error| sign::refused(error, &plan))?;
        let pieces: Vec<Piece> = (0..self.ranges)
            .map(|at| Piece { signed: self.file("signed", at), covered: self.file("covered", at) })
            .collect();
        let path = std::path::absolute(&self.args.output)?;
        let counts =
            output::whole_file(&path, |out| signer.join(sign::form(self.args), &pieces, out).map_err(told))?;
        let mut facts = facts(&counts);
        facts["zone"] = apex.zone().apex().to_string().into();
        facts["stale"] = signer.stale_requests().into();
        facts["entry"] = signer.has_entry().into();
        facts["denial"] = match (&plan.denial, sign::denial(self.args)?) {
            (Denial::Nsec3(nsec3), None) => sign::as_asked(nsec3).into(),
            _ => Value::Null,
        };
        Ok(Made { outputs: vec![path], facts })
    }

    /// Each worker has its share of the threads.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, SignError> + Send) -> Result<T> {
        let run = &self.args.ranges.run;
        let share = || match run.workers {
            1 => None,
            workers => {
                let threads = thread::available_parallelism().map_or(1, usize::from);
                Some((threads / usize::from(workers)).clamp(1, 1024) as u16)
            }
        };
        super::on_threads(self.args.threads.or_else(share), work)?.map_err(told)
    }

    /// Removes what was needed on the way: a job is done once its last wave is.
    fn clear(&self) {
        let _ = fs::remove_dir_all(self.zone());
        for path in ["hashes", "signed", "covered"].into_iter().flat_map(|kind| self.all(kind)) {
            let _ = fs::remove_file(path);
        }
    }
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
    let mut wildcards = Vec::new();
    for facts in of(SIGN) {
        for name in ["signatures", "rrsets", "records", "names", "outside"] {
            sum[name] = (sum[name].as_u64().unwrap_or(0) + facts[name].as_u64().unwrap_or(0)).into();
        }
        wildcards.extend(facts["wildcards"].as_array().into_iter().flatten().cloned());
    }
    sum["wildcards"] = wildcards.into();
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
    let wildcards = texts("wildcards");
    let mut warnings: Vec<String> = wildcards
        .first()
        .map(|first| remarks::wildcards_said(first, wildcards.len() - 1))
        .into_iter()
        .collect();
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
        super::report(&json!({
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
