//! Zones that nobody signs: their name server signs answers as it gives them, and denies a name by an NSEC record that is made for it
//! alone. That server is Knot with `mod-onlinesign`.
//!
//! What Knot 3.2 says of a name that does not exist is what RFC 9824 made of it, but for the type NXNAME (section 2): NOERROR, and an
//! NSEC record from the name to the next one that could be, signed on the spot. So is everything else, the SOA record beside it
//! included.

use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::BASE64;
use fieldtest_dnssec::Name;
use fieldtest_dnssec::keys::ZoneKey;

use crate::InternetError;
use crate::plan::Level;

pub(crate) const REMEDY: &str = "install Knot DNS (Debian: knot)";

/// Knot's programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knot {
    /// The server, `knotd`.
    pub server: PathBuf,
    /// What makes keys, `keymgr`.
    pub keys: PathBuf,
}

/// How a level's answers are signed.
#[derive(Debug, Clone, Copy)]
pub struct Online<'a> {
    /// By whom.
    pub knot: &'a Knot,
    /// Bits of a key, where its number in DNSKEY records does not say them.
    pub bits: Option<u32>,
}

/// Where Knot keeps the keys of a level: beside its zones, so that they are there for every start.
pub(crate) fn keys_of(zones: &Path, level: Level) -> PathBuf {
    zones.join(format!("keys-{level}"))
}

/// Makes a key for a zone, the one that signs all of its answers (`mod-onlinesign` has no other scheme), and says which.
///
/// # Errors
/// `keymgr` is not there, or refuses.
pub(crate) fn key(
    online: &Online<'_>,
    number: u8,
    zone: &Name,
    level: Level,
    zones: &Path,
) -> Result<ZoneKey, InternetError> {
    let (keys, name) = (keys_of(zones, level), zone.to_string());
    let mut make = vec![
        "generate".to_owned(),
        format!("algorithm={number}"),
        "ksk=yes".to_owned(),
        "zsk=yes".to_owned(),
    ];
    make.extend(online.bits.map(|bits| format!("size={bits}")));
    keymgr(online, &keys, &name, &make)?;
    let said = keymgr(online, &keys, &name, &["dnskey".to_owned()])?;
    // `OWNER DNSKEY FLAGS 3 ALGORITHM KEY`
    let words: Vec<&str> = said.split_ascii_whitespace().skip(2).collect();
    let rdata = || -> Option<Vec<u8>> {
        let [flags, protocol, algorithm, key @ ..] = &words[..] else { return None };
        let key = BASE64.decode(key.concat().as_bytes()).ok()?;
        let flags: u16 = flags.parse().ok()?;
        Some([&flags.to_be_bytes()[..], &[protocol.parse().ok()?, algorithm.parse().ok()?], &key].concat())
    };
    let rdata = rdata().ok_or_else(|| {
        refused(online, format!("returned '{}', which is not a DNSKEY record", said.trim()))
    })?;
    ZoneKey::from_dnskey(*zone, rdata).map_err(|source| InternetError::Key { zone: name, source })
}

fn keymgr(online: &Online<'_>, keys: &Path, zone: &str, words: &[String]) -> Result<String, InternetError> {
    let program = &online.knot.keys;
    let output = Command::new(program).arg("--dir").arg(keys).arg(zone).args(words).output();
    let output =
        output.map_err(|source| InternetError::Start { program: program.clone(), source, remedy: REMEDY })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("without a word");
        return Err(refused(online, format!("failed ({}): {last}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn refused(online: &Online<'_>, what: String) -> InternetError {
    let server = online.knot.keys.display().to_string();
    InternetError::Server { server, what, log: "(it has none)".to_owned() }
}
