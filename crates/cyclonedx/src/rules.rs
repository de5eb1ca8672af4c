//! What the rules of a policy say of what an asset is made of. The rules are facts (`fieldtest_catalog::policies`); where they
//! leave something open, that is said.

use std::collections::{BTreeMap, BTreeSet};

use fieldtest_catalog::policies::{Family, Mark, Policy, Rule, Use};

use crate::fields::CLASSICAL;
use crate::meaning::parts;
use crate::parts::Part;
use crate::protocol;

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
    pub(crate) fn look(element: impl Into<String>, reason: &'static str, why: impl Into<String>) -> Verdict {
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
    pub(crate) fn weight(&self) -> (std::cmp::Reverse<Mark>, Option<u16>, bool) {
        (std::cmp::Reverse(self.mark), self.by, !self.broken)
    }
}

/// Whether a policy keeps what is called so.
pub fn keeps(policy: &'static Policy, name: &str) -> bool {
    let parts = parts(name, None);
    of_parts(policy, &parts).is_some_and(|it| it.mark == Mark::Keep)
}

/// Whether a policy keeps each thing that a rule proposes. What names no algorithm is advice.
fn keeps_each(policy: &Policy, proposed: &str) -> bool {
    let is_kept = |part: &Part| {
        let rule = |does: &Use| policy.rule(part.family, *does, part.size, part.mode, part.tag);
        let keeps = |does: &Use| rule(does).is_some_and(|(_, rule)| rule.verdict == Mark::Keep);
        !part.does.is_empty() && part.does.iter().all(keeps)
    };
    let of_name = |name: &str| match protocol::named(name) {
        found if found.is_empty() => parts(name, None),
        found => found,
    };
    proposed.split(" or ").all(|name| of_name(name).iter().all(is_kept))
}

/// What holds of a thing that is made of several: the worst, and what takes the place of each.
pub(crate) fn all_of(verdicts: impl Iterator<Item = Verdict>) -> Option<Verdict> {
    let all: Vec<Verdict> = verdicts.collect();
    let instead = together(&all);
    let uses = all.iter().flat_map(|it| it.uses.clone()).collect();
    let worst = all.into_iter().min_by(|a, b| a.weight().cmp(&b.weight()))?;
    Some(Verdict { instead, uses, ..worst })
}

/// What holds of an algorithm. In the place of a cipher within a MAC comes a MAC, of a MAC within a KDF a KDF.
pub(crate) fn of_parts(policy: &'static Policy, parts: &[Part]) -> Option<Verdict> {
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
        (Use::Hash, Use::Drbg),
        (Use::Mac, Use::Drbg),
        (Use::Cipher, Use::Drbg),
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
pub(crate) fn one_of(mut possible: Vec<Verdict>) -> Option<Verdict> {
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
pub(crate) fn of_part(policy: &'static Policy, part: &Part) -> Verdict {
    if part.does.is_empty() {
        let why = match part.family.name.as_str() {
            "unknown" => "a word of its name, or of what else it states, is not known",
            "contradiction" => "two things that it states contradict each other",
            _ => "the hash function, the cipher or the algorithm that it is made of is not stated",
        };
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

pub(crate) fn of_size(policy: &'static Policy, part: &Part, size: Option<u32>, does: Use) -> Verdict {
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
    // Published facts know no policy: what it does not keep, it does not propose.
    let instead =
        rule.instead.as_deref().filter(|it| keeps_each(policy, it)).or_else(|| policy.instead(does));
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

/// Bits of a tag that nobody shortened.
const FULL_TAG: u32 = 128;

#[cfg(test)]
mod tests {
    use fieldtest_catalog::policies::{families, policies};

    use super::*;

    /// What takes the place of anything under a policy, it keeps itself. Of a hybrid both halves are named, which is no one
    /// name, and advice names no algorithm.
    #[test]
    fn what_a_policy_proposes_it_keeps() {
        for (policy, family) in policies().iter().flat_map(|it| families().iter().map(move |of| (it, of))) {
            let sizes = family.sizes.iter().copied().map(Some).chain([None]);
            for (size, does) in sizes.flat_map(|size| family.does.iter().map(move |does| (size, *does))) {
                let found = of_size(policy, &crate::parts::part(family, vec![does], size), size, does);
                let is_name =
                    |text: &&String| !["classical", "a cipher suite"].iter().any(|it| text.contains(it));
                for text in found.instead.values().filter(is_name) {
                    for name in text.replace(" for firmware", "").replace(',', "").split(" or ") {
                        let is_kept = !protocol::named(name).is_empty() && keeps_each(policy, name);
                        assert!(is_kept || keeps(policy, name), "{}, {does}: {name}", policy.id);
                    }
                }
            }
        }
        let cnsa = &policies()[1];
        assert!(keeps(cnsa, "ML-DSA-87") && !keeps(cnsa, "ML-DSA-44") && !keeps(cnsa, "FooCipher"));
    }
}
