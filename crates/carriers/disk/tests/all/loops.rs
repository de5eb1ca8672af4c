//! Loop devices above and beneath what is written to. This needs root.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::*;
use fieldtest_disk::{Access, Container, Error, format::format_in_place, hold, shared};

const NO_LOOPS: &str = "loop devices are not to be had: they need root and losetup";

/// A loop device, for as long as this lives.
struct Loop(PathBuf);

impl Loop {
    /// On a file or device, from an offset on; nothing where none is to be had.
    fn on(storage: &Path, offset: &str) -> Option<Loop> {
        if !is_root() {
            return None;
        }
        let mut command = Command::new("losetup");
        command.args(["--find", "--show", "--offset", offset]).arg(storage);
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(Loop(String::from_utf8(output.stdout).unwrap().trim().into()))
    }

    /// For exclusive use, which is what mounting and mapping ask for.
    fn taken(&self) -> File {
        self.take().unwrap()
    }

    fn take(&self) -> std::io::Result<File> {
        let exclusively = rustix::fs::OFlags::EXCL.bits().cast_signed();
        OpenOptions::new().read(true).custom_flags(exclusively).open(&self.0)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

/// Every way to write to a container is refused, and nothing is written.
#[track_caller]
fn is_refused(path: &Path, through: &Loop) {
    let before = fs::read(path).unwrap();
    let attached = |error: Error| match error {
        Error::Attached { device, .. } => assert_eq!(device, through.0),
        error => panic!("{error}"),
    };
    attached(Container::open(path, Access::Write).unwrap_err());
    let small = usual();
    let key = fieldtest_disk::VolumeKey::generate(64).unwrap();
    attached(format_in_place(path, PASSPHRASE, &key, &small, true, &ciphers).unwrap_err());
    Container::open(path, Access::Read).unwrap();
    assert!(fs::read(path).unwrap() == before);
}

#[test]
fn what_is_used_through_a_loop_device_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("container");
    create(&path, 4 << 20, &usual());
    let Some(whole) = Loop::on(&path, "0") else { return missing(NO_LOOPS) };
    let opened = |path: &Path| Container::open(path, Access::Write).map(|_| ());
    // One that nobody uses does no harm; as long as the container is open, nobody can begin to.
    let container = Container::open(&path, Access::Write).unwrap();
    assert_eq!(whole.take().unwrap_err().kind(), std::io::ErrorKind::ResourceBusy);
    drop(container);
    // But the file must not get another one in its place.
    assert!(matches!(hold(&path), Err(Error::Attached { .. })));

    let used = whole.taken();
    is_refused(&path, &whole);
    drop(used);
    opened(&path).unwrap();

    // Through another one, on the first: on the data alone, and whichever of the three is written to.
    let data = Loop::on(&whole.0, "16777216").unwrap();
    let used = data.taken();
    is_refused(&path, &data);
    is_refused(&whole.0, &data);
    drop(used);
    opened(&whole.0).unwrap();
    let above = Loop::on(&whole.0, "0").unwrap();
    let used = whole.taken();
    is_refused(&above.0, &whole);
    drop(used);
    opened(&above.0).unwrap();
}

/// The kernel tells the name by which a loop device's file was opened, and that may lead nowhere or elsewhere.
#[test]
fn a_loop_device_is_found_by_its_file_and_not_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    let made = |path: &Path| create(path, 1 << 20, &usual());
    let names: [&[u8]; 4] = [b"plain", b"end\n", b"no\xfftext", b"a (deleted)"];
    for name in names {
        made(&at(name));
        let Some(device) = Loop::on(&at(name), "0") else { return missing(NO_LOOPS) };
        let used = device.taken();
        is_refused(&at(name), &device);
        assert!(matches!(hold(&at(name)), Err(Error::Attached { .. })));

        // Under its only name that is left; and what takes the first one's place is free to be written to.
        let other = at(&[name, b".link"].concat());
        fs::hard_link(at(name), &other).unwrap();
        fs::remove_file(at(name)).unwrap();
        is_refused(&other, &device);
        made(&at(name));
        is_refused(&other, &device);
        Container::open(&at(name), Access::Write).unwrap();
        assert!(hold(&at(name)).unwrap().is_some());
        drop(used);
        Container::open(&other, Access::Write).unwrap();
    }
}

/// What lies beneath is followed by the device's own numbers too.
#[test]
fn what_a_loop_device_is_read_from_is_seen_without_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    fs::write(&first, vec![0; 1 << 20]).unwrap();
    let Some(device) = Loop::on(&first, "4096") else { return missing(NO_LOOPS) };
    fs::rename(&first, &second).unwrap();
    fs::hard_link(&second, &first).unwrap();
    fs::remove_file(&second).unwrap();
    fs::write(&second, vec![0; 1 << 20]).unwrap();
    assert!(shared(&device.0, &first) && !shared(&device.0, &second));
}

/// A file is the same through an overlay, while that is mounted and when it is no longer.
#[test]
fn what_an_overlay_shows_is_the_layers() {
    let folder = tempfile::tempdir().unwrap();
    let [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map(|name| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    });
    let (below, shown) = (lower.join("container"), merged.join("container"));
    // Of a size that no other test has: whatever has it may be this one through the overlay.
    create(&below, 3 << 20, &usual());
    let layers =
        format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
    let mount = || {
        let mut command = Command::new("mount");
        command.args(["-t", "overlay", "overlay", "-o", &layers]).arg(&merged);
        is_root() && command.output().is_ok_and(|output| output.status.success())
    };
    let unmount = || Command::new("umount").arg("--lazy").arg(&merged).status().unwrap();
    if !mount() {
        return missing("overlays are not to be had: they need root and mount");
    }
    let Some(beneath) = Loop::on(&below, "0") else {
        unmount();
        return missing(NO_LOOPS);
    };
    let used = beneath.taken();
    let through_overlay = Container::open(&shown, Access::Write).map(|_| ());
    drop((used, beneath));
    let above = Loop::on(&shown, "0").unwrap();
    unmount();
    assert!(matches!(through_overlay, Err(Error::Attached { .. })), "{through_overlay:?}");
    let used = above.taken();
    is_refused(&below, &above);
    assert!(matches!(hold(&below), Err(Error::Attached { .. })));
    drop(used);
    Container::open(&below, Access::Write).unwrap();
}
