//! The server before libnbd's programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use fieldtest_disk::Access;
use fieldtest_disk::serve::{Address, Export, Server};

use super::{DATA, Raise, serving, volume};
use crate::common::*;

#[test]
fn libnbd_copies_both_ways() {
    if !installed("nbdinfo") || !installed("nbdcopy") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let volume = volume(path, Access::Write);
    let data = pattern(DATA, 14);
    fs::write(path.join("image"), &data).unwrap();
    let export = Export { name: "disk".into(), ..Export::default() };
    let work = |uri: &str| {
        let info = run(path, "nbdinfo", &[uri]);
        for line in ["export-size: 8388608", "can_multi_conn: true", "can_fua: true", "can_zero: true"] {
            assert!(info.contains(line), "{line}: {info}");
        }
        assert!(run(path, "nbdinfo", &["--list", uri]).contains("export=\"disk\""));
        run(path, "nbdcopy", &["--flush", "image", uri]);
        run(path, "nbdcopy", &[uri, "copy"]);
        assert!(fs::read(path.join("copy")).unwrap() == data);
        fs::remove_file(path.join("copy")).unwrap();
    };
    let socket = path.join("socket");
    serving(&volume, &socket, &export, || work(&Address::Unix(socket.clone()).to_string()));
    assert!(beginning(&volume, DATA) == data);

    let server = Server::listen(&Address::Tcp("127.0.0.1:0".parse().unwrap())).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| server.run(&volume, &export, &stop).unwrap());
        let _raised = Raise(&stop);
        work(&server.address().to_string());
    });
}

/// A real file system in a container, on a loop device over FUSE over NBD.
#[test]
fn a_file_system_lives_in_a_container() {
    let tools = ["nbdfuse", "losetup", "mkfs.ext4", "mount", "e2fsck", "debugfs"];
    if !tools.into_iter().all(installed) {
        return;
    }
    if !Path::new("/dev/fuse").exists() || !Path::new("/dev/loop-control").exists() {
        return missing("this machine has no /dev/fuse or no loop devices");
    }
    if !is_root() {
        return missing("mounting needs root");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for folder in ["fuse", "mounted"] {
        fs::create_dir(path.join(folder)).unwrap();
    }
    let content = pattern(3 << 20, 15);
    let volume = volume(path, Access::Write);
    let socket = path.join("socket");
    serving(&volume, &socket, &Export::default(), || {
        let device = path.join("fuse/nbd");
        let uri = Address::Unix(socket.clone()).to_string();
        let fuse = std::process::Command::new("nbdfuse").arg(&device).arg(&uri).spawn().unwrap();
        let mut undo = Undo { path: path.to_owned(), fuse, device: String::new() };
        let appeared = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(50));
            fs::metadata(&device).is_ok_and(|found| found.len() == DATA as u64)
        });
        assert!(appeared, "nbdfuse offers no {device:?}");
        undo.device = run(path, "losetup", &["--find", "--show", "fuse/nbd"]).trim().to_owned();
        run(path, "mkfs.ext4", &["-q", &undo.device]);
        run(path, "mount", &[&undo.device, "mounted"]);
        fs::write(path.join("mounted/file"), &content).unwrap();
        run(path, "umount", &["mounted"]);
        run(path, "mount", &[&undo.device, "mounted"]);
        assert!(fs::read(path.join("mounted/file")).unwrap() == content);
    });
    // What lies in the container is that file system.
    fieldtest_disk::copy::export(&volume, &path.join("plain"), false, Default::default()).unwrap();
    run(path, "e2fsck", &["-f", "-n", "plain"]);
    let found = run(path, "debugfs", &["-R", "stat /file", "plain"]);
    assert!(found.contains(&format!("Size: {}", content.len())), "{found}");
}

/// Takes the mounts, the loop device and `nbdfuse` away, also if an assertion failed.
struct Undo {
    path: PathBuf,
    fuse: std::process::Child,
    device: String,
}

impl Drop for Undo {
    fn drop(&mut self) {
        let tidy = |tool: &str, arguments: &[&str]| {
            let done = std::process::Command::new(tool).args(arguments).current_dir(&self.path).output();
            done.is_ok_and(|done| done.status.success())
        };
        tidy("umount", &["mounted"]);
        tidy("losetup", &["--detach", &self.device]);
        // The loop device lets go a moment after it was told to.
        for _ in 0..50 {
            if tidy("umount", &["fuse"]) {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.fuse.kill();
        let _ = self.fuse.wait();
    }
}
