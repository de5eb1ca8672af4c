//! The forms that fieldtest reads itself: a key per line.

use std::fmt::Write;

use data_encoding::HEXLOWER;

use super::chain::{Chain, Key};
use super::{Warning, comment};

/// Keys of `fieldtest tcp-ao verify` and `sign`: `ID:ALGORITHM:HEX…`.
pub(super) fn write_keys(chain: &Chain<'_>, out: &mut String) -> Vec<Warning> {
    comment(out, "# ", chain.heading());
    for key in &chain.keys {
        line(chain, key, &key.id.to_string(), out);
    }
    Vec::new()
}

/// Keys of `fieldtest tcp-ao gateway`: `SendID/RecvID:ALGORITHM:HEX…`.
pub(super) fn write_gateway_keys(chain: &Chain<'_>, out: &mut String) -> Vec<Warning> {
    comment(out, "# ", chain.heading());
    comment(
        out,
        "# ",
        [
            "The gateway has no key lifetimes: it uses the first line, and accepts all. When a key is due,"
                .to_owned(),
            "move its line to the top at both ends, in any order, and send the gateway SIGHUP.".to_owned(),
        ],
    );
    for key in &chain.keys {
        line(chain, key, &format!("{0}/{0}", key.id), out);
    }
    Vec::new()
}

fn line(chain: &Chain<'_>, key: &Key, identifiers: &str, out: &mut String) {
    comment(out, "# ", [key.times()]);
    // Writing to a String does not fail.
    let _ = write!(out, "{identifiers}:{}:", chain.algorithm.name);
    HEXLOWER.encode_append(&key.secret, out);
    if chain.exclude_options {
        out.push_str(":exclude-options");
    }
    if chain.mac_length != chain.algorithm.tag {
        let _ = write!(out, ":maclen={}", chain.mac_length);
    }
    if let Some(peer) = chain.peer {
        let _ = write!(out, ":{peer}");
    }
    out.push('\n');
}
