//! The records of a PAX extended header: `LENGTH KEY=VALUE`, a line feed at the end, the length being that of all of it
//! (POSIX.1-2024, pax, "pax Extended Header").

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// All its bytes.
    pub bytes: &'a [u8],
    pub key: &'a [u8],
    pub value: &'a [u8],
}

/// All records, or none where the bytes are something else.
pub(super) fn parse(mut data: &[u8]) -> Option<Vec<Record<'_>>> {
    let mut records = Vec::new();
    while !data.is_empty() {
        let space = data.iter().take(20).position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(data.get(..space)?).ok()?.parse().ok()?;
        let bytes = data.get(..length)?;
        let record = bytes.get(space + 1..)?.strip_suffix(b"\n")?;
        let equals = record.iter().position(|byte| *byte == b'=')?;
        let (key, value) = (record.get(..equals)?, record.get(equals + 1..)?);
        records.push(Record { bytes, key, value });
        data = data.get(length..)?;
    }
    Some(records)
}

/// A record. Its length counts its own digits too.
pub(super) fn record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3; // the space, the equals sign, the line feed
    let mut length = rest + 1;
    while length != rest + digits(length) {
        length = rest + digits(length);
    }
    [length.to_string().as_bytes(), b" ", key, b"=", value, b"\n"].concat()
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_the_standard() {
        // POSIX.1-2024, pax, "pax Extended Header File Times": the length counts itself.
        assert_eq!(record(b"mtime", b"1350244992.023960108"), b"30 mtime=1350244992.023960108\n");
        // 99 bytes are reached with two digits; one more byte needs three, and makes 101.
        assert_eq!(record(b"a", &[b'x'; 93]).len(), 99);
        assert_eq!(record(b"a", &[b'x'; 94]).len(), 101);
    }

    #[test]
    fn what_is_no_record_is_refused() {
        for data in [
            &b"x"[..],
            b"9 a=b\n",
            b"6 a=b",
            b"6 a:b\n",
            b"5 a=b\n",
            b"0 a=b\n",
            b"99999999999999999999 a=b\n",
        ] {
            assert_eq!(parse(data), None, "{data:?}");
        }
        assert_eq!(parse(b""), Some(Vec::new()));
    }

    proptest! {
        #[test]
        fn records_lead_back(
            keys in prop::collection::vec(("[a-zA-Z.]{1,30}", prop::collection::vec(any::<u8>(), 0..2000)), 0..4),
        ) {
            let data: Vec<u8> =
                keys.iter().flat_map(|(key, value)| record(key.as_bytes(), value)).collect();
            let records = parse(&data).unwrap();
            prop_assert_eq!(records.len(), keys.len());
            for (record, (key, value)) in records.iter().zip(&keys) {
                prop_assert_eq!((record.key, record.value), (key.as_bytes(), value.as_slice()));
            }
        }

        #[test]
        fn any_bytes_are_parsed_or_refused(data in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&data);
        }
    }
}
