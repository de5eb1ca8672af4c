//! Whether two names mean the same storage: links, loop devices, partitions and what the device mapper puts on them.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Dev, FsWord, major, makedev, minor};

mod loop_device;
mod stacked;

use loop_device::Backing;
use stacked::{Mounts, Numbered};

/// Something that bytes lie on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A file, by its file system and its number there.
    File(u64, u64),
    Device(Dev),
}

impl Place {
    fn of(found: &Metadata) -> Self {
        match found.file_type().is_block_device() {
            true => Place::Device(found.rdev()),
            false => Place::File(found.dev(), found.ino()),
        }
    }
}

/// Bytes of a place, from one to before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    place: Place,
    start: u64,
    end: u64,
    /// Not all of these bytes, but some, and it is not known which: where the device mapper put something.
    within: bool,
}

impl Extent {
    fn all_of(place: Place, within: bool) -> Self {
        Extent { place, start: 0, end: u64::MAX, within }
    }

    /// So many bytes at an offset of another place, as far as this extent reaches.
    fn moved(self, place: Place, offset: u64, length: u64) -> Self {
        let end = self.end.saturating_add(offset).min(offset.saturating_add(length));
        Extent { place, start: self.start.saturating_add(offset), end, within: self.within }
    }

    /// Whether they have bytes in common. Two volumes on a disk lie on the same, and share nothing.
    fn shares(&self, other: &Extent) -> bool {
        let overlap = self.start < other.end && other.start < self.end;
        self.place == other.place && overlap && !(self.within && other.within)
    }
}

/// Whether what is written to one may be read from the other. Names that are not there share nothing.
///
/// Two files are the same under any name and link. A loop device shares the storage of its file, a partition that of
/// its disk, a mapped device that of what it is mapped to; the system says so under `/sys/dev/block`.
pub fn shared(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => shared_by(&one, &other),
        _ => false,
    }
}

/// The same of a file that is open already, such as standard input, and a name.
pub fn lies_on(open: &File, name: &Path) -> bool {
    match (open.metadata(), fs::metadata(name)) {
        (Ok(open), Ok(other)) => shared_by(&open, &other),
        _ => false,
    }
}

/// The same of what was found at the names.
pub(crate) fn shared_by(one: &Metadata, other: &Metadata) -> bool {
    Beneath::at(Place::of(one)).shares(&Beneath::at(Place::of(other)))
}

/// Other devices that have bytes of a file or device, and that whoever has it exclusively does not have with it: loop
/// devices above it, and what a loop device lies on. Partitions and what is mapped are claimed with their disk.
///
/// A loop device that neither says what it lies on nor is named by what can be found may lie on anything: it counts as
/// one above whatever has the size for it. Were it left out, what is mounted would be overwritten; were it above
/// everything, nobody but root could write where a live system or a container has such devices. The same holds where a file
/// system may show others' files. `magic` is the kind of the file system that the file lies on, by statfs(2).
pub(crate) fn other_devices(found: &Metadata, magic: Option<FsWord>) -> Vec<PathBuf> {
    let own = Beneath::at(Place::of(found));
    let mounts = Mounts::here();
    let file = Numbered { system: found.dev(), inode: found.ino(), magic };
    let loops = fs::read_dir("/sys/block").into_iter().flatten().flatten().map(|device| device.path());
    let above = loops.filter(|device| {
        let (Some(number), Some(backing)) = (number(device), Backing::of(device)) else { return false };
        let is_own = own.extents.iter().any(|extent| extent.place == Place::Device(number));
        !is_own
            && match backing.place {
                Some(place) => {
                    own.shares(&Beneath::at(Place::Device(number)))
                        || backing.file(place).is_some_and(|it| {
                            found.is_file()
                                && mounts.may_be_one(it, file, backing.may_be(device, size(found)))
                        })
                }
                None => backing.may_be(device, size(found)),
            }
    });
    let beneath = own.through_loops.iter().map(|&number| folder(number));
    above.chain(beneath).map(|device| node(&device)).collect()
}

fn size(found: &Metadata) -> u64 {
    match Place::of(found) {
        Place::File(..) => found.len(),
        // In units of 512 bytes, whatever the device's sectors are.
        Place::Device(number) => figure(&folder(number).join("size")).unwrap_or(0).saturating_mul(512),
    }
}

#[derive(Default)]
struct Beneath {
    extents: Vec<Extent>,
    through_loops: Vec<Dev>,
}

impl Beneath {
    fn at(place: Place) -> Self {
        let mut beneath = Beneath::default();
        beneath.add(Extent::all_of(place, false));
        beneath
    }

    fn shares(&self, other: &Beneath) -> bool {
        self.extents.iter().any(|one| other.extents.iter().any(|other| one.shares(other)))
    }

    fn add(&mut self, extent: Extent) {
        // Whatever was seen before is not followed again.
        if self.extents.contains(&extent) {
            return;
        }
        self.extents.push(extent);
        if let Place::Device(number) = extent.place {
            self.add_beneath(&folder(number), extent);
        }
    }

    fn add_beneath(&mut self, folder: &Path, extent: Extent) {
        if let Some(Backing { place: Some(place), offset, limit, .. }) = Backing::of(folder) {
            if let Place::Device(number) = place {
                self.through_loops.push(number);
            }
            self.add(extent.moved(place, offset, limit));
        }
        // In units of 512 bytes, whatever the device's sectors are.
        if folder.join("partition").exists()
            && let (Some(start), Some(size)) = (figure(&folder.join("start")), figure(&folder.join("size")))
            && let Some(disk) = folder.canonicalize().ok().and_then(|path| number(path.parent()?))
        {
            self.add(extent.moved(Place::Device(disk), start.saturating_mul(512), size.saturating_mul(512)));
        }
        for slave in fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten() {
            if let Some(number) = number(&slave.path()) {
                self.add(Extent::all_of(Place::Device(number), true));
            }
        }
    }
}

/// Where the system tells of a block device.
fn folder(number: Dev) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)))
}

/// Of the block device that the system tells of there.
fn number(folder: &Path) -> Option<Dev> {
    let text = text(&folder.join("dev"))?;
    let (major, minor) = text.split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// The name by which it is opened.
fn node(folder: &Path) -> PathBuf {
    let about = text(&folder.join("uevent")).unwrap_or_default();
    let name = about.lines().find_map(|line| line.strip_prefix("DEVNAME=").map(str::to_owned));
    let name = name.or_else(|| Some(folder.file_name()?.to_string_lossy().into_owned()));
    Path::new("/dev").join(name.unwrap_or_default())
}

fn figure(path: &Path) -> Option<u64> {
    text(path)?.parse().ok()
}

fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_mean_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, hard, soft, copy, missing] =
            ["file", "hard", "soft", "copy", "missing"].map(|name| folder.path().join(name));
        fs::write(&file, b"some").unwrap();
        fs::copy(&file, &copy).unwrap();
        fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&hard, &soft).unwrap();
        assert!(shared(&file, &file) && shared(&file, &hard) && shared(&soft, &file));
        assert!(!shared(&file, &copy) && !shared(&file, &missing) && !shared(&missing, &missing));
        let open = File::open(&file).unwrap();
        assert!(lies_on(&open, &soft) && lies_on(&open, &hard));
        assert!(!lies_on(&open, &copy) && !lies_on(&open, &missing));
    }

    #[test]
    fn extents_share_what_they_have_in_common() {
        let disk = Extent::all_of(Place::Device(makedev(8, 0)), false);
        let partition =
            |start, size| Extent::all_of(Place::Device(makedev(8, 1)), false).moved(disk.place, start, size);
        let (first, second) = (partition(512, 1024), partition(1536, 512));
        assert!(
            !first.shares(&second) && first.shares(&disk) && disk.shares(&second) && first.shares(&first)
        );
        // A loop device on a part of the first partition, with its own offset.
        let part = Extent { end: 256, ..disk }.moved(disk.place, 700, u64::MAX);
        assert!((part.start, part.end) == (700, 956) && part.shares(&first) && !part.shares(&second));
        let mapped = Extent { within: true, ..disk };
        assert!(!mapped.shares(&mapped) && mapped.shares(&first) && second.shares(&mapped));
        let end = Extent { start: 1, ..disk }.moved(disk.place, u64::MAX, u64::MAX);
        assert!(!end.shares(&disk), "nothing lies beyond the last byte");
    }
}
