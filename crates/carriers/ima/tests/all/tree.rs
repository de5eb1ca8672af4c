//! Trees with everything in them, signed and verified without privileges, in `user.ima`.

use crate::common;
use std::fs;
use std::io::Cursor;
use std::num::NonZeroUsize;
use std::os::unix::fs::{FileExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::keys::*;
use crate::tree_support::*;
use fieldtest_ima::keys::PrivateKey;
use fieldtest_ima::signer::SignError;
use fieldtest_ima::store::{Store, attribute, manifest, sidecar};
use fieldtest_ima::tree::{
    self, Done, FileVerdict, Job, Options, ReadFailure, Refusal, SignOutcome, SignReport, Skip, Source,
    TreeError,
};
use fieldtest_ima::{HashAlgorithm, Verdict, Version, verity};
use rustix::fs::{CWD, FileType, Mode, XattrFlags, getxattr, mknodat, setxattr};

const USER: Source<'static> = Source::Attribute(attribute::USER_IMA);

fn threads(number: usize) -> Options<'static> {
    Options { threads: NonZeroUsize::new(number), ..Options::default() }
}

fn made_tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    make_tree(folder.path());
    folder
}

/// Files in directories whose names sort otherwise than their paths, and everything that is no file.
fn make_tree(at: &Path) {
    for folder in ["a", "a/deep/er", "b"] {
        fs::create_dir_all(at.join(folder)).unwrap();
    }
    for (path, content) in [
        ("a/one", "1"),
        ("a/deep/er/two", "2"),
        ("a-b", "3"),
        ("a.c", ""),
        ("b/back\\slash\nline", "4"),
        ("b/linked", "5"),
    ] {
        fs::write(at.join(path), content).unwrap();
    }
    fs::write(at.join("big"), vec![7; 300_000]).unwrap();
    fs::hard_link(at.join("b/linked"), at.join("b/linked again")).unwrap();
    symlink("one", at.join("a/link")).unwrap();
    symlink("..", at.join("a/loop")).unwrap();
    symlink("nothing", at.join("dangling")).unwrap();
    mknodat(CWD, at.join("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    UnixListener::bind(at.join("socket")).unwrap();
}

const FILES: [&str; 7] = ["a-b", "a.c", "a/deep/er/two", "a/one", "b/back\\slash\nline", "b/linked", "big"];

#[test]
fn what_a_tree_is() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    for tree in [&one, &other] {
        make_tree(tree);
    }
    let digest = |tree: &Path| tree::digest(tree, &threads(3)).unwrap().unwrap();
    let stamp = |tree: &Path| tree::stamp(tree, &Options::default()).unwrap().unwrap();
    let before = (digest(&one), stamp(&one));
    assert_eq!(before.0, digest(&other), "a copy");
    assert_ne!(before.1, stamp(&other));
    assert_eq!(before, (digest(&one), stamp(&one)));
    let mut seen = vec![before.0];
    let mut changed = |change: &dyn Fn()| {
        change();
        seen.push(digest(&one));
        assert!(!seen[..seen.len() - 1].contains(seen.last().unwrap()), "{}", seen.len());
    };
    changed(&|| fs::write(one.join("a/one"), "2").unwrap());
    changed(&|| fs::rename(one.join("a/one"), one.join("a/two")).unwrap());
    changed(&|| symlink("two", one.join("a/one")).unwrap());
    changed(&|| fs::remove_file(one.join("b/linked")).unwrap());
    // As long as before, and with the time of its last change as before.
    let file = fs::File::options().write(true).open(one.join("a/two")).unwrap();
    let (before, time) = (stamp(&one), file.metadata().unwrap().modified().unwrap());
    file.write_at(b"3", 0).unwrap();
    file.set_modified(time).unwrap();
    assert_ne!(stamp(&one), before);
    let stop = AtomicBool::new(true);
    let stopped = Options { interrupted: Some(&stop), ..Options::default() };
    assert_eq!((tree::digest(&one, &stopped).unwrap(), tree::stamp(&one, &stopped).unwrap()), (None, None));
    assert!(matches!(tree::digest(&one.join("none"), &stopped), Err(TreeError::Open(_))));
}

#[test]
fn a_tree_is_signed_once_and_verified() {
    let folder = made_tree();
    let jobs = [job(P256, user_ima())];
    let mut order = Vec::new();
    let report = tree::sign(folder.path(), &jobs, None, &threads(3), |file| {
        if matches!(file.outcome, SignOutcome::Read { .. }) {
            order.push(file.path.to_path_buf());
        }
        assert!(file.progress.files_done <= file.progress.files_found);
        Ok(())
    })
    .unwrap();
    assert_eq!(order, FILES.map(PathBuf::from), "in the order of the paths");
    assert_eq!((report.files, report.jobs[0].signed, report.bytes_read), (7, 7, 300_005));
    assert!(report.is_complete());
    let skipped: Vec<_> = report.skipped.iter().map(|(skip, tally)| (*skip, tally.count)).collect();
    assert_eq!(
        skipped,
        [(Skip::FurtherName, 1), (Skip::SymbolicLink, 3), (Skip::Fifo, 1), (Skip::Socket, 1)]
    );
    assert_eq!(report.skipped[&Skip::FurtherName].first, [PathBuf::from("b/linked again")]);

    let (verified, _) = verify(folder.path(), &ring(&[P256]), USER);
    assert!(verified.is_good());
    assert_eq!((verified.content.good, verified.bytes_read), (7, 300_005));

    let again = sign(folder.path(), &jobs, &threads(1));
    assert_eq!((again.jobs[0].signed, again.jobs[0].already_valid), (0, 7));
    // Another key, version or hash is another signature.
    let other = sign(folder.path(), &[job(ML_DSA_44, user_ima())], &threads(2));
    assert_eq!((other.jobs[0].signed, other.jobs[0].already_valid), (7, 0));
}

#[test]
fn every_verdict_is_told() {
    let folder = made_tree();
    let at = |name: &str| folder.path().join(name);
    sign(folder.path(), &[job(P256, user_ima())], &threads(2));
    sign(&at("a/one"), &[job(P384, user_ima())], &threads(2));
    fs::write(at("a-b"), "changed").unwrap();
    setxattr(at("a.c"), attribute::USER_IMA, b"garbage", XattrFlags::empty()).unwrap();
    setxattr(at("big"), attribute::USER_IMA, &[4, 4], XattrFlags::empty()).unwrap();
    rustix::fs::removexattr(at("b/linked"), attribute::USER_IMA).unwrap();

    let (report, verdicts) = verify(folder.path(), &ring(&[P256]), USER);
    let verdict = |name: &str| match &verdicts[Path::new(name)] {
        FileVerdict::Signed(verdict) => verdict.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert!(verdict("a/deep/er/two").is_good());
    assert!(matches!(verdict("a-b"), Verdict::Wrong(_)));
    assert!(matches!(verdict("a/one"), Verdict::UnknownKey(_)));
    assert!(matches!(verdict("a.c"), Verdict::Malformed(_)));
    assert!(matches!(verdict("big"), Verdict::Malformed(_)));
    assert_eq!(verdicts[Path::new("b/linked")], FileVerdict::Unsigned);
    let content = &report.content;
    let counts =
        [&content.unsigned, &content.changed, &content.unknown_key, &content.malformed].map(|t| t.count);
    assert_eq!((content.good, counts), (2, [1, 1, 1, 2]));
    assert_eq!(content.changed.first, [PathBuf::from("a-b")]);
    assert!(!report.is_good());
    // A further run mends them all, and touches nothing else.
    let mended = sign(folder.path(), &[job(P256, user_ima())], &threads(2));
    assert_eq!((mended.jobs[0].signed, mended.jobs[0].already_valid), (5, 2));
    assert!(verify(folder.path(), &ring(&[P256]), USER).0.is_good());
}

#[test]
fn values_of_others_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "content").unwrap();
    let name = "user.comment";
    setxattr(&path, name, b"mine", XattrFlags::empty()).unwrap();
    let commented = || job(P256, Store::Attribute(name.to_owned()));
    let refused = sign(folder.path(), &[commented()], &threads(1));
    assert_eq!(refused.jobs[0].refused[&Refusal::AttributeTaken].count, 1);
    let mut value = [0; 100];
    assert_eq!(getxattr(&path, name, &mut value), Ok(4));
    assert_eq!(&value[..4], b"mine");
    let told = sign(folder.path(), &[commented().replacing_foreign()], &threads(1));
    assert_eq!((told.jobs[0].signed, told.is_complete()), (1, true));
    // One signature gives way to another.
    let other = job(P384, Store::Attribute(name.to_owned()));
    assert_eq!(sign(folder.path(), &[other], &threads(1)).jobs[0].signed, 1);
}

#[test]
fn sidecars_are_not_signed_themselves() {
    let folder = made_tree();
    fs::write(folder.path().join("alone.sig"), "no sidecar, as there is no `alone`").unwrap();
    // Somebody's own, whatever it is called.
    fs::write(folder.path().join("a/one.sig.part"), "half").unwrap();
    let jobs = [job(ML_DSA_65, Store::Sidecar(sidecar::SUFFIX.to_string()))];
    let source = || Source::Sidecar(sidecar::SUFFIX);
    let first = sign(folder.path(), &jobs, &threads(2));
    // A hard link has two names, and each its sidecar.
    assert_eq!((first.jobs[0].signed, first.is_complete()), (10, true));
    let again = sign(folder.path(), &jobs, &threads(2));
    assert_eq!((again.jobs[0].signed, again.jobs[0].already_valid), (0, 10));
    assert_eq!(again.skipped[&Skip::Sidecar].count, 10);
    assert_eq!(fs::read(folder.path().join("a/one.sig")).unwrap().len(), 9 + 3309);
    assert_eq!(fs::read(folder.path().join("a/one.sig.part")).unwrap(), b"half");

    let (report, _) = verify(folder.path(), &ring(&[ML_DSA_65]), source());
    assert_eq!((report.content.good, report.is_good()), (10, true));
    fs::write(folder.path().join("a/one.sig"), vec![3; 100_000]).unwrap();
    fs::remove_file(folder.path().join("big.sig")).unwrap();
    let (report, _) = verify(folder.path(), &ring(&[ML_DSA_65]), source());
    assert_eq!((report.content.malformed.count, report.content.unsigned.count), (1, 1));
}

fn manifest_of(tree: &Path, options: &Options<'_>) -> Vec<u8> {
    sign_to_manifest(tree, &[job(ML_DSA_44, Store::Returned)], options).1
}

/// Signs, with a list of the values that are returned of one of the jobs.
fn sign_to_manifest(tree: &Path, jobs: &[Job], options: &Options<'_>) -> (SignReport, Vec<u8>) {
    let mut writer = manifest::Writer::new(Vec::new());
    let report = tree::sign(tree, jobs, None, options, |file| match file.outcome {
        SignOutcome::Read { jobs, .. } => {
            let returned = jobs.iter().find_map(|done| match done {
                Done::Returned(value) => Some(value),
                _ => None,
            });
            writer.file(file.path, [(attribute::USER_IMA, &returned.unwrap()[..])])
        }
        _ => Ok(()),
    });
    (report.unwrap(), writer.finish().unwrap())
}

#[test]
fn manifests_are_equal_in_every_run_and_verified() {
    let folder = made_tree();
    let text = manifest_of(folder.path(), &threads(1));
    assert_eq!(text, manifest_of(folder.path(), &threads(4)));
    let listed = |text: &[u8]| Source::Manifest(attribute::USER_IMA, Box::new(Cursor::new(text.to_vec())));
    let (report, _) = verify(folder.path(), &ring(&[ML_DSA_44]), listed(&text));
    assert_eq!((report.content.good, report.is_good()), (8, true));
    // What a list says again is no further file, and still judged.
    let again = |more: &[u8]| {
        let list = listed(&[&text[..], more].concat());
        tree::verify(folder.path(), &ring(&[ML_DSA_44]), None, list, &threads(2), |_| Ok(())).unwrap()
    };
    let report = again(&text);
    assert_eq!((report.content.good, report.files, report.is_good()), (8, 8, true));
    assert_eq!(report.skipped[&Skip::FurtherRecord].count, 8);
    let report = again(b"# file: a-b\nuser.ima=0x00\n\n");
    assert_eq!((report.content.good, report.content.malformed.count, report.is_good()), (8, 1, false));

    fs::write(folder.path().join("new"), "new").unwrap();
    fs::remove_file(folder.path().join("a-b")).unwrap();
    let (report, _) = verify(folder.path(), &ring(&[ML_DSA_44]), listed(&text));
    assert_eq!(report.content.unsigned.first, [PathBuf::from("new")]);
    assert_eq!(report.unread[&ReadFailure::Vanished].first, [PathBuf::from("a-b")]);
    assert_eq!(report.content.good, 7);

    // A list that leads out of the tree reads nothing there.
    let outside = listed(b"# file: ../../etc/passwd\nuser.ima=0x00\n\n");
    let (report, verdicts) = verify(folder.path(), &ring(&[]), outside);
    assert!(matches!(verdicts[Path::new("../../etc/passwd")], FileVerdict::Unread(_)));
    assert_eq!(report.bytes_read, 0);

    let refused =
        tree::verify(folder.path(), &ring(&[]), None, listed(b"nonsense\n"), &threads(2), |_| Ok(()));
    assert!(matches!(refused, Err(TreeError::Manifest(_))));
}

#[test]
fn setfattr_restores_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    if !installed("setfattr") || !installed("getfattr") {
        return;
    }
    let (tree, list) = (folder.path().join("tree"), folder.path().join("list"));
    make_tree(&tree);
    let text = manifest_of(&tree, &threads(2));
    fs::write(&list, &text).unwrap();
    let setfattr = || std::process::Command::new("setfattr");
    run(setfattr().arg("--restore").arg(&list).current_dir(&tree));
    assert!(verify(&tree, &ring(&[ML_DSA_44]), USER).0.is_good());
    let mut getfattr = std::process::Command::new("getfattr");
    let printed =
        run(getfattr.args(["-R", "-h", "-d", "-m", "^user.ima$", "-e", "hex", "."]).current_dir(&tree));
    let records = |text: &[u8]| -> Vec<manifest::Record> {
        let mut records: Vec<_> = manifest::Reader::new(text).map(Result::unwrap).collect();
        records.sort_by(|one, other| one.path.cmp(&other.path));
        records
    };
    assert_eq!(records(printed.as_bytes()), records(&text));
}

#[test]
fn several_jobs_share_one_reading() {
    let folder = made_tree();
    let jobs = [
        job(P256, user_ima()),
        job(ML_DSA_65, Store::Attribute("user.ima.next".to_string())),
        job(P384, Store::Returned),
    ];
    let report = sign(folder.path(), &jobs, &threads(2));
    assert_eq!(report.bytes_read, 300_006, "the hard link has two names where values are returned");
    assert_eq!(report.jobs.iter().map(|job| job.signed).collect::<Vec<_>>(), [7, 7, 8]);
    assert!(report.is_complete());
    assert!(verify(folder.path(), &ring(&[ML_DSA_65]), Source::Attribute("user.ima.next")).0.is_good());
}

#[test]
fn fs_verity_digests_are_signed_wherever_signatures_are_kept() {
    let folder = made_tree();
    let over_verity = |key, store| job(key, store).over_verity().unwrap();
    let jobs = [
        over_verity(P256, user_ima()),
        over_verity(ML_DSA_65, Store::Sidecar(sidecar::SUFFIX.to_string())),
        over_verity(RSA_2048, Store::Returned),
        job(P384, Store::Attribute("user.ima.content".to_string())),
    ];
    let (report, list) = sign_to_manifest(folder.path(), &jobs, &threads(2));
    assert_eq!(report.bytes_read, 300_006, "the content and its tree are hashed in one reading");
    assert_eq!(report.jobs.iter().map(|job| job.signed).collect::<Vec<_>>(), [7, 8, 8, 7]);

    // The digest is that of fs-verity, and what it is of stands in the first byte.
    let mut value = [0; 512];
    let length = getxattr(folder.path().join("big"), attribute::USER_IMA, &mut value).unwrap();
    assert_eq!(value[..3], [6, 3, 4]);
    let by_hand = |_, algorithm| {
        let parameters = verity::Parameters::new(algorithm).unwrap();
        verity::digest_of_reader(fs::File::open(folder.path().join("big")).unwrap(), &parameters)
    };
    assert!(ring(&[P256]).verify(&value[..length], by_hand).unwrap().is_good());

    let good_and_changed = |key, source| {
        let content = verify(folder.path(), &ring(&[key]), source).0.content;
        (content.good, content.changed.count)
    };
    let sidecar = || Source::Sidecar(sidecar::SUFFIX);
    let listed = || Source::Manifest(attribute::USER_IMA, Box::new(&list[..]));
    assert_eq!(good_and_changed(P256, USER), (7, 0));
    assert_eq!(good_and_changed(ML_DSA_65, sidecar()), (8, 0));
    assert_eq!(good_and_changed(RSA_2048, listed()), (8, 0));
    assert_eq!(good_and_changed(P384, Source::Attribute("user.ima.content")), (7, 0));
    fs::write(folder.path().join("big"), vec![8; 300_000]).unwrap();
    assert_eq!(good_and_changed(P256, USER), (6, 1));
    assert_eq!(good_and_changed(ML_DSA_65, sidecar()), (7, 1));
    assert_eq!(good_and_changed(RSA_2048, listed()), (7, 1));

    // Again: the changed file alone. Over contents: all of them.
    let again = sign(folder.path(), &jobs[..2], &threads(2));
    assert_eq!(again.jobs.iter().map(|job| job.signed).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(sign(folder.path(), &[job(P256, user_ima())], &threads(2)).jobs[0].already_valid, 0);
}

#[test]
fn what_fs_verity_has_not_is_refused_before_anything_is_signed() {
    let version_2 = job_in(P256, Version::V2, user_ima());
    assert!(matches!(version_2.over_verity(), Err(SignError::VerityVersion2)));
    let key = PrivateKey::read(P256.as_bytes()).unwrap();
    let signer = common::signer(P256.as_bytes(), Version::V3);
    let sha384 = Job::new(common::implementation(&key.algorithm), signer, HashAlgorithm::Sha384, user_ima());
    assert!(matches!(sha384.unwrap().over_verity(), Err(SignError::VerityHash(_))));
}

#[test]
fn a_run_that_was_interrupted_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..500 {
        fs::write(folder.path().join(format!("{number}")), [0; 100]).unwrap();
    }
    let (jobs, flag) = ([job(P256, user_ima())], AtomicBool::new(false));
    let options = Options { interrupted: Some(&flag), ..threads(2) };
    let report = tree::sign(folder.path(), &jobs, None, &options, |file| {
        flag.fetch_or(file.progress.files_done == 10, Ordering::Relaxed);
        Ok(())
    })
    .unwrap();
    assert!(report.interrupted && !report.is_complete());
    assert!((10..500).contains(&report.files), "{}", report.files);
    let rest = sign(folder.path(), &jobs, &threads(2));
    assert_eq!(rest.jobs[0].signed + rest.jobs[0].already_valid, 500);
    assert!(rest.jobs[0].already_valid >= report.files && rest.is_complete());
}

#[test]
fn what_the_caller_cannot_take_ends_the_run() {
    let folder = made_tree();
    let full = || Err(std::io::ErrorKind::StorageFull.into());
    let refused = tree::sign(folder.path(), &[job(P256, Store::Returned)], None, &threads(2), |_| full());
    assert!(matches!(refused, Err(TreeError::Observer(_))));
    let none = tree::sign(&folder.path().join("none"), &[], None, &threads(1), |_| Ok(()));
    assert!(matches!(none, Err(TreeError::Open { .. })));
}

#[test]
fn files_that_vanish_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..3000 {
        fs::write(folder.path().join(format!("{number:04}")), [0; 64]).unwrap();
    }
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in (0..3000).rev() {
                fs::remove_file(folder.path().join(format!("{number:04}"))).unwrap();
            }
        });
        sign(folder.path(), &[job(P256, user_ima())], &threads(1))
    });
    let vanished: u64 = report.unread.values().map(|tally| tally.count).sum();
    assert_eq!(report.jobs[0].signed + vanished, report.files);
    assert!(report.unread.keys().all(|failure| *failure == ReadFailure::Vanished), "{:?}", report.unread);
    assert!(report.jobs[0].is_complete());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_not_signed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, vec![0; 64 << 20]).unwrap();
    let stop = AtomicBool::new(false);
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::File::options().write(true).open(&path).unwrap();
            while !stop.load(Ordering::Relaxed) {
                file.write_all_at(b"x", 0).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        let report = sign(folder.path(), &[job(P256, user_ima())], &threads(1));
        stop.store(true, Ordering::Relaxed);
        report
    });
    assert_eq!(report.unread[&ReadFailure::Changing].count, 1);
    assert!(!report.is_complete());
}
