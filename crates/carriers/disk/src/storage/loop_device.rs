//! What a loop device lies on, asked of the kernel by the file's own numbers: its name says nothing certain.
#![allow(unsafe_code)] // one ioctl(2), which has no safe form; nothing but sysfs's name tells the same

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Dev, FsWord, OFlags, statfs};
use rustix::ioctl::{Getter, ioctl};

use super::stacked::Numbered;
use super::{Place, figure, node, number};

/// `LOOP_GET_STATUS64` of `include/uapi/linux/loop.h`.
const LOOP_GET_STATUS64: u32 = 0x4C05;

/// The beginning of `struct loop_info64` there, and so many bytes as the rest has: flags, names, a key.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    rest: [u8; 192],
}

#[derive(Debug)]
pub(super) struct Backing {
    /// The file or device; `None` where neither the device nor its name leads there.
    pub(super) place: Option<Place>,
    pub(super) offset: u64,
    /// The most bytes that it has of it.
    pub(super) limit: u64,
    /// The kind of file system under the name, which may be another file's.
    named: Option<(Place, FsWord)>,
}

impl Backing {
    /// Of the block device that `/sys` tells of in a directory; `None` if it is no loop device that has one.
    ///
    /// The device itself is asked, since the name that `/sys` shows is the one by which the file was opened: it is wrong
    /// once that is removed, replaced, or hidden by a mount, and it is one of another mount namespace. Who may not open the
    /// device has the name alone.
    pub(super) fn of(folder: &Path) -> Option<Backing> {
        let shown = name(folder)?;
        let named = fs::metadata(&shown).ok();
        let kind = named.as_ref().map(Place::of).zip(statfs(&shown).ok().map(|found| found.f_type));
        if let Some(info) = status(folder) {
            let (place, limit) = (place(&info, named.as_ref()), limit(info.size_limit));
            return Some(Backing { place: Some(place), offset: info.offset, limit, named: kind });
        }
        let of = |name: &str| figure(&folder.join("loop").join(name)).unwrap_or(0);
        let place = named.as_ref().map(Place::of);
        Some(Backing { place, offset: of("offset"), limit: limit(of("sizelimit")), named: kind })
    }

    /// The file at this place of it; nothing for a device.
    pub(super) fn file(&self, place: Place) -> Option<Numbered> {
        let Place::File(system, inode) = place else { return None };
        let magic = self.named.filter(|(named, _)| *named == place).map(|(_, magic)| magic);
        Some(Numbered { system, inode, magic })
    }

    /// Whether a file or device of so many bytes would make a loop device as large as the one in this directory of `/sys`.
    pub(super) fn may_be(&self, folder: &Path, size: u64) -> bool {
        let bytes = size.saturating_sub(self.offset).min(self.limit);
        figure(&folder.join("size")) == Some(bytes / 512)
    }
}

/// 0 stands for no limit.
fn limit(limit: u64) -> u64 {
    if limit == 0 { u64::MAX } else { limit }
}

/// The kernel tells what stat(2) would. Were there a file system of which it told another device, as stacked ones and those
/// with subvolumes could, the name leads to the same inode there.
fn place(info: &LoopInfo, named: Option<&Metadata>) -> Place {
    match named {
        _ if info.rdevice != 0 => Place::Device(info.rdevice as Dev),
        Some(named) if !named.file_type().is_block_device() && named.ino() == info.inode => Place::of(named),
        _ => Place::File(info.device, info.inode),
    }
}

/// By which the file was opened, in the mount namespace of whoever did. It may end in newlines and be no text.
fn name(folder: &Path) -> Option<PathBuf> {
    let mut name = fs::read(folder.join("loop/backing_file")).ok()?;
    name.pop_if(|last| *last == b'\n');
    Some(OsString::from_vec(name).into())
}

/// What the device says itself; `None` where it may not be opened, or another one stands under its name.
fn status(folder: &Path) -> Option<LoopInfo> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let device = OpenOptions::new().read(true).custom_flags(flags).open(node(folder)).ok()?;
    let found = device.metadata().ok()?;
    let is_own = found.file_type().is_block_device() && Some(found.rdev() as Dev) == number(folder);
    if is_own { get_status(&device) } else { None }
}

fn get_status(device: &File) -> Option<LoopInfo> {
    // SAFETY: the request fills one `struct loop_info64`, of 232 bytes as `LoopInfo` is (tested), whose fields take any
    // bits; other devices do not know it and fill nothing.
    unsafe { ioctl(device, Getter::<LOOP_GET_STATUS64, LoopInfo>::new()) }.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_as_long_as_linux_has_it() {
        assert_eq!(size_of::<LoopInfo>(), 232);
    }

    #[test]
    fn names_are_read_to_the_byte() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("loop")).unwrap();
        for bytes in [&b"/a"[..], b"/a\n", b"/a\n\nb \n", b"/\xff (deleted)"] {
            let shown = [bytes, b"\n"].concat();
            fs::write(folder.path().join("loop/backing_file"), shown).unwrap();
            assert_eq!(name(folder.path()).unwrap().into_os_string().into_vec(), bytes);
        }
        fs::remove_file(folder.path().join("loop/backing_file")).unwrap();
        assert_eq!(name(folder.path()), None);
    }

    #[test]
    fn what_leads_nowhere_may_be_any_file_of_the_size() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("loop")).unwrap();
        fs::write(folder.path().join("size"), "7\n").unwrap();
        fs::write(folder.path().join("loop/backing_file"), "/nowhere/a (deleted)\n").unwrap();
        fs::write(folder.path().join("loop/offset"), "512\n").unwrap();
        let backing = Backing::of(folder.path()).unwrap();
        assert_eq!((backing.place, backing.offset, backing.limit), (None, 512, u64::MAX));
        for (size, may_be) in [(4096, true), (4100, true), (4608, false), (3584, false), (0, false)] {
            assert_eq!(backing.may_be(folder.path(), size), may_be, "{size}");
        }
        fs::write(folder.path().join("loop/sizelimit"), "3584\n").unwrap();
        assert!(Backing::of(folder.path()).unwrap().may_be(folder.path(), 1 << 30));
    }
}
