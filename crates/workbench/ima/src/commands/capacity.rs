//! `fieldtest ima capacity`: the predictions held against real file systems.

use std::env;
use std::path::Path;

use anyhow::{Result, bail};
use fieldtest_ima::space::capacity::{CapacityError, Load, Measured, Observed, Setup, measure};
use fieldtest_ima::space::{Attribute, RefusalKind};
use fieldtest_ima::store::attribute::IMA;
use fieldtest_report::once::each_once;
use fieldtest_report::{Cell, Kind, Table};
use rustix::io::Errno;

use super::may_administer;
use super::shown::Spinner;
use crate::args::ImaCapacity;
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

/// Lengths of `security.ima` with ECDSA P-256 and P-384, RSA-2048, ML-DSA-44, 65 and 87.
const LENGTHS: [u64; 6] = [80, 112, 265, 2429, 3318, 4636];

/// Bytes of each file: more than one block, less than two.
const FILE_SIZE: usize = 6000;

/// Bytes of an image, which is sparse: room for twice what is written anywhere.
const IMAGE: u64 = 2 << 30;

/// btrfs adds whole leaves, each with many files in it, so that few files show nothing of the mean.
fn least_files(kind: &str, length: u64) -> u32 {
    match kind {
        "btrfs" if length < 1000 => 6000,
        "btrfs" => 2000,
        _ => 1,
    }
}

/// What is made: name in the table, file system, options of its tool.
const SETUPS: [(&str, &str, &[&str]); 8] = [
    ("ext4", "ext4", &["-q", "-b", "4096", "-I", "256"]),
    ("ext4, inodes of 512", "ext4", &["-q", "-b", "4096", "-I", "512"]),
    ("ext4, blocks of 1024", "ext4", &["-q", "-b", "1024", "-I", "256"]),
    ("ext4, ea_inode", "ext4", &["-q", "-b", "4096", "-I", "256", "-O", "ea_inode"]),
    ("xfs", "xfs", &["-q"]),
    ("btrfs, DUP", "btrfs", &["-q", "-m", "dup"]),
    ("btrfs, single", "btrfs", &["-q", "-m", "single"]),
    ("f2fs", "f2fs", &["-q"]),
];

/// The package that a file system's tool comes with, by the names of Debian and Fedora.
fn package(kind: &str) -> &'static str {
    match kind {
        "xfs" => "xfsprogs",
        "btrfs" => "btrfs-progs",
        "f2fs" => "f2fs-tools",
        _ => "e2fsprogs",
    }
}

pub(crate) fn run(args: &ImaCapacity, format: Format) -> Result<Outcome> {
    let folder = args.image_directory.clone().unwrap_or_else(env::temp_dir);
    if !folder.is_dir() {
        return Err(usage(format!(
            "there is no directory {}; make it, or name another one",
            folder.display()
        )));
    }
    if !may_administer() {
        bail!("mounting images and setting {IMA} need CAP_SYS_ADMIN: run it as root");
    }
    interrupt::flag();
    let mut table = Table::new("Xattrs per file: predicted and measured")
        .column("file system", Kind::Text)
        .numbers(["xattr", "predicted", "measured"], "bytes")
        .numbers(["inodes predicted", "inodes measured"], "")
        .column("verdict", Kind::Text);
    let (mut agree, mut all, mut left_out) = (0, 0, Vec::new());
    let mut progress = Spinner::new();
    for (name, kind, options) in SETUPS {
        if let Some(missing) = missing(kind) {
            left_out.push(missing);
            continue;
        }
        for length in LENGTHS {
            if interrupt::asked() {
                break;
            }
            progress.say(|| format!("{name}, {length} bytes"));
            let load = Load {
                files: args.files.max(least_files(kind, length)),
                file_size: FILE_SIZE,
                before: Vec::new(),
                set: vec![Attribute::new(IMA, length)],
            };
            let setup = Setup { image_size: IMAGE, ..Setup::new(kind, options) };
            match measure(&folder, &setup, &load) {
                Ok(measured) => {
                    let verdict = Verdict::of(&measured);
                    agree += usize::from(verdict.agrees);
                    all += 1;
                    table.row(row(name, length, &measured, verdict));
                }
                // A kernel without the file system, or an image that its tool does not make, stays as it is.
                Err(error @ CapacityError::Tool { .. }) => {
                    left_out.push(format!("{name} is left out: {error}").replace(char::is_control, " "));
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    drop(progress);
    table.notes_of(each_once(left_out));
    table.note(format!("{agree} of {all} predictions hold"));
    output::table(&table, format)?;
    Ok(match interrupt::asked() {
        true => Outcome::Interrupted,
        false if agree == all && all > 0 => Outcome::Fine,
        false => Outcome::Failed,
    })
}

/// Why a file system cannot be made here.
fn missing(kind: &str) -> Option<String> {
    let tool = format!("mkfs.{kind}");
    let path = env::var_os("PATH").unwrap_or_default();
    let there = env::split_paths(&path).any(|folder| Path::new(&folder).join(&tool).is_file());
    (!there).then(|| format!("{kind} is left out: {tool} is not in PATH; install {}", package(kind)))
}

fn row(name: &str, length: u64, measured: &Measured, verdict: Verdict) -> Vec<Cell> {
    let (bytes, inodes) = match &measured.predicted {
        Ok(cost) => (Cell::from(cost.bytes as f64).approximately(!cost.is_exact()), cost.inodes.into()),
        Err(_) => Default::default(),
    };
    let (seen_bytes, seen_inodes) = match &measured.observed {
        Observed::Stored { bytes, inodes } => (Cell::from(*bytes), Cell::from(*inodes)),
        Observed::Refused { .. } => Default::default(),
    };
    vec![name.into(), (length as f64).into(), bytes, seen_bytes, inodes, seen_inodes, verdict.words.into()]
}

struct Verdict {
    agrees: bool,
    words: String,
}

impl Verdict {
    fn of(measured: &Measured) -> Verdict {
        let (agrees, words) = match (&measured.predicted, &measured.observed) {
            (Ok(cost), Observed::Stored { bytes, inodes }) => {
                // Of an estimate, its interval holds; half a byte for the mean of whole ones.
                let within = (cost.least as f64 - 0.5..=cost.most as f64 + 0.5).contains(bytes);
                let agrees = within && cost.inodes == *inodes;
                let exact = if cost.is_exact() { "as predicted" } else { "within the interval" };
                (agrees, if agrees { exact.to_owned() } else { "differs".to_owned() })
            }
            (Err(refusal), Observed::Refused { name, errno }) => {
                let expected = match refusal.kind {
                    RefusalKind::NoSpace => Some(Errno::NOSPC),
                    RefusalKind::TooBig => Some(Errno::TOOBIG),
                    _ => None,
                };
                let agrees = *name == refusal.name && expected.map(Errno::raw_os_error) == Some(*errno);
                let how = if agrees { "as predicted" } else { "but otherwise than predicted" };
                (agrees, format!("refused ({}) {how}", refusal.kind))
            }
            (Ok(_), Observed::Refused { errno, .. }) => {
                let error = std::io::Error::from_raw_os_error(*errno);
                (false, format!("refused, which was not predicted: {error}"))
            }
            (Err(refusal), Observed::Stored { .. }) => {
                (false, format!("taken, although {} was predicted", refusal.kind))
            }
        };
        Verdict { agrees, words }
    }
}
