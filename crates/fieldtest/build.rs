//! What the program says of itself, and how it is linked.
//!
//! The linker is asked for a smaller program, where it is one that can: functions that came out alike are kept once. LLD,
//! which Rust brings for x86-64 Linux, knows that, GNU's linker does not; a linker that refuses links as it always does.
//! Tried here, since nothing says which one is going to be used. Packed relocations (`-z pack-relative-relocs`)
//! saved 3 MB of 81 and tied the program to glibc 2.36, which no packaging tool noticed.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Rust promises no function an address of its own, and nothing here compares addresses of functions.
const WANTED: &str = "-Wl,--icf=all";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let features = env::vars().filter_map(|(name, _)| {
        Some(
            name.strip_prefix("CARGO_FEATURE_")
                .filter(|it| *it != "DEFAULT")?
                .to_lowercase()
                .replace('_', "-"),
        )
    });
    let mut features: Vec<String> = features.collect();
    features.sort();
    let unknown = || "unknown".to_owned();
    let rustc = env::var_os("RUSTC").and_then(|rustc| said(Command::new(rustc).arg("--version")));
    for (name, value) in [
        ("COMMIT", commit().unwrap_or_else(unknown)),
        ("FEATURES", features.join(", ")),
        ("TARGET", env::var("TARGET").unwrap_or_else(|_| unknown())),
        ("RUSTC", rustc.unwrap_or_else(unknown)),
    ] {
        println!("cargo::rustc-env=FIELDTEST_{name}={value}");
    }
    if links()? {
        println!("cargo::rustc-link-arg-bins={WANTED}");
    }
    Ok(())
}

/// The commit that is checked out; `None` in a package.
fn commit() -> Option<String> {
    let git = |words: &[&str]| said(Command::new("git").args(words));
    // It has a line more after every commit.
    if let Some(log) =
        git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| fs::exists(log).unwrap_or(false))
    {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|it| it.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}

/// Whether an empty program can be linked so, by the compiler, for the target and with the flags that cargo has.
fn links() -> io::Result<bool> {
    let variable = |name| env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")));
    let out = PathBuf::from(variable("OUT_DIR")?);
    let source = out.join("empty.rs");
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(variable("RUSTC")?);
    rustc
        .args(["--target", &variable("TARGET")?, "--crate-type", "bin", "-o"])
        .arg(out.join("empty"))
        .arg(source);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", linker.display()));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.arg("-C").arg(format!("link-arg={WANTED}"));
    Ok(rustc.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success()))
}
