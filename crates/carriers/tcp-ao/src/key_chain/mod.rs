//! Chains of master keys that follow each other, written for the systems that are to use them.
//!
//! A [`Chain`] is made of random bytes and times by [`keys`]; [`write()`] turns it into what a [`System`] reads: key files of
//! this project, C for Linux, BIRD, GoBGP, or the model of RFC 8177. Each system has its own names for MACs, and limits of
//! its own: what it does not have is a [`Refusal`], and what its operator must know beside the text is a [`Warning`].
//!
//! The library knows no MAC by name: a chain brings an [`Algorithm`] with the names that the systems have for it.
//!
//! ```
//! use fieldtest_tcp_ao::key_chain::{Algorithm, Chain, Schedule, System, keys, write};
//! use jiff::SignedDuration;
//!
//! let cmac = Algorithm {
//!     name: "aes-128-cmac-96",
//!     tag: 12,
//!     derivation: "KDF_AES_128_CMAC",
//!     linux: Some("cmac(aes128)"),
//!     rfc8177: Some("aes-cmac-prf-128"),
//! };
//! let schedule = Schedule {
//!     start: "2027-01-01T00:00:00Z".parse().unwrap(),
//!     lifetime: SignedDuration::from_hours(24 * 90),
//!     overlap: SignedDuration::from_hours(24),
//! };
//! // A real chain has random bytes.
//! let keys = keys(1, 2, 32, schedule, &mut |bytes| Ok(bytes.fill(7))).unwrap();
//! let chain = Chain {
//!     name: "upstream".to_owned(),
//!     algorithm: cmac,
//!     mac_length: 12,
//!     exclude_options: false,
//!     peer: Some("192.0.2.7".parse().unwrap()),
//!     keys,
//! };
//! let written = write(&chain, System::Bird, &[cmac]).unwrap();
//! assert!(written.text.contains("algorithm cmac aes128;"));
//! ```

mod bird;
mod chain;
mod gobgp;
mod linux;
mod own;
mod rfc8177;

use zeroize::Zeroizing;

pub use self::bird::MAC_LENGTH as BIRD_MAC_LENGTH;
pub use self::chain::{Algorithm, Chain, ChainError, Fill, Key, Schedule, Span, keys};

/// Who is to read the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum System {
    /// [`KeySpec`](crate::verify::KeySpec): `ID:ALGORITHM:HEX…`.
    Fieldtest,
    /// This project's gateway: `SendID/RecvID:ALGORITHM:HEX…`.
    Gateway,
    /// A program on Linux: C for `setsockopt` with `TCP_AO_ADD_KEY`.
    Linux,
    /// BIRD 2.17 or 3.1, and later: a file to include in a BGP protocol.
    Bird,
    /// GoBGP: the keychain, as TOML.
    Gobgp,
    /// The model `ietf-key-chain` (RFC 8177), as JSON.
    Rfc8177,
}

/// What a system reads.
#[derive(Debug)]
#[non_exhaustive]
pub struct Written {
    /// The text, with the keys.
    pub text: Zeroizing<String>,
    /// What its operator must know beside it.
    pub warnings: Vec<Warning>,
}

/// Why a system cannot have a chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Refusal {
    #[error("{system} does not support {algorithm}; it supports {known}")]
    Algorithm {
        system: &'static str,
        algorithm: String,
        /// Those of the caller's that it has, in words.
        known: String,
    },
    /// A key is too long for it.
    #[error("Linux accepts keys of at most {most} bytes; give a shorter one")]
    KeyLength { most: usize },
    /// Its MACs of this algorithm have other lengths.
    #[error("{system} supports {what} of {lengths} bytes only; give such a length")]
    MacLength {
        system: &'static str,
        /// What has the lengths: `MACs`, or the algorithm with MACs.
        what: String,
        /// The lengths, in words.
        lengths: String,
    },
    #[error("Linux rejects MACs of more than {most} bytes (EMSGSIZE); give a shorter one")]
    LongMac { most: usize },
    /// It cannot leave other TCP options out.
    #[error("BIRD's MACs always cover all TCP options")]
    Options,
    /// The text could not be made.
    #[error("cannot write the key chain as JSON: {0}")]
    Json(String),
}

/// What an operator must know beside the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Warning {
    #[error(
        "Linux 7.2 and later, and Debian's 7.1, reject {name} (ENOENT), so connections fail there; {kept} work"
    )]
    Gone {
        name: String,
        /// Those of the caller's that it has still, in words.
        kept: String,
    },
    #[error("BIRD's MACs of {algorithm} have {length} bytes, not {usual}; set the other end to {length}")]
    ShortMac { algorithm: String, length: usize, usual: usize },
    /// GoBGP releases that have no key chains for neighbors.
    #[error("GoBGP protects neighbors with keychains only since release 4.9.0; check your version")]
    Release,
    /// RFC 8177 has names of MACs alone.
    #[error(
        "{identity} specifies neither MACs of {length} bytes nor the key derivation ({derivation}); check that both \
         ends agree"
    )]
    Unsaid { identity: String, length: usize, derivation: String },
    /// RFC 8177 has no word for it.
    #[error("RFC 8177 cannot exclude the other options; exclude them where the chain is used, at both ends")]
    OptionsUnsaid,
}

/// The configuration of a system. `known` are the algorithms that the caller has, of which refusals and warnings name
/// others.
///
/// # Errors
/// What the system does not have, or takes otherwise.
pub fn write(chain: &Chain<'_>, system: System, known: &[Algorithm<'_>]) -> Result<Written, Refusal> {
    // Reserved in advance: a text that grows leaves copies of its keys in freed memory.
    let room = 4096 + chain.keys.iter().map(|key| 1024 + 8 * key.secret.len()).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(room));
    let warnings = match system {
        System::Fieldtest => own::write_keys(chain, &mut text),
        System::Gateway => own::write_gateway_keys(chain, &mut text),
        System::Linux => linux::write(chain, known, &mut text)?,
        System::Bird => bird::write(chain, known, &mut text)?,
        System::Gobgp => gobgp::write(chain, known, &mut text)?,
        System::Rfc8177 => rfc8177::write(chain, known, &mut text)?,
    };
    Ok(Written { text, warnings })
}

/// The refusal of an algorithm that a system does not have; `has` says which it has.
fn unknown(
    system: &'static str,
    chain: &Chain<'_>,
    known: &[Algorithm<'_>],
    has: impl Fn(&Algorithm<'_>) -> bool,
) -> Refusal {
    let known = list(known, has);
    Refusal::Algorithm { system, algorithm: chain.algorithm.name.to_owned(), known }
}

/// The names of those that `has` lets pass: `a, b and c`.
fn list(known: &[Algorithm<'_>], has: impl Fn(&Algorithm<'_>) -> bool) -> String {
    let names: Vec<&str> = known.iter().filter(|it| has(it)).map(|it| it.name).collect();
    match names.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.concat(),
    }
}

/// Puts lines into the text, each behind what makes it a comment.
fn comment(out: &mut String, mark: &str, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        out.push_str(mark);
        out.push_str(&line);
        out.push('\n');
    }
}
