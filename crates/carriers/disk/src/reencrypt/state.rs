//! What a header says of a re-encryption, and how the next one is written.
//!
//! Segments stand in the order of their bytes: those with the new key, the one that is being worked on (`hot`, which has
//! both digests), those with the old key; behind them the two backups that remember how all was before and will be.

use serde_json::{Value, json};

use super::Resilience;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::header::Metadata;
use crate::header::json::{self, Digest, Keyslot, Segment};
use crate::header::rules::{FINAL, HOT, PREVIOUS};

/// The requirement that keeps programs away that do not know of re-encryption.
/// Version 1, without the number, has no digest over the metadata: whoever can write the header can make it
/// say that the data is being decrypted (CVE-2021-4122).
pub(super) const REQUIREMENT: &str = "online-reencrypt-v2";

/// The unit of vectors' numbers.
const UNIT: u64 = 512;

#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) previous: Value,
    pub(super) last: Value,
    pub(super) old_digest: u32,
    pub(super) new_digest: u32,
    pub(super) own_digest: u32,
    /// The key slot that holds what a resumption needs.
    pub(super) slot: u32,
    /// Where that lies, and how many bytes there are.
    pub(super) area: (u64, u64),
    pub(super) resilience: Resilience,
    /// Bytes of a piece that is written whole or not at all, where checksums are kept.
    pub(super) block: u64,
    /// Where the data begins in its file.
    pub(super) data: u64,
    /// Bytes from there on that have the new key; nothing if all have it.
    pub(super) done: Option<u64>,
    /// Bytes behind those that may have either.
    pub(super) hot: Option<u64>,
}

impl State {
    /// Reads it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for what is not done here; [`Error::Metadata`].
    pub(super) fn read(metadata: &Metadata) -> Result<State> {
        let broken = |what: &str| Error::Metadata(format!("of its re-encryption {what}"));
        let found = metadata.keyslots().iter().find(|(_, slot)| slot.kind == "reencrypt");
        let (slot, Keyslot { area, .. }) = found.ok_or_else(|| broken("the keyslot is missing"))?;
        let own = &metadata.document()["keyslots"][slot.to_string()];
        let unsupported = |what: String| Error::Unsupported {
            what,
            remedy: "finish it with: cryptsetup reencrypt --resume-only",
        };
        let (mode, direction) = (text(own, "mode"), text(own, "direction"));
        if (mode, direction) != ("reencrypt", "forward") {
            return Err(unsupported(format!("the re-encryption mode '{mode}' ({direction})")));
        }
        let resilience = match area.kind.as_str() {
            "none" => Resilience::None,
            "journal" => Resilience::Journal,
            "checksum" => Resilience::Checksum(Hash::from_name(text(&own["area"], "hash"))?),
            other => return Err(unsupported(format!("the re-encryption resilience '{other}'"))),
        };
        let flagged = |flag: &'static str| {
            let found = metadata.segments().iter().find(|(_, segment)| has_flag(segment, flag));
            found.ok_or_else(|| broken("a segment's backup is missing"))
        };
        let ((previous_number, previous), (last_number, last)) = (flagged(PREVIOUS)?, flagged(FINAL)?);
        let place = |segment: &Segment| (segment.offset, segment.size, segment.iv_tweak);
        if place(previous) != place(last) {
            return Err(unsupported("a re-encryption that moves its data".to_owned()));
        }
        let digest_of = |is_it: &dyn Fn(&Digest) -> bool| {
            let found = metadata.digests().iter().find(|(_, digest)| is_it(digest));
            found.map(|(number, _)| *number).ok_or_else(|| broken("a digest is missing"))
        };
        let old_digest = digest_of(&|digest| digest.segments.contains(previous_number))?;
        let new_digest = digest_of(&|digest| digest.segments.contains(last_number))?;
        let own_digest = digest_of(&|digest| digest.keyslots.contains(slot))?;
        let data = last.offset;
        let live = || {
            let segments = metadata.segments().iter();
            segments.filter(|(_, it)| !has_flag(it, PREVIOUS) && !has_flag(it, FINAL))
        };
        // What lies before or between them would keep the old key, which goes at the end.
        let mut next = Some(data);
        for (_, segment) in live() {
            if next != Some(segment.offset) {
                return Err(broken("the segments do not follow one another from where the data begins"));
            }
            next = segment.size.and_then(|size| segment.offset.checked_add(size));
        }
        let is_new = |number: &u32| {
            metadata.digests().get(&new_digest).is_some_and(|digest| digest.segments.contains(number))
        };
        let first_old = live().find(|(number, segment)| has_flag(segment, HOT) || !is_new(number));
        let hot = live().find(|(_, segment)| has_flag(segment, HOT));
        let hot = hot.map(|(_, segment)| segment.size.ok_or_else(|| broken("the zone has no size")));
        let backup = |number: &u32| metadata.document()["segments"][number.to_string()].clone();
        Ok(State {
            previous: backup(previous_number),
            last: backup(last_number),
            old_digest,
            new_digest,
            own_digest,
            slot: *slot,
            area: (area.offset, area.size),
            resilience,
            block: own["area"]["sector_size"].as_u64().unwrap_or(0),
            data,
            done: first_old.map(|(_, segment)| segment.offset.saturating_sub(data)),
            hot: hot.transpose()?,
        })
    }

    /// Whether the header says that all data is as it will be, and no more than the end of the re-encryption is missing.
    pub(super) fn is_all_done(&self, metadata: &Metadata) -> bool {
        let live = metadata.segments().values().filter(|segment| !segment.is_backup()).count();
        let first = &metadata.document()["segments"]["0"];
        self.done.is_none() && live == 1 && *first == self.piece(&self.last, 0, None)
    }

    pub(super) fn slot(resilience: Resilience, (offset, size): (u64, u64), block: u64) -> Value {
        let mut area = json!({
            "type": resilience.name(), "offset": offset.to_string(), "size": size.to_string()
        });
        if let Resilience::Checksum(hash) = resilience {
            area["hash"] = hash.name().into();
            area["sector_size"] = block.into();
        }
        json!({"type": "reencrypt", "key_size": 1, "mode": "reencrypt", "direction": "forward",
            "priority": 0, "area": area})
    }

    /// The backups of a segment and of what it shall be.
    pub(super) fn backups(before: &Value, encryption: &str, sector_size: u32) -> (Value, Value) {
        let (mut previous, mut last) = (before.clone(), before.clone());
        previous["flags"] = json!([PREVIOUS]);
        last["encryption"] = encryption.into();
        last["sector_size"] = sector_size.into();
        last["flags"] = json!([FINAL]);
        (previous, last)
    }

    /// The metadata while a zone of `length` bytes behind `done` is worked on, of `total`.
    pub(super) fn hot(&self, metadata: &Metadata, done: u64, length: u64, total: u64) -> Result<Metadata> {
        let mut zone = self.piece(&self.last, done, Some(length));
        zone["flags"] = json!([HOT]);
        let (old, new, both) = ([self.old_digest], [self.new_digest], [self.old_digest, self.new_digest]);
        let mut segments = Vec::new();
        if done > 0 {
            segments.push((self.piece(&self.last, 0, Some(done)), &new[..]));
        }
        segments.push((zone, &both));
        if done + length < total {
            segments.push((self.piece(&self.previous, done + length, None), &old));
        }
        self.with(metadata, segments)
    }

    /// The metadata when so many bytes are done, which are not all.
    pub(super) fn post(&self, metadata: &Metadata, done: u64) -> Result<Metadata> {
        let (new, old) = ([self.new_digest], [self.old_digest]);
        let segments = match done {
            0 => vec![(self.piece(&self.previous, 0, None), &old[..])],
            done => vec![
                (self.piece(&self.last, 0, Some(done)), &new[..]),
                (self.piece(&self.previous, done, None), &old[..]),
            ],
        };
        self.with(metadata, segments)
    }

    /// The metadata when all is done: nothing of the old key is left.
    pub(super) fn finished(&self, metadata: &Metadata) -> Result<Metadata> {
        let old = metadata.digests().get(&self.old_digest).map_or(&[][..], |digest| &digest.keyslots);
        let gone: Vec<String> = old
            .iter()
            .filter(|_| self.old_digest != self.new_digest)
            .chain([&self.slot])
            .map(u32::to_string)
            .collect();
        metadata.edited(|document| {
            document["segments"] = json!({"0": self.piece(&self.last, 0, None)});
            json::remove_keyslots(document, &gone);
            let mut digests = vec![self.own_digest.to_string()];
            if self.old_digest != self.new_digest {
                digests.push(self.old_digest.to_string());
            }
            json::remove(document, "digests", &digests);
            document["digests"][self.new_digest.to_string()]["segments"] = json!(["0"]);
            if let Some(config) = document.get_mut("config").and_then(Value::as_object_mut) {
                config.remove("requirements");
            }
        })
    }

    /// A part of the data, `from` bytes behind its beginning.
    fn piece(&self, of: &Value, from: u64, size: Option<u64>) -> Value {
        let mut piece = of.clone();
        if let Some(members) = piece.as_object_mut() {
            members.remove("flags");
        }
        let tweak = long(of, "iv_tweak").unwrap_or(0);
        piece["offset"] = (self.data + from).to_string().into();
        piece["iv_tweak"] = (tweak + from / UNIT).to_string().into();
        piece["size"] = size.map_or("dynamic".to_owned(), |size| size.to_string()).into();
        piece
    }

    /// Segments with the digests of each, and the backups behind them.
    fn with(&self, metadata: &Metadata, segments: Vec<(Value, &[u32])>) -> Result<Metadata> {
        let (old, new) = ([self.old_digest], [self.new_digest]);
        let backups = [(self.previous.clone(), &old[..]), (self.last.clone(), &new[..])];
        metadata.edited(|document| {
            document["segments"] = json!({});
            for digest in [self.old_digest, self.new_digest] {
                document["digests"][digest.to_string()]["segments"] = json!([]);
            }
            for (number, (segment, digests)) in segments.into_iter().chain(backups).enumerate() {
                document["segments"][number.to_string()] = segment;
                for digest in digests {
                    let named = &mut document["digests"][digest.to_string()]["segments"];
                    if let Some(named) = named.as_array_mut() {
                        named.push(number.to_string().into());
                    }
                }
            }
        })
    }
}

/// Gives the tokens of a key slot to another one too, which holds another key under the same passphrase.
pub(super) fn share_tokens(document: &mut Value, of: u32, with: u32) {
    let tokens = document.get_mut("tokens").and_then(Value::as_object_mut);
    for token in tokens.into_iter().flat_map(|tokens| tokens.values_mut()) {
        let Some(slots) = token.get_mut("keyslots").and_then(Value::as_array_mut) else { continue };
        if slots.iter().any(|slot| slot.as_str() == Some(&of.to_string())) {
            slots.push(with.to_string().into());
        }
    }
}

fn has_flag(segment: &Segment, flag: &str) -> bool {
    segment.flags.iter().any(|found| found == flag)
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn long(object: &Value, name: &str) -> Option<u64> {
    text(object, name).parse().ok()
}
