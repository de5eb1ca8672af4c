//! RFC 8177: a key chain in the model `ietf-key-chain`, as JSON (RFC 7951).
//!
//! The model has features that a device may lack; this uses `hex-key-string`, `independent-send-accept-lifetime`, and
//! the algorithm's own where it has one.

use std::fmt;

use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

use super::chain::{Algorithm, Chain, Key, Span};
use super::{Refusal, Warning, unknown};

/// The identities that say all of a MAC of TCP-AO: its two mandatory ones (RFC 5926), with 12 bytes each.
const COMPLETE: [&str; 2] = ["aes-cmac-prf-128", "hmac-sha-1-12"];

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
    crypto_algorithm: String,
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

pub(super) fn write(
    chain: &Chain<'_>,
    known: &[Algorithm<'_>],
    out: &mut String,
) -> Result<Vec<Warning>, Refusal> {
    let Some(identity) = chain.algorithm.rfc8177 else {
        return Err(unknown("RFC 8177", chain, known, |it| it.rfc8177.is_some()));
    };
    let document = Document { chains: Chains { key_chain: [key_chain(chain, identity)] } };
    let mut json = Zeroizing::new(Vec::with_capacity(out.capacity()));
    serde_json::to_writer_pretty(&mut *json, &document).map_err(|error| Refusal::Json(error.to_string()))?;
    // serde_json writes UTF-8.
    out.push_str(&String::from_utf8_lossy(&json));
    out.push('\n');
    Ok(warnings(chain, identity))
}

fn key_chain<'c>(chain: &'c Chain<'_>, identity: &str) -> KeyChain<'c> {
    KeyChain {
        name: &chain.name,
        description: format!(
            "{} The device must use each key-id as the SendID and the RecvID.",
            chain.heading().join(" ")
        ),
        key: chain.keys.iter().map(|key| chain_key(key, identity)).collect(),
    }
}

fn chain_key<'c>(key: &'c Key, identity: &str) -> ChainKey<'c> {
    ChainKey {
        key_id: key.id.to_string(),
        lifetime: Lifetimes { send_lifetime: key.send.into(), accept_lifetime: key.accept.into() },
        crypto_algorithm: qualified(identity),
        key_string: KeyString { hexadecimal_string: &key.secret },
    }
}

/// What the model cannot say.
fn warnings(chain: &Chain<'_>, identity: &str) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if !COMPLETE.contains(&identity) || chain.mac_length != 12 {
        warnings.push(Warning::Unsaid {
            identity: qualified(identity),
            length: chain.mac_length,
            derivation: chain.algorithm.derivation.to_owned(),
        });
    }
    if chain.exclude_options {
        warnings.push(Warning::OptionsUnsaid);
    }
    warnings
}

/// An identity with the module that defines it (RFC 7951, section 6.8).
fn qualified(identity: &str) -> String {
    format!("ietf-key-chain:{identity}")
}
