//! What the name, the object identifier and free texts of a key, a certificate or a protocol say that the algorithms which it
//! refers to are not.

use fieldtest_catalog::Entry;
use fieldtest_catalog::policies::{Mark, Policy, Use};

use crate::meaning::{of_identifier, parts};
use crate::members::Remark;
use crate::parts::{Part, is_on_curve};
use crate::read::Asset;
use crate::reading::Reading;
use crate::rules::of_part;

/// What contradicts what an asset is made of; that is asked for only where the asset says something.
pub(crate) fn contradiction(
    asset: &Asset,
    policy: &'static Policy,
    entries: &[Box<dyn Entry>],
    made_of: impl FnOnce() -> Vec<Part>,
) -> Option<Remark> {
    if let Some(mechanism) = asset.mechanism.as_ref().filter(|it| !protects(it)) {
        let why = format!("the document does not say that its mechanism '{mechanism}' protects it");
        return Some(("unstated", why));
    }
    let texts = [&asset.name].into_iter().chain(&asset.said).chain(&asset.mechanism);
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    let is_protocol = |it: &Part| it.family.does == [Use::Protocol];
    let named = texts.iter().flat_map(|text| Reading::of(&[text]).parts).map(|(it, _)| it);
    let named: Vec<Part> = named.filter(|it| !is_protocol(it)).collect();
    let stated: Vec<u32> = texts.iter().flat_map(|text| bits(text)).collect();
    let oid = asset.oid.as_deref().filter(|it| !it.is_empty());
    let by_oid = oid.map(|oid| of_identifier(oid, entries, None));
    if named.is_empty() && stated.is_empty() && by_oid.is_none() {
        return None;
    }
    if by_oid.as_ref().is_some_and(Vec::is_empty) {
        return Some(("unknown", "its oid is not known".to_owned()));
    }
    let made_of = made_of();
    let is_fine = |it: &Part, is_exact: bool| {
        let mut kin = made_of.iter().filter(|own| is_kin(it, own)).peekable();
        match kin.peek() {
            Some(_) => kin.any(|own| own.size.is_none() || it.size.is_none() || own.size == it.size),
            None => !is_exact && of_part(policy, it).mark == Mark::Keep,
        }
    };
    let says = |part: &Part, what: &str| {
        let says = format!("its {what} says {}, which it does not refer to", part.family.write(part.size));
        ("contradiction", says)
    };
    let is_size = |bits: &u32| asset.size == Some(*bits) || made_of.iter().any(|it| it.size == Some(*bits));
    let by_name = named.iter().find(|it| !is_fine(it, false)).map(|it| says(it, "name"));
    let by_oid = by_oid.into_iter().flatten().find(|it| !is_fine(it, true)).map(|it| says(&it, "oid"));
    let by_bits = stated.into_iter().find(|it| !is_size(it)).map(|bits| {
        ("contradiction", format!("its name says {bits} bits, which nothing that it refers to has"))
    });
    by_oid.or(by_name).or(by_bits)
}

/// Where keys are kept safe, by CycloneDX's examples of mechanisms and what others write.
const PLACES: &str =
    "hsm tpm tee sgx xgx software hardware kms keystore keychain enclave smartcard pkcs11 vault";

/// Whether a mechanism is such a place, or an algorithm, which may encrypt a key.
fn protects(mechanism: &str) -> bool {
    let letters = mechanism.to_ascii_lowercase();
    let mut words = letters.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| PLACES.split_whitespace().any(|it| it == word)) || !parts(mechanism, None).is_empty()
}

/// Whether one may be said of the other: hybrids are of what they combine.
fn is_kin(one: &Part, own: &Part) -> bool {
    let names = [one, own].map(|it| match it.family.name.as_str() {
        "hybrid KEM" => "ML-KEM",
        "composite signature" => "ML-DSA",
        name => name,
    });
    names[0] == names[1] || (is_on_curve(one) && is_on_curve(own))
}

/// The numbers of bits in a text: 40 of `40-bit key`.
fn bits(text: &str) -> Vec<u32> {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let behind = words.windows(2).filter(|it| ["bit", "bits"].contains(&it[1])).map(|it| it[0]);
    let within = words.iter().filter_map(|it| it.strip_suffix("bits").or(it.strip_suffix("bit")));
    behind.chain(within).filter_map(|it| it.parse().ok()).collect()
}
