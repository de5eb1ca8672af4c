//! A map as text: a line for each object, its old ID, its new ID and its type with tabs between them, IDs in lower-case
//! hexadecimal digits, lines sorted by the old ID. The first line is `# ` and the names of the formats with a tab between;
//! where submodules' commits were filled up with zeros, `padded` and their old IDs follow, each after a tab.
//!
//! ```text
//! # sha1<tab>sha256
//! 4b825dc642cb6eb9a060e54bf8d69288fbee4904<tab>6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321<tab>tree
//! ```

use std::io::{self, BufRead, BufWriter, Read as _, Write};

use super::Map;
use crate::id::encode_hex;
use crate::{Error, Format, ObjectId, ObjectType};

/// More than the first line has with a thousand filled-up commits of submodules in each of a thousand submodules; a device
/// has no end, and would take all memory.
const LONGEST_LINE: u64 = 64 << 20;

/// What the first line says before the submodules' commits that were filled up.
const PADDED: &str = "padded";

/// Why a text is no map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It could not be read.
    #[error("cannot read the map: {0}")]
    Io(#[from] io::Error),
    /// A line is not as it should be.
    #[error("line {line} of the map: {problem}; write the map again")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// An ID comes twice.
    #[error(transparent)]
    Collision(Box<Error>),
}

/// Writes a map.
///
/// # Errors
/// Those of `out`.
pub fn write(map: &Map, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write!(out, "# {}\t{}", map.from_format(), map.to_format())?;
    if !map.padded().is_empty() {
        write!(out, "\t{PADDED}")?;
        map.padded().iter().try_for_each(|id| write!(out, "\t{id}"))?;
    }
    writeln!(out)?;
    let mut line = Vec::new();
    for pair in map.iter() {
        line.clear();
        encode_hex(pair.old, &mut line);
        line.push(b'\t');
        encode_hex(pair.new, &mut line);
        line.push(b'\t');
        line.extend_from_slice(pair.kind.word().as_bytes());
        line.push(b'\n');
        out.write_all(&line)?;
    }
    out.flush()
}

/// Writes a map as Git 2.45 and later read it from `objects/loose-object-idx` of a repository of the old format whose
/// `extensions.compatObjectFormat` is the new one (gitformat-loose(5) of Git 2.45 to 2.53): the ID there, a space, the other ID.
/// The binary map of `objects/object-map` is not written: no Git reads it (2.55, August 2026).
///
/// # Errors
/// Those of `out`.
pub fn write_loose_object_idx(map: &Map, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    writeln!(out, "# loose-object-idx")?;
    let mut line = Vec::new();
    for pair in map.iter() {
        line.clear();
        encode_hex(pair.old, &mut line);
        line.push(b' ');
        encode_hex(pair.new, &mut line);
        line.push(b'\n');
        out.write_all(&line)?;
    }
    out.flush()
}

/// Reads a map between two formats; its lines may come in any order.
///
/// # Errors
/// [`ReadError`] with the number of the line, also if the map is between other formats.
pub fn read(from: &Format, to: &Format, mut text: impl BufRead) -> Result<Map, ReadError> {
    let (mut pairs, mut padded) = (Vec::new(), Vec::new());
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let problem = |problem| ReadError::Line { line: number, problem };
        if text.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            if number == 1 {
                return Err(problem("the text is empty"));
            }
            break;
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(problem("it is too long or has no line end, so the map may be incomplete"));
        };
        if number == 1 {
            let formats = format!("# {}\t{}", from.name, to.name);
            let rest = line.strip_prefix(formats.as_bytes());
            let marks = rest.and_then(marks).ok_or_else(|| {
                let is_text = line.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
                problem(if is_text {
                    "it is not the first line of a map"
                } else {
                    "it is not text, so it is not a map"
                })
            })?;
            padded.extend(marks);
            continue;
        }
        let mut fields = line.split(|&byte| byte == b'\t');
        let mut id = |format: &Format| {
            let hex = fields.next().filter(|hex| hex.len() == 2 * format.id_len())?;
            ObjectId::from_hex(hex)
        };
        let old = id(from).ok_or_else(|| problem("the old ID is none"))?;
        let new = id(to).ok_or_else(|| problem("the new ID is none"))?;
        let kind =
            fields.next().and_then(ObjectType::from_word).ok_or_else(|| problem("the type is unknown"))?;
        if fields.next().is_some() {
            return Err(problem("it has more than three fields"));
        }
        pairs.push((old, new, kind));
    }
    let pairs = pairs.iter().map(|(old, new, kind)| (old.as_bytes(), new.as_bytes(), *kind));
    let map = Map::from_pairs(from, to, pairs).map_err(|error| ReadError::Collision(Box::new(error)))?;
    Ok(map.with_padded(padded))
}

/// The two formats that the first line of a map names; `None` if there are none, so that it is no map.
pub fn formats(start: &[u8]) -> Option<[&str; 2]> {
    let line = str::from_utf8(start.split(|byte| *byte == b'\n').next()?).ok()?;
    let mut fields = line.strip_prefix("# ")?.split('\t');
    let formats = [fields.next()?, fields.next()?];
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    formats.iter().all(is_name).then_some(formats)
}

/// The commits that the first line names behind the formats.
fn marks(rest: &[u8]) -> Option<Vec<ObjectId>> {
    let mut fields = rest.split(|&byte| byte == b'\t');
    match (fields.next()?, fields.next()) {
        (b"", None) => Some(Vec::new()),
        (b"", Some(word)) if word == PADDED.as_bytes() => fields.map(ObjectId::from_hex).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_hashes;
    use proptest::prelude::*;

    #[test]
    fn what_has_no_end_is_refused() {
        let from = Format { name: "sha1".into(), hash: test_hashes::sha1() };
        let to = Format { name: "sha256".into(), hash: test_hashes::sha256() };
        let zeros = io::BufReader::new(io::repeat(0));
        assert!(matches!(read(&from, &to, zeros), Err(ReadError::Line { line: 1, .. })));
    }

    proptest! {
        #[test]
        fn anything_is_answered(text in "(# sha1\tsha256(\tpadded(\t[0-9a-f]{40}){0,2})?\n)?([0-9a-f]{40}\t[0-9a-f]{64}\t(blob|tree|x)\n|[0-9a-f\t\n]{0,50}){0,4}") {
            let from = Format { name: "sha1".into(), hash: test_hashes::sha1() };
            let to = Format { name: "sha256".into(), hash: test_hashes::sha256() };
            if let Ok(map) = read(&from, &to, text.as_bytes()) {
                let mut again = Vec::new();
                write(&map, &mut again).expect("memory takes it");
                prop_assert_eq!(read(&from, &to, again.as_slice()).expect("it is a map"), map);
            }
        }
    }
}
