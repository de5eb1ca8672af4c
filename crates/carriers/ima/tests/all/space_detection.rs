//! Detection on mounts made for the purpose; needs root. Parameters of ext4, XFS, btrfs and f2fs are read in
//! `lab/ima/refute.py`, where a wrong one makes a wrong prediction.
#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use fieldtest_ima::space::{DetectError, FileSystem, Tmpfs, detect};

/// Unmounts when the test ends, however it ends.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn mount(kind: &str, options: &str, point: &Path) -> Option<Mounted> {
    std::fs::create_dir_all(point).unwrap();
    let mut command = Command::new("mount");
    let done = command.args(["-t", kind, "-o", options, kind]).arg(point).output();
    if done.is_ok_and(|output| output.status.success()) {
        return Some(Mounted(point.to_owned()));
    }
    eprintln!("SKIPPED: {kind} cannot be mounted (root may)");
    None
}

#[test]
fn an_overlay_leads_to_its_upper_layer() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
    let Some(_tmpfs) = mount("tmpfs", "nr_inodes=5000", &at("a layer")) else { return };
    for name in ["a layer/upper", "a layer/work", "a layer/lower"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let detected = detect(&at("a layer/lower")).unwrap();
    assert_eq!(detected.file_system, FileSystem::Tmpfs(Tmpfs { inodes: Some(5000) }));
    assert_eq!((detected.mount_point, detected.upper_layer), (at("a layer"), None));

    let layers = |name: &str| at("a layer").join(name).display().to_string();
    let writable =
        format!("lowerdir={},upperdir={},workdir={}", layers("lower"), layers("upper"), layers("work"));
    let Some(overlay) = mount("overlay", &writable, &at("merged")) else { return };
    let detected = detect(&at("merged")).unwrap();
    assert_eq!(detected.file_system, FileSystem::Tmpfs(Tmpfs { inodes: Some(5000) }));
    assert_eq!(detected.upper_layer, Some(at("a layer/upper")));

    // What a container sees: the layer's path leads nowhere.
    std::fs::rename(at("a layer/upper"), at("a layer/elsewhere")).unwrap();
    assert!(matches!(detect(&at("merged")), Err(DetectError::OverlayHidden { .. })));
    drop(overlay);

    let read_only = format!("lowerdir={}:{}", layers("lower"), layers("elsewhere"));
    let Some(_overlay) = mount("overlay", &read_only, &at("merged")) else { return };
    assert!(matches!(detect(&at("merged")), Err(DetectError::OverlayReadOnly { .. })));
}
