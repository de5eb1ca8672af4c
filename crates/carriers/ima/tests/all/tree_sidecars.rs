//! Sidecars beside files that have their names already, and beside other runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::store::{Store, sidecar};
use fieldtest_ima::tree::{Job, Options, ReadFailure, Refusal, Skip, Source};
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn beside(key: &str) -> [Job; 1] {
    [job(key, Store::Sidecar(sidecar::SUFFIX.to_owned()))]
}

const SIDECARS: Source<'static> = Source::Sidecar(sidecar::SUFFIX);

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_no_signature_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let digest = [&[4, 4][..], &[7; 32]].concat();
    let foreign: [(&str, &[u8]); 5] = [
        ("archive", b"\x89\x02OpenPGP"),
        ("empty", b""),
        ("text", b"-----BEGIN SSH SIGNATURE-----\n"),
        ("cut", &[3, 2, 4, 0, 0, 0, 0, 1, 0, 7]),
        ("digest", &digest),
    ];
    for (name, content) in foreign {
        fs::write(at(name), name).unwrap();
        fs::write(at(&format!("{name}.sig")), content).unwrap();
    }
    for name in ["folder", "link", "dangling", "own"] {
        fs::write(at(name), name).unwrap();
    }
    fs::create_dir(at("folder.sig")).unwrap();
    fs::write(at("target"), "not to be replaced").unwrap();
    symlink("target", at("link.sig")).unwrap();
    symlink("nothing", at("dangling.sig")).unwrap();
    let before = names(folder.path());

    let report = sign(folder.path(), &beside(P256), &Options::default());
    // `own` and `target`.
    assert_eq!((report.jobs[0].signed, report.is_complete()), (2, false));
    let refused = &report.jobs[0].refused[&Refusal::SidecarTaken];
    assert_eq!(refused.count, 8, "{:?}", report.jobs[0].refused);
    for (name, content) in foreign {
        assert_eq!(fs::read(at(&format!("{name}.sig"))).unwrap(), content, "{name}");
    }
    assert_eq!(fs::read_link(at("link.sig")).unwrap(), Path::new("target"));
    assert_eq!(fs::read(at("target")).unwrap(), b"not to be replaced");
    let after: Vec<String> = [before, vec!["own.sig".into(), "target.sig".into()]].concat();
    assert_eq!(names(folder.path()).len(), after.len());

    // And verifying says what is in its place, without waiting for what writes into it.
    fs::write(at("fifo"), "fifo").unwrap();
    mknodat(CWD, at("fifo.sig"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let (report, _) = verify(folder.path(), &ring(&[P256]), SIDECARS);
    assert_eq!(report.unread.keys().collect::<Vec<_>>(), [&ReadFailure::Sidecar]);
    let no_files = ["dangling", "fifo", "folder", "link"].map(PathBuf::from);
    assert_eq!(report.unread[&ReadFailure::Sidecar].first, no_files);
    for name in ["fifo", "fifo.sig"] {
        fs::remove_file(at(name)).unwrap();
    }

    // What is one is replaced, whoever made it.
    let own = fs::read(at("own.sig")).unwrap();
    assert_eq!(sign(folder.path(), &beside(P384), &Options::default()).jobs[0].signed, 2);
    assert_ne!(fs::read(at("own.sig")).unwrap(), own);
    assert_eq!(names(folder.path()).len(), after.len(), "something is left of the replacing");
}

/// What another process replaces a sidecar by is seen for a moment.
#[test]
fn sidecars_in_the_making_are_not_signed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "a.sig", "a.sig.partial-12-3", "b.partial-12-3", "c.sig.partial-12-3"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let report = sign(folder.path(), &beside(P256), &Options::default());
    assert_eq!((report.files, report.skipped[&Skip::Sidecar].count), (3, 2), "{report:?}");
}

#[test]
fn runs_at_the_same_time_succeed() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..150 {
        fs::write(folder.path().join(format!("{number:03}")), [number; 100]).unwrap();
    }
    let all = |keys: &[&'static str]| {
        let run = |key: &'static str| sign(folder.path(), &beside(key), &Options::default());
        let reports: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = keys.iter().map(|key| scope.spawn(|| run(key))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for report in &reports {
            assert!(report.is_complete(), "{report:?}");
            let totals = &report.jobs[0];
            assert_eq!(totals.signed + totals.already_valid, 150, "{report:?}");
        }
        assert_eq!(names(folder.path()).len(), 300);
        let (report, _) = verify(folder.path(), &ring(keys), SIDECARS);
        assert_eq!((report.content.good, report.is_good()), (150, true), "{report:?}");
    };
    all(&[P256, P256, P256]);
    // What is there is replaced by both, which takes a name in between.
    all(&[P384, P256]);
}
