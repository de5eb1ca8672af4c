//! Lists the files under `facts/`, so that a new one is found without being named anywhere.

use std::path::Path;
use std::{env, fs, io};

/// Relative to this crate. No absolute path is written down, so that a checkout that was moved reads its own files.
const FACTS: &str = "../../facts";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={FACTS}");
    let mut names = Vec::new();
    for entry in fs::read_dir(FACTS)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".toml") {
            names.push(name);
        }
    }
    names.sort();
    let rows = names.iter().map(|name| {
        let path = format!("/{FACTS}/{name}");
        format!("    (\"facts/{name}\", include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),\n")
    });
    let list = format!("&[\n{}]\n", rows.collect::<String>());
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("facts.rs"), list)
}
