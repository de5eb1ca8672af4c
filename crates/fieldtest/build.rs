//! Asks the linker for a smaller program, where it is one that can: functions that came out alike are kept once, and what
//! the loader has to relocate is packed. LLD, which Rust brings for x86-64 Linux, knows both, GNU's linker neither; a
//! linker that refuses links as it always does. Tried here, since nothing says which one is going to be used.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Rust promises no function an address of its own, and nothing here compares addresses of functions.
const WANTED: [&str; 2] = ["-Wl,--icf=all", "-Wl,-z,pack-relative-relocs"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if links()? {
        for argument in WANTED {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
    Ok(())
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
    rustc.args(WANTED.iter().flat_map(|argument| ["-C".to_owned(), format!("link-arg={argument}")]));
    Ok(rustc.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success()))
}
