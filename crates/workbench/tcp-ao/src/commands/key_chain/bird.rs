//! BIRD: `authentication ao` and `keys` of a BGP protocol (BIRD's manual, chapter Protocols, section BGP; in 2.17,
//! 3.1 and later of both).
//!
//! The text is a file that is included inside the protocol, so that the configuration itself holds no secrets.

use std::fmt::Write;

use anyhow::Result;
use data_encoding::HEXLOWER;

use super::chain::Chain;
use super::{comment, linux};
use crate::outcome::usage;

/// Bytes of the MAC: BIRD leaves the length to Linux, whose default is this for every algorithm.
pub(super) const MAC_LENGTH: usize = 12;

/// BIRD's algorithms by Linux's names. The manual has `hmac sha224` too, but the grammar of BIRD 3.3.2 does not take it.
const ALGORITHMS: [(&str, &str); 6] = [
    ("hmac(md5)", "hmac md5"),
    ("hmac(sha1)", "hmac sha1"),
    ("hmac(sha256)", "hmac sha256"),
    ("hmac(sha384)", "hmac sha384"),
    ("hmac(sha512)", "hmac sha512"),
    ("cmac(aes128)", "cmac aes128"),
];

fn algorithm(linux: &str) -> Option<&'static str> {
    ALGORITHMS.iter().find(|(name, _)| *name == linux).map(|(_, algorithm)| *algorithm)
}

pub(super) fn write(chain: &Chain, out: &mut String) -> Result<Vec<String>> {
    let linux = chain.facts.kind.linux.as_deref();
    let Some(algorithm) = linux.and_then(algorithm) else {
        return Err(linux::unknown("BIRD", chain, &linux::known(|name| algorithm(name).is_some())));
    };
    if chain.mac_length != MAC_LENGTH {
        return Err(usage(format!("BIRD has MACs of {MAC_LENGTH} bytes alone; leave --mac-length out")));
    }
    if chain.exclude_options {
        return Err(usage(
            "BIRD's MACs cover all TCP options, and it has no switch for it; leave --exclude-options out",
        ));
    }
    // BIRD uses the kernel's TCP-AO, so the kernel's limits are its own.
    let (_, mut warnings) = linux::name(chain)?;
    if chain.facts.kind.tag != MAC_LENGTH {
        warnings.push(format!(
            "BIRD's MACs of {} have {MAC_LENGTH} bytes and not {}: set the other end to {MAC_LENGTH} (--mac-length {MAC_LENGTH})",
            chain.facts.name, chain.facts.kind.tag
        ));
    }
    comment(out, "# ", chain.heading());
    comment(out, "# ", notes(chain));
    out.push_str("authentication ao;\nkeys {\n");
    for (number, key) in chain.keys.iter().enumerate() {
        // Writing to a String does not fail.
        let _ = write!(out, "\t# {}\n\tkey {{\n\t\tid {};\n\t\tsecret hex:", key.times(), key.id);
        HEXLOWER.encode_append(&key.secret, out);
        let _ = write!(out, ";\n\t\talgorithm {algorithm};\n");
        if number == 0 {
            out.push_str("\t\tpreferred;\n");
        }
        out.push_str("\t};\n");
    }
    out.push_str("};\n");
    Ok(warnings)
}

fn notes(chain: &Chain) -> Vec<String> {
    let neighbor = chain.peer.map_or("ADDRESS".to_owned(), |peer| peer.to_string());
    [
        "Include this file in the protocol. BIRD takes “include” only at the beginning of a line:",
        "    protocol bgp {",
        &format!("        neighbor {neighbor} as NUMBER;"),
        "        include \"FILE\";",
        "    }",
        "BIRD knows no times: at a key's time, move the line “preferred;” to it at both ends and",
        "run “birdc configure”; mark a key “deprecated;” before you remove it. Sessions stay up.",
    ]
    .map(str::to_owned)
    .to_vec()
}
