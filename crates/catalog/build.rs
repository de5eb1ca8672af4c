//! Lists the files under `facts/`, by kind, so that a new one is found without being named anywhere.

use std::path::Path;
use std::{env, fs, io};

/// Relative to this crate. No absolute path is written down, so that a checkout that was moved reads its own files.
const FACTS: &str = "../../facts";

/// The folders under it, one per kind of algorithm.
const KINDS: [&str; 4] = ["signature", "mac", "hash", "cipher"];

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for kind in KINDS {
        fs::write(Path::new(&out).join(format!("{kind}.rs")), list(kind)?)?;
    }
    Ok(())
}

/// A Rust expression: name and text of every file of this kind.
fn list(kind: &str) -> io::Result<String> {
    let folder = format!("{FACTS}/{kind}");
    println!("cargo::rerun-if-changed={folder}");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".toml") {
            names.push(name);
        }
    }
    names.sort();
    let rows = names.iter().map(|name| {
        let path = format!("/{folder}/{name}");
        format!(
            "    (\"facts/{kind}/{name}\", include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),\n"
        )
    });
    Ok(format!("&[\n{}]\n", rows.collect::<String>()))
}
