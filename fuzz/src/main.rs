//! One program with every fuzz target, since linking each by itself would take longer than the runs in CI.
//!
//! `FIELDTEST_FUZZ_TARGET` chooses a target; libFuzzer gives it inputs. With `FIELDTEST_FUZZ_SEEDS` the program writes
//! the seeds of every target into that directory and ends, with `FIELDTEST_FUZZ_LIST` it names the targets. `run.sh` does
//! all that.

#![no_main]
// The three ends of this program are not errors of its tests, and its lists are for the shell.
#![allow(clippy::print_stdout)]

mod fakes;
mod scratch;
mod targets;

use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs, process};

use targets::Target;

static TARGET: OnceLock<&'static Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: prepare(),
    |input: &[u8]| {
        if let Some(target) = TARGET.get() {
            (target.run)(input);
        }
    }
);

fn prepare() {
    if env::var_os("FIELDTEST_FUZZ_LIST").is_some() {
        targets::all().for_each(|target| println!("{}", target.name));
        process::exit(0);
    }
    if let Some(folder) = env::var_os("FIELDTEST_FUZZ_SEEDS") {
        write_seeds(Path::new(&folder));
        process::exit(0);
    }
    let name = env::var("FIELDTEST_FUZZ_TARGET").unwrap_or_default();
    match targets::all().find(|target| target.name == name) {
        Some(target) => {
            let _ = TARGET.set(target);
        }
        None => {
            println!("FIELDTEST_FUZZ_TARGET names no target: '{name}'; use fuzz/run.sh");
            process::exit(2);
        }
    }
}

/// One directory for each target, one file for each seed.
fn write_seeds(folder: &Path) {
    for target in targets::all() {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder).expect("a directory for the seeds");
        for (number, seed) in (target.seeds)().into_iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:03}")), seed).expect("room for the seeds");
        }
    }
}
