//! The rules that metadata must keep (LUKS2 On-Disk Format Specification 1.1.0, sections 2.2 and 3).
//!
//! cryptsetup refuses a header that breaks one of them, so a header that passes here and is written is one that it
//! takes. The checks go from the whole to the parts, each with a sentence on what is wrong.

use std::collections::BTreeMap;

use super::binary;
use super::json::{Keyslot, Metadata, Segment};

/// The largest area for key slots that cryptsetup takes: 128 MiB.
pub(crate) const LARGEST_KEYSLOTS: u64 = 128 << 20;

/// The most key slots that cryptsetup takes.
pub const MOST_KEYSLOTS: u32 = 32;

type Check = Result<(), String>;

pub(super) fn check(metadata: &Metadata, header_size: u64) -> Check {
    config(metadata, header_size)?;
    references(metadata)?;
    let areas_end = 2 * header_size + metadata.config().keyslots_size;
    keyslots(metadata.keyslots(), 2 * header_size, areas_end)?;
    segments(metadata)
}

fn config(metadata: &Metadata, header_size: u64) -> Check {
    let config = metadata.config();
    if config.json_size.checked_add(binary::LENGTH as u64) != Some(header_size) {
        return Err(format!(
            "its JSON area is {} bytes by the metadata and {} by the binary header",
            config.json_size,
            header_size.saturating_sub(binary::LENGTH as u64)
        ));
    }
    if config.keyslots_size > LARGEST_KEYSLOTS || !config.keyslots_size.is_multiple_of(4096) {
        return Err(format!(
            "its key slots have {} bytes, and at most 128 MiB in whole blocks of 4096 are allowed",
            config.keyslots_size
        ));
    }
    let first = metadata.segments().values().map(|segment| segment.offset).min().unwrap_or(0);
    // A detached header has its data at offset 0 of another file.
    if first != 0 && first < 2 * header_size + config.keyslots_size {
        return Err(format!("its data begins at byte {first}, within the area of the key slots"));
    }
    Ok(())
}

fn references(metadata: &Metadata) -> Check {
    for (number, digest) in metadata.digests() {
        if let Some(slot) = digest.keyslots.iter().find(|slot| !metadata.keyslots().contains_key(slot)) {
            return Err(format!("digest {number} speaks of key slot {slot}, which is not there"));
        }
        if let Some(segment) = digest.segments.iter().find(|s| !metadata.segments().contains_key(s)) {
            return Err(format!("digest {number} speaks of segment {segment}, which is not there"));
        }
    }
    Ok(())
}

fn keyslots(slots: &BTreeMap<u32, Keyslot>, from: u64, to: u64) -> Check {
    let mut areas = Vec::with_capacity(slots.len());
    for (number, slot) in slots {
        if *number >= MOST_KEYSLOTS {
            return Err(format!("key slot {number} has a number above {}", MOST_KEYSLOTS - 1));
        }
        let end = slot.area.offset.checked_add(slot.area.size).filter(|&end| end <= to);
        match end {
            Some(end) if slot.area.offset >= from && slot.area.size > 0 => {
                areas.push((slot.area.offset, end, number));
            }
            _ => return Err(format!("the area of key slot {number} lies outside the area of all key slots")),
        }
    }
    areas.sort_unstable();
    for ((_, end, first), (start, _, second)) in areas.iter().zip(areas.iter().skip(1)) {
        if end > start {
            return Err(format!("the areas of key slots {first} and {second} overlap"));
        }
    }
    Ok(())
}

fn segments(metadata: &Metadata) -> Check {
    let all = metadata.segments();
    if all.is_empty() {
        return Err("it has no segment".to_owned());
    }
    let mut extents = Vec::new();
    for (at, (number, segment)) in all.iter().enumerate() {
        if usize::try_from(*number) != Ok(at) {
            return Err(format!("segment {at} is missing"));
        }
        one_segment(*number, segment)?;
        if is_backup(segment) {
            continue;
        }
        if segment.kind == "crypt" && !metadata.digests().values().any(|d| d.segments.contains(number)) {
            return Err(format!("segment {number} has no digest, so nobody can tell its key"));
        }
        let end = match segment.size {
            Some(size) => segment.offset.checked_add(size),
            None => Some(u64::MAX),
        };
        let end = end.ok_or_else(|| format!("segment {number} ends beyond 2^64 bytes"))?;
        extents.push((segment.offset, end, *number));
    }
    let Some((_, fixed)) = extents.split_last() else {
        return Err("it has no segment that holds data".to_owned());
    };
    if let Some((.., number)) = fixed.iter().find(|(_, end, _)| *end == u64::MAX) {
        return Err(format!("segment {number} reaches to the end of the file and is not the last"));
    }
    extents.sort_unstable();
    for ((_, end, first), (start, _, second)) in extents.iter().zip(extents.iter().skip(1)) {
        if end > start {
            return Err(format!("segments {first} and {second} overlap"));
        }
    }
    Ok(())
}

fn one_segment(number: u32, segment: &Segment) -> Check {
    let wrong = |what: &str| Err(format!("segment {number} {what}"));
    if !segment.offset.is_multiple_of(512) {
        return wrong("does not begin at a multiple of 512 bytes");
    }
    if segment.size.is_some_and(|size| size == 0 || size % 512 != 0) {
        return wrong("is no whole number of sectors of 512 bytes");
    }
    if segment.kind != "crypt" {
        return Ok(());
    }
    if segment.encryption.is_none() {
        return wrong("names no cipher");
    }
    match segment.sector_size {
        Some(size @ (512 | 1024 | 2048 | 4096)) => {
            if segment.size.is_some_and(|length| length % u64::from(size) != 0) {
                return wrong("is no whole number of its sectors");
            }
            Ok(())
        }
        Some(_) => wrong("has a sector size other than 512, 1024, 2048 or 4096 bytes"),
        None => wrong("has no sector size"),
    }
}

/// Whether it only remembers how a segment was before a reencryption, or will be.
pub(crate) fn is_backup(segment: &Segment) -> bool {
    segment.flags.iter().any(|flag| flag.starts_with("backup-"))
}
