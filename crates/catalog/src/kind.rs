//! The kinds of algorithm in the catalog, as types: each says what code of that kind is and what its facts state
//! beside those that every algorithm has.

use std::fmt::Debug;

use serde::de::DeserializeOwned;

use crate::Algorithm;

/// A kind of algorithm.
pub trait Kind: Sized + 'static {
    /// What an implementation is: a trait of `fieldtest-kinds`.
    type Code: ?Sized + Send + Sync;
    /// What is known of an algorithm of this kind alone; also the shape of its entry under `facts/`.
    type Facts: KindFacts;
    /// The word for it in records: `signature`.
    const WORD: &'static str;
    /// The heading over a list of them: `Signature algorithms`.
    const TITLE: &'static str;

    /// Every algorithm of this kind, in the order of listing.
    fn all() -> &'static [Algorithm<Self>];
}

/// What every kind's own facts can be asked.
pub trait KindFacts: Clone + Debug + DeserializeOwned + Send + Sync {
    /// Sizes in bytes by name, as records carry them.
    fn sizes(&self) -> Vec<(&'static str, usize)>;

    /// Everything, as pairs of words for a reader.
    fn details(&self) -> Vec<(String, String)>;

    /// The numbers by which protocols know it, each with the protocol's name and, where there are several, the table's.
    fn numbers(&self) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// How it stands in what carries it, by the carrier's name, where that is not how it stands in general: an algorithm may
    /// be a standard, and its use somewhere a draft.
    fn standings(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// NIST post-quantum security category, where one is claimed.
    fn level(&self) -> Option<u8> {
        None
    }

    /// Bits of security against classical attacks, where they are stated: of signatures by category or standard, of MACs and
    /// ciphers those of the key, of hash functions those against collisions.
    fn strength(&self) -> Option<u16> {
        None
    }

    /// Whether it is meant to withstand a quantum computer, where that is stated.
    fn post_quantum(&self) -> Option<bool> {
        None
    }

    /// The mode of a cipher, or its construction.
    fn mode(&self) -> Option<&str> {
        None
    }

    /// Its rank in a listing, before the status: lower ranks first.
    fn rank(&self) -> u8 {
        0
    }
}

/// Digital signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature;

/// Message authentication codes with their key derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mac;

/// Hash functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hash;

/// Ciphers that authenticate (AEAD).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aead;

/// Ciphers of storage, each with its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cipher;
