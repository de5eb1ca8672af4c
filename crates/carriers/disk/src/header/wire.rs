//! How values stand in the JSON: numbers of 64 bits as strings, bytes in Base64, arrays of numbers as strings.
//!
//! What cryptsetup looks at only when it needs it is read leniently here too: a value of another type becomes none,
//! and whoever needs it says that it is missing. The [rules](super::rules) have judged the rest before.

use data_encoding::BASE64;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;

/// A number of 64 bits as decimal digits.
pub(super) mod decimal {
    use serde::de::Error as _;

    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        read(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("expected a 64-bit number"))
    }

    pub(in super::super) fn read(text: &str) -> Option<u64> {
        // `parse` alone would take a sign.
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    }

    /// Zero if it is none.
    pub(in super::super) fn or_zero<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        Ok(lenient::<String, D>(from)?.as_deref().and_then(read).unwrap_or(0))
    }
}

/// A size, or `dynamic`.
pub(super) mod extent {
    use serde::de::Error as _;

    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(size: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
        match size {
            Some(size) => to.collect_str(size),
            None => to.serialize_str("dynamic"),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
        let text = String::deserialize(from)?;
        if text == "dynamic" {
            return Ok(None);
        }
        decimal::read(&text).map(Some).ok_or_else(|| D::Error::custom("expected a size or 'dynamic'"))
    }
}

/// Bytes in Base64 (RFC 4648, section 4); none if they are something else.
pub(super) mod base64 {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&BASE64.encode(bytes))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text: Option<String> = lenient(from)?;
        Ok(text.and_then(|text| BASE64.decode(text.as_bytes()).ok()).unwrap_or_default())
    }
}

/// An array of numbers that are written as strings.
pub(super) mod numbers {
    use serde::de::Error as _;

    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(numbers: &[u32], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(numbers.iter().map(u32::to_string))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
        let read = |text: String| decimal::read(&text).and_then(|number| u32::try_from(number).ok());
        let texts = Vec::<String>::deserialize(from)?;
        let numbers: Option<Vec<u32>> = texts.into_iter().map(read).collect();
        numbers.ok_or_else(|| D::Error::custom("expected an array of numbers as strings"))
    }
}

/// A value, or the type's default if it is of another type or out of range.
pub(super) fn or_default<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Ok(lenient(from)?.unwrap_or_default())
}

/// A value, or none if it is of another type or out of range.
pub(super) fn lenient<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// A priority, which cryptsetup takes for a number whatever it is: text by the digits that it begins with, a fraction by
/// its whole part, anything else as zero.
pub(super) fn priority<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    Ok(Some(match Value::deserialize(from)? {
        Value::Bool(yes) => yes.into(),
        // The cast saturates.
        Value::Number(number) => number.as_i64().or_else(|| Some(number.as_f64()? as i64)).unwrap_or(0),
        Value::String(text) => text.trim().parse().unwrap_or(0),
        Value::Null | Value::Array(_) | Value::Object(_) => 0,
    }))
}
