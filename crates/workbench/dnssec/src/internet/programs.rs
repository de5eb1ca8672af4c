//! Where the servers' programs are.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use fieldtest_dns_internet::internet::Programs;

use crate::args::World;
use crate::outcome::usage;

/// What `lab/resolvers/build.sh` leaves, below the folder that this program's own is in: an Unbound that knows every algorithm. Not below
/// the folder in which somebody happens to be, where anybody may have left anything.
const BUILT: &str = "lab/resolvers/bin/unbound";
/// Where servers are that are in no user's path.
const BESIDE_PATH: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// The programs that were named, or those that are here.
pub(super) fn find(args: &World) -> Result<Programs> {
    let nsd = match &args.nsd {
        Some(named) => named.clone(),
        None => installed("nsd")
            .ok_or_else(|| usage("there is no nsd here; install NSD, or name the program with --nsd"))?,
    };
    let built = || {
        let own = std::env::current_exe().ok()?;
        Some(own.parent()?.parent()?.join(BUILT)).filter(|path| path.is_file())
    };
    let unbound = match &args.resolver {
        Some(named) => named.clone(),
        None => built().or_else(|| installed("unbound")).ok_or_else(|| {
            usage("there is no unbound here; build one with lab/resolvers/build.sh, or name one with --resolver")
        })?,
    };
    Ok(Programs { nsd, unbound })
}

fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = BESIDE_PATH.into_iter().map(PathBuf::from);
    std::env::split_paths(&path)
        .chain(beside)
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

/// What a program calls itself, by the first line that it writes for `word`: `1.17.1` of `Version 1.17.1`.
pub(crate) fn version(program: &Path, word: &str) -> String {
    let output = Command::new(program).arg(word).output().ok();
    // NSD says it on standard error.
    let first = output.and_then(|output| {
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&text).lines().next().map(|line| line.trim().to_owned())
    });
    let version = first.map(|line| line.strip_prefix("Version ").unwrap_or(&line).to_owned());
    version.filter(|version| !version.is_empty()).unwrap_or_else(|| "an unknown version".to_owned())
}
