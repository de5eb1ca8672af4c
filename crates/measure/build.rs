//! Writes down which compiler and target build this crate, because both belong in every record.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "unknown compiler".to_owned());
    let target = std::env::var("TARGET").unwrap_or_else(|_| "unknown target".to_owned());
    println!("cargo::rustc-env=FIELDTEST_COMPILER={version}, {target}");
}
