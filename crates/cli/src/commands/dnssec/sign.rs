//! `fieldtest dnssec sign`: a zone in, a signed zone out.

use std::path::Path;

use anyhow::{Context, Result};
use data_encoding::HEXUPPER_PERMISSIVE;
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Counts, Form, Plan, Serial, Signer, Zonemd};
use fieldtest_dnssec::{Zone, write_beside};
use fieldtest_study::code_points::resolver;

use super::keygen;
use crate::args::{self, Sign, ZoneForm};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

/// Signatures are valid from an hour ago, for clocks that are behind, as dnssec-signzone does.
const BEFORE: u32 = 3_600;
/// And for thirty days.
const AFTER: u32 = 30 * 86_400;

pub(crate) fn run(args: &Sign, _format: Format) -> Result<Outcome> {
    let now = super::now();
    let inception =
        args.inception.as_deref().map(super::moment).transpose()?.unwrap_or(now.wrapping_sub(BEFORE));
    let expiration =
        args.expiration.as_deref().map(super::moment).transpose()?.unwrap_or(now.wrapping_add(AFTER));
    let denial = denial(args)?;
    let zone = super::load(&args.zone)?;
    let (keys, fresh) = keys(args, &zone)?;
    let plan = Plan {
        keys,
        inception,
        expiration,
        denial,
        all_keys_sign_dnskey: args.all_keys_sign_dnskey,
        serial: Serial::Keep,
        zonemd: match args.zonemd {
            args::Zonemd::Auto => Zonemd::Renew,
            args::Zonemd::Compute => Zonemd::Compute,
            args::Zonemd::Remove => Zonemd::Remove,
        },
        deterministic: false,
    };
    let signer = Signer::new(&zone, &plan)?;
    let form = match args.output_format {
        ZoneForm::Text => Form::Text,
        ZoneForm::Raw => Form::Raw,
    };
    let counts = super::on_threads(args.threads, || write(&signer, form, &args.output))??;
    if fresh {
        // Only a zone that is there needs its keys.
        let directory = args.output.parent().filter(|parent| !parent.as_os_str().is_empty());
        for key in &plan.keys {
            let path = key.write(directory.unwrap_or(Path::new(".")))?;
            output::message(&format!("new key {}", path.display()));
        }
    }
    match signer.outside() {
        0 => {}
        outside => output::message(&format!("{outside} records outside of {} were left out", zone.apex())),
    }
    output::message(&format!(
        "{}: {} signatures over {} names, {} bytes in {}",
        zone.apex(),
        counts.signatures,
        zone.owner_count(),
        counts.octets,
        args.output.display()
    ));
    Ok(Outcome::Fine)
}

fn write(signer: &Signer<'_>, form: Form, path: &Path) -> Result<Counts> {
    write_beside(path, |out| signer.write(form, out).map_err(anyhow::Error::new))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn denial(args: &Sign) -> Result<Denial> {
    if !args.nsec3 {
        return Ok(Denial::Nsec);
    }
    let salt = HEXUPPER_PERMISSIVE
        .decode(args.salt.as_bytes())
        .map_err(|error| usage(format!("the salt “{}” is not hexadecimal: {error}", args.salt)))?;
    Ok(Denial::Nsec3(Nsec3 { iterations: args.iterations, salt, opt_out: args.opt_out }))
}

/// The keys that were named, or new ones; says whether they are new.
fn keys(args: &Sign, zone: &Zone) -> Result<(Vec<ZoneKey>, bool)> {
    let table = super::code_points(&args.code_points)?;
    let Some(algorithm) = &args.algorithm else {
        let resolve = resolver(&table, args.implementation.as_deref());
        let keys = args.keys.iter().map(|path| ZoneKey::read(path, &resolve)).collect::<Result<_, _>>()?;
        return Ok((keys, false));
    };
    let (code_point, implementation) = super::algorithm(&table, algorithm, args.implementation.as_deref())?;
    let uses: &[KeyUse] =
        if args.csk { &[KeyUse::KeySigning] } else { &[KeyUse::KeySigning, KeyUse::ZoneSigning] };
    let keys = uses
        .iter()
        .map(|key_use| keygen::generate(*zone.apex(), *key_use, code_point.clone(), implementation))
        .collect::<Result<_>>()?;
    Ok((keys, true))
}
