//! What cryptography an asset is made of, by names and object identifiers alone, whether the catalog has it or not:
//! `SHA1withRSA` is RSA of any size and SHA-1 in a signature. As with names that are typed, nothing is taken for what it
//! only resembles: words that are not made of known names altogether say nothing.

use std::sync::LazyLock;

use fieldtest_catalog::policies::{Family, Use, families, of_oid};
use fieldtest_catalog::{Entry, simplified};

use crate::read::Asset;

/// One thing that an asset is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub family: &'static Family,
    /// What it is for; several where the document leaves that open.
    pub does: Vec<Use>,
    /// Its size, where that is stated.
    pub size: Option<u32>,
    /// The mode of a cipher, in capitals; of RSA `PKCS1`, where its padding is that of version 1.5.
    pub mode: Option<&'static str>,
    /// Bits of what authenticates, where that is stated.
    pub tag: Option<u32>,
}

/// Modes that names have in them (`cryptography-defs.json`, patterns of block ciphers), those that authenticate first.
const MODES: [&str; 16] = [
    "GCMSIV", "GCM", "CCM", "SIV", "OCB", "EAX", "CBC", "ECB", "CTR", "CFB", "OFB", "XTS", "KWP", "KW",
    "IGE", "PCBC",
];
const AUTHENTICATE: usize = 6;
/// A mode that CycloneDX has no word for.
const OTHER: &str = "OTHER";

/// What stands within names between known ones, and means nothing here.
const BETWEEN: &str =
    "with and pss oaep mgf padding pkcs nopadding s f v bit bits cts r encryption ede m h w";

/// Words that mean nothing, either; a number behind them is still of what stands before them.
const FILLERS: &str = "of no none for in on using key keys pair keypair mode cipher based version algorithm alg \
    decryption encrypt decrypt sign signature signatures signing verification verify digital hash digest message \
    authentication authenticated auth code secure standard advanced elliptic curve curves nist secg ansi public \
    private secret symmetric asymmetric session host user root ca cert certificate server client default size \
    length len kex ke encr prf integ exchange agreement transport ephemeral static raw plain other unknown \
    generation generator gen derivation aead block stream suite ciphersuite etm sk legacy deterministic \
    prime id draft scheme";

/// What a name is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Family(&'static Family, u32),
    Mode(&'static str),
    Number(u32),
    Between,
    Filler,
    Unknown,
}

/// Every name that is known, the longest first.
static NAMES: LazyLock<Vec<(String, Token)>> = LazyLock::new(|| {
    let of_families = families().iter().flat_map(|family| {
        family.names.iter().map(move |(name, size)| (name.clone(), Token::Family(family, *size)))
    });
    let modes = MODES.iter().map(|mode| (mode.to_ascii_lowercase(), Token::Mode(mode)));
    let between = BETWEEN.split_whitespace().map(|word| (word.to_owned(), Token::Between));
    let fillers = FILLERS.split_whitespace().map(|word| (word.to_owned(), Token::Filler));
    let mut all: Vec<(String, Token)> = of_families.chain(modes).chain(between).chain(fillers).collect();
    all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    all
});

/// What an asset may be made of: each of these, where its name and its object identifier say different things; none where
/// neither says anything.
pub fn meanings(asset: &Asset, entries: &[Box<dyn Entry>]) -> Vec<Vec<Part>> {
    let words = [&asset.family, &asset.set, &asset.curve, &asset.padding];
    let words = words.into_iter().flatten().map(String::as_str);
    // What tools write behind it is a number of their own.
    let words = asset.name.split('@').take(1).chain(words).map(|it| of_oid(it.trim()).unwrap_or(it));
    let mode = asset.mode.as_deref().unwrap_or_default();
    let primitive = asset.primitive.as_deref();
    let mut by_name = parts(&format!("{} {mode}", words.collect::<Vec<_>>().join(" ")), primitive);
    for part in &mut by_name {
        if mode == "other" && part.family.does == [Use::Cipher] {
            part.mode = part.mode.or(Some(OTHER));
        }
        let is_other = |curve: &String| {
            let curve = of_oid(curve).unwrap_or(curve);
            !curve.is_empty() && !parts(curve, None).iter().any(is_on_curve)
        };
        if is_on_curve(part) && asset.curve.as_ref().is_some_and(is_other) {
            *part = marker("unknown");
        }
    }
    by_name.extend(contradicting(asset, &by_name));
    let (markers, by_name): (Vec<_>, Vec<_>) = by_name.into_iter().partition(|it| it.does.is_empty());
    let of_entry = |oid: &str| {
        let has = |entry: &dyn Entry| entry.cyclonedx().is_some_and(|it| it.oids.iter().any(|it| it == oid));
        entries.iter().find(|entry| has(entry.as_ref())).map(|entry| entry.title())
    };
    let oid = asset.oid.as_deref();
    let by_oid = oid.and_then(|oid| of_oid(oid).or_else(|| of_entry(oid)));
    let by_oid = by_oid.map(|name| parts(name, primitive)).unwrap_or_default();
    // Either may say more than the other, but not something else.
    let agree = |one: &Part, other: &Part| {
        let is_same = one.family == other.family || (is_curve(one) && is_curve(other));
        is_same && (one.size == other.size || one.size.is_none() || other.size.is_none())
    };
    let is_within = |some: &[Part], all: &[Part]| some.iter().all(|one| all.iter().any(|it| agree(one, it)));
    let complete = |mut all: Vec<Part>, other: &[Part]| {
        for part in all.iter_mut().filter(|part| part.size.is_none()) {
            part.size = other.iter().find(|it| it.family == part.family).and_then(|it| it.size);
        }
        vec![all]
    };
    let mut all = match (by_name.is_empty(), by_oid.is_empty()) {
        (true, true) if markers.is_empty() => Vec::new(),
        (false, true) => vec![by_name],
        (true, false) => vec![by_oid],
        _ if is_within(&by_oid, &by_name) => complete(by_name, &by_oid),
        _ if is_within(&by_name, &by_oid) => complete(by_oid, &by_name),
        _ => vec![by_name, by_oid],
    };
    all.iter_mut().for_each(|it| it.splice(0..0, markers.iter().cloned()).for_each(drop));
    all
}

/// A part that is looked at: `unknown` or `contradiction`.
pub fn marker(name: &str) -> Part {
    Part { family: family(name), does: Vec::new(), size: None, mode: None, tag: None }
}

/// What the fields of an asset say other than its name, where both say something.
fn contradicting(asset: &Asset, by_name: &[Part]) -> Vec<Part> {
    let is_hash = |part: &Part| part.family.does == [Use::Hash];
    let is_sized = |part: &&Part| part.size.is_some() && !part.family.sizes.is_empty();
    let owner = by_name.iter().find(|part| is_sized(part) && (by_name.len() == 1 || !is_hash(part)));
    let fields = [(&asset.set, false), (&asset.curve, false), (&asset.mode, true)];
    let mut all = Vec::new();
    for (field, is_mode) in fields.into_iter().filter_map(|(field, is_mode)| Some((field.as_ref()?, is_mode)))
    {
        let text = match owner {
            Some(owner) if is_mode => format!("{} {field}", owner.family.write(owner.size)),
            Some(owner) if field.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{} {field}", owner.family.write(None))
            }
            _ => of_oid(field).unwrap_or(field).to_owned(),
        };
        for found in parts(&text, None) {
            let differs = |part: &&Part| {
                let is_same = part.family == found.family || (is_curve(part) && is_curve(&found));
                let is_other_size = part.size.is_some() && found.size.is_some() && part.size != found.size;
                let is_other_mode = part.mode.is_some() && found.mode.is_some() && part.mode != found.mode;
                is_same && (is_other_size || is_other_mode)
            };
            if let Some(part) = by_name.iter().find(differs) {
                let (size, mode) = (found.size.or(part.size), found.mode.or(part.mode));
                all.extend([Part { size, mode, ..part.clone() }, marker("contradiction")]);
            }
        }
    }
    all
}

/// Parts with the size of a key that is of the first of them.
pub fn of_key(mut parts: Vec<Part>, size: u32) -> Vec<Part> {
    let is_keyed = |part: &&mut Part| part.family.strength.is_some() && part.family.does != [Use::Hash];
    if let Some(part) = parts.iter_mut().find(is_keyed) {
        match part.size {
            None => part.size = Some(size),
            // Some write whole octets.
            Some(own) if own.div_ceil(8) == size.div_ceil(8) => {}
            Some(_) => {
                let other = Part { size: Some(size), ..part.clone() };
                parts.splice(0..0, [marker("contradiction"), other]);
            }
        }
    }
    parts
}

/// What a cipher suite is made of. OpenSSL's names of those of TLS do not say that keys are transported with RSA.
pub fn of_suite(name: &str, is_tls: bool) -> Vec<Part> {
    let mut all = parts(name, None);
    all.retain(|part| part.does != [Use::Protocol]);
    let has_keys = |part: &Part| {
        part.does.is_empty()
            || [Use::Signature, Use::KeyEstablishment].iter().any(|it| part.does.contains(it))
    };
    if is_tls && name.contains('-') && !name.contains('_') && !all.is_empty() && !all.iter().any(has_keys) {
        let does = vec![Use::KeyEstablishment];
        all.push(Part { family: family("RSA"), does, size: None, mode: Some("PKCS1"), tag: None });
    }
    all
}

/// What a name is made of.
pub fn parts(name: &str, primitive: Option<&str>) -> Vec<Part> {
    // TLS has RSAE beside SHA, which is no RSAES.
    let name = &name.split('@').next().unwrap_or_default().replace("_rsae_", "_");
    let letters = simplified(name);
    let has = |it: &&str| letters.contains(it);
    let is_suite = ["tlsrsawith", "tlsrsaexport", "tlsrsapsk", "sslrsawith", "sslrsaexport"].iter().any(has);
    let is_transport = is_suite || ["oaep", "rsaes"].iter().any(has) || name.contains("RSA1_5");
    let primitive = match is_transport {
        true => Some("kem"),
        false if has(&"rsassa") => Some("signature"),
        false => primitive,
    };
    // RSA-OAEP-256 of RFC 7518 has SHA-256.
    let has_hash = ["oaep", "pss"].iter().any(has);
    let mut all: Vec<Part> = Vec::new();
    let (mut mode, mut tag) = (None, None);
    // Right behind the name of a family a number is its size, even one that nobody uses.
    let mut named: Option<&Family> = None;
    // SHA alone is SHA-1 to Java and TLS.
    let mut is_bare = false;
    let mut is_known = true;
    for token in tokens(name) {
        let before = named.take();
        match token {
            Token::Family(family, size) => {
                let size = (size > 0).then_some(size);
                let is_hash = family.does == [Use::Hash];
                if is_hash && all.iter().any(|part| part.family.whole) {
                    continue;
                }
                is_bare = family.names.contains_key("sha") && size.is_none();
                match all.iter_mut().find(|part| part.family == family) {
                    Some(part) => part.size = part.size.or(size),
                    None => all.push(Part { family, does: family.does.clone(), size, mode: None, tag: None }),
                }
                named = Some(family);
            }
            Token::Mode(found) => mode = mode.or(Some(found)),
            Token::Number(number) => {
                let is_of_hash = has_hash
                    || all.iter().any(|part| part.family.does == [Use::Hash] && part.size == Some(number));
                let is_named = |part: &Part| before == Some(part.family) && is_stated(part.family, number);
                let open = all.iter_mut().rev().find(|part| {
                    part.size.is_none() && (is_size(part.family, number) || (is_named(part) && !is_of_hash))
                });
                if let Some(part) = open {
                    part.size = Some(number);
                } else if all.iter().any(|part| part.size == Some(number)) {
                    // It is said twice.
                } else if number == 0
                    && let Some(part) = all.last_mut()
                    && before == Some(part.family)
                    && part.family.strength.is_some()
                {
                    part.size = Some(0);
                } else if let Some(last) = all.last_mut()
                    && last.size == Some(512)
                    && [224, 256].contains(&number)
                    && last.family.does == [Use::Hash]
                {
                    // SHA-512/256.
                    last.size = Some(number);
                } else if mode.is_some() || all.iter().any(|part| part.does == [Use::Mac]) {
                    // TLS and IKE count octets behind modes.
                    tag = tag.or(match number {
                        4..=512 if mode.is_none() => Some(number),
                        4 | 8 | 10 | 12..=16 => Some(number * 8),
                        24..=512 => Some(number),
                        _ => None,
                    });
                }
            }
            Token::Between => {}
            Token::Filler => named = before,
            Token::Unknown => (named, is_known) = (before, false),
        }
    }
    if is_bare
        && let Some(part) = all.iter_mut().find(|part| part.family.names.contains_key("sha"))
        && part.size.is_none()
        && !letters.contains("sha2")
    {
        *part = Part { family: family("SHA-1"), ..part.clone() };
    }
    // As a signature of SSH it has SHA-1 (RFC 4253, section 6.6).
    if letters.contains("sshrsa") && primitive == Some("signature") && all.len() == 1 {
        let does = vec![Use::Hash];
        all.push(Part { family: family("SHA-1"), does, size: None, mode: None, tag: None });
    }
    // Groups that are not known may be of anything.
    let is_group = !is_known && letters.contains("dhgroup");
    all.retain(|part| !(is_group && part.family.name == "DH"));
    one_curve(&mut all);
    settle_uses(&mut all, mode, primitive);
    let is_pkcs1 = is_suite || name.contains("RSA1_5") || is_padded(name);
    for part in &mut all {
        if part.family.name == "RSA" && is_pkcs1 {
            part.mode = Some("PKCS1");
        }
        if part.does == [Use::Aead] || part.does == [Use::Mac] {
            part.tag = tag;
        }
    }
    combine(&mut all);
    // What signs or agrees on keys is more than a hash function.
    let has = |does: Use| all.iter().any(|part| part.does.contains(&does));
    let is_other = match primitive {
        Some("signature") => !has(Use::Signature),
        Some("kem" | "key-agree") => !has(Use::KeyEstablishment),
        _ => false,
    };
    if is_group || (!all.is_empty() && (!is_known || is_other)) {
        all.push(marker("unknown"));
    }
    all
}

/// Whether a name has PKCS #1 in it, and not PKCS #12.
fn is_padded(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('#', "");
    let mut behind = name.match_indices("pkcs1").map(|(at, it)| &name[at + it.len()..]);
    behind.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn family(name: &str) -> &'static Family {
    families().iter().find(|it| it.name == name).unwrap_or(&families()[0])
}

/// Whether a number may be a size of it. Small numbers behind a name of RSA are the hash function's.
fn is_size(family: &Family, number: u32) -> bool {
    use fieldtest_catalog::policies::Strength;
    match family.strength {
        Some(Strength::Modulus) => (768..=16384).contains(&number),
        _ => family.sizes.contains(&number),
    }
}

/// Whether a number behind its name is a size of it. 25519 names a curve.
fn is_stated(family: &Family, number: u32) -> bool {
    !family.sizes.is_empty() && family.does != [Use::Protocol] && number >= 10 && number != 25519
}

/// Families of curves.
const CURVES: [&str; 3] = ["EC", "Brainpool", "secp256k1"];

fn is_curve(part: &Part) -> bool {
    ["ECDSA", "ECDH"].iter().chain(&CURVES).any(|it| part.family.name == *it)
}

fn is_on_curve(part: &Part) -> bool {
    is_curve(part) || part.family.name == "EdDSA"
}

/// A curve beside an algorithm on curves is the algorithm's.
fn one_curve(all: &mut Vec<Part>) {
    let Some(at) = all.iter().position(|part| CURVES.contains(&part.family.name.as_str())) else { return };
    let curve = all[at].clone();
    let is_on_one = |part: &Part| ["ECDSA", "ECDH", "EdDSA"].contains(&part.family.name.as_str());
    if let Some(owner) = all.iter().position(is_on_one) {
        let size = all[owner].size.or(curve.size);
        let family = if curve.family.name == "EC" { all[owner].family } else { curve.family };
        all[owner] = Part { family, size, ..all[owner].clone() };
        all.remove(at);
    }
}

/// What each part is for, by the primitive, the mode and what stands beside it.
fn settle_uses(all: &mut [Part], mode: Option<&'static str>, primitive: Option<&str>) {
    let has = |all: &[Part], does: Use| all.iter().any(|part| part.does.contains(&does));
    let agrees = ["key-agree", "kem"].iter().any(|it| primitive == Some(it));
    let signs = primitive == Some("signature") || (!agrees && has(all, Use::Signature) && all.len() > 1);
    let authenticates = primitive == Some("ae")
        || mode
            .is_some_and(|mode| MODES.iter().position(|it| *it == mode).is_some_and(|at| at < AUTHENTICATE));
    let is_keyed = has(all, Use::Mac) || has(all, Use::Kdf) || has(all, Use::Cipher) || has(all, Use::Aead);
    let signs = signs && !is_keyed && has(all, Use::Signature);
    for part in all.iter_mut() {
        match part.does.as_slice() {
            [Use::Signature, Use::KeyEstablishment] => match primitive {
                Some("signature") => part.does = vec![Use::Signature],
                Some("key-agree" | "kem") => part.does = vec![Use::KeyEstablishment],
                _ if signs => part.does = vec![Use::Signature],
                _ => {}
            },
            [Use::Cipher] => {
                part.mode = mode;
                if authenticates {
                    part.does = vec![Use::Aead];
                }
            }
            [Use::Hash] if signs => part.does = vec![Use::SignatureHash],
            [Use::Hash] if is_keyed || agrees || primitive == Some("mac") => part.does = vec![Use::MacHash],
            _ => {}
        }
    }
}

/// A post-quantum algorithm and a classical one under one name protect as long as one of them does.
fn combine(all: &mut Vec<Part>) {
    for (post_quantum, does, both) in
        [("ML-KEM", Use::KeyEstablishment, "hybrid KEM"), ("ML-DSA", Use::Signature, "composite signature")]
    {
        let Some(part) = all.iter().find(|part| part.family.name == post_quantum) else { continue };
        let size = part.size;
        // What a standard grew out of is not classical.
        let is_classical = |part: &Part| part.family.strength.is_some() || is_curve(part);
        let is_other = |part: &Part| is_classical(part) && part.does.contains(&does);
        if all.iter().any(is_other) {
            *all = vec![Part { family: family(both), does: vec![does], size, mode: None, tag: None }];
        }
    }
}

fn tokens(name: &str) -> Vec<Token> {
    let chars: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_alphanumeric() {
            at += 1;
            continue;
        }
        match word(&chars, at) {
            Some((found, end)) => {
                all.extend(found);
                at = end;
            }
            None => {
                all.push(Token::Unknown);
                at += chars[at..].iter().take_while(|c| c.is_alphanumeric()).count();
            }
        }
    }
    all
}

/// The names of which a word is made, and where it ends; none where something in it is no name.
fn word(chars: &[char], start: usize) -> Option<(Vec<Token>, usize)> {
    let (mut found, mut at) = (Vec::new(), start);
    while chars.get(at).is_some_and(|c| c.is_alphanumeric()) {
        let (token, end) = token(chars, at)?;
        // A letter alone means nothing only beside a number: SIKE is not IKE.
        let is_number = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let is_alone = at == start && chars.get(end).is_none_or(|c| !c.is_alphanumeric());
        if token == Token::Between
            && end == at + 1
            && !(is_alone || is_number(at.checked_sub(1)) || is_number(Some(end)))
        {
            return None;
        }
        found.push(token);
        at = end;
    }
    Some((found, at))
}

fn token(chars: &[char], at: usize) -> Option<(Token, usize)> {
    let named = NAMES.iter().find_map(|(name, token)| {
        let end = matched(chars, at, name)?;
        // Words of the language are not put together.
        let is_word = matches!(token, Token::Between | Token::Filler);
        (!is_word || end == at + name.len()).then_some((*token, end))
    });
    if named.is_some() {
        return named;
    }
    let digits: String = chars[at..].iter().take_while(|c| c.is_ascii_digit()).collect();
    let number = digits.parse().ok()?;
    Some((Token::Number(number), at + digits.len()))
}

/// Where a name ends that begins at this place. Separators may stand within it: `ML-KEM`, `P-256`. Its last digit is the last
/// of a number: `SHA-384` is not SHA-3.
fn matched(chars: &[char], mut at: usize, name: &str) -> Option<usize> {
    let first = at;
    for wanted in name.chars() {
        let is_separator = |c: &char| ['-', '_', ' ', '/', '+'].contains(c);
        if at > first
            && chars.get(at).is_some_and(is_separator)
            && (name.len() > 4 || wanted.is_ascii_digit() || chars[at - 1].is_ascii_digit())
        {
            at += 1;
        }
        if chars.get(at) != Some(&wanted) {
            return None;
        }
        at += 1;
    }
    let continues = chars.get(at).is_some_and(char::is_ascii_digit);
    (!(continues && name.ends_with(|c: char| c.is_ascii_digit()))).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, primitive: &str) -> String {
        let parts = parts(name, Some(primitive).filter(|it| !it.is_empty()));
        let of = |part: &Part| {
            let uses: Vec<&str> = part.does.iter().map(|it| it.word()).collect();
            let mode = part.mode.map(|mode| format!(" {mode}")).unwrap_or_default();
            format!("{}{mode} ({})", part.family.write(part.size), uses.join("|"))
        };
        parts.iter().map(of).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn names_as_others_write_them() {
        for (name, primitive, is) in [
            ("SHA1withRSA", "signature", "SHA-1 (signature-hash), RSA (signature)"),
            ("SHA512withRSA 512", "", "SHA-512 (signature-hash), RSA (signature)"),
            ("SHA256withDSA 2048", "signature", "SHA-256 (signature-hash), DSA-2048 (signature)"),
            ("RSA-2048 2048", "pke", "RSA-2048 (signature|key-establishment)"),
            ("RSA-OAEP 2048 ecb", "pke", "RSA-2048 (key-establishment)"),
            ("EC-secp521r1 secp521r1", "pke", "EC-521 (signature|key-establishment)"),
            ("EC", "key-agree", "EC (key-establishment)"),
            ("ECDH curve25519", "", "ECDH-255 (key-establishment)"),
            ("x25519 Curve25519", "key-agree", "ECDH-255 (key-establishment)"),
            ("curve25519-sha256 x25519", "key-agree", "SHA-256 (mac-hash), ECDH-255 (key-establishment)"),
            ("Ed25519 host key ed25519", "signature", "EdDSA-255 (signature)"),
            ("AES128-CBC-PKCS5 128 cbc", "block-cipher", "AES-128 CBC (cipher)"),
            ("AES 128 gcm", "ae", "AES-128 GCM (aead)"),
            ("AES256/GCM/NoPadding", "", "AES-256 GCM (aead)"),
            ("DESede/ECB/PKCS5Padding", "block-cipher", "3DES ECB (cipher)"),
            ("DES56-CFB-PKCS5 56", "block-cipher", "DES-56 CFB (cipher)"),
            ("HMAC-SHA256", "mac", "HMAC (mac), SHA-256 (mac-hash)"),
            ("hmacsha1 512", "mac", "HMAC (mac), SHA-1 (mac-hash)"),
            ("SHA-384", "hash", "SHA-384 (hash)"),
            ("SHA3-256", "hash", "SHA3-256 (hash)"),
            ("SHA-512/256", "hash", "SHA-256 (hash)"),
            ("SHA", "hash", "SHA-1 (hash)"),
            ("SHA2", "hash", "SHA-2 (hash)"),
            ("X25519MLKEM768", "kem", "hybrid KEM-768 (key-establishment)"),
            ("MLDSA44-ECDSA-P256-SHA256", "signature", "composite signature-44 (signature)"),
            ("ML-KEM-768", "kem", "ML-KEM-768 (key-establishment)"),
            ("SLH-DSA-SHA2-256s", "signature", "SLH-DSA-256 (signature)"),
            ("LMS_SHA256_M32_H10 with W4", "signature", "LMS (signature)"),
            ("ECDSA P-256 P-256-SHA-256", "signature", "ECDSA-256 (signature), SHA-256 (signature-hash)"),
            ("ChaCha20-Poly1305", "ae", "ChaCha20-Poly1305 (aead)"),
            (
                "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                "",
                "TLS (protocol), ECDH (key-establishment), RSA (signature|key-establishment), AES-256 GCM (aead), SHA-384 (mac-hash)",
            ),
            ("RSA-512 512", "signature", "RSA-512 (signature)"),
            ("RSA-OAEP-256", "pke", "RSA (key-establishment)"),
            ("SHA256withRSAandMGF1", "", "SHA-256 (signature-hash), RSA (signature)"),
            ("RSAES-PKCS1-v1_5", "pke", "RSA PKCS1 (key-establishment)"),
            ("RSA 2048 pkcs1v15", "signature", "RSA-2048 PKCS1 (signature)"),
            (
                "TLS_RSA_WITH_AES_128_CBC_SHA",
                "",
                "TLS (protocol), RSA PKCS1 (key-establishment), AES-128 CBC (cipher), SHA-1 (mac-hash)",
            ),
            ("diffie-hellman-group1-sha1", "key-agree", "DH-1024 (key-establishment), SHA-1 (mac-hash)"),
            ("ECDSA secp256k1", "signature", "secp256k1 (signature)"),
            ("SIKE", "kem", "SIKE (key-establishment)"),
            ("sntrup761x25519-sha512", "key-agree", "SHA-512 (mac-hash), unknown ()"),
            ("SM2-with-SHA256", "signature", "SHA-256 (hash), unknown ()"),
            ("A5/1 AES-256", "", "AES-256 (cipher), unknown ()"),
            ("SHA-256", "signature", "SHA-256 (hash), unknown ()"),
            ("ECDSA key of curve secp112r1", "", "ECDSA-112 (signature)"),
            ("P-257", "signature", ""),
            ("DH group 1", "key-agree", "DH-768 (key-establishment)"),
            ("DH group 14", "", "DH-2048 (key-establishment)"),
            ("DH group 19", "", "ECDH-256 (key-establishment)"),
            ("DH group 99", "", "unknown ()"),
            ("AES-256-GCM-SIV", "ae", "AES-256 GCMSIV (aead)"),
            ("AES/OCB/NoPadding", "", "AES OCB (aead)"),
            ("ssh-rsa", "signature", "RSA (signature), SHA-1 (signature-hash)"),
            ("rsa-sha2-512", "signature", "RSA (signature), SHA-512 (signature-hash)"),
            ("SHA-0", "hash", "SHA-0 (hash)"),
            ("ENCR_AES_CBC 256", "", "AES-256 CBC (cipher)"),
            ("rsa_pss_rsae_sha256", "signature", "RSA (signature), SHA-256 (signature-hash)"),
            ("HashML-DSA-87", "signature", "ML-DSA-87 (signature)"),
            ("PBEWithHmacSHA256AndAES_256", "kdf", "PBKDF2 (kdf), SHA-256 (mac-hash), AES-256 (cipher)"),
            ("DES-CBC3-SHA", "", "3DES (cipher), SHA-1 (mac-hash)"),
            ("ML-DSA-65 (Dilithium3)", "", "ML-DSA-65 (signature), Dilithium (signature)"),
            ("RSA-512 key", "", "RSA-512 (signature|key-establishment)"),
            ("ECs", "", ""),
            ("describe", "", ""),
            ("RAW", "other", ""),
            ("secret-key@ff11be02-d1ac-4887-ae6e-b4e49f2bc41c", "", ""),
        ] {
            assert_eq!(written(name, primitive), is, "{name}");
        }
    }
}
