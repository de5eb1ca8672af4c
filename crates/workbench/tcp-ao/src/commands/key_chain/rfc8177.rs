//! RFC 8177: a key chain in the model `ietf-key-chain`, as JSON (RFC 7951).
//!
//! The model has features that a device may lack; this uses `hex-key-string`, `independent-send-accept-lifetime`, and
//! the algorithm's own where it has one.

use std::fmt;

use anyhow::Result;
use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

use super::chain::{Chain, Key, Span};
use super::linux;

/// The model's identities by fieldtest's names. They name a MAC, but neither its length nor how keys are derived.
const ALGORITHMS: [(&str, &str); 6] = [
    ("aes-128-cmac-96", "ietf-key-chain:aes-cmac-prf-128"),
    ("hmac-sha1-96", "ietf-key-chain:hmac-sha-1-12"),
    ("hmac-sha256-128", "ietf-key-chain:hmac-sha-256"),
    ("hmac-sha256-linux", "ietf-key-chain:hmac-sha-256"),
    ("hmac-sha384-128", "ietf-key-chain:hmac-sha-384"),
    ("hmac-sha512-128", "ietf-key-chain:hmac-sha-512"),
];

#[derive(Serialize)]
struct Document<'c> {
    #[serde(rename = "ietf-key-chain:key-chains")]
    chains: Chains<'c>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Chains<'c> {
    key_chain: [KeyChain<'c>; 1],
}

#[derive(Serialize)]
struct KeyChain<'c> {
    name: &'c str,
    description: String,
    key: Vec<ChainKey<'c>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ChainKey<'c> {
    /// A uint64, which JSON has as a string (RFC 7951, section 6.1).
    key_id: String,
    lifetime: Lifetimes,
    crypto_algorithm: &'static str,
    key_string: KeyString<'c>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Lifetimes {
    send_lifetime: Lifetime,
    accept_lifetime: Lifetime,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Lifetime {
    start_date_time: String,
    end_date_time: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct KeyString<'c> {
    #[serde(serialize_with = "hexadecimal")]
    hexadecimal_string: &'c [u8],
}

impl From<Span> for Lifetime {
    fn from(span: Span) -> Lifetime {
        Lifetime { start_date_time: span.from.to_string(), end_date_time: span.until.to_string() }
    }
}

/// `yang:hex-string` (RFC 6991, section 3): pairs of digits with colons between them.
fn hexadecimal<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    struct Colons<'b>(&'b [u8]);
    impl fmt::Display for Colons<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for (number, byte) in self.0.iter().enumerate() {
                write!(f, "{}{byte:02x}", if number == 0 { "" } else { ":" })?;
            }
            Ok(())
        }
    }
    serializer.collect_str(&Colons(bytes))
}

pub(super) fn write(chain: &Chain, out: &mut String) -> Result<Vec<String>> {
    let named = ALGORITHMS.iter().find(|(name, _)| *name == chain.facts.name);
    let Some((_, algorithm)) = named else {
        return Err(linux::unknown("RFC 8177", chain, &ALGORITHMS.map(|(name, _)| name)));
    };
    let document = Document { chains: Chains { key_chain: [key_chain(chain, algorithm)] } };
    let mut json = Zeroizing::new(Vec::with_capacity(out.capacity()));
    serde_json::to_writer_pretty(&mut *json, &document)?;
    out.push_str(std::str::from_utf8(&json)?);
    out.push('\n');
    Ok(warnings(chain, algorithm))
}

fn key_chain<'c>(chain: &'c Chain, algorithm: &'static str) -> KeyChain<'c> {
    KeyChain {
        name: &chain.name,
        description: format!(
            "{} The device must take each key-id for the SendID and the RecvID.",
            chain.heading().join(" ")
        ),
        key: chain.keys.iter().map(|key| chain_key(key, algorithm)).collect(),
    }
}

fn chain_key<'c>(key: &'c Key, crypto_algorithm: &'static str) -> ChainKey<'c> {
    ChainKey {
        key_id: key.id.to_string(),
        lifetime: Lifetimes { send_lifetime: key.send.into(), accept_lifetime: key.accept.into() },
        crypto_algorithm,
        key_string: KeyString { hexadecimal_string: &key.secret },
    }
}

/// What the model cannot say.
fn warnings(chain: &Chain, algorithm: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    if !["aes-128-cmac-96", "hmac-sha1-96"].contains(&chain.facts.name.as_str()) || chain.mac_length != 12 {
        warnings.push(format!(
            "{algorithm} does not say that MACs have {} bytes, nor how keys are derived ({}): see that both ends agree",
            chain.mac_length, chain.facts.kind.derivation
        ));
    }
    if chain.exclude_options {
        warnings.push(
            "RFC 8177 cannot say that other options are not covered: set it where the chain is used, at both ends".to_owned(),
        );
    }
    warnings
}
