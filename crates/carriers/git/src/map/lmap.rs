//! Git's binary object map, the files `objects/object-map/map-*.map` (gitformat-loose(5), "Loose object mapping").
//!
//! All numbers are big endian. A header names the two formats and where the tables of each begin. The tables of the main
//! format are: the shortest prefixes of all IDs that tell them apart, sorted; the IDs, sorted; 4 bytes for each that say
//! why it is there. The tables of the other format are: prefixes as before; the IDs in the main format's order; for each
//! prefix the place of its object in that order. The file ends with a checksum by the main format's hash function.

use super::Map;
use crate::trailer::Trailer;
use crate::{Error, Format, ObjectId, ObjectType};

const SIGNATURE: &[u8; 4] = b"LMAP";
const VERSION: u32 = 1;
/// Signature, version, its own length, number of objects, number of formats; 16 bytes for each of two; the trailer's place.
const HEADER_LEN: usize = 5 * 4 + 2 * 16 + 8;

/// Why an object is in a map: the lower six bits of its metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It is stored as a loose object.
    Loose = 1,
    /// It is the end of a shallow clone's history.
    Shallow = 2,
    /// It is a submodule's commit.
    Submodule = 3,
}

impl Reason {
    const ALL: [Reason; 3] = [Reason::Loose, Reason::Shallow, Reason::Submodule];
}

/// Which of a map's formats is the main one, that of the repository which the file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Main {
    /// The old format: a repository that learns its objects' new names.
    Old,
    /// The new format: a converted repository that remembers the old names.
    New,
}

/// Why there is no such map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LmapError {
    /// Git has a number for `sha1` and `sha256` alone.
    #[error("Git's object map has no number for the format {0:?}; write the map as TSV")]
    Format(String),
    /// There are more objects than the file has numbers for.
    #[error("Git's object map holds fewer than 4,294,967,296 objects")]
    TooLarge,
    /// The file is not one.
    #[error("the object map is damaged at byte {offset}: {problem}; write it again")]
    Damaged {
        /// Where.
        offset: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// An ID comes twice.
    #[error(transparent)]
    Collision(Box<Error>),
}

/// The number of a format in Git's files (`hash.h`, `format_id`).
fn format_id(name: &str) -> Result<&'static [u8; 4], LmapError> {
    match name {
        "sha1" => Ok(b"sha1"),
        "sha256" => Ok(b"s256"),
        other => Err(LmapError::Format(other.to_owned())),
    }
}

/// The bytes of the file.
///
/// # Errors
/// [`LmapError::Format`], [`LmapError::TooLarge`].
pub fn write(map: &Map, main: Main, reason: Reason) -> Result<Vec<u8>, LmapError> {
    let count = u32::try_from(map.len()).map_err(|_| LmapError::TooLarge)?;
    let by_old: Vec<u32> = (0..count).collect();
    let (main, main_order, other, other_order) = match main {
        Main::Old => (&map.from, &by_old, &map.to, &map.by_new),
        Main::New => (&map.to, &map.by_new, &map.from, &by_old),
    };
    let main_prefix = prefix_len(main_order.iter().map(|&at| main.id(at as usize)));
    let other_prefix = prefix_len(other_order.iter().map(|&at| other.id(at as usize)));

    let tables_len = |prefix: usize, id_len: usize| map.len() * (prefix + id_len + 4);
    let main_begin = HEADER_LEN + padding(map.len() * main_prefix);
    let main_end = main_begin + tables_len(main_prefix, main.id_len);
    let other_begin = main_end + padding(map.len() * other_prefix);
    let end = other_begin + tables_len(other_prefix, other.id_len);

    let mut file = Vec::with_capacity(end + main.id_len);
    file.extend_from_slice(SIGNATURE);
    for number in [VERSION, HEADER_LEN as u32, count, 2] {
        file.extend_from_slice(&number.to_be_bytes());
    }
    for (side, prefix, begin) in [(main, main_prefix, main_begin), (other, other_prefix, other_begin)] {
        file.extend_from_slice(format_id(&side.format)?);
        file.extend_from_slice(&(prefix as u32).to_be_bytes());
        file.extend_from_slice(&(begin as u64).to_be_bytes());
    }
    file.extend_from_slice(&(end as u64).to_be_bytes());

    file.resize(main_begin, 0);
    for &at in main_order {
        file.extend_from_slice(main.id(at as usize).get(..main_prefix).unwrap_or_default());
    }
    for &at in main_order {
        file.extend_from_slice(main.id(at as usize));
    }
    file.extend((reason as u32).to_be_bytes().repeat(map.len()));

    file.resize(other_begin, 0);
    for &at in other_order {
        file.extend_from_slice(other.id(at as usize).get(..other_prefix).unwrap_or_default());
    }
    let mut place_of = vec![0_u32; map.len()];
    for (place, &at) in main_order.iter().enumerate() {
        file.extend_from_slice(other.id(at as usize));
        if let Some(slot) = place_of.get_mut(at as usize) {
            *slot = place as u32;
        }
    }
    for &at in other_order {
        file.extend_from_slice(&place_of.get(at as usize).copied().unwrap_or(0).to_be_bytes());
    }

    let mut checksum = Trailer::new(main.id_len);
    checksum.update(&file);
    file.extend(checksum.finish().iter().flat_map(|checksum| checksum.as_bytes()));
    Ok(file)
}

/// Bytes before the tables, so that what follows their prefixes is aligned to 4 bytes.
fn padding(prefixes: usize) -> usize {
    prefixes.wrapping_neg() % 4
}

/// The shortest prefix that tells sorted IDs apart, at least one byte.
fn prefix_len<'i>(ids: impl Iterator<Item = &'i [u8]>) -> usize {
    let mut longest = 1;
    let mut last: Option<&[u8]> = None;
    for id in ids {
        if let Some(last) = last {
            let common = id.iter().zip(last).take_while(|(a, b)| a == b).count();
            longest = longest.max((common + 1).min(id.len()));
        }
        last = Some(id);
    }
    longest
}

/// Reads the file as a map from its main format to the other one. Git's map does not say what the objects are, so
/// all of them pass for blobs.
///
/// # Errors
/// [`LmapError`], also where the file is of other formats or its checksum is wrong.
pub fn read(main: &Format, other: &Format, file: &[u8]) -> Result<(Map, Vec<Reason>), LmapError> {
    let damaged = |offset, problem| LmapError::Damaged { offset, problem };
    if file.get(..4) != Some(SIGNATURE) {
        return Err(damaged(0, "it does not begin with LMAP"));
    }
    let number = |at: usize| {
        let bytes = file.get(at..).and_then(|rest| rest.first_chunk()).ok_or(damaged(at, "it ends there"))?;
        Ok::<u32, LmapError>(u32::from_be_bytes(*bytes))
    };
    if number(4)? != VERSION {
        return Err(damaged(4, "it has a version other than 1"));
    }
    let count = number(12)? as usize;
    if number(16)? != 2 {
        return Err(damaged(16, "it is not of two formats"));
    }
    let long = |at: usize| -> Result<usize, LmapError> {
        let value = (u64::from(number(at)?) << 32) | u64::from(number(at + 4)?);
        usize::try_from(value)
            .ok()
            .filter(|&place| place <= file.len())
            .ok_or(damaged(at, "it points outside"))
    };
    let end = long(HEADER_LEN - 8)?;
    let (tables, checksum) =
        file.split_at_checked(end).ok_or(damaged(HEADER_LEN - 8, "it points outside"))?;
    let mut expected = Trailer::new(main.id_len());
    expected.update(tables);
    if expected.finish().is_none_or(|expected| expected.as_bytes() != checksum) {
        return Err(damaged(end, "the checksum is wrong"));
    }
    let side = |at: usize, format: &Format| -> Result<Tables<'_>, LmapError> {
        if file.get(at..at + 4) != Some(format_id(&format.name)?) {
            return Err(damaged(at, "it is of another format"));
        }
        let (prefix, begin) = (number(at + 4)? as usize, long(at + 8)?);
        Tables::split(tables.get(begin..).unwrap_or_default(), count, prefix, format.id_len())
            .ok_or(damaged(begin, "the tables are longer than the file"))
    };
    let (main_tables, other_tables) = (side(20, main)?, side(36, other)?);

    let reasons = main_tables.numbers.iter().map(|bits| {
        let bits = u32::from_be_bytes(*bits) & 0x3f;
        Reason::ALL.into_iter().find(|reason| *reason as u32 == bits)
    });
    let reasons =
        reasons.collect::<Option<_>>().ok_or(damaged(end, "an object is there for an unknown reason"))?;
    let pairs = main_tables.ids(main.id_len()).zip(other_tables.ids(other.id_len()));
    let pairs = pairs.map(|(main, other)| (main, other, ObjectType::Blob));
    let map = Map::from_pairs(main, other, pairs).map_err(|error| LmapError::Collision(Box::new(error)))?;
    if !main_tables.ids(main.id_len()).eq(map.iter().map(|pair| pair.old)) {
        return Err(damaged(HEADER_LEN, "the IDs are not sorted"));
    }
    let order = other_tables.numbers.iter().map(|place| u32::from_be_bytes(*place));
    if !order.eq(map.by_new.iter().copied()) {
        return Err(damaged(end, "the order of the second format is wrong"));
    }
    Ok((map, reasons))
}

/// The tables of one format.
struct Tables<'f> {
    ids: &'f [u8],
    numbers: &'f [[u8; 4]],
}

impl<'f> Tables<'f> {
    fn split(bytes: &'f [u8], count: usize, prefix: usize, id_len: usize) -> Option<Tables<'f>> {
        let (_, rest) = bytes.split_at_checked(count.checked_mul(prefix)?)?;
        let (ids, rest) = rest.split_at_checked(count.checked_mul(id_len)?)?;
        let (numbers, _) = rest.split_at_checked(count.checked_mul(4)?)?.0.as_chunks();
        Some(Tables { ids, numbers })
    }

    fn ids(&self, id_len: usize) -> std::slice::ChunksExact<'f, u8> {
        self.ids.chunks_exact(id_len)
    }
}

/// The name of the file in `objects/object-map`: `map-`, the checksum at its end, `.map`.
pub fn file_name(main: &Format, file: &[u8]) -> Option<String> {
    let checksum = file.get(file.len().checked_sub(main.id_len())?..)?;
    Some(format!("map-{}.map", ObjectId::from_bytes(checksum)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_hashes;
    use proptest::prelude::*;

    fn formats() -> (Format, Format) {
        (
            Format { name: "sha1".into(), hash: test_hashes::sha1() },
            Format { name: "sha256".into(), hash: test_hashes::sha256() },
        )
    }

    fn map(seeds: &std::collections::BTreeSet<u16>) -> Map {
        let (from, to) = formats();
        let ids: Vec<_> = seeds
            .iter()
            .map(|seed| {
                let (mut old, mut new) = (vec![0; from.id_len()], vec![0; to.id_len()]);
                from.hash.digest(b"", &seed.to_be_bytes(), &mut old).expect("it hashes");
                to.hash.digest(b"", &seed.to_be_bytes(), &mut new).expect("it hashes");
                (old, new)
            })
            .collect();
        let pairs = ids.iter().map(|(old, new)| (old.as_slice(), new.as_slice(), ObjectType::Blob));
        Map::from_pairs(&from, &to, pairs).expect("there are no collisions")
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(seeds in prop::collection::btree_set(any::<u16>(), 0..300)) {
            let (from, to) = formats();
            let map = map(&seeds);
            let file = write(&map, Main::Old, Reason::Submodule).expect("Git has both formats");
            let (read, reasons) = read(&from, &to, &file).expect("it is whole");
            prop_assert_eq!(read, map);
            prop_assert_eq!(reasons, vec![Reason::Submodule; seeds.len()]);
        }

        /// With the right checksum, so that everything behind it is reached.
        #[test]
        fn a_damaged_file_is_refused_or_another_map(at in 0_usize..1000, bit in 0..8, cut in 0_usize..100) {
            let (from, to) = formats();
            let mut file = write(&map(&(0..9).collect()), Main::Old, Reason::Loose).expect("Git has both formats");
            let tables = file.len() - from.id_len();
            file.truncate(tables - cut.saturating_sub(50));
            let at = at % file.len();
            file[at] ^= 1_u8 << bit;
            let mut checksum = Trailer::new(from.id_len());
            checksum.update(&file);
            file.extend(checksum.finish().iter().flat_map(|checksum| checksum.as_bytes()));
            let _ = read(&from, &to, &file);
        }
    }
}
