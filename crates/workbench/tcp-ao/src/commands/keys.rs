//! Keys and initial sequence numbers as they are typed.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use fieldtest_frame::{input, measuring, text};
use fieldtest_tcp_ao::SocketPair;
use fieldtest_tcp_ao::flows::KnownIsns;
use fieldtest_tcp_ao::verify::{Key, KeySpec};
use zeroize::Zeroizing;

use crate::algorithms::resolve;
use crate::args::{Isns, Keys};
use crate::outcome::usage;

/// The keys that were typed, then those of the file.
pub(super) fn keys(args: &Keys) -> Result<Vec<Key>> {
    measuring::known_implementation(args.implementation.as_deref())?;
    let implementation = args.implementation.as_deref();
    let mut keys = Vec::new();
    for typed in &args.keys {
        keys.extend(both_ends(typed, implementation)?);
    }
    if let Some(path) = &args.file {
        // One KeyID may have a key for each direction, and for each peer.
        let mut lines = HashMap::new();
        let of_line = |number: usize, line: &str| {
            let keys = both_ends(line, implementation)?;
            for (end, key) in [keys.first(), keys.last()].into_iter().flatten().enumerate() {
                let (id, of) = (key.id(), key.prefixes().to_vec());
                if let Some(first) = lines.insert((end, id, of), number) {
                    return Err(usage(format!(
                        "KeyID {id} is given twice, first in line {first}; remove one, or give each its own addresses"
                    )));
                }
            }
            Ok(keys)
        };
        keys.extend(of_file(path, of_line)?.into_iter().flatten());
    }
    if keys.is_empty() {
        return Err(match &args.file {
            Some(path) => usage(format!(
                "cannot read keys from {}: it has none; write one ID:ALGORITHM:HEX a line",
                text::path(path)
            )),
            None => usage("no key is given; add --key ID:ALGORITHM:HEX"),
        });
    }
    Ok(keys)
}

/// Bytes of a file of keys. One of 65,536 keys, more than there are identifiers for 128 neighbours, has a tenth of it.
const MOST: u64 = 1 << 24;

/// What `read` makes of every line of a file of keys, by its number, but the empty ones and those that begin with `#`.
pub(super) fn of_file<K>(path: &Path, mut read: impl FnMut(usize, &str) -> Result<K>) -> Result<Vec<K>> {
    let bytes = input::read(path, MOST).map(Zeroizing::new);
    let bytes = bytes.with_context(|| format!("cannot read the keys in {}", path.display()))?;
    let text = text::decoded(&bytes)
        .map_err(|why| anyhow!("cannot read the keys in {}: {why}", text::path(path)))?;
    // Editors of Windows put a byte order mark in front.
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            read(number, line).with_context(|| format!("{}, line {number}", path.display()))
        })
        .collect()
}

/// The key that is written, or the two of SendID/RecvID, as the gateway has them: the KeyIDs of the two ends.
fn both_ends(text: &str, implementation: Option<&str>) -> Result<Vec<Key>> {
    let ids = text.split_once(':').and_then(|(ids, rest)| Some((ids.split_once('/')?, rest)));
    let Some(((send, receive), rest)) = ids else { return Ok(vec![key(text, implementation)?]) };
    let of = |id: &str| key(&Zeroizing::new(format!("{id}:{rest}")), implementation);
    let mut keys = vec![of(send)?];
    if receive != send {
        keys.push(of(receive)?);
    }
    Ok(keys)
}

fn key(text: &str, implementation: Option<&str>) -> Result<Key> {
    let spec: KeySpec = text.parse().map_err(usage)?;
    let (mac, tag) = resolve(&spec.algorithm, implementation)?;
    Key::new(spec, mac, tag).map_err(usage)
}

pub(super) fn isns(args: &Isns) -> Result<Vec<KnownIsns>> {
    let mut all: Vec<KnownIsns> = Vec::new();
    for typed in &args.isns {
        let known = known(typed)?;
        let (local, remote) = (known.pair.local(), known.pair.remote());
        let is_same = |it: &KnownIsns| {
            let ends = [it.pair.local(), it.pair.remote()];
            ends.contains(&local) && ends.contains(&remote)
        };
        if all.iter().any(is_same) {
            return Err(usage(format!("--isns names the connection of '{typed}' twice; leave one out")));
        }
        all.push(known);
    }
    Ok(all)
}

fn known(typed: &str) -> Result<KnownIsns> {
    let wrong = || {
        usage(format!(
            "invalid --isns '{typed}': expected ADDRESS:PORT=ISN,ADDRESS:PORT=ISN, ports up to 65535 and ISNs below 2^32, such as \
             192.0.2.1:179=1000,192.0.2.2:50000=0x2a or, if its numbers have passed 2^32 twice, …=0x2a+2"
        ))
    };
    let (local, remote) = typed.split_once(',').ok_or_else(wrong)?;
    let end = |text: &str| -> Option<(SocketAddr, u32, Option<u32>)> {
        let (end, isn) = text.split_once('=')?;
        let (isn, extension) = match isn.split_once('+') {
            Some((isn, extension)) => (isn, Some(extension.parse().ok()?)),
            None => (isn, None),
        };
        let isn = match isn.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => isn.parse().ok()?,
        };
        Some((end.parse().ok()?, isn, extension))
    };
    let ((local, local_isn, sent), (remote, remote_isn, received)) =
        end(local).zip(end(remote)).filter(|(local, remote)| local.0 != remote.0).ok_or_else(wrong)?;
    let pair = SocketPair::new(local, remote).map_err(usage)?;
    let given = sent.is_some() || received.is_some();
    let extensions = given.then(|| (sent.unwrap_or_default(), received.unwrap_or_default()));
    Ok(KnownIsns { pair, local: local_isn, remote: remote_isn, extensions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_keys_may_begin_with_a_byte_order_mark() -> Result<()> {
        let path = std::env::temp_dir().join(format!("fieldtest-keys-{}", std::process::id()));
        std::fs::write(&path, "\u{feff}# a comment\r\n61:hmac-sha1-96:00\r\n")?;
        let lines = of_file(&path, |_, line| Ok(line.to_owned()));
        std::fs::remove_file(&path)?;
        assert_eq!(lines?, ["61:hmac-sha1-96:00"]);
        Ok(())
    }
}
