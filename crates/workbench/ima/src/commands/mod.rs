//! `fieldtest ima`: file signatures of the Linux integrity subsystem.

mod keygen;
mod keys;
mod lengths;
mod packages;
mod plan;
mod shown;
mod sign;
mod study;
mod survey;
mod verify;

use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow};
use fieldtest_frame::input;
use fieldtest_ima::tar::TarOptions;
use fieldtest_ima::tree::Options;

use crate::args::{Ima, ImaStore, ImaWalk};
use crate::outcome::{Outcome, coded, usage};
use crate::output::Format;

pub(crate) fn run(command: Ima, format: Format) -> Result<Outcome> {
    match command {
        Ima::Keygen(args) => {
            format.only_human("fieldtest ima keygen prints the names of two files")?;
            keygen::run(&args)
        }
        Ima::Plan(args) => plan::run(&args, format),
        Ima::Sign(args) => sign::run(&args, format),
        Ima::Packages(args) => packages::run(&args, format),
        Ima::Verify(args) => verify::run(&args, format),
        Ima::Study(args) => study::run(args, format),
    }
}

fn options<'a>(walk: &ImaWalk, interrupted: &'a AtomicBool) -> Options<'a> {
    Options {
        threads: Some(walk.threads.or_all()),
        cross_file_systems: walk.cross_file_systems,
        interrupted: Some(interrupted),
        output: None,
    }
}

fn tar_options<'a>(walk: &ImaWalk, interrupted: &'a AtomicBool) -> TarOptions<'a> {
    TarOptions { run: options(walk, interrupted), spool: None }
}

/// Refuses what only one of the stores has.
fn fits_store(store: ImaStore, walk: &ImaWalk, tree: &Path, evm: bool) -> Result<()> {
    if tree == Path::new("-") && store != ImaStore::Tar {
        return Err(usage("standard input (-) can only be an archive; add --store tar"));
    }
    if walk.cross_file_systems && store == ImaStore::Tar {
        return Err(usage("--cross-file-systems has no effect with --store tar; remove it"));
    }
    fits_name(&walk.attribute)?;
    if evm && (store != ImaStore::Xattr || walk.attribute != fieldtest_ima::store::attribute::IMA) {
        return Err(usage(
            "--evm is for signatures in security.ima, which EVM protects; omit --store and --attribute",
        ));
    }
    Ok(())
}

/// Refuses a name that no xattr has.
fn fits_name(name: &str) -> Result<()> {
    /// The longest name of an xattr (`XATTR_NAME_MAX` of `include/uapi/linux/limits.h`).
    const LONGEST_NAME: usize = 255;
    if name.split_once('.').is_none_or(|(prefix, rest)| prefix.is_empty() || rest.is_empty()) {
        return Err(usage(format!(
            "invalid --attribute '{name}': expected a name with a prefix, such as security.ima"
        )));
    }
    if name.len() > LONGEST_NAME {
        let length = name.len();
        return Err(usage(format!(
            "the name after --attribute has {length} bytes, but Linux accepts at most {LONGEST_NAME}; choose a shorter one"
        )));
    }
    Ok(())
}

/// An archive, from a file or from standard input.
fn archive(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(input::stdin()));
    }
    if path.is_dir() {
        return Err(usage(format!("{} is a directory; --store tar signs archives", shown::path(path))));
    }
    // As a sentence: an error of the system that comes out of writing a file is taken for that file's.
    let unread = |error| anyhow!("cannot read the archive {}: {error}", shown::path(path));
    let file = input::open(path).map_err(unread)?;
    Ok(Box::new(BufReader::with_capacity(1 << 18, file)))
}

/// The error for a tree without files, which may not be mounted.
fn no_file(tree: &Path) -> anyhow::Error {
    coded("no-file", anyhow!("cannot use {}: it contains no regular file; check the path", shown::path(tree)))
}

/// Whether this process may set `security.*` and mount: `CAP_SYS_ADMIN` is bit 21 of its effective capabilities
/// (capabilities(7)). Where that cannot be told, trying will.
fn may_administer() -> bool {
    const CAP_SYS_ADMIN: u64 = 1 << 21;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    effective.is_none_or(|capabilities| capabilities & CAP_SYS_ADMIN != 0)
}
