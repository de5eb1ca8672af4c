//! `fieldtest dnssec keygen`: a key pair in BIND's file form.

use anyhow::Result;
use fieldtest_catalog::signature::Implementation;
use fieldtest_dnssec::Name;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};

use crate::args::Keygen;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Keygen, format: Format) -> Result<Outcome> {
    format.one_of(&[Format::Human, Format::Json], "fieldtest dnssec keygen writes the key's name or JSON")?;
    super::present(&args.directory)?;
    // A zone can have any name, but one with other characters than these is mostly a slip (`/`: RFC 2317).
    if !args.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_/.\\".contains(c)) {
        return Err(usage(format!(
            "invalid zone name '{}': expected letters, digits, '-', '_' and '/', and others as \\DDD, such as example.com",
            args.name
        )));
    }
    let owner = args.name.parse::<Name>().map_err(usage)?;
    let table = crate::typed::code_points(&args.code_points)?;
    let (code_point, implementation) =
        super::algorithm(&table, &args.algorithm, args.implementation.as_deref())?;
    let key_use = if args.ksk { KeyUse::KeySigning } else { KeyUse::ZoneSigning };
    let key = generate((owner, key_use), code_point, implementation, |key| {
        key.existing(&args.directory).is_some()
    })?;
    key.write(&args.directory)?;
    if format == Format::Json {
        super::report(&super::key(&key, &args.directory))?;
    } else {
        // As dnssec-keygen does, so that scripts can take the name from standard output.
        output::data(&format!("{}\n", key.file_name()))?;
    }
    Ok(Outcome::Fine)
}

/// Keys that are drawn at most until one has a name that is free.
const DRAWS: usize = 1_000;

/// Makes a key that says when it was made. One whose name `is_taken`, by a key with the same tag, is drawn
/// again, as dnssec-keygen does: an error would have to be answered by trying again.
pub(super) fn generate(
    (owner, key_use): (Name, KeyUse),
    code_point: CodePoint,
    implementation: &Implementation,
    is_taken: impl Fn(&ZoneKey) -> bool,
) -> Result<ZoneKey> {
    let draw = || ZoneKey::generate(owner, key_use, code_point.clone(), implementation.code.as_ref());
    let mut key = draw()?;
    for _ in 1..DRAWS {
        if !is_taken(&key) {
            break;
        }
        key = draw()?;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::{Wanted, signature};

    use super::*;

    #[test]
    fn a_key_with_a_taken_tag_is_drawn_again() {
        let implementation = signature::find("ed25519").unwrap().served(Wanted::only(None)).unwrap();
        let of = (Name::ROOT, KeyUse::ZoneSigning);
        let is_taken = |key: &ZoneKey| key.tag() % 4 != 1;
        let key = generate(of, CodePoint::Number(15), implementation, is_taken).unwrap();
        assert_eq!(key.tag() % 4, 1);
    }
}
