//! A map as text: a line for each object, its old ID, its new ID and its type with tabs between them, IDs in lower-case
//! hexadecimal digits, lines sorted by the old ID. The first line is `# ` and the names of the formats with a tab between.
//!
//! ```text
//! # sha1<tab>sha256
//! 4b825dc642cb6eb9a060e54bf8d69288fbee4904<tab>6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321<tab>tree
//! ```

use std::io::{self, BufRead, BufWriter, Write};

use super::Map;
use crate::id::encode_hex;
use crate::{Error, Format, ObjectId, ObjectType};

/// Why a text is no map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It could not be read.
    #[error("the map could not be read: {0}")]
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
    writeln!(out, "# {}\t{}", map.from_format(), map.to_format())?;
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

/// Reads a map between two formats; its lines may come in any order.
///
/// # Errors
/// [`ReadError`] with the number of the line, also if the map is between other formats.
pub fn read(from: &Format, to: &Format, mut text: impl BufRead) -> Result<Map, ReadError> {
    let mut pairs = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let problem = |problem| ReadError::Line { line: number, problem };
        if text.read_until(b'\n', &mut line)? == 0 {
            if number == 1 {
                return Err(problem("the text is empty"));
            }
            break;
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(problem("it has no end, so that the map may not be complete"));
        };
        if number == 1 {
            if line != format!("# {}\t{}", from.name, to.name).as_bytes() {
                return Err(problem("it does not name the two formats"));
            }
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
            fields.next().and_then(ObjectType::from_word).ok_or_else(|| problem("the type is none"))?;
        if fields.next().is_some() {
            return Err(problem("it has more than three fields"));
        }
        pairs.push((old, new, kind));
    }
    let pairs = pairs.iter().map(|(old, new, kind)| (old.as_bytes(), new.as_bytes(), *kind));
    Map::from_pairs(from, to, pairs).map_err(|error| ReadError::Collision(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_hashes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn anything_is_answered(text in "(# sha1\tsha256\n)?([0-9a-f]{40}\t[0-9a-f]{64}\t(blob|tree|x)\n|[0-9a-f\t\n]{0,50}){0,4}") {
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
