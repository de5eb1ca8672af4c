//! `fieldtest dnssec verify`: a whole signed zone, judged.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::format::{raw, text};
use fieldtest_dnssec::keys::{DsDigest, ds};
use fieldtest_dnssec::verify::{self, Options, Report};
use fieldtest_dnssec::zone::ZoneError;
use fieldtest_dnssec::{Name, ReadError, Rtype, Zone, ZoneBuilder};
use fieldtest_frame::measuring;
use fieldtest_report::Table;
use serde_json::json;

use super::remarks::{self, Remarks};
use crate::algorithms::resolver;
use crate::args::Verify;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

const SHA1_ANCHOR: &str = "the only digest of the anchor is SHA-1, which must not be used (RFC 8624, section 3.3; RFC 9904); give one with SHA-256";
/// Findings that are printed if no number is given.
const SHOWN: usize = 50;

pub(crate) fn run(args: &Verify, format: Format) -> Result<Outcome> {
    measuring::known_implementation(args.implementation.as_deref())?;
    let at = args
        .at
        .as_deref()
        .map(|typed| super::moment("--at", typed))
        .transpose()?
        .unwrap_or_else(crate::typed::now);
    let table = crate::typed::code_points(&args.code_points)?;
    let zone = super::load(&args.zone)?;
    let anchors = args.anchor.as_deref().map(|path| anchors(path, &zone)).transpose()?.unwrap_or_default();
    let resolve = resolver(&table, args.implementation.as_deref());
    let options = Options { resolve: &resolve, now: Some(at), anchors: &anchors };
    let report = super::on_threads(args.threads.number, || verify::verify(&zone, &options))?;
    let mut remarks = Remarks::of(&zone, &Denial::of(&zone));
    if !anchors.is_empty() && anchors.iter().all(|ds| remarks::is_sha1(ds)) {
        remarks.warnings.push(SHA1_ANCHOR.to_owned());
    }
    tell(args, &report, zone.apex(), &remarks, format)
}

fn tell(args: &Verify, report: &Report, zone: &Name, remarks: &Remarks, format: Format) -> Result<Outcome> {
    let mut findings =
        Table::new(format!("Findings in {}", args.zone.zone.display())).texts(["owner", "type", "finding"]);
    let show = args.show.unwrap_or(if format == Format::Json { usize::MAX } else { SHOWN });
    for finding in report.findings.iter().take(show) {
        findings.row([
            finding.owner.to_string().into(),
            finding.rtype.to_string().into(),
            finding.what.as_str().into(),
        ]);
    }
    let hidden = report.findings.len().saturating_sub(show);
    if hidden > 0 {
        findings.note(format!(
            "{} more; see them with --show {}",
            output::count(hidden, "finding"),
            report.findings.len()
        ));
    }
    if format == Format::Json {
        let shown = report.findings.iter().take(show).map(|finding| {
            let (owner, rtype) = (finding.owner.to_string(), finding.rtype.to_string());
            json!({ "owner": owner, "type": rtype, "finding": finding.what })
        });
        super::report(&json!({
            "zone": zone.to_string(),
            "file": args.zone.zone.to_string_lossy(),
            "signatures": {
                "good": report.signatures,
                "by keys that are not published": report.foreign_signatures,
                "not checked": report.unchecked_signatures,
            },
            "RRsets": report.rrsets,
            "left out": { "records outside": remarks.outside },
            "warnings": remarks.warnings,
            "secure": report.is_secure(),
            "number of findings": report.findings.len(),
            "findings": shown.collect::<Vec<_>>(),
        }))?;
    } else if !findings.is_empty() || format != Format::Human {
        output::table(&findings, format)?;
    }
    remarks::tell_outside(zone, remarks.outside);
    remarks::tell(&remarks.warnings);
    output::message(&format!(
        "{zone}: {} good over {}, {} by keys that are not published, {} not checked, {}",
        output::count(report.signatures as usize, "signature"),
        output::count(report.rrsets as usize, "RRset"),
        report.foreign_signatures,
        report.unchecked_signatures,
        output::count(report.findings.len(), "finding")
    ));
    Ok(if report.is_secure() { Outcome::Fine } else { Outcome::Failed })
}

/// The RDATA of the DS records of `path` for this zone; a DNSKEY record there stands for its DS.
fn anchors(path: &Path, zone: &Zone) -> Result<Vec<Vec<u8>>> {
    let file = anchor_file(path, zone.apex())?;
    let of = |rtype| file.rrset(zone.apex().as_wire(), rtype).into_iter().flat_map(|rrset| rrset.rdata());
    let mut anchors: Vec<Vec<u8>> = of(Rtype::DS).map(<[u8]>::to_vec).collect();
    anchors.extend(of(Rtype::DNSKEY).map(|dnskey| ds(zone.apex(), dnskey, DsDigest::Sha256)));
    if anchors.is_empty() {
        return Err(usage(format!(
            "{} has no DS or DNSKEY record of {}; give a trust anchor of the zone",
            path.display(),
            zone.apex()
        )));
    }
    Ok(anchors)
}

/// Records as key files, `dnssec-dsfromkey` and parent zones hold them: often without TTL, and with or without SOA.
fn anchor_file(path: &Path, apex: &Name) -> Result<Zone> {
    const TTL: &[u8] = b"$TTL 0\n";
    let text = super::read_small(path)?;
    if let Some(why) = fieldtest_dnssec::not_text(&text).filter(|_| !raw::is_raw(&text)) {
        bail!("cannot read {}: {why}", path.display());
    }
    let read = |mut builder: ZoneBuilder| -> Result<Result<Zone, ZoneError>, ReadError> {
        if raw::is_raw(&text) {
            raw::read(&text[..], path, &mut builder)?;
        } else {
            text::read(TTL.chain(&text[..]), path, Some(Name::ROOT), &mut builder).map_err(|error| {
                match error {
                    // The line that stands before the file's own is not counted.
                    ReadError::Syntax { path: at, line, what } if at == path => {
                        ReadError::Syntax { path: at, line: line - 1, what }
                    }
                    other => other,
                }
            })?;
        }
        Ok(builder.finish())
    };
    match read(ZoneBuilder::new())? {
        Err(ZoneError::NoSoa) => {
            // What has no SOA is no zone; a placeholder makes it one.
            let mut builder = ZoneBuilder::new();
            builder.push(apex, Rtype::SOA, 0, &[0; 22])?;
            read(builder)?
        }
        zone => zone,
    }
    .with_context(|| path.display().to_string())
}
