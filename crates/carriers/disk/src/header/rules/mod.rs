//! The rules that metadata must keep (LUKS2 On-Disk Format Specification 1.1.0, sections 2.2 and 3).
//!
//! cryptsetup refuses a header that breaks one of them, so a header that passes here and is written is one that it
//! takes. They are checked on the JSON itself, before anything is made of it: a member of a wrong type is then a
//! sentence about this member. What cryptsetup looks at only when it is needed, such as the costs of a key derivation,
//! is left to whoever needs it, for a header with one strange key slot may have others that open.

mod keyslots;
mod object;
mod segments;

use serde_json::Value;

use super::binary::{self, SIZES};
use object::Object;
pub(super) use segments::is_backup_flag;
pub(crate) use segments::{FINAL, HOT, PREVIOUS};

/// The largest area for key slots that cryptsetup takes: 128 MiB.
pub(crate) const LARGEST_KEYSLOTS: u64 = 128 << 20;

/// The most key slots that cryptsetup makes.
pub const MOST_KEYSLOTS: u32 = 32;

/// How deep objects and arrays may lie in each other. json-c, which reads the metadata for cryptsetup, goes no deeper.
const DEEPEST: usize = 32;

type Check = Result<(), String>;

pub(super) fn check(document: &Value, header_size: u64) -> Check {
    if depth_exceeds(document, DEEPEST) {
        return Err(format!("its JSON is nested more than {DEEPEST} levels deep"));
    }
    let top = Object::of(document, "its JSON".to_owned())?;
    let (keyslots, segments) = (top.object("keyslots")?, top.object("segments")?);
    let digests = top.object("digests")?;
    for token in top.object("tokens")?.called_by_digits("token")? {
        token.text("type")?;
        token.references("keyslots", &keyslots)?;
    }
    for digest in digests.numbered("digest")? {
        digest.text("type")?;
        digest.references("keyslots", &keyslots)?;
        digest.references("segments", &segments)?;
    }
    segments::check(&segments, &digests)?;
    let config = top.object("config")?;
    let keyslots_size = configuration(&config, header_size)?;
    let areas = 2 * header_size..2 * header_size + keyslots_size;
    // A detached header has its data at offset 0 of another file.
    let first = segments::first_offset(&segments)?;
    if first != 0 && first < areas.end {
        return Err(format!("its data begins at byte {first}, within the area of the keyslots"));
    }
    let under_way = reencryption(&config)?;
    if under_way.is_some_and(|name| KNOWN_REENCRYPTIONS.contains(&name)) {
        segments::check_reencrypted(&segments)?;
    }
    keyslots::check(&keyslots, &digests, &areas, under_way.is_some())
}

/// Requirements of reencryptions whose segments cryptsetup 2.6.1 knows the meaning of.
const KNOWN_REENCRYPTIONS: [&str; 3] = ["online-reencrypt", "online-reencrypt-v2", "online-reencrypt-v3"];

/// Checks the configuration and gives the bytes of all key slots' areas.
fn configuration(config: &Object<'_>, header_size: u64) -> Result<u64, String> {
    let json_size = config.number("json_size")?;
    if json_size.checked_add(binary::LENGTH as u64) != Some(header_size) || !SIZES.contains(&header_size) {
        return Err(format!(
            "its JSON area has {json_size} bytes in the metadata but {} in the binary header",
            header_size.saturating_sub(binary::LENGTH as u64)
        ));
    }
    let keyslots_size = config.number("keyslots_size")?;
    if keyslots_size > LARGEST_KEYSLOTS || !keyslots_size.is_multiple_of(4096) {
        return Err(format!(
            "its keyslots have {keyslots_size} bytes: expected a multiple of 4096, at most 128 MiB"
        ));
    }
    config.texts_if_there("flags")?;
    Ok(keyslots_size)
}

/// The requirement that says that a reencryption is under way, if one does; there is at most one.
fn reencryption<'a>(config: &Object<'a>) -> Result<Option<&'a str>, String> {
    let Some(requirements) = config.object_if_there("requirements")? else { return Ok(None) };
    let mandatory = requirements.texts_if_there("mandatory")?;
    let under_way = |name: &&str| match name.strip_prefix("online-reencrypt") {
        Some("") => true,
        Some(version) => version.strip_prefix("-v").is_some_and(is_digits),
        None => false,
    };
    let mut named = mandatory.into_iter().filter(under_way);
    match (named.next(), named.next()) {
        (_, Some(_)) => Err("its requirements name a re-encryption twice".to_owned()),
        (named, None) => Ok(named),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether something is nested deeper than this; the parser of the JSON has bounded it already.
fn depth_exceeds(value: &Value, most: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(members) => Box::new(members.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return false,
    };
    most == 0 || inner.any(|value| depth_exceeds(value, most - 1))
}
