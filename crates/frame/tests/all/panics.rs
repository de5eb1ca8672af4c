//! A panic is said in one line, whatever its message quotes. The test starts itself again, since a hook is for a whole
//! process.

use std::process::Command;

use fieldtest_frame::outcome;

#[test]
fn a_panic_steers_nothing() {
    const CHILD: &str = "FIELDTEST_TEST_PANIC";
    if std::env::var_os(CHILD).is_some() {
        outcome::say_panics();
        panic!("no such name: {:}", "e\x1b]0;x\x07\nfieldtest: well");
    }
    let mut again = Command::new(std::env::current_exe().expect("this program"));
    let run =
        again.args(["--exact", "panics::a_panic_steers_nothing", "--nocapture"]).env(CHILD, "1").output();
    let said = String::from_utf8(run.expect("it starts").stderr).expect("text");
    let line = said.lines().find(|line| line.starts_with("fieldtest: ")).expect("a message");
    assert!(line.contains(" crates/frame/tests/all/panics.rs:"), "{line}");
    assert!(line.contains("e\\x1b]0;x\\x07\\nfieldtest: well; "), "{line}");
    assert!(!said.contains('\x1b'), "{said}");
}
