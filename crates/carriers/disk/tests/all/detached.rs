//! Headers whose data lies elsewhere, and storage that others have labelled: nothing is destroyed.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::common::*;
use fieldtest_disk::copy::{Holes, Options, import};
use fieldtest_disk::format::Parameters;
use fieldtest_disk::header::CopyState;
use fieldtest_disk::{Access, Container, Error, VolumeKey};
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// A container whose data is said to begin at an offset, and its key.
fn with_data_at(folder: &Path, offset: u64) -> (PathBuf, VolumeKey) {
    let path = folder.join("container");
    let key = create(&path, 1 << 20, &Parameters { keyslot: cheap(true), ..usual() });
    let mut json = metadata(&path);
    json["segments"]["0"]["offset"] = offset.to_string().into();
    replace_metadata(&path, &json.to_string());
    (path, key)
}

#[test]
fn a_detached_header_is_not_its_own_data() {
    let folder = quick_folder();
    let (path, key) = with_data_at(folder.path(), 0);
    let before = fs::read(&path).unwrap();
    for access in [Access::Read, Access::Write] {
        let container = Container::open(&path, access).unwrap();
        assert!(container.is_detached());
        let refused = container.into_volume(&key, &ciphers).unwrap_err();
        assert!(matches!(refused, Error::DetachedHeader(_)), "{refused}");
    }
    // Nor under another name.
    let [hard, soft] = ["hard", "soft"].map(|name| folder.path().join(name));
    fs::hard_link(&path, &hard).unwrap();
    std::os::unix::fs::symlink(&path, &soft).unwrap();
    for name in [&path, &hard, &soft] {
        let container = Container::open(&path, Access::Read).unwrap();
        let refused = container.into_volume_on(name, &key, &ciphers).unwrap_err();
        assert!(matches!(refused, Error::SameStorage { .. }), "{refused}");
    }
    assert!(fs::read(&path).unwrap() == before);
    // On a file of its own the data is what it should be.
    let data = folder.path().join("data");
    fs::write(&data, vec![0; 8192]).unwrap();
    let container = Container::open(&path, Access::Write).unwrap();
    let volume = container.into_volume_on(&data, &key, &ciphers).unwrap();
    volume.write_at(b"data", 0).unwrap();
    drop(volume);
    assert!(fs::read(&path).unwrap() == before);
    // What says so of the data file must not lead back to the header.
    let said = Container::open(&data, Access::Read).unwrap_err().to_string();
    assert!(said.contains("LUKS container") && !said.contains("detached header"), "{said}");
}

#[test]
fn a_backup_of_a_header_is_named() {
    let folder = quick_folder();
    let (path, key) = with_data_at(folder.path(), 16 << 20);
    OpenOptions::new().write(true).open(&path).unwrap().set_len(16 << 20).unwrap();
    let said =
        Container::open(&path, Access::Read).unwrap().into_volume(&key, &ciphers).unwrap_err().to_string();
    assert!(said.contains("luksHeaderBackup") && said.contains("luksHeaderRestore"), "{said}");
}

#[test]
fn an_image_is_not_brought_into_itself() {
    let folder = quick_folder();
    let (path, key) = with_data_at(folder.path(), 16 << 20);
    let hard = folder.path().join("hard");
    fs::hard_link(&path, &hard).unwrap();
    // For reading, so that both can be open.
    let volume = Container::open(&path, Access::Read).unwrap().into_volume(&key, &ciphers).unwrap();
    let refused = import(&hard, &volume, Holes::Encrypt, Options::default()).unwrap_err();
    assert!(matches!(refused, Error::SameStorage { .. }), "{refused}");
}

#[test]
fn labels_of_other_formats_are_kept() {
    for (name, at, mark) in [
        ("LVM2_member", 512, &b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001"[..]),
        ("linux_raid_member", 4096, b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
        ("xfs", 0, b"XFSB"),
        ("swap", 4086, b"SWAPSPACE2"),
        ("btrfs", 65_600, b"_BHRfS_M"),
        ("gpt", 512, &gpt(1)),
    ] {
        let folder = quick_folder();
        let (path, key) = with_data_at(folder.path(), 16 << 20);
        // The first header went when the other format took the storage, and the second one is still there.
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&[0; 8192], 0).unwrap();
        file.write_all_at(mark, at).unwrap();
        let before = fs::read(&path).unwrap();
        let mut container = Container::open(&path, Access::Write).unwrap();
        assert_eq!(container.labels(), [name]);
        assert!(matches!(container.condition().first, CopyState::Damaged(_)));
        let refused = [
            container.repair().unwrap_err(),
            container.unlock(PASSPHRASE, None, &ciphers).unwrap_err(),
            container.add_key(&key, b"more", &cheap(true), &ciphers).unwrap_err(),
            container.remove_key(0).unwrap_err(),
            container.into_volume(&key, &ciphers).unwrap_err(),
        ];
        for refused in refused {
            assert!(matches!(&refused, Error::Labels { labels, .. } if labels == &[name]), "{refused}");
            assert!(refused.to_string().contains(name));
        }
        assert!(fs::read(&path).unwrap() == before, "{name}");
        let mut container = Container::open(&path, Access::Write).unwrap();
        container.repair_over_labels().unwrap();
        drop(container);
        let container = Container::open(&path, Access::Read).unwrap();
        assert!(container.condition().is_good() && container.labels().is_empty());
        // What lies where the key slots are has gone over the key.
        assert_eq!(container.unlock(PASSPHRASE, None, &ciphers).is_ok(), at < 32_768, "{name}");
    }
}

#[test]
fn what_is_no_storage_is_refused_and_not_waited_for() {
    let folder = quick_folder();
    let pipe = folder.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    for path in [&pipe, Path::new("/dev/null"), folder.path()] {
        for access in [Access::Read, Access::Write] {
            assert!(matches!(Container::open(path, access), Err(Error::NoStorage(_))), "{}", path.display());
        }
    }
}
