//! GoBGP: `[[keychains]]` of its TOML configuration (its pull requests #3522, #3559 and #3602, of July to September
//! 2026). The model is OpenConfig's, with `receive-id` and `exclude-tcp-options` added.

use std::fmt::Write;

use data_encoding::BASE64;

use super::chain::{Algorithm, Chain};
use super::{Refusal, Warning, comment, linux, unknown};

/// GoBGP's names: Linux's name, bytes of the MAC, GoBGP's name.
const ALGORITHMS: [(&str, usize, &str); 4] = [
    ("hmac(sha1)", 12, "hmac_sha_1_96"),
    ("cmac(aes128)", 12, "aes_128_cmac_96"),
    ("hmac(sha256)", 12, "hmac_sha_256_96"),
    ("hmac(sha256)", 16, "hmac_sha_256_128"),
];

pub(super) fn write(
    chain: &Chain<'_>,
    known: &[Algorithm<'_>],
    out: &mut String,
) -> Result<Vec<Warning>, Refusal> {
    let linux = chain.algorithm.linux;
    let named: Vec<_> = ALGORITHMS.iter().filter(|(name, ..)| Some(*name) == linux).collect();
    let Some((.., algorithm)) = named.iter().find(|(_, length, _)| *length == chain.mac_length) else {
        if named.is_empty() {
            let has = |it: &Algorithm<'_>| ALGORITHMS.iter().any(|(name, ..)| Some(*name) == it.linux);
            return Err(unknown("GoBGP", chain, known, has));
        }
        let lengths: Vec<_> = named.iter().map(|(_, length, _)| length.to_string()).collect();
        let what = format!("{} with MACs", chain.algorithm.name);
        return Err(Refusal::MacLength { system: "GoBGP", what, lengths: lengths.join(" or ") });
    };
    // GoBGP uses the kernel's TCP-AO, so the kernel's limits are its own.
    let (_, mut warnings) = linux::name(chain, known)?;
    warnings.push(Warning::Release);
    comment(out, "# ", chain.heading());
    comment(out, "# ", notes(chain));
    // Writing to a String does not fail.
    let _ = write!(out, "[[keychains]]\n  [keychains.config]\n    name = \"{}\"\n", chain.name);
    for key in &chain.keys {
        let _ = write!(
            out,
            "\n  # {}\n  [[keychains.keys]]\n    [keychains.keys.config]\n      key-id = {1}\n      receive-id = {1}\n      \
             crypto-algorithm = \"{algorithm}\"\n      secret-key = \"",
            key.times(),
            key.id
        );
        BASE64.encode_append(&key.secret, out);
        out.push_str("\"\n");
        if chain.exclude_options {
            out.push_str("      exclude-tcp-options = true\n");
        }
    }
    Ok(warnings)
}

fn notes(chain: &Chain<'_>) -> Vec<String> {
    let first = chain.keys.first().map_or(0, |key| key.id);
    let neighbor = chain.peer.map_or("…".to_owned(), |peer| peer.to_string());
    vec![
        format!("The neighbor {neighbor} then needs:"),
        "  [neighbors.tcp-ao.config]".to_owned(),
        format!("    keychain = \"{}\"", chain.name),
        format!("    send-id = {first}"),
        "GoBGP has no key lifetimes: when a key is due, change send-id to its key-id at both ends."
            .to_owned(),
    ]
}
