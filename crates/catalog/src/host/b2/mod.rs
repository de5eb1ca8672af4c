//! The host's libb2: BLAKE2 by its authors.

mod ffi;

use std::sync::LazyLock;

use crate::hash::Function as HashFunction;
use crate::mac::keyed::Function as MacFunction;

use super::keyed::{Keyed, Keying};
use super::library::Wanted;
use super::plain::{PlainHash, PlainKey};
use ffi::{B2, Function, HashCode, KeyedState};

pub(super) const NAME: &str = "libb2-host";

const WANTED: Wanted = Wanted {
    name: NAME,
    title: "libb2",
    variable: "FIELDTEST_LIBB2",
    files: &["libb2.so.1", "libb2.1.dylib"],
};

static B2: LazyLock<Result<B2, String>> = LazyLock::new(|| WANTED.load(B2::of));

fn b2() -> Option<&'static B2> {
    B2.as_ref().ok()
}

/// The version of its interface, as the library states none of itself, or why there is none.
pub(super) fn version() -> Result<String, &'static str> {
    B2.as_ref().map(|_| "1".to_owned()).map_err(String::as_str)
}

pub(super) fn hash(function: &str) -> Option<impl HashFunction + use<>> {
    let library = b2()?;
    match function {
        "blake2b-256" => Some(PlainHash(HashCode { library, function: Function::Blake2b })),
        "blake2bp-256" => Some(PlainHash(HashCode { library, function: Function::Blake2bp })),
        _ => None,
    }
}

pub(super) fn keyed(keyed: Keyed) -> Option<impl MacFunction> {
    let function = match keyed {
        Keyed::Blake2s => Function::Blake2s,
        Keyed::Blake2b => Function::Blake2b,
        _ => return None,
    };
    let library = b2()?;
    Keying::new(keyed, move |key: &[u8]| {
        Ok(PlainKey(KeyedState::new(library, function, keyed.output(), key)?))
    })
}
