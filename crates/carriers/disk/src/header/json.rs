//! The metadata in JSON: key slots, segments, digests, tokens and configuration.
//!
//! Members are those of the LUKS2 On-Disk Format Specification 1.1.0, section 3. Numbers of 64 bits are strings of
//! decimal digits there, since JSON's numbers are not exact beyond 2^53. The document is kept beside what was read of
//! it, so that a change of one key slot leaves everything that is not known here as it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rules;
use super::wire::{self, base64, decimal, extent, numbers};
use crate::error::{Error, Result};
use crate::integrity::Integrity;

/// The longest key that is believed of a header, in bytes; no cipher of dm-crypt has nearly as long ones.
pub(crate) const LONGEST_KEY: u32 = 512;

/// The metadata of a container.
#[derive(Debug, Clone)]
pub struct Metadata {
    document: Value,
    typed: Typed,
    /// Of a copy of the header, by which the rules judge places and sizes.
    header_size: u64,
}

#[derive(Debug, Clone, Deserialize)]
struct Typed {
    keyslots: BTreeMap<u32, Keyslot>,
    tokens: BTreeMap<String, Value>,
    segments: BTreeMap<u32, Segment>,
    digests: BTreeMap<u32, Digest>,
    config: Config,
}

/// A place for one key (section 3.2).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Keyslot {
    /// `luks2`, or `reencrypt` while a reencryption is under way.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bytes of the key that it holds.
    pub key_size: u32,
    /// How the key is split.
    #[serde(default, deserialize_with = "wire::lenient", skip_serializing_if = "Option::is_none")]
    pub af: Option<AntiForensic>,
    /// Where the split key lies.
    pub area: Area,
    /// How a passphrase becomes the key of the area.
    #[serde(default, deserialize_with = "wire::lenient", skip_serializing_if = "Option::is_none")]
    pub kdf: Option<Kdf>,
    /// 0: only if it is asked for; 1, or none: normal; 2: before others. Any other means the same as 0.
    #[serde(default, deserialize_with = "wire::priority", skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
}

/// The anti-forensic splitter of a key slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AntiForensic {
    /// `luks1`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many times as long as the key the split key is: 4000, whatever stands here.
    #[serde(deserialize_with = "wire::or_default")]
    pub stripes: u32,
    /// The diffuser's hash function.
    pub hash: String,
}

/// The area of a key slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// `raw`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bytes from the beginning of the file.
    #[serde(with = "decimal")]
    pub offset: u64,
    /// Bytes.
    #[serde(with = "decimal")]
    pub size: u64,
    /// How it is encrypted.
    #[serde(default, deserialize_with = "wire::lenient", skip_serializing_if = "Option::is_none")]
    pub encryption: Option<String>,
    /// Bytes of the key for that.
    #[serde(default, deserialize_with = "wire::lenient", skip_serializing_if = "Option::is_none")]
    pub key_size: Option<u32>,
}

/// A key derivation function with its costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kdf {
    /// Argon2i (RFC 9106).
    Argon2i(Argon2),
    /// Argon2id (RFC 9106).
    Argon2id(Argon2),
    /// PBKDF2 (RFC 8018).
    Pbkdf2 {
        /// Of the HMAC.
        hash: String,
        /// Its cost.
        #[serde(deserialize_with = "wire::or_default")]
        iterations: u32,
        /// Of this key slot.
        #[serde(with = "base64")]
        salt: Vec<u8>,
    },
    /// Any other.
    #[serde(other, skip_serializing)]
    Unknown,
}

/// The costs of Argon2 and its salt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argon2 {
    /// Passes.
    #[serde(deserialize_with = "wire::or_default")]
    pub time: u32,
    /// KiB.
    #[serde(deserialize_with = "wire::or_default")]
    pub memory: u32,
    /// Lanes.
    #[serde(deserialize_with = "wire::or_default")]
    pub cpus: u32,
    /// Of this key slot.
    #[serde(with = "base64")]
    pub salt: Vec<u8>,
}

/// A part of the file that holds data (section 3.3).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Segment {
    /// `crypt` or `linear`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bytes from the beginning of the file that holds the data.
    #[serde(with = "decimal")]
    pub offset: u64,
    /// Bytes, or `None` for all up to the end of the file.
    #[serde(with = "extent")]
    pub size: Option<u64>,
    /// Added to every sector's number, in units of 512 bytes.
    #[serde(default, serialize_with = "decimal::serialize", deserialize_with = "decimal::or_zero")]
    pub iv_tweak: u64,
    /// The specification of the cipher.
    #[serde(default, deserialize_with = "wire::lenient", skip_serializing_if = "Option::is_none")]
    pub encryption: Option<String>,
    /// Bytes of a sector.
    #[serde(default, deserialize_with = "wire::lenient", skip_serializing_if = "Option::is_none")]
    pub sector_size: Option<u32>,
    /// Tags kept by dm-integrity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<Value>,
    /// Of a reencryption.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

impl Segment {
    /// Whether it only remembers how a segment was before a reencryption, or will be.
    pub(crate) fn is_backup(&self) -> bool {
        self.flags.iter().any(|flag| rules::is_backup_flag(flag))
    }

    /// What makes the tags of its sectors, if they have any.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for what is not offered here.
    pub fn authenticated_by(&self) -> Result<Option<Integrity>> {
        let Some(integrity) = &self.integrity else { return Ok(None) };
        let text = |name: &str| integrity.get(name).and_then(Value::as_str).unwrap_or_default();
        if [text("journal_encryption"), text("journal_integrity")] != ["none"; 2] {
            return Err(Error::Unsupported {
                what: "an encrypted or authenticated dm-integrity journal".into(),
                remedy: "open the container with cryptsetup",
            });
        }
        Integrity::from_name(text("type")).map(Some)
    }
}

/// By which a volume key is recognised (section 3.4).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Digest {
    /// `pbkdf2`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Key slots that hold the key.
    #[serde(with = "numbers")]
    pub keyslots: Vec<u32>,
    /// Segments that are encrypted under it.
    #[serde(with = "numbers")]
    pub segments: Vec<u32>,
    /// Of the HMAC; empty if the header does not say it as a text.
    #[serde(default, deserialize_with = "wire::or_default")]
    pub hash: String,
    /// Of PBKDF2; 0 if the header says none that fits.
    #[serde(default, deserialize_with = "wire::or_default")]
    pub iterations: u32,
    /// Of PBKDF2.
    #[serde(default, with = "base64")]
    pub salt: Vec<u8>,
    /// What PBKDF2 makes of the key.
    #[serde(default, with = "base64")]
    pub digest: Vec<u8>,
}

/// What holds for the container as a whole (section 3.5).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Config {
    /// Bytes of the JSON area.
    #[serde(with = "decimal")]
    pub json_size: u64,
    /// Bytes of all key slots' areas.
    #[serde(with = "decimal")]
    pub keyslots_size: u64,
    /// Wishes for the activation, such as `allow-discards`. They do not change what the data means, so unknown ones
    /// are no obstacle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// What a program must know to work with the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Requirements>,
}

/// Names of features.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Requirements {
    /// Who does not know one of them must not touch the container.
    #[serde(default)]
    pub mandatory: Vec<String>,
}

impl Metadata {
    /// Reads the JSON of a header and checks it against the rules of the format.
    ///
    /// # Errors
    /// [`Error::Metadata`]
    pub fn parse(json: &[u8], header_size: u64) -> Result<Self> {
        // What comes before the object would be lost when the header is written again.
        if json.first() != Some(&b'{') {
            return Err(Error::Metadata("its JSON does not begin with '{'".to_owned()));
        }
        let document = serde_json::from_slice(json)
            .map_err(|error| Error::Metadata(format!("cannot parse its JSON: {error}")))?;
        Self::new(document, header_size)
    }

    fn new(document: Value, header_size: u64) -> Result<Self> {
        rules::check(&document, header_size).map_err(Error::Metadata)?;
        let typed = Typed::deserialize(&document)
            .map_err(|error| Error::Metadata(format!("its JSON is not LUKS2 metadata: {error}")))?;
        Ok(Metadata { document, typed, header_size })
    }

    pub(crate) fn compose(
        segments: &BTreeMap<u32, Segment>,
        digests: &BTreeMap<u32, Digest>,
        config: &Config,
        header_size: u64,
    ) -> Result<Self> {
        let document = serde_json::json!({
            "keyslots": {}, "tokens": {}, "segments": segments, "digests": digests, "config": config
        });
        Self::new(document, header_size)
    }

    /// What a header of another form says. It is never written as it is, so the rules of LUKS2 do not ask for it.
    pub(super) fn translated(
        keyslots: &BTreeMap<u32, Keyslot>,
        segments: &BTreeMap<u32, Segment>,
        digests: &BTreeMap<u32, Digest>,
        config: &Config,
    ) -> Result<Self> {
        let document = serde_json::json!({
            "keyslots": keyslots, "tokens": {}, "segments": segments, "digests": digests, "config": config
        });
        let typed = Typed::deserialize(&document)
            .map_err(|error| Error::Metadata(format!("cannot express it in LUKS2: {error}")))?;
        Ok(Metadata { document, typed, header_size: 0 })
    }

    /// The same with one key slot more, or another one of this number, that holds the key of `digest`.
    pub(crate) fn with_keyslot(&self, number: u32, slot: &Keyslot, digest: u32) -> Result<Self> {
        let value = serde_json::to_value(slot)
            .map_err(|error| Error::Metadata(format!("cannot write a keyslot as JSON: {error}")))?;
        self.edited(|document| {
            let name = number.to_string();
            let holders = document.pointer_mut(&format!("/digests/{digest}/keyslots"));
            if let Some(holders) = holders.and_then(Value::as_array_mut)
                && !holders.iter().any(|holder| *holder == name)
            {
                holders.push(name.as_str().into());
            }
            document["keyslots"][name] = value;
        })
    }

    /// The same with one key slot less; digests and tokens do not mention it any more.
    pub(crate) fn without_keyslot(&self, number: u32) -> Result<Self> {
        self.edited(|document| remove_keyslots(document, &[number.to_string()]))
    }

    /// The same with the key slot `from` under the number `to`, whose own is gone. Both hold the same key, so digests and
    /// tokens that name the one go on to do so.
    pub(crate) fn with_keyslot_moved(&self, from: u32, to: u32) -> Result<Self> {
        let moved = self.document["keyslots"][from.to_string()].clone();
        self.without_keyslot(from)?.edited(|document| document["keyslots"][to.to_string()] = moved)
    }

    /// The same with another priority of a key slot.
    pub(crate) fn with_priority(&self, number: u32, priority: Option<i64>) -> Result<Self> {
        self.edited(|document| {
            let slot = document.pointer_mut(&format!("/keyslots/{number}")).and_then(Value::as_object_mut);
            match (slot, priority) {
                (Some(slot), Some(priority)) => drop(slot.insert("priority".to_owned(), priority.into())),
                (Some(slot), None) => drop(slot.remove("priority")),
                (None, _) => {}
            }
        })
    }

    /// The same with a change to the document, which has to keep the rules afterwards.
    pub(crate) fn edited(&self, change: impl FnOnce(&mut Value)) -> Result<Self> {
        let mut document = self.document.clone();
        change(&mut document);
        Self::new(document, self.header_size)
    }

    pub(crate) fn header_size(&self) -> u64 {
        self.header_size
    }

    /// All of it, with what is not known here.
    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    /// As it stands in the header.
    pub fn to_json(&self) -> Vec<u8> {
        self.document.to_string().into_bytes()
    }

    /// The key slots by their numbers.
    pub fn keyslots(&self) -> &BTreeMap<u32, Keyslot> {
        &self.typed.keyslots
    }

    /// The tokens by their names, which are digits and may begin with zeros; what they mean is their programs' business.
    pub fn tokens(&self) -> &BTreeMap<String, Value> {
        &self.typed.tokens
    }

    /// The segments by their numbers, which are their order too.
    pub fn segments(&self) -> &BTreeMap<u32, Segment> {
        &self.typed.segments
    }

    /// The digests by their numbers.
    pub fn digests(&self) -> &BTreeMap<u32, Digest> {
        &self.typed.digests
    }

    /// What holds for the container as a whole.
    pub fn config(&self) -> &Config {
        &self.typed.config
    }

    /// The mandatory requirements, none of which is met here: all of them concern a reencryption that is under way,
    /// or hardware.
    pub fn requirements(&self) -> &[String] {
        self.typed.config.requirements.as_ref().map_or(&[], |requirements| &requirements.mandatory)
    }
}

/// Takes key slots out; digests and tokens do not mention them any more.
pub(crate) fn remove_keyslots(document: &mut Value, gone: &[String]) {
    remove(document, "keyslots", gone);
    for section in ["digests", "tokens"] {
        for (_, object) in document[section].as_object_mut().into_iter().flatten() {
            if let Some(slots) = object.get_mut("keyslots").and_then(Value::as_array_mut) {
                slots.retain(|slot| !gone.iter().any(|gone| slot == gone));
            }
        }
    }
}

pub(crate) fn remove(document: &mut Value, section: &str, names: &[String]) {
    if let Some(section) = document.get_mut(section).and_then(Value::as_object_mut) {
        section.retain(|name, _| !names.contains(name));
    }
}
