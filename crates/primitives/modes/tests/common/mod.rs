//! What the tests share.
#![allow(dead_code)] // Each test file uses a part.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// The bytes of hexadecimal digits, in which spaces do not count.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    HEXLOWER.decode(digits.replace(' ', "").as_bytes()).expect("hexadecimal digits")
}

/// A block from 32 hexadecimal digits.
pub(crate) fn block(digits: &str) -> [u8; 16] {
    hex(digits).try_into().expect("a block")
}

pub(crate) fn digits(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

/// The bytes 0, 1, … 255, 0, ….
pub(crate) fn counting(length: usize) -> Vec<u8> {
    (0..=255).cycle().take(length).collect()
}

/// The rows of a file of vectors, in columns. The files are the catalog's.
pub(crate) fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    file.lines().filter(|line| !line.starts_with('#')).map(|row| row.split(' ').collect())
}
