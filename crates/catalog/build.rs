//! Lists the files under `facts/`, so that a new one is found without being named anywhere.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let facts = Path::new(&root).join("../../facts").canonicalize()?;
    println!("cargo::rerun-if-changed={}", facts.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&facts)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".toml") {
            names.push(name);
        }
    }
    names.sort();
    let mut list = String::from("&[\n");
    for name in names {
        let path = facts.join(&name);
        list.push_str(&format!("    ({:?}, include_str!({:?})),\n", format!("facts/{name}"), path));
    }
    list.push_str("]\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("facts.rs"), list)
}
