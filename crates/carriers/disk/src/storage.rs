//! Whether two names mean the same storage: links, loop devices, partitions and what the device mapper puts on them.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

/// Something that bytes lie on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A file, by its file system and its number there.
    File(u64, u64),
    /// A block device.
    Device(u64),
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
    let (one, other) = (Beneath::of(one), Beneath::of(other));
    // Two partitions of a disk lie on the same, and share nothing.
    !one.is.is_disjoint(&other.all) || !other.is.is_disjoint(&one.all)
}

/// Whether a file is the storage of a loop device.
pub(crate) fn is_attached(file: &Metadata) -> bool {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let mut files = devices.filter_map(|device| text(&device.path().join("loop/backing_file")));
    files.any(|name| {
        fs::metadata(name).is_ok_and(|found| (found.dev(), found.ino()) == (file.dev(), file.ino()))
    })
}

/// What a file or device is, and all that it lies on.
#[derive(Default)]
struct Beneath {
    is: BTreeSet<Place>,
    all: BTreeSet<Place>,
}

impl Beneath {
    fn of(found: &Metadata) -> Self {
        let mut beneath = Beneath::default();
        beneath.add(found, true);
        beneath
    }

    fn add(&mut self, found: &Metadata, itself: bool) {
        let device = found.file_type().is_block_device();
        let place = if device { Place::Device(found.rdev()) } else { Place::File(found.dev(), found.ino()) };
        if itself {
            self.is.insert(place);
        }
        // Whatever was seen before is not followed again.
        if self.all.insert(place) && device {
            self.add_device(found.rdev(), itself);
        }
    }

    fn add_device(&mut self, number: u64, itself: bool) {
        let folder = PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)));
        if let Some(file) = text(&folder.join("loop/backing_file")) {
            // From its beginning on, it is the file by another name.
            let whole = text(&folder.join("loop/offset")).is_none_or(|offset| offset == "0");
            if let Ok(found) = fs::metadata(file) {
                self.add(&found, itself && whole);
            }
        }
        let beneath = fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = beneath.map(|entry| entry.path()).collect();
        if folder.join("partition").exists() {
            folders.extend(folder.canonicalize().ok().and_then(|path| path.parent().map(Path::to_path_buf)));
        }
        for folder in folders {
            let number = text(&folder.join("dev")).and_then(|text| {
                let (major, minor) = text.split_once(':')?;
                Some(rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?))
            });
            if let Some(number) = number
                && self.all.insert(Place::Device(number))
            {
                self.add_device(number, false);
            }
        }
    }
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
}
