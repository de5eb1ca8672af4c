//! What a protocol is made of: versions, cipher suites, groups, signature schemes and transforms.

use std::collections::BTreeSet;

use fieldtest_catalog::policies::{Family, Use, families, of_oid};

use crate::meaning::{is_same, of_suite, parts};
use crate::parts::{Part, marker, part};
use crate::read::Asset;

/// A protocol that policies name.
pub(crate) struct Protocol {
    pub(crate) family: &'static Family,
    /// Its versions, with a marker of what in them is not read or contradicts itself; nothing where none is stated.
    pub(crate) versions: Vec<Part>,
    /// What each of its suites, groups, signature schemes and transforms is made of.
    pub(crate) others: Vec<Vec<Part>>,
    /// Whether the ciphers that its peers may choose are stated. References alone do not say that there are no others.
    pub(crate) has_ciphers: bool,
}

impl Protocol {
    pub(crate) fn of(asset: &Asset) -> Option<Protocol> {
        let (kind, version) = asset.protocol.as_ref()?;
        // Scanners also write a protocol's version where every component has its own.
        let in_name: Vec<Found> =
            [&asset.name].into_iter().chain(&asset.said).flat_map(|text| versions(text, None)).collect();
        let is_ssl = kind == "tls" && in_name.iter().any(|it| it.family.is_some_and(|of| of.name == "SSL"));
        let family = protocols().find(|it| it.names.contains_key(if is_ssl { "ssl" } else { kind }))?;
        let in_field = versions(version, Some(family));
        let is_kin = |other: &str| {
            [["TLS", "SSL"], ["SSL", "TLS"], ["IPsec", "IKE"]].iter().any(|it| *it == [&*family.name, other])
        };
        let is_other = |of: &&Found| of.family.is_some_and(|it| it != family && !is_kin(&it.name));
        let sized = |all: &[Found]| -> BTreeSet<(&'static str, u32)> {
            all.iter().filter_map(|it| Some((it.family?.name.as_str(), it.size?))).collect()
        };
        let (stated, named) = (sized(&in_field), sized(&in_name));
        let mut own: Vec<Part> = stated
            .union(&named)
            .map(|(of, size)| version_part(crate::parts::family(of), Some(*size)))
            .collect();
        if own.is_empty() && family.sizes.is_empty() {
            own.push(version_part(family, None));
        }
        let is_tls = ["tls", "dtls", "ssl"].contains(&kind.as_str());
        // Version 1.3 alone has suites without a key exchange, and they are its only ones (RFC 8446, appendix B.4).
        let is_of_13 = |(name, codes): &(String, Vec<String>)| {
            let name = name.to_ascii_lowercase();
            let is_named = ["tls_aes_", "tls_chacha20_", "tls_sm4_"].iter().any(|it| name.starts_with(it));
            is_named || codes.iter().any(|code| code.starts_with("13"))
        };
        let is_before_13 = own.iter().any(|it| it.size.is_some_and(|size| size < 13));
        let contradicts = (!stated.is_empty() && !named.is_subset(&stated))
            || in_field.iter().chain(&in_name).any(|it| is_other(&it))
            || (is_tls && is_before_13 && asset.suites.iter().any(is_of_13));
        own.extend(contradicts.then(|| marker("contradiction")));
        // Another protocol's name without a version, as in `1.3, ssl`, may allow any.
        let has_version =
            |of: &Family| in_field.iter().any(|it| it.family.is_some_and(|it| it == of) && it.size.is_some());
        let is_open = |it: &Found| it.family.is_none_or(|of| of != family && !has_version(of));
        own.extend(in_field.iter().any(is_open).then(|| marker("unknown")));
        let suites = asset.suites.iter().map(|(name, codes)| of_suites(name, codes, is_tls));
        let values = asset.values.iter().map(|(primitive, name)| known(parts(name, Some(*primitive))));
        let others: Vec<Vec<Part>> = suites.chain(values).collect();
        let encrypts = |it: &Part| [Use::Cipher, Use::Aead].iter().any(|does| it.does.contains(does));
        let has_ciphers =
            family.name == "SSH" || asset.refers_to_ciphers || others.iter().flatten().any(encrypts);
        Some(Protocol { family, versions: own, others, has_ciphers })
    }
}

fn known(found: Vec<Part>) -> Vec<Part> {
    if found.is_empty() { vec![marker("unknown")] } else { found }
}

fn protocols() -> impl Iterator<Item = &'static Family> {
    families().iter().filter(|it| it.does == [Use::Protocol])
}

fn version_part(family: &'static Family, size: Option<u32>) -> Part {
    part(family, vec![Use::Protocol], size)
}

/// The protocols with versions in a name: `TLS 1.3`.
pub(crate) fn named(name: &str) -> Vec<Part> {
    let all = versions(name, None).into_iter();
    all.filter_map(|it| Some(version_part(it.family?, Some(it.size?)))).collect()
}

/// A protocol that a text names, ten times its version, or a word that is neither.
struct Found {
    family: Option<&'static Family>,
    size: Option<u32>,
}

/// What the words of a text are: of a protocol's version, where each is one, or of a free text, where versions stand behind
/// the names of protocols.
fn versions(text: &str, of: Option<&'static Family>) -> Vec<Found> {
    let text = with_dots(&text.to_ascii_lowercase());
    let mut all = Vec::new();
    let mut current = of;
    for word in text.split([' ', ',', ';', '/', '&', '-', '_', '(', ')']).filter(|it| !it.is_empty()) {
        if ["and", "or", "to", "v", "version", "versions", "protocol"].contains(&word) {
            continue;
        }
        // What limits a version is not read: `≥1.0`, `1.2+`.
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        all.extend((bare != word && of.is_some()).then_some(Found { family: None, size: None }));
        let named = protocols()
            .find_map(|it| Some((it, it.names.keys().find_map(|name| bare.strip_prefix(&**name))?)));
        let (family, rest) = named.map_or((current, bare), |(family, rest)| (Some(family), rest));
        let rest = rest.strip_prefix('v').unwrap_or(rest);
        let size = family.and_then(|it| size(it, rest));
        let is_read = size.is_some() || (named.is_some() && rest.is_empty());
        current = if is_read { family } else { of };
        if is_read || of.is_some() {
            all.push(Found { family: family.filter(|_| is_read), size });
        }
    }
    all
}

/// A text with dots in versions of two digits: `tls1_3`, `tls-1-3`. A digit beside a dot is a version's, as in `1.0-1.3`.
fn with_dots(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied().unwrap_or(' ');
    let is_version = |c: char| c == '.' || c.is_ascii_digit();
    let joins = |place: usize| {
        let [before, left, right, behind] =
            [place.checked_sub(2), place.checked_sub(1), Some(place + 1), Some(place + 2)].map(at);
        let both = left.is_ascii_digit() && right.is_ascii_digit();
        ['_', '-', ','].contains(&chars[place]) && both && !is_version(before) && !is_version(behind)
    };
    (0..chars.len()).map(|place| if joins(place) { '.' } else { chars[place] }).collect()
}

/// Ten times the version in a word: 12 for `1.2`. Versions 1.5 and 1.99 of SSH are of the first protocol, too.
fn size(family: &Family, word: &str) -> Option<u32> {
    let (major, minor) = word.split_once('.').unwrap_or((word, "0"));
    let digit = |it: &str| it.parse::<u32>().ok().filter(|_| it.len() == 1);
    match (family.name.as_str(), major, minor) {
        ("SSH", "1", minor) if minor == "99" || digit(minor).is_some() => Some(10),
        _ => Some(digit(major)? * 10 + digit(minor)?),
    }
}

/// What a suite is made of, by its name and its code points, which say the same. Those that only signal something, or test
/// whether a peer takes unknown ones (RFC 5746, 7507, 8701), are none.
fn of_suites(name: &str, codes: &[String], is_tls: bool) -> Vec<Part> {
    let letters = name.to_ascii_lowercase();
    let grease = letters.trim_start_matches("tls_").strip_prefix("grease");
    let is_grease = |code: &str| {
        let bytes = code.as_bytes();
        bytes.len() == 4 && bytes[1] == b'a' && bytes[3] == b'a' && bytes[0] == bytes[2]
    };
    let is_signal = ["tls_empty_renegotiation_info_scsv", "tls_fallback_scsv"].contains(&&*letters)
        || grease.is_some_and(|rest| rest.is_empty() || is_grease(rest.trim_start_matches(['_', '0', 'x'])));
    let mut all = match name.is_empty() || is_signal {
        true => Vec::new(),
        false => known(of_suite(name, is_tls)),
    };
    for code in codes.iter().filter(|code| !is_grease(code) && !["00ff", "5600"].contains(&code.as_str())) {
        let by_code =
            known(of_oid(&format!("0x{code}")).map(|name| of_suite(name, is_tls)).unwrap_or_default());
        let is_other = is_signal || !(all.is_empty() || is_same(&all, &by_code));
        all.extend(by_code);
        all.extend(is_other.then(|| marker("contradiction")));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One version, or several of which each counts; `?` is a word that is not read.
    #[test]
    fn versions_are_read_as_a_whole() {
        let of = |text: &str, name: &str| {
            let family = Some(crate::parts::family(name)).filter(|_| !name.is_empty());
            let word = |it: &Found| match (it.family, it.size) {
                (Some(of), Some(size)) => of.write(Some(size)),
                (Some(of), None) => of.name.clone(),
                _ => "?".to_owned(),
            };
            versions(text, family).iter().map(word).collect::<Vec<_>>().join(" ")
        };
        for (text, family, is) in [
            ("1.3", "TLS", "TLS-13"),
            ("TLSv1.2", "TLS", "TLS-12"),
            ("TLS v1.2", "TLS", "TLS TLS-12"),
            ("1.3,1.0", "TLS", "TLS-13 TLS-10"),
            ("1.3 and 1.1", "TLS", "TLS-13 TLS-11"),
            ("1.0-1.3", "TLS", "TLS-10 TLS-13"),
            ("SSLv3, TLSv1.3", "TLS", "SSL-30 TLS-13"),
            ("1.3 draft", "TLS", "TLS-13 ?"),
            ("1.3.1", "TLS", "?"),
            ("1.2+", "TLS", "? TLS-12"),
            ("≥1.0", "TLS", "? TLS-10"),
            ("13", "TLS", "?"),
            ("0x0304", "TLS", "?"),
            ("", "TLS", ""),
            ("2.0,1.5", "SSH", "SSH-20 SSH-10"),
            ("SSH-1.99-x", "SSH", "SSH SSH-10 ?"),
            ("TLSv1_3", "TLS", "TLS-13"),
            ("TLS1_2_VERSION", "TLS", "TLS-12"),
            ("TLS-1-3", "TLS", "TLS TLS-13"),
            ("1,3", "TLS", "TLS-13"),
            ("1.2,1.3", "TLS", "TLS-12 TLS-13"),
            ("IKEv2", "IKE", "IKE-20"),
            ("TLSv1.3 with RC4", "", "TLS-13"),
            ("OpenSSL 1.1 of host 2.0", "", ""),
            ("TLS 1.2/1.0 on host 3.0", "", "TLS TLS-12 TLS-10"),
            ("SSH of 1.0", "", "SSH"),
        ] {
            assert_eq!(of(text, family), is, "{text}");
        }
    }
}
