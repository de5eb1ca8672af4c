//! BIRD: `authentication ao` and `keys` of a BGP protocol (BIRD's manual, chapter Protocols, section BGP; in 2.17,
//! 3.1 and later of both).
//!
//! The text is a file that is included inside the protocol, so that the configuration itself holds no secrets.

use std::fmt::Write;

use data_encoding::HEXLOWER;

use super::chain::{Algorithm, Chain};
use super::{Refusal, Warning, comment, linux, unknown};

/// Bytes of the MAC: BIRD leaves the length to Linux, whose default is this for every algorithm.
pub const MAC_LENGTH: usize = 12;

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

pub(super) fn write(
    chain: &Chain<'_>,
    known: &[Algorithm<'_>],
    out: &mut String,
) -> Result<Vec<Warning>, Refusal> {
    let linux = chain.algorithm.linux;
    let Some(algorithm) = linux.and_then(algorithm) else {
        return Err(unknown("BIRD", chain, known, |it| it.linux.and_then(algorithm).is_some()));
    };
    if chain.mac_length != MAC_LENGTH {
        let lengths = MAC_LENGTH.to_string();
        return Err(Refusal::MacLength { system: "BIRD", what: "MACs".to_owned(), lengths });
    }
    if chain.exclude_options {
        return Err(Refusal::Options);
    }
    // BIRD uses the kernel's TCP-AO, so the kernel's limits are its own.
    let (_, mut warnings) = linux::name(chain, known)?;
    if chain.algorithm.tag != MAC_LENGTH {
        warnings.push(Warning::ShortMac {
            algorithm: chain.algorithm.name.to_owned(),
            length: MAC_LENGTH,
            usual: chain.algorithm.tag,
        });
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

fn notes(chain: &Chain<'_>) -> Vec<String> {
    let neighbor = chain.peer.map_or("ADDRESS".to_owned(), |peer| peer.to_string());
    [
        "Include this file in the protocol. BIRD takes 'include' only at the beginning of a line:",
        "    protocol bgp {",
        &format!("        neighbor {neighbor} as NUMBER;"),
        "        include \"FILE\";",
        "    }",
        "BIRD has no key lifetimes: when a key is due, move the line 'preferred;' to it at both ends and",
        "run 'birdc configure'; mark a key 'deprecated;' before you remove it. Sessions stay up.",
    ]
    .map(str::to_owned)
    .to_vec()
}
