//! `fieldtest dnssec sign`: a zone in, a signed zone out.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use data_encoding::HEXUPPER_PERMISSIVE;
use fieldtest_dnssec::codepoints::{CodePoints, Resolver};
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::keys::{self, KeyTimes, KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Cds, Counts, Dnskey, Form, Plan, SignError, Signer, Zonemd};
use fieldtest_dnssec::{Rtype, Zone};
use fieldtest_frame::measuring;
use serde_json::{Value, json};

use super::keygen;
use super::remarks::{self, Remarks};
use crate::algorithms::resolver;
use crate::args::{self, Sign, ZoneForm};
use crate::interrupt::Unfinished;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

/// Signatures are valid from an hour ago, for clocks that are behind, as dnssec-signzone does.
const BEFORE: u32 = 3_600;
/// And for thirty days.
const AFTER: u32 = 30 * 86_400;

/// What is said of a zone that only keys of zone-signing kind sign.
const NO_ENTRY: &str = "no key with the SEP flag signs the DNSKEY RRset, which 'fieldtest dnssec verify' requires unless it has \
                        an --anchor; for one key that signs everything (a CSK): fieldtest dnssec keygen --ksk";

pub(crate) fn run(args: &Sign, format: Format) -> Result<Outcome> {
    super::report_form(format, &args.output, "fieldtest dnssec sign")?;
    are_kept(args)?;
    // clap waives `requires` where the required option conflicts with another that is there.
    if args.algorithm.is_none() && (args.csk || args.key_directory.is_some()) {
        let option = if args.csk { "--csk" } else { "--key-directory" };
        return Err(coded(
            "no-effect",
            usage(format!("{option} has no effect: no key is generated; leave it out, or give --algorithm")),
        ));
    }
    let key_directory = key_directory(args)?;
    let times = times(args)?;
    let asked = denial(args)?;
    let zone = super::load(&args.zone)?;
    super::check_included(&args.output, zone.included())?;
    let denial = asked.clone().unwrap_or_else(|| Denial::of(&zone));
    let table = crate::typed::code_points(&args.code_points)?;
    let resolve = resolver(&table, args.implementation.as_deref());
    let (keys, fresh) = keys(args, &zone, &table, &resolve)?;
    let plan = plan(args, keys, times, denial);
    let signer = Signer::new(&zone, &plan).map_err(|error| refused(error, &plan))?;
    let form = match args.output_format {
        ZoneForm::Text => Form::Text,
        ZoneForm::Raw => Form::Raw,
    };
    let mut new_paths = Vec::new();
    let counts = output::whole_file(&args.output, |out| {
        let counts =
            super::on_threads(args.threads.number, || signer.write(form, out))?.map_err(unwritten)?;
        out.flush()?;
        // The zone's last octet is written, so neither a zone without its keys nor keys without a zone are left.
        if fresh {
            for key in &plan.keys {
                let path = key.write(&key_directory)?;
                Unfinished::add(&path);
                Unfinished::add(&path.with_extension("private"));
                new_paths.push(path);
            }
        }
        Ok(counts)
    })?;
    for path in &new_paths {
        output::message(&format!("new key {}", path.display()));
    }
    let new_keys = plan.keys.iter().filter(|_| fresh).map(|key| super::key(key, &key_directory)).collect();
    Signed::of(&zone, &signer, counts, &plan, (asked.is_some(), &resolve)).tell(args, new_keys, format)
}

struct Signed {
    zone: String,
    counts: Counts,
    keys_kept: Vec<String>,
    keys_left_out: Vec<String>,
    /// Requests to the parent that name none of the keys.
    stale: Vec<String>,
    /// NSEC3PARAM records of the zone that the choice of NSEC or NSEC3 leaves out.
    parameters_left_out: usize,
    /// What is said where the zone and not the user chose NSEC3.
    denial: Option<String>,
    names: usize,
    remarks: Remarks,
}

impl Signed {
    fn of(
        zone: &Zone,
        signer: &Signer<'_>,
        counts: Counts,
        plan: &Plan,
        (has_asked, resolve): (bool, &Resolver<'_>),
    ) -> Signed {
        let denial = match &plan.denial {
            Denial::Nsec3(nsec3) if !has_asked => Some(as_asked(nsec3)),
            _ => None,
        };
        let parameters = zone.rrset(zone.apex().as_wire(), Rtype::NSEC3PARAM);
        let parameters = parameters.filter(|_| !has_asked).map_or(0, |rrset| rrset.rdata().len());
        let mut remarks = Remarks::of(zone, &plan.denial);
        remarks.warnings.extend(invalid(plan));
        remarks.warnings.extend(untimely(&plan.keys));
        remarks.warnings.extend(unusable(zone, signer, resolve));
        if !signer.has_entry() {
            remarks.warnings.push(NO_ENTRY.to_owned());
        }
        Signed {
            parameters_left_out: parameters.saturating_sub(denial.iter().len()),
            zone: zone.apex().to_string(),
            keys_kept: signer.keys_kept().to_vec(),
            keys_left_out: signer.keys_left_out().to_vec(),
            stale: signer.stale_requests().to_vec(),
            denial,
            counts,
            names: signer.names(),
            remarks,
        }
    }

    fn tell(&self, args: &Sign, new_keys: Vec<Value>, format: Format) -> Result<Outcome> {
        let (names, Remarks { outside, warnings }) = (self.names, &self.remarks);
        if !self.keys_kept.is_empty() {
            output::message(&format!(
                "kept, published without signing: {}; to remove them: --dnskey remove",
                self.keys_kept.join(", ")
            ));
        }
        if !self.keys_left_out.is_empty() {
            let why = match args.dnskey {
                args::Dnskey::Remove => "--dnskey remove",
                args::Dnskey::Keep => "revoked, or no given key signs with their algorithm",
            };
            output::message(&format!("left out ({why}): {}", self.keys_left_out.join(", ")));
        }
        if !self.stale.is_empty() {
            output::message(&format!(
                "removed, since they refer to none of the keys: {}; to make new ones: --cds compute",
                self.stale.join(", ")
            ));
        }
        if self.parameters_left_out > 0 {
            output::message(&format!(
                "ignored: {} of the zone, not usable: a hash function other than SHA-1, flags (RFC 5155, section 4.1.2), \
                 or a second record; --nsec3 sets parameters",
                output::count(self.parameters_left_out, "NSEC3PARAM record"),
            ));
        }
        if let Some(said) = &self.denial {
            output::message(said);
        }
        remarks::tell_outside(&self.zone, *outside);
        remarks::tell(warnings);
        if format == Format::Json {
            super::report(&json!({
                "zone": self.zone,
                "file": args.output.to_string_lossy(),
                "signatures": self.counts.signatures,
                "names": names,
                "RRsets, signatures included": self.counts.rrsets,
                "records": self.counts.records,
                "bytes": self.counts.octets,
                "new keys": new_keys,
                "keys kept": self.keys_kept,
                "left out": { "records outside": outside, "keys": self.keys_left_out, "stale": self.stale,
                    "NSEC3PARAM records": self.parameters_left_out },
                "warnings": warnings,
            }))?;
        }
        let place = match args.output.as_os_str() == output::STDOUT {
            true => "to standard output".to_owned(),
            false => format!("in {}", args.output.display()),
        };
        output::message(&format!(
            "{}: {} over {}, {} {place}",
            self.zone,
            output::count(self.counts.signatures as usize, "signature"),
            output::count(names, "name"),
            output::count(self.counts.octets as usize, "byte"),
        ));
        Ok(Outcome::Fine)
    }
}

/// The first and the last second since 1970 in which signatures are valid, as typed or reckoned from now.
fn times(args: &Sign) -> Result<[u32; 2]> {
    let now = crate::typed::now();
    let typed =
        |option, time: &Option<String>| time.as_deref().map(|time| super::moment(option, time)).transpose();
    Ok([
        typed("--inception", &args.inception)?.unwrap_or(now.wrapping_sub(BEFORE)),
        typed("--expiration", &args.expiration)?.unwrap_or(now.wrapping_add(AFTER)),
    ])
}

fn plan(args: &Sign, keys: Vec<ZoneKey>, times: [u32; 2], denial: Denial) -> Plan {
    Plan {
        denial,
        all_keys_sign_dnskey: args.all_keys_sign_dnskey,
        zonemd: match args.zonemd {
            args::Zonemd::Auto => Zonemd::Renew,
            args::Zonemd::Compute => Zonemd::Compute,
            args::Zonemd::Remove => Zonemd::Remove,
        },
        dnskey: match args.dnskey {
            args::Dnskey::Keep => Dnskey::Keep,
            args::Dnskey::Remove => Dnskey::Remove,
        },
        cds: match args.cds {
            args::Cds::Auto => Cds::Renew,
            args::Cds::Compute => Cds::Compute,
            args::Cds::Remove => Cds::Remove,
            args::Cds::Keep => Cds::Keep,
        },
        ..Plan::new(keys, times)
    }
}

fn as_asked(nsec3: &Nsec3) -> String {
    format!(
        "uses NSEC3{} for denial of existence, as the zone's NSEC3PARAM record requests; other parameters: --nsec3; NSEC: --nsec",
        if nsec3.opt_out { " and opt-out" } else { "" },
    )
}

/// Refuses an output that is a key, or that is written through to the zone. A zone may be signed in its place: it has its
/// name until the signed one is complete.
fn are_kept(args: &Sign) -> Result<()> {
    const LOST: &str = "a key, which would be lost";
    if output::is_stream(&args.output)? {
        let zone = (args.zone.zone.as_path(), "the zone that is read, which would be lost");
        output::check_keeps(&args.output, [zone])?;
    }
    for path in &args.keys {
        let files = ZoneKey::paths(path);
        output::check_keeps(&args.output, files.iter().map(|file| (file.as_path(), LOST)))?;
    }
    // Of another zone, or one that does not sign now: no signed zone has such a name.
    let is_key = |name: &str| name.starts_with('K') && (name.ends_with(".private") || name.ends_with(".key"));
    match args.output.file_name().and_then(|name| name.to_str()).is_some_and(is_key) && args.output.exists() {
        true => {
            Err(usage(format!("cannot write {}: it is {LOST}; write to another file", args.output.display())))
        }
        false => Ok(()),
    }
}

/// Where new keys go: beside the signed zone, unless a directory is named. Empty if no keys are made.
fn key_directory(args: &Sign) -> Result<PathBuf> {
    match &args.key_directory {
        _ if args.algorithm.is_none() => Ok(PathBuf::new()),
        // Names are shown as they were typed, without a dot in front.
        None => match output::folder_beside(&args.output, "--key-directory DIRECTORY")? {
            here if here.as_os_str() == "." => Ok(PathBuf::new()),
            directory => Ok(directory),
        },
        Some(directory) => super::present(directory).map(|()| directory.clone()),
    }
}

/// The errors that are the fault of what was typed, as such.
fn refused(error: SignError, plan: &Plan) -> anyhow::Error {
    match error {
        SignError::Times => usage(format!(
            "the expiration {} is {} the inception {}; correct --expiration or --inception",
            instant(plan.expiration),
            match plan.expiration > plan.inception {
                true => "more than 68 years (RFC 4034, section 3.1.5) after",
                false => "not after",
            },
            instant(plan.inception)
        )),
        SignError::DuplicateKey(_) | SignError::Salt(_) => usage(error),
        other => other.into(),
    }
}

/// An error of the system as such, so that the file is named that was being written.
fn unwritten(error: SignError) -> anyhow::Error {
    match error {
        SignError::Write(error) => error.into(),
        other => other.into(),
    }
}

/// What is said of signatures that are not valid at this moment, by serial arithmetic (RFC 4034, section 3.1.5).
fn invalid(plan: &Plan) -> Option<String> {
    let now = crate::typed::now();
    let passed = |moment: u32| now.wrapping_sub(moment).cast_signed() > 0;
    if passed(plan.expiration) {
        let since = instant(plan.expiration);
        return Some(format!(
            "the signatures expired on {since}, so validators reject the zone; set --expiration"
        ));
    }
    let from = instant(plan.inception);
    (!passed(plan.inception)).then(|| {
        format!("the signatures are not valid before {from}, and validators reject the zone until then")
    })
}

/// What is said of keys that sign, and by their files' moments are not to do so now.
fn untimely(keys: &[ZoneKey]) -> Option<String> {
    let now = crate::typed::now();
    let is_untimely = |key: &&ZoneKey| {
        let KeyTimes { activate, inactive, delete, .. } = key.times();
        let is_over = [inactive, delete].into_iter().flatten().any(|moment| moment <= now);
        key.signing().is_some() && (is_over || activate > Some(now))
    };
    let files = remarks::shortened(keys.iter().filter(is_untimely).map(ZoneKey::file_name), "other key")?;
    Some(format!("{files} signs, although its Activate is in the future, or its Inactive or Delete is past"))
}

/// What is said of keys that stay published and are none.
fn unusable(zone: &Zone, signer: &Signer<'_>, resolve: &Resolver<'_>) -> Option<String> {
    let apex = zone.apex();
    let published = zone.rrset(apex.as_wire(), Rtype::DNSKEY).into_iter().flat_map(|rrset| rrset.rdata());
    let faults = published.filter_map(|rdata| {
        let called = format!("DNSKEY {}", keys::tag(rdata));
        let key = ZoneKey::from_dnskey(*apex, rdata.to_vec()).map_err(|error| error.to_string());
        let fault = key.map_or_else(Some, |key| key.fault(resolve))?;
        signer.keys_kept().contains(&called).then(|| format!("{called} is not a valid key: {fault}"))
    });
    remarks::shortened(faults, "other key")
}

fn instant(seconds: u32) -> String {
    jiff::Timestamp::from_second(seconds.into()).map_or_else(|_| seconds.to_string(), |time| time.to_string())
}

fn denial(args: &Sign) -> Result<Option<Denial>> {
    let (opts_out, has_salt) = (args.opt_out, !args.salt.is_empty());
    for (option, is_typed) in
        [("--opt-out", opts_out), ("--salt", has_salt), ("--iterations", args.iterations > 0)]
    {
        if args.nsec && is_typed {
            let name = option.trim_start_matches('-');
            return Err(usage(format!(
                "cannot use {option} with --nsec: {name} exists only in NSEC3; give --nsec3"
            )));
        }
    }
    if !args.nsec3 {
        return Ok(args.nsec.then_some(Denial::Nsec));
    }
    // The presentation format of an empty salt (RFC 5155, section 3.3).
    let typed = if args.salt == "-" { "" } else { &args.salt };
    let salt = HEXUPPER_PERMISSIVE.decode(typed.as_bytes()).ok().filter(|salt| salt.len() <= 255);
    let salt = salt.ok_or_else(|| {
        usage(format!(
            "invalid --salt '{typed}': expected an even number of hexadecimal digits, at most 510, such as aabb, or - for none"
        ))
    })?;
    Ok(Some(Denial::Nsec3(Nsec3 { iterations: args.iterations, salt, opt_out: args.opt_out })))
}

/// The keys that were named, or new ones; says whether they are new.
fn keys(
    args: &Sign,
    zone: &Zone,
    table: &CodePoints,
    resolve: &Resolver<'_>,
) -> Result<(Vec<ZoneKey>, bool)> {
    let Some(algorithm) = &args.algorithm else {
        measuring::known_implementation(args.implementation.as_deref())?;
        let named = args.keys.iter().map(|path| ZoneKey::read(path, resolve));
        return Ok((named.collect::<Result<_, _>>()?, false));
    };
    let (code_point, implementation) = super::algorithm(table, algorithm, args.implementation.as_deref())?;
    let uses: &[KeyUse] =
        if args.csk { &[KeyUse::KeySigning] } else { &[KeyUse::KeySigning, KeyUse::ZoneSigning] };
    let directory = key_directory(args)?;
    let mut keys: Vec<ZoneKey> = Vec::new();
    for key_use in uses {
        let is_taken =
            |key: &ZoneKey| key.existing(&directory).is_some() || keys.iter().any(|it| it.tag() == key.tag());
        keys.push(keygen::generate((*zone.apex(), *key_use), code_point.clone(), implementation, is_taken)?);
    }
    Ok((keys, true))
}
