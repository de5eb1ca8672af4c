//! Which algorithm of the catalog an asset is. As with names that are typed, nothing is taken for what it only resembles:
//! an asset is an algorithm, or leaves open which of several, or is none that is here.

use std::collections::BTreeSet;

use fieldtest_catalog::facts::Cyclonedx;
use fieldtest_catalog::kind::{self, Kind as _};
use fieldtest_catalog::{Called, Entry, called, simplified};

use crate::read::Asset;

/// What an asset is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recognised {
    /// This algorithm, by the catalog's name.
    Same(&'static str),
    /// One of these; what would tell them apart is not said.
    OneOf(Vec<&'static str>),
    /// None that is here, or it contradicts itself.
    Not,
}

/// Modes that names have in them (`cryptography-defs.json`, patterns of block ciphers).
const MODES: [&str; 13] =
    ["gcm", "ccm", "cbc", "ecb", "ctr", "cfb", "ofb", "xts", "siv", "ocb", "kwp", "kw", "cts"];

/// Primitives that no algorithm of the catalog is.
const OTHER_PRIMITIVES: [&str; 6] = ["kem", "key-agree", "kdf", "drbg", "combiner", "key-wrap"];

/// Recognises an asset among `entries`: by its object identifier and its name, and where these leave something open by
/// family, parameter set, curve and mode.
pub fn recognise(asset: &Asset, entries: &[Box<dyn Entry>]) -> Recognised {
    let facts = || entries.iter().filter_map(|entry| Some((entry.as_ref(), entry.cyclonedx()?)));
    let has = |oids: &[String]| asset.oid.as_ref().is_some_and(|oid| oids.contains(oid));
    let means = called(&asset.name);
    let mut exact: Vec<&'static str> =
        facts().filter(|(_, it)| has(&it.oids)).map(|(entry, _)| entry.name()).collect();
    if let Called::Same(name) = means
        && !exact.contains(&name)
    {
        exact.push(name);
    }
    let stated = Stated::of(asset);
    if exact.len() > 1 {
        return Recognised::Not;
    }
    if let [one] = exact.as_slice() {
        let own = facts().find(|(entry, _)| entry.name() == *one);
        return match own {
            Some((entry, it)) if !stated.curve_suits(entry, it) || !stated.family_agrees(it) => {
                Recognised::Not
            }
            Some(_) if stated.is_key_pair => Recognised::OneOf(exact),
            _ => Recognised::Same(one),
        };
    }
    let wider: &[&str] = match &means {
        Called::Wider(names) => names,
        _ => &[],
    };
    let fits = |entry: &dyn Entry, it: &Cyclonedx| {
        has(&it.wider_oids) || wider.contains(&entry.name()) || stated.family_suits(it)
    };
    // A curve alone is no algorithm.
    let is_on_curve = |entry: &dyn Entry, it: &Cyclonedx| {
        stated.kind.is_some() && stated.curve.is_some() && it.curve.is_some() && stated.curve_suits(entry, it)
    };
    let open: Vec<_> = facts()
        .filter(|(entry, it)| (fits(*entry, it) || is_on_curve(*entry, it)) && stated.suits(*entry, it))
        .collect();
    let settles = |entry: &dyn Entry, it: &Cyclonedx| {
        !stated.is_key_pair && fits(entry, it) && stated.settles(entry, it)
    };
    let settled: Vec<_> = open.iter().filter(|(entry, it)| settles(*entry, it)).collect();
    match (settled.as_slice(), open.as_slice()) {
        ([(entry, _)], _) => Recognised::Same(entry.name()),
        (_, []) => Recognised::Not,
        (_, open) => Recognised::OneOf(open.iter().map(|(entry, _)| entry.name()).collect()),
    }
}

/// What an asset says of itself, by its properties and where these are silent by its name.
struct Stated<'a> {
    kind: Option<Option<&'static str>>,
    /// Whether `primitive` is that of public-key encryption, which tools also write of key pairs that sign.
    is_key_pair: bool,
    /// The name in letters and digits.
    letters: String,
    family: Option<String>,
    /// The parameter set in letters and digits.
    set: String,
    curve: Option<String>,
    mode: Option<&'a str>,
    /// Every number of two digits or more in parameter set and name.
    numbers: BTreeSet<String>,
    of_hashes: BTreeSet<String>,
}

impl<'a> Stated<'a> {
    fn of(asset: &'a Asset) -> Stated<'a> {
        let set = asset.set.as_deref().unwrap_or_default();
        let mut numbers = numbers(&asset.name);
        numbers.extend(self::numbers(set));
        let mut name_words = asset.name.split(|c: char| !c.is_ascii_alphanumeric());
        let of_name =
            || name_words.find_map(|word| MODES.iter().find(|mode| mode.eq_ignore_ascii_case(word))).copied();
        Stated {
            is_key_pair: asset.primitive.as_deref() == Some("pke"),
            kind: asset.primitive.as_deref().and_then(kind_of),
            letters: simplified(&asset.name),
            family: asset.family.as_deref().map(simplified),
            set: simplified(set),
            curve: asset.curve.as_deref().map(simplified).filter(|curve| !curve.is_empty()),
            mode: asset.mode.as_deref().filter(|mode| !["other", "unknown"].contains(mode)).or_else(of_name),
            of_hashes: hash_numbers(&simplified(&asset.name)),
            numbers,
        }
    }

    /// Whether the family is the one stated, or the name is made of it and of what begins its parameter set: `RSA`,
    /// `HMAC-SHA256`, `AES256-CBC`.
    fn family_suits(&self, it: &Cyclonedx) -> bool {
        let family = simplified(&it.family);
        if let Some(stated) = &self.family {
            return *stated == family;
        }
        let Some(rest) = self.letters.strip_prefix(family.as_str()) else { return false };
        let rest = ["pkcs5padding", "pkcs5", "pkcs7padding", "pkcs7", "nopadding"]
            .into_iter()
            .find_map(|padding| rest.strip_suffix(padding))
            .unwrap_or(rest);
        let rest = self
            .mode
            .map(str::to_ascii_lowercase)
            .and_then(|mode| rest.strip_suffix(mode.as_str()))
            .unwrap_or(rest);
        let ends = it.set.match_indices('-').map(|(at, _)| at).chain([0, it.set.len()]);
        ends.into_iter().any(|end| simplified(&it.set[..end]) == rest)
    }

    /// Whether the family that is stated, where one is, may be this one: `RSA` may be `RSASSA-PKCS1`, `RSAES-OAEP` may not.
    fn family_agrees(&self, it: &Cyclonedx) -> bool {
        self.family.as_ref().is_none_or(|stated| simplified(&it.family).starts_with(stated.as_str()))
    }

    fn suits(&self, entry: &dyn Entry, it: &Cyclonedx) -> bool {
        let kind = self.kind.is_none_or(|kind| kind == Some(entry.kind()));
        let mode = match (self.mode, entry.mode()) {
            (Some(stated), Some(mode)) => stated.eq_ignore_ascii_case(mode),
            _ => true,
        };
        kind && mode
            && self.family_agrees(it)
            && self.curve_suits(entry, it)
            && self.numbers_suit(entry, it)
            && self.hash_suits(entry, it)
    }

    /// Whether a MAC's name, where it names a hash function, names this one: the parameter set is that and the tag's length.
    fn hash_suits(&self, entry: &dyn Entry, it: &Cyclonedx) -> bool {
        if entry.kind() != kind::Mac::WORD || !names_hash(&self.letters) {
            return true;
        }
        let hash = it.set.rsplit_once('-').map_or(it.set.as_str(), |(hash, _)| hash);
        self.letters.contains(&simplified(hash))
    }

    /// A curve has several names; the facts list them among those that also mean something else.
    fn curve_suits(&self, entry: &dyn Entry, it: &Cyclonedx) -> bool {
        let (Some(stated), Some(curve)) = (&self.curve, &it.curve) else { return true };
        let own = curve.rsplit('/').next().unwrap_or_default();
        let others = entry.other_names().wider.iter().map(String::as_str);
        // Ed25519's curve by its own name and by that of its other form (RFC 7748, section 4.1).
        let other_form = own == "Ed25519" && ["edwards25519", "curve25519"].contains(&stated.as_str());
        other_form || others.chain([own]).any(|name| simplified(name) == *stated)
    }

    /// Of a signature, numbers may be the hash function's. A hash function or cipher has all of its numbers, or none is said.
    fn numbers_suit(&self, entry: &dyn Entry, it: &Cyclonedx) -> bool {
        let own = numbers(&it.set);
        let is_signature = entry.kind() == kind::Signature::WORD;
        let stated: BTreeSet<&String> = match is_signature {
            true => self.numbers.difference(&self.of_hashes).collect(),
            false => self.numbers.iter().collect(),
        };
        // A MAC that names its hash function may state any of its sizes.
        let names_hash = entry.kind() == kind::Mac::WORD && names_hash(&self.letters);
        if stated.is_empty() || own.is_empty() || names_hash || (is_signature && it.curve.is_some()) {
            return true;
        }
        let shared = own.iter().filter(|number| stated.contains(number)).count();
        match entry.kind() {
            word if word == kind::Signature::WORD || word == kind::Mac::WORD => shared > 0,
            _ => shared == own.len(),
        }
    }

    /// Whether nothing is left open.
    fn settles(&self, entry: &dyn Entry, it: &Cyclonedx) -> bool {
        if it.curve.is_some() {
            return self.curve.is_some();
        }
        // Either text may name it: the algorithm's, or the parameter set's.
        let is_said =
            |part: &str| [&self.letters, &self.set].iter().any(|text| text.contains(&simplified(part)));
        it.set.split('-').all(is_said) && (entry.mode().is_none() || self.mode.is_some())
    }
}

/// The catalog's kind of a primitive: `None` where it leaves that open, `Some(None)` where it is none of the catalog's.
fn kind_of(primitive: &str) -> Option<Option<&'static str>> {
    match primitive {
        "signature" | "pke" => Some(Some(kind::Signature::WORD)),
        "mac" => Some(Some(kind::Mac::WORD)),
        "hash" | "xof" => Some(Some(kind::Hash::WORD)),
        "block-cipher" | "stream-cipher" => Some(Some(kind::Cipher::WORD)),
        "ae" => Some(Some(kind::Aead::WORD)),
        known if OTHER_PRIMITIVES.contains(&known) => Some(None),
        _ => None,
    }
}

fn names_hash(letters: &str) -> bool {
    ["sha", "md5"].iter().any(|hash| letters.contains(hash))
}

/// The numbers of two digits or more in a text.
fn numbers(text: &str) -> BTreeSet<String> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| run.len() >= 2).map(str::to_owned).collect()
}

/// The numbers that follow `sha` in letters and digits: of SHA-2 or SHA-3 where they have three digits.
fn hash_numbers(letters: &str) -> BTreeSet<String> {
    let lengths = ["224", "256", "384", "512"];
    let after = letters.match_indices("sha").map(|(at, sha)| &letters[at + sha.len()..]);
    let of = |rest: &str| {
        lengths.into_iter().find(|length| {
            rest.starts_with(length)
                || ["2", "3"]
                    .iter()
                    .any(|kind| rest.strip_prefix(kind).is_some_and(|rest| rest.starts_with(length)))
        })
    };
    after.filter_map(of).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::entries;

    use super::*;

    fn asset(name: &str) -> Asset {
        Asset { name: name.to_owned(), ..Asset::default() }
    }

    fn some(text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Every algorithm with facts for it is found by what would be written of it, and by its identifiers alone.
    #[test]
    fn every_algorithm_finds_itself() {
        let all = entries();
        for entry in &all {
            let Some(facts) = entry.cyclonedx() else { continue };
            let curve = facts.curve.as_deref().and_then(|curve| curve.rsplit('/').next());
            let written = Asset {
                family: some(&facts.family),
                set: some(&facts.set),
                curve: curve.map(str::to_owned),
                ..asset(entry.title())
            };
            assert_eq!(recognise(&written, &all), Recognised::Same(entry.name()));
            for oid in &facts.oids {
                let unnamed = Asset { oid: some(oid), ..asset("?") };
                assert_eq!(recognise(&unnamed, &all), Recognised::Same(entry.name()), "{oid}");
            }
            for oid in &facts.wider_oids {
                let unnamed = Asset { oid: some(oid), ..asset("?") };
                let Recognised::OneOf(names) = recognise(&unnamed, &all) else {
                    panic!("{oid} is too narrow")
                };
                assert!(names.contains(&entry.name()), "{oid}: {names:?}");
            }
        }
    }

    /// As the examples of CycloneDX and what tools write have it: name, primitive, family, set, curve, mode, identifier.
    #[test]
    fn as_others_write_them() {
        let all = entries();
        for (written, is) in [
            (
                ["SHA512withRSA", "signature", "", "512", "", "", "1.2.840.113549.1.1.13"],
                "one of rsa-2048 rsa-3072 rsa-4096",
            ),
            (["RSA-PKCS1-1.5-SHA512-2048", "signature", "RSASSA-PKCS1", "512", "", "", ""], "rsa-2048"),
            (["RSA", "signature", "", "1024", "", "", "1.2.840.113549.1.1.1"], "not"),
            (["RSA", "signature", "", "3072", "", "", "1.2.840.113549.1.1.1"], "rsa-3072"),
            (["RSA", "signature", "", "2048", "", "", "1.2.840.113549.1.1.1"], "rsa-2048"),
            (["RSA", "pke", "", "2048", "", "", ""], "one of rsa-2048"),
            (["RSA-2048", "pke", "RSAES-OAEP", "2048", "", "", "1.2.840.113549.1.1.1"], "not"),
            (
                ["SHA256-RSA", "signature", "", "256", "", "", "1.2.840.113549.1.1.11"],
                "one of rsa-2048 rsa-3072 rsa-4096",
            ),
            (["SHA384-RSA", "signature", "", "384", "", "", "1.2.840.113549.1.1.12"], "not"),
            (["ECDSA", "pke", "", "", "", "", "1.2.840.10045.2.1"], "one of ecdsa-p256 ecdsa-p384"),
            (["EC-secp256r1", "pke", "", "", "secp256r1", "", "1.2.840.10045.2.1"], "one of ecdsa-p256"),
            (["EC-secp521r1", "pke", "", "", "secp521r1", "", "1.2.840.10045.2.1"], "not"),
            (["Ed25519", "signature", "", "", "Edwards25519", "", "1.3.101.112"], "ed25519"),
            (["Ed25519 host key", "signature", "", "", "ed25519", "", ""], "one of ed25519"),
            (["EdDSA", "signature", "", "", "", "", ""], "one of ed25519"),
            (["X25519", "key-agree", "", "", "x25519", "", ""], "not"),
            (
                ["AES", "other", "", "128", "", "", "2.16.840.1.101.3.4.1"],
                "one of gmac-aes-128 aes-128-xts aes-128-cbc aes-128-ctr aes-128-ecb aes-128-gcm aes-128-ccm",
            ),
            (["SLH-DSA", "signature", "SLH-DSA", "SHA2-128f", "", "", ""], "slh-dsa-sha2-128f"),
            (
                ["aes-128", "block-cipher", "", "128", "", "", "2.16.840.1.101.3.4.1"],
                "one of aes-128-xts aes-128-cbc aes-128-ctr aes-128-ecb",
            ),
            (["hmacsha1", "mac", "", "512", "", "", ""], "one of hmac-sha1-96"),
            (["RSA-4096-Revoked-CA-Key", "", "", "", "", "", "1.2.840.113549.1.1.1"], "rsa-4096"),
            (["ECDSA", "signature", "", "", "secp384r1", "", "1.2.840.10045.4.3.3"], "ecdsa-p384"),
            (["ECDSA-P256", "signature", "", "", "secp256r1", "", "1.2.840.10045.4.3.2"], "ecdsa-p256"),
            (["SHA256withECDSA", "signature", "", "", "prime256v1", "", ""], "ecdsa-p256"),
            (["ECDSA-P256", "signature", "", "", "secp521r1", "", ""], "not"),
            (["ECDSA", "signature", "", "", "", "", ""], "one of ecdsa-p256 ecdsa-p384"),
            (["EC", "key-agree", "", "", "secp256r1", "", ""], "not"),
            (["AES", "block-cipher", "", "256", "", "cbc", ""], "aes-256-cbc"),
            (["AES256-CBC-PKCS5", "block-cipher", "", "", "", "", ""], "aes-256-cbc"),
            (["AES-128-CBC", "block-cipher", "AES", "128", "", "cbc", ""], "aes-128-cbc"),
            (["AES-256-GCM", "ae", "AES", "256", "", "gcm", "2.16.840.1.101.3.4.1.46"], "aes-256-gcm"),
            (["XTS", "block-cipher", "AES", "256", "", "xts", "1.3.111.2.1619.0.1.2"], "aes-256-xts"),
            (["SHA-512", "hash", "SHA-2", "512", "", "", ""], "not"),
            (["SHA384", "", "", "384", "", "", "2.16.840.1.101.3.4.2.9"], "not"),
            (["SHA256", "hash", "", "256", "", "", ""], "sha-256"),
            (["HMAC-SHA256", "mac", "HMAC", "256", "", "", ""], "one of hmac-sha256-128 hmac-sha256-linux"),
            (["HMAC-SHA1", "mac", "", "", "", "", ""], "one of hmac-sha1-96"),
            (["ML-DSA", "signature", "ML-DSA", "65", "", "", ""], "ml-dsa-65"),
            (["ML-DSA-65", "signature", "", "", "", "", "2.16.840.1.101.3.4.3.17"], "not"),
            (["Dilithium3", "signature", "", "", "", "", ""], "not"),
            (["ML-KEM-1024", "kem", "ML-KEM", "", "", "", ""], "not"),
            (["MD5", "hash", "", "128", "", "", "1.2.840.113549.2.5"], "not"),
            (["MD5withRSA", "signature", "", "", "", "", ""], "not"),
            (["3DES-CBC", "block-cipher", "", "", "", "cbc", ""], "not"),
            (["describe", "", "", "", "", "", ""], "not"),
            (["HMAC-MD5", "mac", "", "", "", "", ""], "one of hmac-md5-96"),
            (["", "", "", "", "", "", ""], "not"),
        ] {
            let [name, primitive, family, set, curve, mode, oid] = written;
            let asset = Asset {
                primitive: some(primitive),
                family: some(family),
                set: some(set),
                curve: some(curve),
                mode: some(mode),
                oid: some(oid),
                ..asset(name)
            };
            let found = match recognise(&asset, &all) {
                Recognised::Same(name) => name.to_owned(),
                Recognised::OneOf(names) => format!("one of {}", names.join(" ")),
                Recognised::Not => "not".to_owned(),
            };
            assert_eq!(found, is, "{written:?}");
        }
    }
}
