//! Which kind of algorithm is typed.

use clap::ValueEnum;
use fieldtest_catalog::kind::{self, Kind};
use fieldtest_catalog::{UnknownName, find};

/// The kinds of algorithm in the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlgorithmKind {
    /// Digital signatures
    Signature,
    /// Message authentication codes with their key derivation
    Mac,
    /// Hash functions
    Hash,
    /// Storage ciphers, each with its mode
    Cipher,
    /// Authenticated ciphers (AEAD)
    Aead,
}

impl AlgorithmKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            AlgorithmKind::Signature => kind::Signature::WORD,
            AlgorithmKind::Mac => kind::Mac::WORD,
            AlgorithmKind::Hash => kind::Hash::WORD,
            AlgorithmKind::Cipher => kind::Cipher::WORD,
            AlgorithmKind::Aead => kind::Aead::WORD,
        }
    }

    /// Whether an algorithm has this name and is of this kind.
    pub(crate) fn check(self, name: &str) -> Result<(), UnknownName> {
        match self {
            AlgorithmKind::Signature => find::<kind::Signature>(name).map(drop),
            AlgorithmKind::Mac => find::<kind::Mac>(name).map(drop),
            AlgorithmKind::Hash => find::<kind::Hash>(name).map(drop),
            AlgorithmKind::Cipher => find::<kind::Cipher>(name).map(drop),
            AlgorithmKind::Aead => find::<kind::Aead>(name).map(drop),
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            AlgorithmKind::Signature => kind::Signature::TITLE,
            AlgorithmKind::Mac => kind::Mac::TITLE,
            AlgorithmKind::Hash => kind::Hash::TITLE,
            AlgorithmKind::Cipher => kind::Cipher::TITLE,
            AlgorithmKind::Aead => kind::Aead::TITLE,
        }
    }
}
