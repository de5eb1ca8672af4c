//! The disk that a study is measured on: a LUKS2 container, or any image or block device. It is only ever read.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _};
use std::path::{Path, PathBuf};

use fieldtest_catalog::cipher::Algorithm;
use fieldtest_disk::header::json::{Kdf, Metadata};
use fieldtest_disk::{Access, CipherSpec, Container, Cost, Error, Hash};
use fieldtest_study::StudyError;
use fieldtest_study::speed::input;
use serde::{Deserialize, Serialize};

use super::data::Data;
use super::{BULK, PAGE, fault};
use crate::algorithms;

pub(super) struct Disk {
    pub(super) file: File,
    pub(super) path: PathBuf,
    /// Where its data begins, and the bytes of it in whole pages.
    pub(super) start: u64,
    pub(super) size: u64,
    /// What its header says, where it is a container.
    pub(super) luks: Option<Luks>,
}

/// What matters of a container's header.
pub(super) struct Luks {
    /// The cipher of the data, as the header has it.
    pub(super) spec: String,
    /// Bytes of the key of the data.
    pub(super) key_len: usize,
    /// Bytes of a sector, by segments; ascending.
    pub(super) sector_sizes: Vec<usize>,
    pub(super) algorithm: Option<&'static Algorithm>,
    /// What its key slots take to be tried, each with the numbers of those that take it.
    pub(super) costs: Vec<SlotCost>,
}

/// A key derivation of a container, with its costs.
pub(super) struct SlotCost {
    /// `argon2id t=4 m=65536 p=4`
    pub(super) name: String,
    pub(super) cost: Cost,
    /// Iterations of the digest that a key is recognised by.
    pub(super) digest_iterations: u32,
    pub(super) slots: Vec<u32>,
}

/// Where the data of a contest is read, by processes that set it up anew.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Place {
    path: PathBuf,
    offset: u64,
    /// Bytes that are there.
    length: usize,
}

/// What a contest on sectors is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) seed: u64,
    /// Where the data is read, of which there is a random sample otherwise.
    pub(super) place: Option<Place>,
}

impl Task {
    /// The data that sectors of this size are worked on in this way.
    pub(super) fn data(&self, length: usize, sector: usize) -> Result<Data, StudyError> {
        match &self.place {
            Some(place) => place.read(length, sector),
            None => Ok(Data::random(length, sector, self.seed)),
        }
    }
}

/// Finds out whether there is something that can be read as a disk, without opening it.
fn check(path: &Path) -> Result<(), StudyError> {
    let shown = path.display();
    let found = std::fs::metadata(path);
    let kind = found.map_err(|error| fault(format!("cannot read the disk {shown}: {error}")))?.file_type();
    if kind.is_file() || kind.is_block_device() {
        return Ok(());
    }
    let what = match kind.is_dir() {
        true => "a directory",
        false => "neither a file nor a block device",
    };
    Err(fault(format!(
        "cannot read the disk {shown}: it is {what}; give a container, an image or a block device"
    )))
}

impl Disk {
    /// Opens it and reads its header.
    pub(super) fn open(path: &Path) -> Result<Disk, StudyError> {
        check(path)?;
        let shown = path.display();
        let unreadable = |error: std::io::Error| fault(format!("cannot read the disk {shown}: {error}"));
        let mut file = File::open(path).map_err(unreadable)?;
        let end = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
        if end == 0 {
            return Err(fault(format!("the disk {shown} is empty; give one with data")));
        }
        let (start, end, luks) = match Container::open(path, Access::Read) {
            Ok(container) => {
                let (start, size, luks) = Luks::of(&container, path)?;
                (start, size.map_or(end, |size| end.min(start.saturating_add(size))), Some(luks))
            }
            Err(Error::NotLuks(_)) => (0, end, None),
            Err(error) => return Err(fault(error)),
        };
        let size = end.saturating_sub(start) / PAGE as u64 * PAGE as u64;
        if size == 0 {
            return Err(fault(format!(
                "the disk {shown} has less than {PAGE} bytes of data; give a larger one, or the device that holds the data"
            )));
        }
        Ok(Disk { file, path: path.to_owned(), start, size, luks })
    }

    pub(super) fn read(&self, bytes: &mut [u8], offset: u64) -> Result<(), StudyError> {
        read(&self.file, &self.path, bytes, self.start + offset)
    }

    /// Up to so many bytes, in runs at evenly spread places.
    pub(super) fn sample(&self, length: usize, sector: usize) -> Result<Data, StudyError> {
        let name = self.path.display();
        if self.size <= length as u64 {
            let mut bytes = vec![0; self.size as usize];
            self.read(&mut bytes, 0)?;
            return Ok(data(bytes, sector, &format!("all data of {name}")));
        }
        let mut bytes = vec![0; length];
        let runs = bytes.len().div_ceil(BULK);
        for (at, run) in bytes.chunks_mut(BULK).enumerate() {
            self.read(run, self.spread(at, runs, run.len()))?;
        }
        Ok(data(bytes, sector, &format!("{length} bytes at {runs} evenly spread places of {name}")))
    }

    /// Where the run of this number begins of so many that are evenly spread, the last of which ends with the data.
    pub(super) fn spread(&self, at: usize, of: usize, length: usize) -> u64 {
        let room = self.size.saturating_sub(length as u64);
        let offset = u128::from(room) * at as u128 / of.saturating_sub(1).max(1) as u128;
        offset as u64 / PAGE as u64 * PAGE as u64
    }

    /// Where contests that want so many bytes read them: in the middle.
    pub(super) fn place(&self, length: usize) -> Place {
        let length = self.size.min(length as u64) as usize;
        Place { path: self.path.clone(), offset: self.start + self.spread(1, 3, length), length }
    }
}

impl Luks {
    /// What matters of a header, with where the data begins and how long it is, if that is said.
    fn of(container: &Container, path: &Path) -> Result<(u64, Option<u64>, Luks), StudyError> {
        let shown = path.display();
        if container.is_detached() {
            return Err(fault(format!(
                "{shown} is a header without data; give the device or image that holds the data, which is then measured as it is"
            )));
        }
        let metadata = &container.header().metadata;
        let is_backup = |flag: &String| flag.starts_with("backup-");
        let segments: Vec<_> =
            metadata.segments().values().filter(|segment| !segment.flags.iter().any(is_backup)).collect();
        let encrypted = segments.iter().find_map(|segment| Some((segment, segment.encryption.as_ref()?)));
        let (Some((_, spec)), Some(start)) = (encrypted, segments.iter().map(|it| it.offset).min()) else {
            return Err(fault(format!(
                "{shown} has no encrypted data; show what it has with: fieldtest disk dump"
            )));
        };
        let end = |segment: &fieldtest_disk::header::json::Segment| Some(segment.offset + segment.size?);
        let ends: Option<Vec<u64>> = segments.iter().map(|segment| end(segment)).collect();
        let size = ends.and_then(|ends| ends.into_iter().max()).map(|end| end - start);
        let key_len = container.key_size().unwrap_or_default() as usize;
        let parsed = spec.parse::<CipherSpec>().map_err(fault)?;
        let mut sector_sizes: Vec<usize> =
            segments.iter().filter_map(|segment| Some(segment.sector_size? as usize)).collect();
        sector_sizes.sort_unstable();
        sector_sizes.dedup();
        let luks = Luks {
            spec: spec.clone(),
            key_len,
            sector_sizes,
            algorithm: algorithms::algorithm(&parsed, key_len),
            costs: costs(metadata),
        };
        Ok((start, size, luks))
    }
}

/// What the key slots of a container take, each once.
fn costs(metadata: &Metadata) -> Vec<SlotCost> {
    let mut found: Vec<SlotCost> = Vec::new();
    for (number, slot) in metadata.keyslots() {
        let argon2 = |id: bool, costs: &fieldtest_disk::header::json::Argon2| {
            let (time, memory, lanes) = (costs.time, costs.memory, costs.cpus);
            let name = if id { "argon2id" } else { "argon2i" };
            let cost = Cost::Argon2 { id, time, memory, lanes };
            Some((format!("{name} t={time} m={memory} p={lanes}"), cost))
        };
        let cost = match &slot.kdf {
            Some(Kdf::Argon2id(costs)) => argon2(true, costs),
            Some(Kdf::Argon2i(costs)) => argon2(false, costs),
            Some(Kdf::Pbkdf2 { hash, iterations, .. }) => Hash::from_name(hash).ok().map(|hash| {
                let cost = Cost::Pbkdf2 { hash, iterations: *iterations };
                (format!("pbkdf2-{} {iterations}", hash.name()), cost)
            }),
            _ => None,
        };
        let Some((name, cost)) = cost else { continue };
        let digest = metadata.digests().values().find(|digest| digest.keyslots.contains(number));
        let digest_iterations = digest.map_or(0, |digest| digest.iterations);
        match found.iter_mut().find(|it| (&it.name, it.digest_iterations) == (&name, digest_iterations)) {
            Some(known) => known.slots.push(*number),
            None => found.push(SlotCost { name, cost, digest_iterations, slots: vec![*number] }),
        }
    }
    found
}

impl Place {
    /// So many bytes of it, which are repeated where there are fewer.
    pub(super) fn read(&self, length: usize, sector: usize) -> Result<Data, StudyError> {
        let shown = self.path.display();
        let file = File::open(&self.path);
        let file = file.map_err(|error| fault(format!("cannot read the disk {shown}: {error}")))?;
        let mut bytes = vec![0; self.length.min(length)];
        read(&file, &self.path, &mut bytes, self.offset)?;
        let bytes = bytes.into_iter().cycle().take(length).collect();
        Ok(data(bytes, sector, &format!("{length} bytes of {shown} from byte {} on", self.offset)))
    }
}

fn data(bytes: Vec<u8>, sector: usize, name: &str) -> Data {
    let input = input(format!("{name}, in sectors of {sector}"), &bytes, bytes.len() / sector);
    Data { bytes, sector, input }
}

fn read(file: &File, path: &Path, bytes: &mut [u8], offset: u64) -> Result<(), StudyError> {
    file.read_exact_at(bytes, offset).map_err(|error| {
        let shown = path.display();
        fault(match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                format!(
                    "the disk {shown} shrank while it was read; measure it when no other program changes it"
                )
            }
            _ => format!("cannot read {} bytes of {shown} at byte {offset}: {error}", bytes.len()),
        })
    })
}
