//! What is to be done about each asset by a policy: keep, replace by a year, or look. What the document leaves open is said.

use std::collections::BTreeMap;

use fieldtest_catalog::Entry;
use fieldtest_catalog::facts::Status;
use fieldtest_catalog::kind::{self, Kind as _};
use fieldtest_catalog::policies::{Mark, Policy, Use};

use crate::fields::{contradiction, contradicts_fields};
use crate::meaning::{is_unknown, meaning, of_key, parts};
use crate::parts::{Part, marker};
use crate::protocol::Protocol;
use crate::read::{Asset, AssetKind, Inventory};
use crate::recognise::{Recognised, recognise};
pub use crate::rules::{Verdict, keeps};
use crate::rules::{all_of, of_parts, one_of};
use crate::words;

/// The verdicts on all assets of an inventory, in its order.
pub fn verdicts(inventory: &Inventory, policy: &'static Policy, entries: &[Box<dyn Entry>]) -> Vec<Verdict> {
    let mut by_ref: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, asset) in inventory.assets.iter().enumerate() {
        if let Some(bom_ref) = asset.bom_ref.as_deref() {
            by_ref.entry(bom_ref).or_default().push(at);
        }
    }
    let made = vec![None; inventory.assets.len()];
    let (known, sized) = (BTreeMap::new(), BTreeMap::new());
    let mut judge = Judge { inventory, policy, entries, by_ref, known, sized, made };
    (0..inventory.assets.len()).map(|at| judge.asset(at, DEPTH)).collect()
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

/// The most assets that are asked what they are made of, for one that says something of it.
const MOST_ASKED: u32 = 100;

struct Judge<'i> {
    inventory: &'i Inventory,
    policy: &'static Policy,
    entries: &'i [Box<dyn Entry>],
    /// Several where the document breaks the rule that a `bom-ref` is of one thing.
    by_ref: BTreeMap<&'i str, Vec<usize>>,
    /// What was judged, by its place and how far its references were followed: many may refer to one.
    known: BTreeMap<(usize, u8), Verdict>,
    /// The same of algorithms with keys of a size.
    sized: BTreeMap<(usize, u32), Verdict>,
    /// What assets are made of by their own words: a thousand keys may refer to thirty algorithms each.
    made: Vec<Option<Vec<Part>>>,
}

impl Judge<'_> {
    fn asset(&mut self, at: usize, depth: u8) -> Verdict {
        if let Some(known) = self.known.get(&(at, depth)) {
            return known.clone();
        }
        let inventory = self.inventory;
        let asset = &inventory.assets[at];
        let mut verdict = remarked(asset, self.judged(at, depth));
        if verdict.mark == Mark::Keep && asset.kind != AssetKind::Algorithm {
            let (policy, entries) = (self.policy, self.entries);
            let remark = words::contradiction(asset, policy, entries, || {
                let mut all = Vec::new();
                self.made_of(at, depth, &mut { MOST_ASKED }, &mut all);
                all
            });
            if let Some((reason, why)) = remark {
                verdict = Verdict { uses: verdict.uses, ..Verdict::look(verdict.element, reason, why) };
            }
        }
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
            found.push(match (asset.kind, size) {
                (AssetKind::Algorithm, Some(bits)) => {
                    if !self.sized.contains_key(&(*at, bits)) {
                        let verdict = remarked(asset, self.algorithm(*at, size));
                        self.sized.insert((*at, bits), verdict);
                    }
                    self.sized[&(*at, bits)].clone()
                }
                _ if depth > 0 => self.asset(*at, depth - 1),
                _ => Verdict::look(to, "unstated", "its references go too far, or in a circle"),
            });
        }
        let missing = || Verdict::look(to, "missing", "the document refers to it and does not hold it");
        all_of(found.into_iter()).unwrap_or_else(missing)
    }

    fn judged(&mut self, at: usize, depth: u8) -> Verdict {
        let inventory = self.inventory;
        let asset = &inventory.assets[at];
        let own = match asset.kind {
            AssetKind::Algorithm => return self.algorithm(at, None),
            AssetKind::Certificate => None,
            AssetKind::Protocol => Some(self.protocol(asset)),
            AssetKind::Material if asset.refers_to.is_empty() => {
                let found = self.algorithm(at, asset.size);
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
        let has = |uses: &[Use]| uses.iter().any(|it| found.uses.contains(it));
        if asset.lacks_integrity && has(&[Use::Cipher]) && found.mark == Mark::Keep {
            let why = "peers may encrypt without an integrity transform (RFC 7296, section 3.3.3)";
            return Verdict::look(found.element, "contradiction", why);
        }
        // The version of a protocol says nothing of them.
        let is_said =
            has(&[Use::KeyEstablishment]) && has(&[Use::Signature]) && has(&[Use::Cipher, Use::Aead]);
        match asset.kind == AssetKind::Protocol && found.mark == Mark::Keep && !is_said {
            true => {
                let why = "its key exchange, its signatures or its ciphers are not stated";
                Verdict::look(found.element, "unstated", why)
            }
            false => found,
        }
    }

    /// The verdict on an algorithm, for keys of this size if it is stated.
    fn algorithm(&mut self, at: usize, size: Option<u32>) -> Verdict {
        let asset = &self.inventory.assets[at];
        let mut possible = vec![self.made(at)];
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

    /// What an asset is made of by its own words.
    fn made(&mut self, at: usize) -> Vec<Part> {
        if self.made[at].is_none() {
            let asset = &self.inventory.assets[at];
            self.made[at] = Some(meaning(asset, self.entries, &self.uses(asset)));
        }
        self.made[at].clone().unwrap_or_default()
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
        let Some(protocol) = Protocol::of(asset) else {
            // Its name may have a broken algorithm in it.
            let look = Verdict::look(&asset.name, "unknown", "no policy names this protocol");
            let by_name = of_parts(self.policy, &parts(&asset.name, None));
            return all_of([look.clone()].into_iter().chain(by_name)).unwrap_or(look);
        };
        let open = |is: bool, why| is.then(|| Verdict::look(&protocol.family.name, "unstated", why));
        let version = open(protocol.versions.is_empty(), "the document does not say which version");
        let ciphers = open(!protocol.has_ciphers, "the document does not say which cipher suites");
        let stated = [&protocol.versions].into_iter().chain(&protocol.others);
        let stated = stated.filter_map(|parts| of_parts(self.policy, parts));
        let why = "the document does not say of which algorithms";
        all_of(stated.chain(version).chain(ciphers))
            .unwrap_or_else(|| Verdict::look(&asset.name, "unstated", why))
    }

    /// What an asset and all that it refers to are made of, as far as so many of them say.
    fn made_of(&mut self, at: usize, depth: u8, left: &mut u32, all: &mut Vec<Part>) {
        let asset = &self.inventory.assets[at];
        let Some(less) = left.checked_sub(1) else { return };
        *left = less;
        let from = all.len();
        match asset.kind {
            AssetKind::Protocol => {
                all.extend(Protocol::of(asset).into_iter().flat_map(|it| it.others).flatten());
            }
            // A key that refers to nothing is what its name says.
            AssetKind::Material | AssetKind::Certificate if !asset.refers_to.is_empty() => {}
            _ => all.extend(self.made(at)),
        }
        let referred = asset.refers_to.iter().chain(&asset.secured_by).filter(|_| depth > 0);
        let referred = referred.filter_map(|to| self.by_ref.get(to.as_str())).flatten().copied();
        for at in referred.take(*left as usize).collect::<Vec<_>>() {
            self.made_of(at, depth - 1, left, all);
        }
        if let Some(size) = asset.size {
            let parts = of_key(all.split_off(from), size);
            all.extend(parts);
        }
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

#[cfg(test)]
mod tests;
