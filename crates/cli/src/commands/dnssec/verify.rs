//! `fieldtest dnssec verify`: a whole signed zone, judged.

use std::path::Path;

use anyhow::{Context, Result};
use fieldtest_dnssec::keys::{DsDigest, ds};
use fieldtest_dnssec::verify::{self, Options};
use fieldtest_dnssec::{Name, Rtype, Zone};
use fieldtest_report::{Kind, Table};
use fieldtest_study::code_points::resolver;

use crate::args::Verify;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Verify, format: Format) -> Result<Outcome> {
    let now = args.at.as_deref().map(super::moment).transpose()?.unwrap_or_else(super::now);
    let table = super::code_points(&args.code_points)?;
    let zone = super::load(&args.zone)?;
    let anchors = args.anchor.as_deref().map(|path| anchors(path, &zone)).transpose()?.unwrap_or_default();
    let resolve = resolver(&table, args.implementation.as_deref());
    let options = Options { resolve: &resolve, now: Some(now), anchors: &anchors };
    let report = super::on_threads(args.threads, || verify::verify(&zone, &options))?;

    let mut findings = Table::new(format!("Findings in {}", args.zone.zone.display()))
        .column("owner", Kind::Text)
        .column("type", Kind::Text)
        .column("finding", Kind::Text);
    for finding in report.findings.iter().take(args.show) {
        findings.row([
            finding.owner.to_string().into(),
            finding.rtype.to_string().into(),
            finding.what.as_str().into(),
        ]);
    }
    let hidden = report.findings.len().saturating_sub(args.show);
    if hidden > 0 {
        findings.note(format!("{hidden} findings more; see them with --show {}", report.findings.len()));
    }
    if !findings.is_empty() || format != Format::Human {
        output::table(&findings, format)?;
    }
    output::message(&format!(
        "{}: {} signatures good over {} RRsets, {} by keys that are not published, {} not checked, {} findings",
        zone.apex(),
        report.signatures,
        report.rrsets,
        report.foreign_signatures,
        report.unchecked_signatures,
        report.findings.len()
    ));
    Ok(if report.is_secure() { Outcome::Fine } else { Outcome::Failed })
}

/// The RDATA of the DS records of `path` for this zone; a DNSKEY record there stands for its DS.
fn anchors(path: &Path, zone: &Zone) -> Result<Vec<Vec<u8>>> {
    // An anchor file has no SOA, so a placeholder makes it a zone; what is at the apex counts.
    let mut builder = fieldtest_dnssec::ZoneBuilder::new();
    builder.push(zone.apex(), Rtype::SOA, 0, &[0; 22]);
    fieldtest_dnssec::load_into(path, Some(Name::ROOT), &mut builder)?;
    let file = builder.finish().with_context(|| path.display().to_string())?;
    let of = |rtype| file.rrset(zone.apex().as_wire(), rtype).into_iter().flat_map(|rrset| rrset.rdata());
    let mut anchors: Vec<Vec<u8>> = of(Rtype::DS).map(<[u8]>::to_vec).collect();
    anchors.extend(of(Rtype::DNSKEY).map(|dnskey| ds(zone.apex(), dnskey, DsDigest::Sha256)));
    if anchors.is_empty() {
        return Err(usage(format!("{} holds no DS or DNSKEY record of {}", path.display(), zone.apex())));
    }
    Ok(anchors)
}
