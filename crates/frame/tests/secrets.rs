//! A process that holds keys. It gives up core dumps and most of its /proc for good, so the test has a process of its own.

use std::fs;

use fieldtest_frame::{output, secrets};
use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

#[test]
fn a_crash_leaves_nothing_and_files_are_written_as_before() {
    secrets::no_core_dumps();
    assert_eq!(getrlimit(Resource::Core).current, Some(0));
    assert_eq!(dumpable_behavior().expect("Linux knows"), DumpableBehavior::NotDumpable);
    // Such a process has less of /proc, where files get their names.
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("file");
    output::file(&path, b"content").expect("written");
    assert_eq!(fs::read(&path).expect("a file"), b"content");
    output::file(std::path::Path::new("/dev/stdout"), b"").expect("written through");
}
