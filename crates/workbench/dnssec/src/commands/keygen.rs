//! `fieldtest dnssec keygen`: a key pair in BIND's file form.

use anyhow::Result;
use fieldtest_dnssec::Name;
use fieldtest_dnssec::keys::{KeyTimes, KeyUse, ZoneKey};

use crate::args::Keygen;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Keygen, format: Format) -> Result<Outcome> {
    format.one_of(&[Format::Human, Format::Json], "fieldtest dnssec keygen writes the key's name or JSON")?;
    super::present(&args.directory)?;
    let owner = args.name.parse::<Name>().map_err(usage)?;
    let table = crate::typed::code_points(&args.code_points)?;
    let (code_point, implementation) =
        super::algorithm(&table, &args.algorithm, args.implementation.as_deref())?;
    let key_use = if args.ksk { KeyUse::KeySigning } else { KeyUse::ZoneSigning };
    let key = generate(owner, key_use, code_point, implementation)?;
    key.write(&args.directory)?;
    if format == Format::Json {
        super::report(&super::key(&key, &args.directory))?;
    } else {
        // As dnssec-keygen does, so that scripts can take the name from standard output.
        output::data(&format!("{}\n", key.file_name()))?;
    }
    Ok(Outcome::Fine)
}

/// Makes a key that says when it was made.
pub(super) fn generate(
    owner: Name,
    key_use: KeyUse,
    code_point: fieldtest_dnssec::codepoints::CodePoint,
    implementation: &fieldtest_catalog::signature::Implementation,
) -> Result<ZoneKey> {
    let mut key = ZoneKey::generate(owner, key_use, code_point, implementation.code.as_ref())?;
    let now = Some(crate::typed::now());
    key.set_times(KeyTimes { created: now, publish: now, activate: now });
    Ok(key)
}
