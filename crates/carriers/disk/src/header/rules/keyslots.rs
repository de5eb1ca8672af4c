//! Key slots: their areas lie apart in their room, and each of type `luks2` holds the key of exactly one digest.

use std::ops::Range;

use super::Check;
use super::object::Object;

pub(super) fn check(
    keyslots: &Object<'_>,
    digests: &Object<'_>,
    room: &Range<u64>,
    reencryption: bool,
) -> Check {
    let mut areas = Vec::with_capacity(keyslots.len());
    let mut reencrypting = 0;
    for slot in keyslots.numbered("keyslot")? {
        let kind = slot.text("type")?;
        let key_size = slot.whole_32("key_size")?;
        let area = slot.object("area")?;
        let area_kind = area.text("type")?;
        let (offset, size) = (area.number("offset")?, area.number("size")?);
        match offset.checked_add(size).filter(|&end| end <= room.end) {
            Some(end) if offset >= room.start && size > 0 => {
                areas.push((offset, end, slot.name().to_owned()))
            }
            _ => return Err(format!("the area of {} is outside the keyslots area", slot.name())),
        }
        match kind {
            "luks2" => luks2(&slot, &area, area_kind, digests)?,
            "reencrypt" => {
                reencrypt(&slot, &area, area_kind, key_size)?;
                reencrypting += 1;
            }
            // What it holds is its program's business.
            _ => {}
        }
    }
    areas.sort_unstable();
    for ((_, end, first), (start, _, second)) in areas.iter().zip(areas.iter().skip(1)) {
        if end > start {
            return Err(format!("the areas of {first} and {second} overlap"));
        }
    }
    match reencrypting {
        // That one which is required lacks its key slot makes no difference: it is not opened anyway.
        0 => Ok(()),
        1 if reencryption => Ok(()),
        1 => Err("it has a re-encryption keyslot but no requirement for one".to_owned()),
        _ => Err("it has several re-encryption keyslots".to_owned()),
    }
}

fn luks2(slot: &Object<'_>, area: &Object<'_>, area_kind: &str, digests: &Object<'_>) -> Check {
    let wrong = |what: &str| Err(format!("{} {what}", slot.name()));
    let kdf = slot.object("kdf")?;
    match kdf.text("type")? {
        "pbkdf2" => {
            kdf.text("hash")?;
            kdf.whole("iterations")?;
            kdf.text("salt")?;
        }
        "argon2i" | "argon2id" => {
            ["time", "memory", "cpus"].into_iter().try_for_each(|name| kdf.whole(name))?;
            kdf.text("salt")?;
        }
        _ => {}
    }
    let af = slot.object("af")?;
    if af.text("type")? != "luks1" {
        return wrong("is split in an unknown way");
    }
    af.text("hash")?;
    af.whole("stripes")?;
    if area_kind != "raw" {
        return wrong("has an area of an unknown type");
    }
    area.text("encryption")?;
    area.whole("key_size")?;
    match digests.naming("keyslots", slot.number_of_name()) {
        1 => Ok(()),
        0 => wrong("belongs to no digest, so passphrases cannot be verified"),
        _ => wrong("belongs to several digests"),
    }
}

fn reencrypt(slot: &Object<'_>, area: &Object<'_>, area_kind: &str, key_size: u32) -> Check {
    let wrong = |what: &str| Err(format!("{} {what}", slot.name()));
    if key_size != 1 {
        return wrong("is for a re-encryption but has a key");
    }
    if !matches!(slot.text("mode")?, "reencrypt" | "encrypt" | "decrypt") {
        return wrong("has an unknown mode");
    }
    if !matches!(slot.text("direction")?, "forward" | "backward") {
        return wrong("has an unknown direction");
    }
    if matches!(area_kind, "checksum" | "datashift-checksum") {
        area.text("hash")?;
        let size = area.whole_32("sector_size")?;
        if size < 512 || !size.is_power_of_two() {
            return wrong("has checksums over sectors whose size is not a power of two");
        }
    } else if matches!(area_kind, "datashift" | "datashift-journal") {
        let shift = area.number("shift_size")?;
        if shift == 0 || !shift.is_multiple_of(512) {
            return wrong("does not shift data by a whole number of sectors");
        }
    }
    Ok(())
}
