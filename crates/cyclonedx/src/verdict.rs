//! What is to be done about each asset by a policy: keep, replace by a year, or look. The rules are facts
//! (`fieldtest_catalog::policies`); here they are applied, and where they or the document leave something open, that is
//! said.

use std::collections::{BTreeMap, BTreeSet};

use fieldtest_catalog::Entry;
use fieldtest_catalog::facts::Status;
use fieldtest_catalog::kind::{self, Kind as _};
use fieldtest_catalog::policies::{Family, Mark, Policy, Rule, Use, families, of_oid};

use crate::fields::{CLASSICAL, contradiction, contradicts_fields};
use crate::meaning::{is_same, is_unknown, meaning, of_key, of_suite, parts};
use crate::parts::{Part, marker, part};
use crate::read::{Asset, AssetKind, Inventory};
use crate::recognise::{Recognised, recognise};

/// What is to be done about an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Keep, look or replace.
    pub mark: Mark,
    /// The last year in which it may be used. A replacement without one is due.
    pub by: Option<u16>,
    /// Whether it can be broken today.
    pub broken: bool,
    /// What of the asset decides: `RSA-2048`.
    pub element: String,
    /// Why, in a word: `rule`, or what is open.
    pub reason: &'static str,
    /// Why, for a person.
    pub why: String,
    /// The rule, with the policy or the facts whose it is.
    pub rule: Option<(&'static Policy, &'static Rule)>,
    /// What takes its place, by use.
    pub instead: BTreeMap<Use, String>,
    /// What it is known to be for.
    pub uses: BTreeSet<Use>,
}

impl Verdict {
    fn look(element: impl Into<String>, reason: &'static str, why: impl Into<String>) -> Verdict {
        Verdict {
            mark: Mark::Look,
            by: None,
            broken: false,
            element: element.into(),
            reason,
            why: why.into(),
            rule: None,
            instead: BTreeMap::new(),
            uses: BTreeSet::new(),
        }
    }

    /// Whether the time to replace it has passed, or there is none.
    pub fn is_overdue(&self, year: u16) -> bool {
        self.mark == Mark::Replace && self.by.is_none_or(|by| by < year)
    }

    /// What sorts first is worse.
    fn weight(&self) -> (std::cmp::Reverse<Mark>, Option<u16>, bool) {
        (std::cmp::Reverse(self.mark), self.by, !self.broken)
    }
}

/// The verdicts on all assets of an inventory, in its order.
pub fn verdicts(inventory: &Inventory, policy: &'static Policy, entries: &[Box<dyn Entry>]) -> Vec<Verdict> {
    let mut by_ref: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, asset) in inventory.assets.iter().enumerate() {
        if let Some(bom_ref) = asset.bom_ref.as_deref() {
            by_ref.entry(bom_ref).or_default().push(at);
        }
    }
    let mut judge = Judge { inventory, policy, entries, by_ref, known: BTreeMap::new() };
    (0..inventory.assets.len()).map(|at| judge.asset(at, DEPTH)).collect()
}

/// Whether a policy keeps what is called so.
pub fn keeps(policy: &'static Policy, name: &str) -> bool {
    let parts = parts(name, None);
    of_parts(policy, &parts).is_some_and(|it| it.mark == Mark::Keep)
}

/// Whether one algorithm protects no less than another, in kind and in strength: what authenticates is not replaced by what
/// only encrypts, what withstands a quantum computer not by what does not. Unknown is less.
pub fn protects_no_less(new: &dyn Entry, old: &dyn Entry) -> bool {
    let at_least =
        |new: Option<u32>, old: Option<u32>| old.is_none_or(|old| new.is_some_and(|new| new >= old));
    let size = |entry: &dyn Entry, name: &str| {
        entry
            .sizes()
            .into_iter()
            .find(|(size, _)| *size == name)
            .and_then(|(_, bytes)| u32::try_from(bytes).ok())
    };
    let is_stronger_kind = new.kind() == kind::Aead::WORD && old.kind() == kind::Cipher::WORD;
    (new.kind() == old.kind() || is_stronger_kind)
        && (old.post_quantum() != Some(true) || new.post_quantum() == Some(true))
        && at_least(new.level().map(u32::from), old.level().map(u32::from))
        && at_least(new.strength().map(u32::from), old.strength().map(u32::from))
        && (old.kind() == kind::Signature::WORD
            || ["tag", "digest"].into_iter().all(|name| at_least(size(new, name), size(old, name))))
}

/// How far references are followed: from a protocol to a certificate, its key and the key's algorithm.
const DEPTH: u8 = 4;

struct Judge<'i> {
    inventory: &'i Inventory,
    policy: &'static Policy,
    entries: &'i [Box<dyn Entry>],
    /// Several where the document breaks the rule that a `bom-ref` is of one thing.
    by_ref: BTreeMap<&'i str, Vec<usize>>,
    /// What was judged, by its place and how far its references were followed: many may refer to one.
    known: BTreeMap<(usize, u8), Verdict>,
}

impl Judge<'_> {
    fn asset(&mut self, at: usize, depth: u8) -> Verdict {
        if let Some(known) = self.known.get(&(at, depth)) {
            return known.clone();
        }
        let inventory = self.inventory;
        let asset = &inventory.assets[at];
        let verdict = remarked(asset, self.judged(asset, depth));
        self.known.insert((at, depth), verdict.clone());
        verdict
    }

    /// What holds of what is referred to by `to`, of keys of this size if it is stated.
    fn referred(&mut self, to: &str, size: Option<u32>, depth: u8) -> Verdict {
        let inventory = self.inventory;
        let all = self.by_ref.get(to).cloned().unwrap_or_default();
        let mut found: Vec<Verdict> = Vec::new();
        for at in &all {
            let asset = &inventory.assets[*at];
            found.push(match asset.kind {
                AssetKind::Algorithm if size.is_some() => remarked(asset, self.algorithm(asset, size)),
                _ if depth > 0 => self.asset(*at, depth - 1),
                _ => Verdict::look(to, "unstated", "its references go too far, or in a circle"),
            });
        }
        if all.len() > 1 {
            found.push(Verdict::look(to, "contradiction", "several components have this bom-ref"));
        }
        let missing = || Verdict::look(to, "missing", "the document refers to it and does not hold it");
        all_of(found.into_iter()).unwrap_or_else(missing)
    }

    fn judged(&mut self, asset: &Asset, depth: u8) -> Verdict {
        let own = match asset.kind {
            AssetKind::Algorithm => return self.algorithm(asset, None),
            AssetKind::Certificate => None,
            AssetKind::Protocol => Some(self.protocol(asset)),
            AssetKind::Material if asset.refers_to.is_empty() => {
                let found = self.algorithm(asset, asset.size);
                let why = "the document does not say of which algorithm";
                Some(match found.reason {
                    "unknown" => Verdict::look(&asset.name, "unstated", why),
                    _ => found,
                })
            }
            // A name that is an algorithm's is not free text.
            AssetKind::Material => of_parts(self.policy, &parts(&asset.name, None))
                .filter(|it| it.mark == Mark::Replace && !is_unknown(&asset.name)),
        };
        let mut all: Vec<Verdict> = own.into_iter().collect();
        // The size is that of the key, not of what encrypts it, whose uses are not the key's either.
        let referred = asset.refers_to.iter().map(|to| (to, asset.size));
        for (to, size) in referred.chain(asset.secured_by.iter().map(|to| (to, None))) {
            let mut found = self.referred(to, size, depth);
            if asset.secured_by.as_ref() == Some(to) {
                found.uses.clear();
            }
            all.push(found);
        }
        if asset.is_partial {
            all.push(Verdict::look(&asset.name, "unstated", "its signature or its key is not stated"));
        }
        let why = "the document does not say of which algorithms";
        let found = all_of(all.into_iter()).unwrap_or_else(|| Verdict::look(&asset.name, "unstated", why));
        // A certificate signs, and its key signs or agrees on keys.
        let is_other = |it: &Use| ![Use::Signature, Use::KeyEstablishment, Use::Hash].contains(it);
        let signs = |it: &Verdict| it.uses.contains(&Use::Signature);
        let signed_by = asset.signed_by.as_ref().map(|to| self.referred(to, None, depth));
        let is_odd =
            !signs(&found) || signed_by.is_some_and(|it| !signs(&it)) || found.uses.iter().any(is_other);
        if asset.kind == AssetKind::Certificate && found.mark == Mark::Keep && is_odd {
            let why = "its algorithms do not sign, or do more than that";
            return Verdict::look(found.element, "contradiction", why);
        }
        if let Some(why) = contradiction(asset, &found.uses).filter(|_| found.mark == Mark::Keep) {
            return Verdict::look(found.element, "contradiction", why);
        }
        // The version of a protocol says nothing of them.
        let is_said = [Use::KeyEstablishment, Use::Signature].iter().all(|it| found.uses.contains(it));
        match asset.kind == AssetKind::Protocol && found.mark == Mark::Keep && !is_said {
            true => {
                Verdict::look(found.element, "unstated", "its key exchange or its signatures are not stated")
            }
            false => found,
        }
    }

    /// The verdict on an algorithm, for keys of this size if it is stated.
    fn algorithm(&self, asset: &Asset, size: Option<u32>) -> Verdict {
        let uses = self.uses(asset);
        let mut possible = vec![meaning(asset, self.entries, &uses)];
        if possible[0].is_empty() {
            match recognise(asset, self.entries) {
                Recognised::Same(name) => {
                    let entry = self.entries.iter().find(|entry| entry.name() == name);
                    if let Some(entry) = entry {
                        return self.entry(entry.as_ref());
                    }
                }
                Recognised::OneOf(names) => {
                    let named = self.entries.iter().filter(|entry| names.contains(&entry.name()));
                    let unknown = is_unknown(&asset.name).then(|| marker("unknown"));
                    possible = named.map(|entry| parts(entry.title(), None)).collect();
                    possible.retain(|parts| !parts.is_empty());
                    possible.iter_mut().for_each(|parts| parts.extend(unknown.clone()));
                }
                Recognised::Not => {}
            }
        }
        if let Some(size) = size {
            possible = possible.into_iter().map(|parts| of_key(parts, size)).collect();
        }
        let is_odd = possible.iter().any(|parts| contradicts_fields(asset, parts));
        possible
            .iter_mut()
            .filter(|it| is_odd && !it.is_empty())
            .for_each(|it| it.push(marker("contradiction")));
        let of_all = |parts: &Vec<Part>| of_parts(self.policy, parts);
        let why = "neither its name nor its object identifier is known";
        let unknown = || Verdict::look(&asset.name, "unknown", why);
        one_of(possible.iter().filter_map(of_all).collect()).unwrap_or_else(unknown)
    }

    /// The names of the algorithms that an algorithm depends on.
    fn uses(&self, asset: &Asset) -> Vec<&str> {
        let used = asset.depends_on.iter().filter_map(|to| self.by_ref.get(to.as_str())).flatten();
        let used = used.map(|at| &self.inventory.assets[*at]);
        used.filter(|it| it.kind == AssetKind::Algorithm).map(|it| it.name.as_str()).collect()
    }

    /// What policies do not name, by its standing.
    fn entry(&self, entry: &dyn Entry) -> Verdict {
        let status = entry.status();
        let why = format!("it is {} ({})", status.word(), entry.standard());
        let verdict = Verdict::look(entry.title(), "status", why);
        let is_over = matches!(status, Status::Broken | Status::Withdrawn | Status::Superseded);
        match (is_over, entry.kind()) {
            (true, word) if word == kind::Signature::WORD => Verdict {
                mark: Mark::Replace,
                broken: status == Status::Broken,
                instead: self
                    .policy
                    .instead(Use::Signature)
                    .map(|it| (Use::Signature, it.to_owned()))
                    .into_iter()
                    .collect(),
                ..verdict
            },
            _ => verdict,
        }
    }

    fn protocol(&self, asset: &Asset) -> Verdict {
        let (kind, version) = asset.protocol.clone().unwrap_or_default();
        let known = |text: &str| {
            families().iter().find(|it| it.does == [Use::Protocol] && it.names.contains_key(text))
        };
        let of_version = version.to_ascii_lowercase();
        let name = asset.name.to_ascii_lowercase();
        let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
        let is_ssl = of_version.contains("ssl") || words.any(|word| word == "ssl" || word == "sslv");
        let family = known(if is_ssl && kind == "tls" { "ssl" } else { &kind });
        let Some(family) = family else {
            // Its name may have a broken algorithm in it.
            let look = Verdict::look(&asset.name, "unknown", "no policy names this protocol");
            let by_name = of_parts(self.policy, &parts(&asset.name, None));
            return all_of([look.clone()].into_iter().chain(by_name)).unwrap_or(look);
        };
        // The version may be in the name, behind that of the protocol: alone, or with another one in its own field.
        let behind = name.split_once(family.names.keys().next().map_or("", String::as_str));
        let in_name = behind.and_then(|(_, rest)| of_text(rest).map(|it| (it, rest)));
        let is_version = |rest: &str| rest.starts_with('v') || rest.contains('.');
        let stated = of_text(&of_version);
        let named = in_name.filter(|(_, rest)| stated.is_none() || is_version(rest)).map(|(size, _)| size);
        // Versions 1.5 and 1.99 are of the first protocol, too.
        let of_first = |size: u32| if family.name == "SSH" && size < 20 { 10 } else { size };
        let sizes: BTreeSet<u32> = stated.into_iter().chain(named).map(of_first).collect();
        if sizes.is_empty() && !family.sizes.is_empty() {
            return Verdict::look(&family.name, "unstated", "the document does not say which version");
        }
        let mut own: Vec<Part> =
            sizes.iter().map(|size| part(family, vec![Use::Protocol], Some(*size))).collect();
        match own.len() {
            0 => own.push(part(family, vec![Use::Protocol], None)),
            1 => {}
            _ => own.push(marker("contradiction")),
        }
        let is_tls = ["tls", "dtls", "ssl"].contains(&kind.as_str());
        // Version 1.3 alone has suites without a key exchange, and they are its only ones (RFC 8446, appendix B.4).
        let is_of_13 = |(name, codes): &(String, Vec<String>)| {
            let name = name.to_ascii_lowercase();
            let is_named = ["tls_aes_", "tls_chacha20_", "tls_sm4_"].iter().any(|it| name.starts_with(it));
            is_named || codes.iter().any(|code| code.starts_with("13"))
        };
        if is_tls && sizes.iter().any(|size| *size < 13) && asset.suites.iter().any(is_of_13) {
            own.push(marker("contradiction"));
        }
        let suites = asset.suites.iter().map(|(name, codes)| of_suites(name, codes, is_tls));
        let values = asset.values.iter().map(|(primitive, name)| {
            let found = parts(name, Some(*primitive));
            if found.is_empty() { vec![marker("unknown")] } else { found }
        });
        let all = [own].into_iter().chain(suites).chain(values);
        let all: Vec<Verdict> = all.filter_map(|parts| of_parts(self.policy, &parts)).collect();
        let why = "the document does not say of which algorithms";
        all_of(all.into_iter()).unwrap_or_else(|| Verdict::look(&asset.name, "unstated", why))
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
    let known = |found: Vec<Part>| if found.is_empty() { vec![marker("unknown")] } else { found };
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

/// Ten times the version in a text: 12 for `TLSv1.2`.
fn of_text(text: &str) -> Option<u32> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty());
    let major: u32 = numbers.next()?.parse().ok().filter(|it| *it < 10)?;
    let minor = text.contains('.').then(|| numbers.next()).flatten().and_then(|it| it.parse::<u32>().ok());
    Some(major * 10 + minor.filter(|it| *it < 10).unwrap_or(0))
}

/// What holds of a thing that is made of several: the worst, and what takes the place of each.
fn all_of(verdicts: impl Iterator<Item = Verdict>) -> Option<Verdict> {
    let all: Vec<Verdict> = verdicts.collect();
    let instead = together(&all);
    let uses = all.iter().flat_map(|it| it.uses.clone()).collect();
    let worst = all.into_iter().min_by(|a, b| a.weight().cmp(&b.weight()))?;
    Some(Verdict { instead, uses, ..worst })
}

/// What holds of an algorithm. In the place of a cipher within a MAC comes a MAC, of a MAC within a KDF a KDF.
fn of_parts(policy: &'static Policy, parts: &[Part]) -> Option<Verdict> {
    let mut verdict = all_of(parts.iter().map(|part| of_part(policy, part)))?;
    // A word that is not known may say that this hash function is no plain one: `MD5-crypt`.
    if parts.iter().any(|part| part.family.name == "unknown") {
        verdict.instead.remove(&Use::Hash);
    }
    let has_mac = parts.iter().any(|part| part.does == [Use::Mac]);
    let is_cipher = |part: &Part| part.family.does == [Use::Cipher];
    for (inner, outer) in [
        (Use::Cipher, Use::Mac),
        (Use::Mac, Use::Kdf),
        (Use::Mac, Use::Password),
        (Use::Mac, Use::KeyEstablishment),
    ] {
        // A cipher with a mode stands beside a MAC, and a MAC beside a key exchange.
        let is_within = |part: &Part| {
            let is_beside = match outer {
                Use::KeyEstablishment => has_mac || parts.iter().any(is_cipher),
                _ => parts.iter().any(|it| it.mode.is_some()),
            };
            part.does == [outer] && !is_beside
        };
        // Where the policy proposes nothing for the whole, its part is no proposal either.
        if parts.iter().any(is_within)
            && verdict.instead.remove(&inner).is_some()
            && let Some(other) = policy.instead(outer)
        {
            verdict.instead.insert(outer, other.to_owned());
        }
    }
    Some(verdict)
}

/// What holds of a thing that is one of several: what they have in common, by the earliest year.
fn one_of(mut possible: Vec<Verdict>) -> Option<Verdict> {
    possible.sort_by_key(Verdict::weight);
    let (first, last) = (possible.first()?, possible.last()?);
    if first.mark == last.mark {
        return Some(Verdict { instead: together(&possible), ..first.clone() });
    }
    let why = format!("{}: {}; {}: {}", first.element, first.mark, last.element, last.mark);
    Some(Verdict { rule: first.rule, ..Verdict::look(&first.element, "ambiguous", why) })
}

fn together(all: &[Verdict]) -> BTreeMap<Use, String> {
    all.iter().flat_map(|it| it.instead.clone()).collect()
}

/// The verdict on a part, of whichever size and for whichever use it may be.
fn of_part(policy: &'static Policy, part: &Part) -> Verdict {
    if part.does.is_empty() {
        let why = "a word of its name is not known, or what it states contradicts itself";
        return Verdict::look("", &part.family.name, why);
    }
    let sizes: Vec<Option<u32>> = match part.size {
        None if !part.family.sizes.is_empty() => part.family.sizes.iter().copied().map(Some).collect(),
        size => vec![size],
    };
    let each = sizes.iter().flat_map(|size| part.does.iter().map(move |does| (*size, *does)));
    let possible: Vec<Verdict> = each.map(|(size, does)| of_size(policy, part, size, does)).collect();
    let is_open = part.size.is_none()
        && possible.iter().any(|it| it.by != possible[0].by || it.mark != possible[0].mark);
    let verdict = one_of(possible).unwrap_or_else(|| Verdict::look(&part.family.name, "unlisted", ""));
    let element = match (part.size, is_open && verdict.mark == Mark::Replace) {
        (None, false) => part.family.write(None),
        (None, true) => format!("{} (size not stated)", verdict.element),
        _ => verdict.element,
    };
    Verdict { element, ..verdict }
}

fn of_size(policy: &'static Policy, part: &Part, size: Option<u32>, does: Use) -> Verdict {
    let family: &Family = part.family;
    let element = family.write(size);
    // Of a size that nothing has, only what is broken with any size is known.
    let is_known = size.is_none_or(|size| family.may_have(size));
    if size == Some(0) && does != Use::Protocol {
        return Verdict::look(element, "contradiction", "no key has this size");
    }
    let found = policy.rule(family, does, size, part.mode, part.tag);
    let found = found.filter(|(_, rule)| is_known || (rule.broken && rule.below.is_none()));
    let uses: BTreeSet<Use> = [does.whole()].into();
    // The other half protects against quantum computers: only what already ends for its size counts.
    let is_weak = |rule: &Rule| {
        rule.broken || rule.below.is_some() || rule.below_bits.is_some_and(|bits| bits <= CLASSICAL)
    };
    if part.is_half && found.is_some_and(|(_, rule)| rule.verdict == Mark::Replace && !is_weak(rule)) {
        let verdict = Verdict::look(element, "rule", "one half of a hybrid");
        return Verdict { mark: Mark::Keep, uses, ..verdict };
    }
    // A shorter tag is one that a policy with a minimum allows.
    let has_minimum =
        |rule: &Rule| rule.below_tag.is_some() && rule.applies(family, does, size, part.mode, Some(0));
    let is_short = part.tag.is_some_and(|tag| tag < FULL_TAG) && !policy.rule.iter().any(has_minimum);
    if is_short && found.is_some_and(|(_, rule)| rule.verdict == Mark::Keep) {
        let why = format!("{} has no minimum for tags of under {FULL_TAG} bits", policy.title);
        return Verdict { uses, ..Verdict::look(element, "unlisted", why) };
    }
    let Some((of, rule)) = found else {
        let why = format!("{} does not name it as {does}", policy.title);
        return Verdict::look(element, "unlisted", why);
    };
    // Published facts say nothing of that: what takes its place is the policy's.
    let instead = rule.instead.as_deref().or_else(|| policy.instead(does));
    Verdict {
        mark: rule.verdict,
        by: rule.by,
        broken: rule.broken,
        element,
        reason: "rule",
        why: rule.says.clone(),
        rule: Some((of, rule)),
        instead: instead
            .filter(|_| rule.verdict == Mark::Replace)
            .map(|it| (does.whole(), it.to_owned()))
            .into_iter()
            .collect(),
        uses,
    }
}

/// A verdict on an asset, of which the document says something that forbids to keep it.
fn remarked(asset: &Asset, verdict: Verdict) -> Verdict {
    match asset.remarks.first().filter(|_| verdict.mark == Mark::Keep) {
        Some((reason, why)) => {
            Verdict { uses: verdict.uses, ..Verdict::look(verdict.element, reason, why.clone()) }
        }
        None => verdict,
    }
}

/// Bits of a tag that nobody shortened.
const FULL_TAG: u32 = 128;

#[cfg(test)]
mod tests {
    use fieldtest_catalog::entries;
    use fieldtest_catalog::policies::policies;

    use super::*;
    use crate::read::parse;

    fn policy(id: &str) -> &'static Policy {
        policies().iter().find(|it| it.id == id).expect("a policy")
    }

    /// `replace 2030`, `replace` of what is due, `look unlisted`, `keep`.
    fn written(verdict: &Verdict) -> String {
        match (verdict.mark, verdict.by) {
            (Mark::Replace, Some(by)) => format!("replace {by}"),
            (Mark::Look, _) => format!("look {}", verdict.reason),
            (mark, _) => mark.word().to_owned(),
        }
    }

    /// What a policy puts in the place of something, it keeps itself. Of a hybrid both halves are named, which is no one name.
    #[test]
    fn what_a_policy_proposes_it_keeps() {
        for policy in policies() {
            for (does, text) in policy.instead.iter().filter(|(_, text)| !text.contains("classical")) {
                let plain = text.replace(" for firmware", "").replace(',', "");
                for name in plain.split(" or ") {
                    assert!(keeps(policy, name), "{}, {does}: {name}", policy.id);
                }
            }
        }
        assert!(keeps(policy("cnsa"), "ML-DSA-87") && !keeps(policy("cnsa"), "ML-DSA-44"));
        assert!(!keeps(policy("nist"), "FooCipher"));
    }

    fn of(components: &str, id: &str) -> Vec<String> {
        let text = format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.7","components":[{components}]}}"#);
        let inventory = parse(text.as_bytes()).expect("a CBOM");
        verdicts(&inventory, policy(id), &entries()).iter().map(written).collect()
    }

    /// The verdicts of all policies on an algorithm of this name and primitive, worked out by hand from the documents.
    #[test]
    fn policies_are_applied_as_they_are_written() {
        for (name, primitive, is) in [
            ("RSA-1024", "signature", "2013, 2013, 2023, replace, replace"),
            ("RSA-2048", "signature", "2030, 2031, 2023, 2030, 2030"),
            ("RSA-3072", "signature", "2035, 2031, 2035, 2030, 2030"),
            ("RSA-3072", "kem", "2035, 2031, 2031, 2030, 2030"),
            ("SHA1withRSA", "signature", "2013, replace, replace, replace, replace"),
            ("ECDSA-P256", "signature", "2035, 2031, 2035, 2030, 2030"),
            ("Ed25519", "signature", "2035, 2031, 2035, 2030, replace"),
            ("DSA-3072", "signature", "2024, 2031, 2029, 2030, replace"),
            ("X25519", "key-agree", "2035, 2031, 2031, 2030, replace"),
            ("RSA-512", "signature", "2013, replace, 2023, replace, replace"),
            ("DH-512", "key-agree", "2013, replace, 2022, replace, replace"),
            ("AES-512", "block-cipher", "unlisted, unlisted, unlisted, unlisted, unlisted"),
            ("DH-14", "key-agree", "unlisted, unlisted, unlisted, unlisted, unlisted"),
            ("RSAES-PKCS1-v1_5", "pke", "2023, 2031, 2023, 2030, 2030"),
            ("P-192", "key-agree", "2013, 2013, 2015, replace, replace"),
            ("secp112r1", "signature", "2013, 2013, 2015, replace, replace"),
            ("WEP-AES-256", "", "replace, replace, replace, replace, replace"),
            ("Skipjack-SHA256", "", "replace, replace, replace, replace, replace"),
            ("GeMSS-SHA3-256", "", "replace, replace, replace, replace, replace"),
            ("SHA-0", "hash", "replace, replace, replace, replace, replace"),
            ("ADH-AES256-SHA", "", "replace, replace, replace, replace, replace"),
            ("AES-256-OCB", "ae", "rule, rule, rule, rule, rule"),
            ("AES-256-GMAC-64", "mac", "rule, unlisted, rule, unlisted, unlisted"),
            ("ECDSA-P224", "signature", "2030, 2031, 2015, replace, 2030"),
            ("secp256k1", "key-agree", "2035, 2031, 2031, 2030, replace"),
            ("brainpoolP256r1", "signature", "2035, 2031, 2035, 2030, 2030"),
            ("SIKE", "kem", "replace, replace, replace, replace, replace"),
            ("SIDH-p434", "key-agree", "replace, replace, replace, replace, replace"),
            ("Rainbow", "signature", "replace, replace, replace, replace, replace"),
            ("Dual_EC_DRBG", "drbg", "replace, replace, replace, replace, replace"),
            ("AES-256-GCM-64", "ae", "rule, unlisted, rule, unlisted, unlisted"),
            ("HMAC-SHA256/64", "mac", "keep, unlisted, rule, unlisted, 2030"),
            ("HMAC-MD5", "mac", "replace, 2031, replace, replace, replace"),
            ("DH-2048", "key-agree", "2030, 2031, 2022, 2030, 2030"),
            ("ML-KEM-768", "kem", "keep, 2031, rule, rule, 2030"),
            ("ML-KEM-1024", "kem", "keep, keep, rule, rule, keep"),
            ("X25519MLKEM768", "kem", "keep, rule, keep, keep, rule"),
            ("ML-DSA-44", "signature", "keep, 2031, rule, rule, replace"),
            ("ML-DSA-87", "signature", "keep, keep, rule, rule, keep"),
            ("SLH-DSA-SHA2-192s", "signature", "keep, 2031, keep, keep, replace"),
            ("AES-128-GCM", "ae", "keep, 2031, keep, keep, 2030"),
            ("AES-256-XTS", "block-cipher", "keep, keep, keep, keep, keep"),
            ("AES-256-ECB", "block-cipher", "rule, rule, rule, rule, replace"),
            ("AES", "block-cipher", "keep, ambiguous, keep, keep, ambiguous"),
            ("DESede", "block-cipher", "2023, replace, replace, replace, replace"),
            ("RC4", "stream-cipher", "replace, replace, replace, replace, replace"),
            ("MD5", "hash", "replace, replace, replace, replace, replace"),
            ("SHA-1", "hash", "2030, replace, replace, replace, replace"),
            ("SHA-224", "hash", "2030, 2031, unlisted, replace, 2030"),
            ("SHA-256", "hash", "keep, 2031, keep, keep, 2030"),
            ("SHA-384", "hash", "keep, keep, keep, keep, keep"),
            ("HMAC-SHA-1", "mac", "2030, 2031, rule, replace, replace"),
            ("HMAC-SHA-256", "mac", "keep, unlisted, keep, unlisted, 2030"),
            ("ChaCha20-Poly1305", "ae", "unlisted, 2031, unlisted, unlisted, replace"),
            ("HAWK-256", "signature", "replace, replace, replace, replace, replace"),
            ("MAYO-one", "signature", "status, status, status, status, status"),
            ("FooCipher", "", "unknown, unknown, unknown, unknown, unknown"),
            ("SecP192r1MLKEM768", "kem", "2013, 2013, 2015, replace, replace"),
            ("MLKEM768-RSA2048", "kem", "keep, rule, 2023, 2030, rule"),
            ("ML-KEM-768+X25519+SIKE", "kem", "replace, replace, replace, replace, replace"),
            ("MLDSA65-Ed25519-MD5", "signature", "replace, replace, replace, replace, replace"),
            ("curveSM2MLKEM768", "kem", "unlisted, 2031, unlisted, unlisted, replace"),
            ("LMS-SHA1-M20-H10", "signature", "2013, replace, replace, replace, replace"),
            ("SHA-512@MD5", "hash", "replace, replace, replace, replace, replace"),
            ("AES-256-GCM-ECB", "", "rule, rule, rule, rule, replace"),
            ("1024-bit RSA", "pke", "2013, 2013, 2023, replace, replace"),
            ("256-bit AES-GCM", "ae", "keep, keep, keep, keep, keep"),
            ("ANSI X9.31 RNG", "drbg", "2015, unlisted, unlisted, unlisted, unlisted"),
            ("ECDSA-c2pnb163v1", "signature", "2013, 2013, 2015, replace, replace"),
            ("SM4-GCM", "ae", "unlisted, 2031, unlisted, unlisted, replace"),
            ("AES-256-CMAC-16", "mac", "rule, unlisted, rule, unlisted, unlisted"),
        ] {
            let asset = format!(
                r#"{{"type":"cryptographic-asset","name":"{name}","cryptoProperties":{{"assetType":"algorithm",
                    "algorithmProperties":{{"primitive":"{primitive}"}}}}}}"#
            );
            let all = ["nist", "cnsa", "bsi", "anssi", "asd"].map(|id| of(&asset, id).join(" and "));
            assert_eq!(all.join(", ").replace("replace 2", "2").replace("look ", ""), is, "{name}");
        }
    }

    /// No policy keeps what has a word, a number or a primitive that nothing accounts for, or lacks a part.
    #[test]
    fn what_is_not_accounted_for_is_not_kept() {
        let names = "AES-256-GCM-noauth AES-256-GCM-none AES-256-GCM-PKCS1v15 ML-KEM-1024-draft ML-KEM-1024-90s ML-DSA-87-r3 \
            64-bit-AES SHA-512/128 SHA-512-64-bit SHAKE256-64 KMAC256-8 AES-256-CCM-4 HMAC-SHA-512-0 HMAC HKDF PBKDF2 \
            Hash_DRBG CTR_DRBG SHA-512-CBC AES-256-GCM-16-9 SLH-DSA-SHA2-64s LMS_SHA256_M8_H10 AES-256-GCM@insecure AES-256-GCM-* \
            SHA-512? LMS_SHA256_M32_H10-N-Hash";
        let names = names.split_whitespace().map(|name| (name, ""));
        let contradict =
            [("SHA-512", "block-cipher"), ("AES-256-GCM", "hash"), ("AES-256-CBC", "ae"), ("SHA-512", "x")];
        for (policy, (name, primitive)) in
            policies().iter().flat_map(|it| names.clone().chain(contradict).map(move |name| (it, name)))
        {
            let found = of_parts(policy, &parts(name, Some(primitive))).expect("a verdict");
            assert!(found.mark != Mark::Keep, "{}: {name} {primitive}", policy.id);
        }
    }

    /// What takes the place of a MAC, a KDF or a generator is one, whatever of it is to go.
    #[test]
    fn the_kind_stays() {
        for (name, id, does) in [
            ("AES-128-CMAC", "cnsa", Use::Mac),
            ("HKDF-SHA256", "asd", Use::Kdf),
            ("PBKDF2-HMAC-SHA1", "nist", Use::Password),
            ("Dual_EC_DRBG", "bsi", Use::Drbg),
            ("SHA1withRSA", "nist", Use::Signature),
        ] {
            let found = of_parts(policy(id), &parts(name, None)).expect("a verdict");
            let proposed = policy(id).instead(does).or((does == Use::Drbg).then_some("in the rule"));
            assert!(
                found.mark == Mark::Replace && found.instead.keys().eq(proposed.map(|_| &does)),
                "{name}: {found:?}"
            );
        }
    }

    /// Certificates, keys and protocols are what they refer to, and a reference that leads nowhere is said.
    #[test]
    fn references_are_followed() {
        let asset = |kind: &str, id: &str, more: &str| {
            format!(
                r#"{{"type":"cryptographic-asset","name":"{id}","bom-ref":"{id}","cryptoProperties":{{"assetType":"{kind}"{more}}}}}"#
            )
        };
        let protocol =
            |id: &str, more: &str| asset("protocol", id, &format!(r#","protocolProperties":{{{more}}}"#));
        let all = [
            asset("algorithm", "RSA-2048", ""),
            asset("algorithm", "ML-DSA-65", ""),
            asset(
                "related-crypto-material",
                "k",
                r#","relatedCryptoMaterialProperties":{"algorithmRef":"RSA-2048"}"#,
            ),
            asset("related-crypto-material", "iv", ""),
            asset(
                "certificate",
                "c",
                r#","certificateProperties":{"signatureAlgorithmRef":"ML-DSA-65","subjectPublicKeyRef":"k"}"#,
            ),
            asset("certificate", "d", r#","certificateProperties":{"signatureAlgorithmRef":"gone"}"#),
            asset("certificate", "e", ""),
            protocol("t", r#""type":"tls","version":"1.3""#),
            protocol("u", r#""type":"tls","version":"TLSv1.1""#),
            protocol("SSLv3", r#""type":"tls""#),
            protocol("v", r#""type":"tls""#),
            protocol(
                "w",
                r#""type":"tls","version":"1.2","cipherSuites":[{"name":"TLS_DHE_RSA_WITH_AES_128_CBC_SHA"}]"#,
            ),
            protocol("x", r#""type":"tls","version":"1.3","cryptoRefArray":["c"]"#),
            protocol(
                "y",
                r#""type":"ike","version":"v2","ikev2TransformTypes":{"encr":[{"algorithm":"ML-DSA-65"}],"esn":true}"#,
            ),
            protocol("z", r#""type":"ssh","version":"2.0""#),
            asset("algorithm", "ML-KEM-768", ""),
            protocol("q", r#""type":"tls","version":"1.3","cryptoRefArray":["ML-DSA-65","ML-KEM-768"]"#),
            protocol(
                "OpenSSL",
                r#""type":"tls","version":"1.2","cipherSuites":[{"name":"TLS_RSA_WITH_AES_128_GCM_SHA256"}]"#,
            ),
        ];
        let is = "replace 2030, keep, replace 2030, look unstated, replace 2030, look missing, look unstated, look unstated, replace, \
            replace, look unstated, replace 2030, replace 2030, look unstated, look unstated, keep, keep, replace 2023";
        assert_eq!(of(&all.join(","), "nist").join(", "), is);
    }

    /// Properties count, and those that say other things than the name or what nobody knows are looked at.
    #[test]
    fn properties_complete_names_and_contradict_them() {
        const ROWS: &str = r#"
            BIKE-SHA384 | a | {"primitive":"kem"} | look unknown
            NTRUEncrypt-AES256 | a | {} | look unknown
            BLS-MD5 | a | {} | replace
            AES | a | {"parameterSetIdentifier":"256","mode":"cbc"} | keep
            AES-256-GCM | a | {"parameterSetIdentifier":"128"} | look contradiction
            AES-256-GCM | a | {"mode":"cbc"} | look contradiction
            AES-256 | a | {"mode":"other"} | look rule
            AES-256-XTS | a | {"mode":"other"} | keep
            ECDSA P-521 | a | {"curve":"P-192"} | replace 2013
            ECDSA | a | {"curve":"1.2.840.10045.3.1.1"} | replace 2013
            ECDSA | a | {"curve":"sm2p256v1"} | replace 2035
            ECDSA | a | {"ellipticCurve":"wtls/wap-wsg-idm-ecid-wtls8"} | replace 2013
            SHA-512 | a | {"parameterSetIdentifier":"256"} | look contradiction
            AES-256-GCM | a | {"algorithmFamily":"ML-KEM"} | look contradiction
            hash | a | {"algorithmFamily":"MD","parameterSetIdentifier":"5"} | replace
            DH | a | {"parameterSetIdentifier":"Group 2"} | replace 2013
            ECDSA | a | {"ellipticCurve":"gost/GOST R 34.10-2001"} | replace 2035
            AES-256-GCM | a | {"padding":"raw"} | keep
            Vigenere | a | {},"oid":"2.16.840.1.101.3.4.1.46" | look unknown
            AES-256-GCM | a | {},"oid":"1.2.840.113549.3.4" | replace
            AES-128-GCM | a | {},"oid":"2.16.840.1.101.3.4.1.46" | look contradiction
            AES-256-GCM | a | {},"oid":"1.2.3" | look unknown
            key | k | {"size":40,"algorithmRef":"HMAC-SHA512"} | look unlisted
            key | k | {"size":512,"algorithmRef":"AES-256-XTS"} | keep
            key | k | {"size":256,"algorithmRef":"AES-256-XTS"} | look contradiction
            key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"algorithmRef":"RSA"}} | replace 2030
            key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"algorithmRef":"gone"}} | look missing
            c | c | {"signatureAlgorithmRef":"AES-256","subjectPublicKeyRef":"AES-256"} | look contradiction
            RSA-0 | a | {} | look contradiction
            HS256 | a | {} | keep
            RS256 | a | {} | replace 2030
            HMAC-SHA256-16 | a | {} | look rule
            key | k | {"size":1024,"algorithmRef":"RSA"} | replace 2013
            key | k | {"size":40,"algorithmRef":"AES-256"} | look contradiction
            c | c | {"signatureAlgorithmRef":"ML-DSA-87"} | look unstated
            TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | keep
            TLS | p | {"cipherSuites":[{"tlsGroups":["secp192r1"]}]} | replace 2013
            TLS | p | {"cipherSuites":[{"tlsSignatureSchemes":["rsa_pkcs1_sha1"]}]} | replace 2013
            TLS | p | {"cipherSuites":[{"identifiers":["0x00","0x04"]}]} | replace
            TLS | p | {"cipherSuites":[{"identifiers":["0xEE","0xEE"]}]} | look unknown
            TLS | p | {"cipherSuites":[{"name":"TLS_FOO_WITH_BAR"}]} | look unknown
            TLS | p | {"cipherSuites":[{"name":"TLS_DH_anon_WITH_AES_256_GCM_SHA384"}]} | replace
            TLS | p | {"cipherSuites":[{"name":"AES256-GCM-SHA384"}]} | replace 2023
            IKE | p | {"ikev2TransformTypes":{"ke":[{"group":2}]}} | replace 2013
            IKE | p | {"ikev2TransformTypes":{"encr":[{"name":"ENCR_3DES"}]}} | replace 2023
            SSH | p | {"type":"ssh","version":"1.5"} | replace
            TLSv1.0 | p | {"type":"tls","version":"1.3","cryptoRefArray":["ML-DSA-87"]} | replace
            TLS | p | {"cipherSuites":[{"name":"TLS_SHA384_SHA384"}]} | replace
            TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","identifiers":["0xFE","0xFE"]}]} | look unknown
            TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","identifiers":["0x13","0x01"]}]} | look contradiction
            TLS | p | {"cipherSuites":[{"identifiers":["0x13","0x02","0x00","0x05"]}]} | replace
            TLS | p | {"cipherSuites":[{"name":"TLS_EMPTY_RENEGOTIATION_INFO_SCSV"},{"identifiers":["0x3a","0x3a"]},{"tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | keep
            SSH | p | {"cipherSuites":[{"name":"aes256-gcm@openssh.com"}]} | look unstated
            Kerberos RC4-HMAC | p | {"type":"other"} | replace
            ML-DSA-87 SHA-256 | a | {"parameterSetIdentifier":"44"} | look contradiction
        "#;
        for row in ROWS.trim().lines() {
            let row: Vec<&str> = row.split('|').map(str::trim).collect();
            let [name, kind, properties, is] = row[..] else { panic!("{row:?}") };
            let (kind, field) = match kind {
                "k" => ("related-crypto-material", "relatedCryptoMaterial"),
                "c" => ("certificate", "certificate"),
                "p" => ("protocol", "protocol"),
                _ => ("algorithm", "algorithm"),
            };
            let version = if name == "TLS" { "1.3" } else { "2" };
            let typed = format!(r#"{{"type":"{}","version":"{version}","#, name.to_ascii_lowercase());
            let is_bare = kind == "protocol" && !properties.contains("\"type\"");
            let properties =
                if is_bare { properties.replacen('{', &typed, 1) } else { properties.to_owned() };
            let asset = |kind: &str, name: &str, field: &str, properties: &str| {
                format!(
                    r#"{{"type":"crypto-asset","name":"{name}","bom-ref":"{name}","cryptoProperties":{{"assetType":"{kind}","{field}Properties":{properties}}}}}"#
                )
            };
            let referred = ["RSA", "AES-256", "ML-DSA-87", "HMAC-SHA512", "AES-256-XTS"]
                .map(|it| asset("algorithm", it, "algorithm", "{}"));
            let all = [asset(kind, name, field, &properties), referred.join(",")].join(",");
            assert_eq!(of(&all, "nist")[0], is, "{name} {properties}");
        }
    }

    /// A name and an object identifier that are of different things are settled only where both have one verdict.
    #[test]
    fn what_contradicts_itself_is_looked_at() {
        let asset = r#"{"type":"cryptographic-asset","name":"SHA384","cryptoProperties":{"assetType":"algorithm",
            "oid":"2.16.840.1.101.3.4.2.9"}}"#;
        assert_eq!(of(asset, "nist"), ["look contradiction"]);
        assert_eq!(of(asset, "cnsa"), ["look rule"]);
        // A hash function that is depended on is the asset's own.
        let used = r#"{"type":"crypto-asset","name":"HMAC","bom-ref":"h"},{"type":"crypto-asset","name":"MD5","bom-ref":"m"}],
            "dependencies":[{"ref":"h","dependsOn":["m"]}"#;
        assert_eq!(of(used, "nist"), ["replace", "replace"]);
    }

    /// Over all pairs of the catalog: a replacement is of the kind, or authenticates where nothing did; it withstands what
    /// its predecessor withstands; and it is no weaker than what is no weaker.
    #[test]
    fn nothing_is_replaced_by_something_weaker() {
        let all = entries();
        for (old, new) in all.iter().flat_map(|old| all.iter().map(move |new| (old, new))) {
            let (old, new) = (old.as_ref(), new.as_ref());
            if old.name() == new.name() {
                assert!(protects_no_less(new, old), "{}", old.name());
            }
            if !protects_no_less(new, old) {
                continue;
            }
            let said = format!("{} in place of {}", new.name(), old.name());
            let authenticates = |entry: &dyn Entry| entry.kind() == "aead" || entry.kind() == "mac";
            assert!(new.kind() == old.kind() || (old.kind() == "cipher" && new.kind() == "aead"), "{said}");
            assert!(authenticates(new) || !authenticates(old), "{said}");
            assert!(new.strength() >= old.strength() && new.level() >= old.level(), "{said}");
            assert!(new.post_quantum() == Some(true) || old.post_quantum() != Some(true), "{said}");
        }
    }
}
