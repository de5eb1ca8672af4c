//! Loose objects: one deflated file each, its header before its content (gitformat-loose(5)).

use std::path::{Path, PathBuf};

use crate::pack::inflate::Inflater;
use crate::pack::stream;
use crate::refs::entries;
use crate::{Error, Header, ObjectId, ObjectType, Problem};

/// The header at the beginning of an object, and how many bytes it is with the zero at its end.
///
/// # Errors
/// [`Problem::Header`].
pub fn parse_header(bytes: &[u8]) -> Result<(ObjectType, u64, usize), Problem> {
    let end = bytes.iter().take(Header::LONGEST).position(|byte| *byte == 0);
    let header = end.and_then(|end| bytes.get(..end)).ok_or(Problem::Header("no zero byte ends it"))?;
    let space = header.iter().position(|byte| *byte == b' ').ok_or(Problem::Header("it has no space"))?;
    let (word, digits) = header.split_at(space);
    let kind = ObjectType::from_word(word).ok_or(Problem::Header("its type does not exist"))?;
    let size = std::str::from_utf8(digits).ok().and_then(|digits| digits.get(1..)?.parse().ok());
    let size: u64 = size.ok_or(Problem::Header("its length is not a number"))?;
    // Only one spelling of a number is right: without a sign or zeros before it.
    if Header::new(kind, size).as_bytes() != bytes.get(..=header.len()).unwrap_or_default() {
        return Err(Problem::Header("its length is not in Git's notation"));
    }
    Ok((kind, size, header.len() + 1))
}

/// The header of a loose object's file.
///
/// # Errors
/// [`Problem::Deflated`], [`Problem::Header`].
pub fn header(deflated: &[u8]) -> Result<(ObjectType, u64, usize), Problem> {
    let mut room = [0; Header::LONGEST];
    parse_header(stream::beginning(deflated, &mut room)?)
}

/// Reads a loose object's file; `content` is overwritten by what follows the header.
///
/// # Errors
/// [`Problem`].
pub fn read(deflated: &[u8], inflater: &mut Inflater, content: &mut Vec<u8>) -> Result<ObjectType, Problem> {
    let (kind, size, header_len) = header(deflated)?;
    let all = size.saturating_add(header_len as u64);
    let without_header = |problem| match problem {
        Problem::Size { found, .. } => {
            Problem::Size { declared: size, found: found.saturating_sub(header_len as u64) }
        }
        other => other,
    };
    inflater.inflate_all(deflated, all, content).map_err(without_header)?;
    content.drain(..header_len);
    Ok(kind)
}

/// The path of a loose object in a directory of objects.
pub fn path(folder: &Path, id: &[u8]) -> PathBuf {
    let hex = ObjectId::from_bytes(id).map(|id| id.to_string()).unwrap_or_default();
    let (first, rest) = hex.split_at_checked(2).unwrap_or_default();
    folder.join(first).join(rest)
}

/// The IDs of all loose objects in a directory of objects, sorted. What has another name than an object is passed over,
/// as Git does: files that are being written, or were.
///
/// # Errors
/// [`Error::Io`].
pub fn list(folder: &Path, id_len: usize) -> Result<Vec<ObjectId>, Error> {
    let mut ids = Vec::new();
    for sub in entries(folder)? {
        let first = sub.file_name().unwrap_or_default().as_encoded_bytes();
        if first.len() != 2 || !first.iter().all(u8::is_ascii_hexdigit) {
            continue;
        }
        for file in entries(&sub)? {
            let rest = file.file_name().unwrap_or_default().as_encoded_bytes();
            let id = ObjectId::from_hex(&[first, rest].concat());
            ids.extend(id.filter(|id| id.as_bytes().len() == id_len));
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn headers() {
        assert_eq!(parse_header(b"blob 0\0"), Ok((ObjectType::Blob, 0, 7)));
        assert_eq!(parse_header(b"commit 123\0tree"), Ok((ObjectType::Commit, 123, 11)));
        for bytes in [
            &b""[..],
            b"blob 1",
            b"blob\0",
            b"blob \0",
            b"blub 1\0",
            b"blob 01\0",
            b"blob +1\0",
            b"blob 99999999999999999999\0",
            b"blob 1 \0",
        ] {
            assert!(matches!(parse_header(bytes), Err(Problem::Header(_))), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "(blob|tree) [0-9]{0,30}\0?") {
            let mut content = Vec::new();
            for input in [&bytes, text.as_bytes()] {
                let _ = (parse_header(input), header(input), read(input, &mut Inflater::new(), &mut content));
            }
        }
    }
}
