//! The scripts under `tests/cmd/`: what is typed, and what comes back, word for word.
//!
//! `TRYCMD=overwrite cargo test --release -p fieldtest scripts` writes the answers of the program that is here into
//! the scripts. Look at the difference before you keep it, and put `[..]` and `...` back where results change from run
//! to run or from machine to machine.

use std::path::Path;

use trycmd::TestCases;

fn run(scripts: &Path) {
    TestCases::new()
        .register_bin("fieldtest", Path::new(env!("CARGO_BIN_EXE_fieldtest")))
        .case(scripts.join("*.trycmd"));
}

#[test]
fn scripts() {
    run(Path::new("tests/cmd"));
}

/// Scripts that read captures are run through links from where these can be made; each in a directory of its own.
#[cfg(unix)]
#[test]
fn scripts_on_captures() {
    use std::fs;
    let here = tempfile::TempDir::new().expect("a directory for the test");
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/captures");
    for script in fs::read_dir(scripts).expect("the scripts") {
        let script = script.expect("an entry");
        let link = here.path().join(script.file_name());
        let inputs = link.with_extension("in");
        fs::create_dir(&inputs).expect("a directory for the script");
        fs::write(inputs.join("plain.pcap"), crate::captures::pcap(&crate::captures::session()))
            .expect("a capture");
        std::os::unix::fs::symlink(script.path(), link).expect("a link");
    }
    run(here.path());
}
