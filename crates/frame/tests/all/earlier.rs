//! Results of earlier runs.

use std::fs;

use fieldtest_frame::output::{self, Earlier};

#[test]
fn what_is_there_keeps_its_content_under_another_name() {
    let directory = tempfile::tempdir().expect("a directory");
    let [records, page] = ["records.jsonl", "page"].map(|name| directory.path().join(name));
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).expect("a file");
    let both = [records.as_path(), page.as_path()];
    assert!(Earlier::secure(&both).expect("nothing is there").keep().is_empty());
    for (round, content) in ["one", "two", "three"].iter().enumerate() {
        let earlier = Earlier::secure(&both).expect("second names");
        output::own_file(&records, content.as_bytes()).expect("written");
        output::own_file(&page, content.as_bytes()).expect("written");
        assert_eq!(earlier.keep().len(), if round == 0 { 0 } else { 2 });
    }
    assert_eq!((read("records.1.jsonl"), read("page.1")), ("one".into(), "one".into()));
    assert_eq!((read("records.2.jsonl"), read("page.2")), ("two".into(), "two".into()));
    assert_eq!(read("records.jsonl"), "three");
    // Both have the same number, also where one of them is free.
    fs::remove_file(directory.path().join("page.1")).expect("gone");
    fs::write(directory.path().join("page.3"), "mine").expect("a file");
    let earlier = Earlier::secure(&both).expect("second names");
    assert_eq!(read("page.4"), "three");
    // New ones did not come, so there is nothing to be told apart.
    drop(earlier);
    assert!(!directory.path().join("page.4").exists() && !directory.path().join("records.4.jsonl").exists());
    assert_eq!((read("page.3"), read("records.jsonl")), ("mine".into(), "three".into()));
}
