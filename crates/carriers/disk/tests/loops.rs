//! Loop devices above and beneath what is written to. This needs root.

mod common;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::*;
use fieldtest_disk::{Access, Container, Error, format::format_in_place, hold};

/// A loop device, for as long as this lives.
struct Loop(PathBuf);

impl Loop {
    /// On a file or device, from an offset on; nothing where none is to be had.
    fn on(storage: &Path, offset: &str) -> Option<Loop> {
        let mut command = Command::new("losetup");
        command.args(["--find", "--show", "--offset", offset]).arg(storage);
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(Loop(String::from_utf8(output.stdout).unwrap().trim().into()))
    }

    /// For exclusive use, which is what mounting and mapping ask for.
    fn taken(&self) -> File {
        OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::EXCL.bits().cast_signed())
            .open(&self.0)
            .unwrap()
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
    let small = parameters("aes-xts-plain64", 64, 4096);
    let key = fieldtest_disk::VolumeKey::generate(64).unwrap();
    attached(format_in_place(path, PASSPHRASE, &key, &small, true, &ciphers).unwrap_err());
    Container::open(path, Access::Read).unwrap();
    assert!(fs::read(path).unwrap() == before);
}

#[test]
fn what_is_used_through_a_loop_device_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("container");
    create(&path, 4 << 20, &parameters("aes-xts-plain64", 64, 4096));
    let (true, Some(whole)) = (is_root(), Loop::on(&path, "0")) else {
        missing("loop devices are not to be had: they need root and losetup");
        return;
    };
    let opened = |path: &Path| Container::open(path, Access::Write).map(|_| ());
    // One that nobody uses does no harm; as long as the container is open, nobody can begin to.
    let container = Container::open(&path, Access::Write).unwrap();
    let mount = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::EXCL.bits().cast_signed())
        .open(&whole.0);
    assert_eq!(mount.unwrap_err().kind(), std::io::ErrorKind::ResourceBusy);
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
