//! Programs of the search path that compute digests.

use std::process::{Command, Stdio};

use super::system::at_least;
use super::{Finding, empty_digest};

/// Programs that print a file's digest: name, arguments, and the function.
const CHECKSUMS: [(&str, &[&str], &str); 6] = [
    ("sha1sum", &[], "sha-1"),
    ("sha256sum", &[], "sha-256"),
    ("cksum", &["--untagged", "-a", "sha3", "-l", "256"], "sha3-256"),
    ("b2sum", &["-l", "256"], "blake2b-256"),
    ("b3sum", &[], "blake3"),
    ("shasum", &["-a", "512256"], "sha-512-256"),
];

/// Prints a line for each function that `hashlib` has: the catalog's name and the digest of the empty message.
const PYTHON: &str = "
import hashlib, platform
print(platform.python_version())
for name, digest in (
    ('sha-1', lambda: hashlib.new('sha1')),
    ('sha-256', lambda: hashlib.new('sha256')),
    ('sha-512-256', lambda: hashlib.new('sha512_256')),
    ('sha3-256', lambda: hashlib.new('sha3_256')),
    ('blake2b-256', lambda: hashlib.blake2b(digest_size=32)),
):
    try: print(name, digest().hexdigest())
    except Exception: pass
try: print('shake128-256', hashlib.shake_128().hexdigest(32))
except Exception: pass
";

/// One finding for each program that prints the right digest.
pub(super) fn checksums() -> impl Iterator<Item = Finding> {
    CHECKSUMS.iter().filter_map(|&(program, arguments, function)| {
        let expected = empty_digest(function)?;
        let printed = output(program, arguments)?;
        if printed.split_whitespace().next() != Some(&expected) {
            return None;
        }
        let version = output(program, &["--version"])?;
        Some(Finding::new(program, number(version.lines().next()?)?, |name| name == function))
    })
}

/// Python's `hashlib`.
pub(super) fn python() -> Option<Finding> {
    let printed = output("python3", &["-I", "-c", PYTHON])?;
    let (version, digests) = printed.split_once('\n')?;
    let digests: Vec<(&str, &str)> = digests.lines().filter_map(|line| line.split_once(' ')).collect();
    Some(Finding::new("Python hashlib", version.trim().to_owned(), |name| {
        digests.iter().any(|&(found, digest)| found == name && empty_digest(name).as_deref() == Some(digest))
    }))
}

/// Git. Whether its SHA-1 detects collisions it says itself, if it is new enough to say anything of it.
pub(super) fn git() -> Option<Finding> {
    let printed = output("git", &["version", "--build-options"])?;
    let version = number(printed.lines().next()?)?;
    let detects = printed.contains("SHA-1: SHA1_DC");
    let has_sha256 = at_least(&version, (2, 29));
    Some(Finding::new("Git", version, |name| match name {
        "sha-1" => true,
        "sha-1dc" => detects,
        "sha-256" => has_sha256,
        _ => false,
    }))
}

/// What the program printed, if it could be run and ended well. It reads nothing.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The version in a line such as `sha1sum (GNU coreutils) 9.1`: the first word that begins with a digit.
pub(crate) fn number(line: &str) -> Option<String> {
    let word = line.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_in_the_first_line() {
        assert_eq!(number("sha1sum (GNU coreutils) 9.1").as_deref(), Some("9.1"));
        assert_eq!(number("git version 2.39.5").as_deref(), Some("2.39.5"));
        assert_eq!(number("cryptsetup 2.6.1 flags: UDEV BLKID\n").as_deref(), Some("2.6.1"));
        assert_eq!(number("no version"), None);
    }
}
