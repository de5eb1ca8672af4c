//! What policies say of cryptography in use, and which names mean which cryptography: `facts/policies.toml` and
//! `facts/families.toml`. Whoever decides by them applies a rule here, and invents none.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fieldtest_text::words;
use serde::Deserialize;

words! {
    /// What cryptography is used for. A hash function within a signature or a MAC is held to what that needs of it.
    #[derive(PartialOrd, Ord, Hash, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Use {
        /// Signing and verifying.
        Signature = "signature",
        /// Key agreement, encapsulation and transport.
        KeyEstablishment = "key-establishment",
        /// Encrypting without authentication.
        Cipher = "cipher",
        /// Encrypting with authentication.
        Aead = "aead",
        /// Hashing: collisions count.
        Hash = "hash",
        /// Hashing what is signed.
        SignatureHash = "signature-hash",
        /// Hashing under a key.
        MacHash = "mac-hash",
        /// Authenticating with a key.
        Mac = "mac",
        /// Deriving keys.
        Kdf = "kdf",
        /// Deriving keys from passwords, and storing these.
        Password = "password",
        /// Making random bits.
        Drbg = "drbg",
        /// Putting all of this together.
        Protocol = "protocol",
    }
}

impl Use {
    /// The use of that whose part a hash function is: its replacement is another signature or MAC.
    pub fn whole(self) -> Use {
        match self {
            Use::SignatureHash => Use::Signature,
            Use::MacHash => Use::Mac,
            does => does,
        }
    }
}

words! {
    /// What is to be done.
    #[derive(PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Mark {
        /// Nothing.
        Keep = "keep",
        /// A person has to look: the policy or the document leaves it open.
        Look = "look",
        /// Something else has to take its place.
        Replace = "replace",
        /// In a rule: what the published facts say.
        Common = "common",
    }
}

/// Cryptography of one name, with all its sizes.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Its name in rules.
    pub name: String,
    /// What stands before a size; its name where that is not said.
    pub label: Option<String>,
    /// What it may be used for.
    pub does: Vec<Use>,
    /// How a size becomes bits of strength; unknown where that is not said.
    pub strength: Option<Strength>,
    /// The sizes in use.
    #[serde(default)]
    pub sizes: Vec<u32>,
    /// Whether the name of a hash function behind its own belongs to the parameter set.
    #[serde(default)]
    pub whole: bool,
    /// Names in letters and digits, with the size that each states, or 0.
    pub names: BTreeMap<String, u32>,
}

/// How a size becomes bits of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// SP 800-57 part 1, table 2.
    Modulus,
    /// Half of it.
    Half,
    /// It is the strength.
    Size,
}

impl Family {
    /// Bits of strength against classical attacks.
    pub fn bits(&self, size: u32) -> Option<u32> {
        Some(match self.strength? {
            Strength::Size => size,
            Strength::Half => size.div_ceil(2),
            Strength::Modulus => match size {
                ..1024 => 0,
                1024..2048 => 80,
                2048..3072 => 112,
                3072..7680 => 128,
                7680..15360 => 192,
                _ => 256,
            },
        })
    }

    /// Whether something of it may have this size. Of moduli and curves others than those in use are judged, too.
    pub fn may_have(&self, size: u32) -> bool {
        match self.strength {
            Some(Strength::Modulus) => (256..=1 << 16).contains(&size),
            Some(Strength::Half) if self.does != [Use::Hash] => (100..=1000).contains(&size),
            // A key of what has no sizes, such as HMAC (SP 800-131A, section 10).
            _ if self.sizes.is_empty() => size >= 112,
            _ => self.sizes.contains(&size),
        }
    }

    /// What people write: `RSA-2048`.
    pub fn write(&self, size: Option<u32>) -> String {
        match size {
            Some(size) => format!("{}-{size}", self.label.as_ref().unwrap_or(&self.name)),
            None => self.name.clone(),
        }
    }
}

/// A policy.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What is typed: `nist`.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// What takes the place of something of each use.
    pub instead: BTreeMap<Use, String>,
    /// What its rules are in.
    pub document: Vec<Document>,
    /// Its rules; the first that applies decides.
    pub rule: Vec<Rule>,
}

/// A document with rules.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its name in this file.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its version, or what it is.
    pub version: String,
    /// When it was published, as an ISO date or its beginning.
    pub date: String,
    /// The day on which it was looked up.
    pub checked: String,
    /// Where.
    pub source: String,
}

/// A rule. What is absent holds of everything.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// The families it is about, or `*`.
    pub of: Vec<String>,
    /// The uses it is about.
    pub does: Option<Vec<Use>>,
    /// Sizes.
    pub sizes: Option<Vec<u32>>,
    /// Sizes under this.
    pub below: Option<u32>,
    /// Strengths under this.
    pub below_bits: Option<u32>,
    /// Strengths from this on.
    pub from_bits: Option<u32>,
    /// Modes of a cipher, or the padding of RSA.
    pub modes: Option<Vec<String>>,
    /// Tags under this many bits.
    pub below_tag: Option<u32>,
    /// What is to be done.
    pub verdict: Mark,
    /// The last year in which it may be used; now is too late where a replacement has none.
    pub by: Option<u16>,
    /// Whether it can be broken today.
    #[serde(default)]
    pub broken: bool,
    /// What takes its place, where that is not what the policy says of the use.
    pub instead: Option<String>,
    /// The document, by its name in this file.
    #[serde(default)]
    pub document: String,
    /// The place in it.
    #[serde(default)]
    pub section: String,
    /// What it says there.
    #[serde(default)]
    pub says: String,
}

impl Rule {
    /// Whether it is about this.
    pub fn applies(
        &self,
        family: &Family,
        does: Use,
        size: Option<u32>,
        mode: Option<&str>,
        tag: Option<u32>,
    ) -> bool {
        let bits = size.and_then(|size| family.bits(size));
        let is_below =
            |least: Option<u32>, it: Option<u32>| least.is_none_or(|least| it.is_some_and(|it| it < least));
        self.of.iter().any(|of| *of == family.name || of == "*")
            && self.does.as_ref().is_none_or(|all| all.contains(&does))
            && self.sizes.as_ref().is_none_or(|all| size.is_some_and(|size| all.contains(&size)))
            && is_below(self.below, size)
            && is_below(self.below_bits, bits)
            && is_below(self.below_tag, tag)
            && self.from_bits.is_none_or(|least| bits.is_some_and(|bits| bits >= least))
            && self.modes.as_ref().is_none_or(|all| mode.is_some_and(|mode| all.iter().any(|it| it == mode)))
    }
}

impl Policy {
    /// The rule that decides, with the policy whose it is: this one, or the published facts.
    pub fn rule(
        &self,
        family: &Family,
        does: Use,
        size: Option<u32>,
        mode: Option<&str>,
        tag: Option<u32>,
    ) -> Option<(&Policy, &Rule)> {
        let of = |policy: &'static Policy| first(policy, family, does, size, mode, tag);
        match first(self, family, does, size, mode, tag) {
            Some((_, rule)) if rule.verdict == Mark::Common => of(&FACTS.common),
            None => of(&FACTS.common),
            found => found,
        }
    }

    /// The document of a rule.
    pub fn document(&self, rule: &Rule) -> Option<&Document> {
        self.document.iter().find(|it| it.id == rule.document)
    }

    /// What takes the place of something of a use, and protects no less.
    pub fn instead(&self, does: Use) -> Option<&str> {
        self.instead.get(&does.whole()).map(String::as_str)
    }
}

fn first<'p>(
    policy: &'p Policy,
    family: &Family,
    does: Use,
    size: Option<u32>,
    mode: Option<&str>,
    tag: Option<u32>,
) -> Option<(&'p Policy, &'p Rule)> {
    policy.rule.iter().find(|rule| rule.applies(family, does, size, mode, tag)).map(|rule| (policy, rule))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Policies {
    policy: Vec<Policy>,
    common: Policy,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Families {
    family: Vec<Family>,
    oids: BTreeMap<String, String>,
}

const WHY: &str = "a test reads the file, which is part of the program";

static FACTS: LazyLock<Policies> =
    LazyLock::new(|| toml::from_str(include_str!("../facts/policies.toml")).expect(WHY));

static FAMILIES: LazyLock<Families> =
    LazyLock::new(|| toml::from_str(include_str!("../facts/families.toml")).expect(WHY));

/// Every policy that can be chosen; the first is the usual one.
pub fn policies() -> &'static [Policy] {
    &FACTS.policy
}

/// Every family.
pub fn families() -> &'static [Family] {
    &FAMILIES.family
}

/// What an object identifier, a code point of TLS or a name of JOSE is of, as a name that says it.
pub fn of_oid(oid: &str) -> Option<&'static str> {
    FAMILIES.oids.get(oid).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::facts::{is_date, is_day};

    #[test]
    fn every_rule_has_a_document_with_a_date_and_is_about_a_family() {
        let known: BTreeSet<&str> = families().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(known.len(), families().len());
        for policy in policies().iter().chain([&FACTS.common]) {
            for document in &policy.document {
                assert!(is_date(&document.date) && is_day(&document.checked), "{document:?}");
                assert!(!document.source.is_empty() && !document.version.is_empty(), "{document:?}");
                assert!(policy.rule.iter().any(|rule| rule.document == document.id), "{document:?}");
            }
            for rule in &policy.rule {
                assert!(rule.of.iter().all(|of| of == "*" || known.contains(of.as_str())), "{rule:?}");
                if rule.verdict != Mark::Common {
                    assert!(policy.document(rule).is_some(), "{rule:?}");
                    assert!(!rule.section.is_empty() && !rule.says.is_empty(), "{rule:?}");
                }
                assert!(rule.by.is_none() || rule.verdict == Mark::Replace, "{rule:?}");
            }
        }
    }

    /// What is to be replaced has something in its place, whichever rule says so.
    #[test]
    fn what_is_replaced_has_something_in_its_place() {
        for policy in policies() {
            for family in families() {
                let sizes = family.sizes.iter().copied().map(Some).chain([None]);
                for (size, does) in sizes.flat_map(|size| family.does.iter().map(move |does| (size, *does))) {
                    let Some((of, rule)) = policy.rule(family, does, size, None, None) else { continue };
                    if rule.verdict == Mark::Replace {
                        let instead = rule.instead.as_deref().or(policy.instead(does)).or(of.instead(does));
                        assert!(instead.is_some(), "{}: {} {rule:?}", policy.id, family.name);
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_in_letters_and_digits_and_of_one_family() {
        let mut seen = BTreeSet::new();
        for name in families().iter().flat_map(|family| family.names.keys()) {
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{name}");
            assert!(seen.insert(name), "{name}");
        }
    }
}
