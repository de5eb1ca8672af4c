//! Segments: numbered without a gap, apart from each other, those of a reencryption's backup at the end.

use super::Check;
use super::object::Object;

pub(super) fn check(segments: &Object<'_>, digests: &Object<'_>) -> Check {
    let mut all = Vec::with_capacity(segments.len());
    for segment in segments.numbered("segment")? {
        let number: u32 = segment.number_of_name().parse().unwrap_or(u32::MAX);
        let (offset, size) = one(&segment, digests)?;
        all.push((number, offset, size, backup(&segment)?));
    }
    if all.is_empty() {
        return Err("it has no segment".to_owned());
    }
    all.sort_unstable();
    if let Some(missing) = (0..).zip(&all).find_map(|(at, (number, ..))| (*number != at).then_some(at)) {
        return Err(format!("segment {missing} is missing"));
    }
    let data = all.iter().take_while(|(.., backup)| !backup);
    let mut extents: Vec<(u64, Option<u64>, u32)> =
        data.map(|&(number, offset, size, _)| (offset, size, number)).collect();
    if let Some((number, ..)) = all.iter().skip(extents.len()).find(|(.., backup)| !backup) {
        return Err(format!("segment {number} holds data but follows one that does not"));
    }
    let Some((_, before)) = extents.split_last() else {
        return Err("it has no segment that holds data".to_owned());
    };
    if let Some((.., number)) = before.iter().find(|(_, size, _)| size.is_none()) {
        return Err(format!("segment {number} reaches to the end of the file but is not the last"));
    }
    extents.sort_unstable();
    for ((start, size, first), (next, _, second)) in extents.iter().zip(extents.iter().skip(1)) {
        // Where there is one segment alone, its end is a matter of the file's size.
        let end = size.map_or(Some(u64::MAX), |size| start.checked_add(size));
        match end {
            None => return Err(format!("segment {first} ends beyond 2^64 bytes")),
            Some(end) if end > *next => return Err(format!("segments {first} and {second} overlap")),
            Some(_) => {}
        }
    }
    match extents.last() {
        Some((start, Some(size), number)) if extents.len() > 1 && start.checked_add(*size).is_none() => {
            Err(format!("segment {number} ends beyond 2^64 bytes"))
        }
        _ => Ok(()),
    }
}

/// Flags of the segments that remember how the data was before a reencryption and how it will be, and of the one that is
/// worked on (section 3.3.1).
pub(crate) const PREVIOUS: &str = "backup-previous";
pub(crate) const FINAL: &str = "backup-final";
pub(crate) const HOT: &str = "in-reencryption";

/// While a reencryption is under way, each segment with data is as the data was or as it will be, and the one that is worked
/// on as it will be: whoever goes on goes by the backups alone, and would pass over what the others say. That a backup is
/// missing says who goes on.
pub(super) fn check_reencrypted(segments: &Object<'_>) -> Check {
    let mut all = segments.numbered("segment")?;
    all.sort_by_key(|segment| segment.number_of_name().parse().unwrap_or(u32::MAX));
    let flagged = |flag: &str| all.iter().find(|segment| has_flag(segment, flag).unwrap_or(false));
    let (Some(previous), Some(last)) = (flagged(PREVIOUS), flagged(FINAL)) else { return Ok(()) };
    for segment in &all {
        if backup(segment)? || is_like(segment, last) {
            continue;
        }
        let name = segment.name();
        if has_flag(segment, HOT)? {
            return Err(format!("{name} is being re-encrypted, but not to what its backup describes"));
        }
        if !is_like(segment, previous) {
            return Err(format!(
                "{name} matches neither the backup from before the re-encryption nor the one for after it"
            ));
        }
    }
    Ok(())
}

fn has_flag(segment: &Object<'_>, flag: &str) -> Result<bool, String> {
    Ok(segment.texts_if_there("flags")?.contains(&flag))
}

/// Whether two segments are of one type, and if they are encrypted, in the same way.
fn is_like(one: &Object<'_>, other: &Object<'_>) -> bool {
    let of_cipher = ["encryption", "sector_size"].iter().all(|name| one.agrees_in(name, other));
    one.agrees_in("type", other) && (of_cipher || one.text("type") != Ok("crypt"))
}

pub(super) fn first_offset(segments: &Object<'_>) -> Result<u64, String> {
    let mut first = u64::MAX;
    for segment in segments.numbered("segment")? {
        if !backup(&segment)? {
            first = first.min(segment.number("offset")?);
        }
    }
    Ok(first)
}

fn backup(segment: &Object<'_>) -> Result<bool, String> {
    Ok(segment.texts_if_there("flags")?.iter().any(|flag| is_backup_flag(flag)))
}

pub(crate) fn is_backup_flag(flag: &str) -> bool {
    flag.starts_with("backup-")
}

/// Checks a segment by itself and gives its offset and its size, which is none up to the end of the file.
fn one(segment: &Object<'_>, digests: &Object<'_>) -> Result<(u64, Option<u64>), String> {
    let wrong = |what: &str| Err(format!("{} {what}", segment.name()));
    let kind = segment.text("type")?;
    let offset = segment.number("offset")?;
    let size = match segment.text("size")? {
        "dynamic" => None,
        _ => Some(segment.number("size")?),
    };
    if !offset.is_multiple_of(512) {
        return wrong("does not begin at a multiple of 512 bytes");
    }
    if size.is_some_and(|size| size == 0 || size % 512 != 0) {
        return wrong("does not have a size that is a multiple of 512 bytes");
    }
    if kind == "crypt" {
        segment.number("iv_tweak")?;
        segment.text("encryption")?;
        let sector = u64::from(segment.whole_32("sector_size")?);
        if sector == 0 || !sector.is_multiple_of(512) {
            return wrong("has a sector size that is not a multiple of 512 bytes");
        }
        if size.is_some_and(|size| size % sector != 0) {
            return wrong("does not have a size that is a multiple of its sector size");
        }
        if let Some(integrity) = segment.object_if_there("integrity")? {
            for name in ["type", "journal_encryption", "journal_integrity"] {
                integrity.text(name)?;
            }
        }
        if digests.naming("segments", segment.number_of_name()) == 0 {
            return wrong("has no digest, so its key cannot be verified");
        }
    }
    Ok((offset, size))
}
