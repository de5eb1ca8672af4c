//! By which a re-encryption's metadata is known to be what the owner of both keys began: a digest over the keys, the key
//! slot of the re-encryption, and both backup segments.
//!
//! The order of the bytes is version 2 of `online-reencrypt`, as cryptsetup has it since 2.4.3 (CVE-2021-4122). Numbers
//! that the JSON has as text are 8 bytes big-endian, the others 4, and texts are their bytes.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::secret::{Secret, VolumeKey};

/// What a member is in the bytes.
#[derive(Clone, Copy)]
enum Form {
    Text,
    /// A number of 64 bits, or the word `dynamic`.
    Long,
    Short,
}

use Form::{Long, Short, Text};

/// What is hashed for the digest.
///
/// # Errors
/// [`Error::Metadata`] if a member is missing.
pub(super) fn bytes(
    old: &VolumeKey,
    new: &VolumeKey,
    slot: &Value,
    previous: &Value,
    last: &Value,
) -> Result<VolumeKey> {
    let mut public = Vec::new();
    let area = slot.get("area").unwrap_or(&Value::Null);
    let kind = area.get("type").and_then(Value::as_str).unwrap_or_default();
    members(&mut public, slot, &[("mode", Text), ("direction", Text)])?;
    members(&mut public, area, &[("type", Text), ("offset", Long), ("size", Long)])?;
    if kind == "checksum" {
        members(&mut public, area, &[("hash", Text), ("sector_size", Short)])?;
    }
    for segment in [previous, last] {
        members(&mut public, segment, &[("type", Text), ("offset", Long), ("size", Long)])?;
        members(&mut public, segment, &[("iv_tweak", Long), ("encryption", Text), ("sector_size", Short)])?;
    }
    let version: &[u8] = b"v2";
    let parts = [version, old.bytes(), new.bytes(), &public];
    let mut all = Secret::zeroed(parts.iter().map(|part| part.len()).sum())?;
    all.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, from)| *to = *from);
    Ok(VolumeKey::new(all))
}

fn members(to: &mut Vec<u8>, object: &Value, names: &[(&str, Form)]) -> Result<()> {
    for (name, form) in names {
        let missing =
            || Error::Metadata(format!("a re-encryption's '{name}' is missing or has the wrong type"));
        let value = object.get(name).ok_or_else(missing)?;
        match (form, value.as_str()) {
            (Text, Some(text)) => to.extend_from_slice(text.as_bytes()),
            (Long, Some("dynamic")) => to.extend_from_slice(b"dynamic"),
            (Long, Some(text)) => {
                to.extend_from_slice(&text.parse::<u64>().map_err(|_| missing())?.to_be_bytes());
            }
            (Short, None) => {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                to.extend_from_slice(&number.ok_or_else(missing)?.to_be_bytes());
            }
            _ => return Err(missing()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_stand_in_their_order() {
        let key = |byte| VolumeKey::new(Secret::copy(&[byte; 2]).unwrap());
        let slot = json!({"mode": "reencrypt", "direction": "forward", "area": {"type": "checksum",
            "offset": "258", "size": "1", "hash": "sha256", "sector_size": 512}});
        let segment = |size: &str| {
            json!({"type": "crypt", "offset": "3", "size": size, "iv_tweak": "0", "encryption": "a",
            "sector_size": 4096})
        };
        let found = bytes(&key(1), &key(2), &slot, &segment("dynamic"), &segment("5")).unwrap();
        let mut expected = b"v2\x01\x01\x02\x02reencryptforwardchecksum".to_vec();
        expected.extend([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
        expected.extend(b"sha256\0\0\x02\0crypt\0\0\0\0\0\0\0\x03dynamic\0\0\0\0\0\0\0\0a\0\0\x10\0");
        expected.extend(b"crypt\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\0a\0\0\x10\0");
        assert_eq!(found.bytes(), expected);
        assert!(bytes(&key(1), &key(2), &json!({}), &segment("5"), &segment("5")).is_err());
    }
}
