//! Zones with two algorithms, of which somebody on the path takes one away.
//!
//! A zone is signed by a *strong* and a *weak* algorithm, and its parent has a DS record for each. Whoever sits between a resolver and
//! name servers can leave records out of answers, and alter them. Whoever can forge weak signatures besides, since a quantum computer
//! broke that algorithm, say, can also sign anew what he altered. RFC 4035 (section 2.2) wants each RRset signed by every algorithm
//! of the DS records, but that is for signers: a validator should accept any one valid path (RFC 6840, section 5.11), and treats a zone of which
//! it knows no algorithm of the DS records as insecure (RFC 4035, section 5.2).
//!
//! Each attack has a zone of its own, so that one start of a resolver shows all of them. What name servers serve is what would
//! come through the attacker.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fieldtest_dnssec::keys::{DsDigest, ZoneKey};
use fieldtest_dnssec::sign::Plan as SignPlan;
use fieldtest_dnssec::{Rtype, Zone};
use fieldtest_text::words;

use crate::InternetError;
use crate::ask::{Said, ask, ask_unchecked};
use crate::internet::Internet;
use crate::plan::{Level, Plan};
use crate::zones::{Files, Signing, Terms, data, keys, lines, replace};

const WAIT: Duration = Duration::from_secs(30);
/// Where the algorithm stands in the RDATA of a DS record (RFC 4034, section 5.1).
const DS_ALGORITHM: usize = 2;

words! {
    /// What was done to a zone or its delegation, what is no attack first.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Attack {
        /// Nothing: both algorithms sign everything.
        Nothing = "nothing",
        /// No attack: beside the weak algorithm's DS record, one of an algorithm that nobody knows, and that signs nothing.
        UnknownBeside = "unknown-beside",
        /// The strong signatures over everything but the keys are left out.
        StrongSignatures = "strong-signatures",
        /// All strong signatures are left out.
        AllStrongSignatures = "all-strong-signatures",
        /// The strong keys are gone too; the others are signed anew, by the weak algorithm.
        StrongKeys = "strong-keys",
        /// The strong DS record is left out; what the parent signed has it.
        StrongDs = "strong-ds",
        /// The strong DS record, keys and signatures are gone; the parent's signature is forged.
        StrongDsForged = "strong-ds-forged",
        /// The strong DS record has a number that nobody knows; what the parent signed has another one.
        NumberTurned = "number-turned",
        /// That, without strong keys and signatures; the parent's signature is forged.
        NumberTurnedForged = "number-turned-forged",
        /// Both DS records have a number that nobody knows; the parent's signature is forged.
        UnknownAlone = "unknown-alone",
        /// The DS records are left out with their signature.
        AllDs = "all-ds",
        /// All weak signatures are left out.
        AllWeakSignatures = "all-weak-signatures",
    }
}

impl Attack {
    /// In a line.
    pub const fn in_words(self) -> &'static str {
        match self {
            Attack::Nothing => "nothing stripped",
            Attack::StrongSignatures => "strong signatures, except over DNSKEY",
            Attack::AllStrongSignatures => "all strong signatures",
            Attack::StrongKeys => "strong keys and signatures; DNSKEY re-signed",
            Attack::StrongDs => "strong DS",
            Attack::StrongDsForged => "strong DS, keys and signatures; DS re-signed",
            Attack::NumberTurned => "strong DS gets an unknown number; RRSIG not renewed",
            Attack::NumberTurnedForged => "that, and strong keys and signatures; DS re-signed",
            Attack::UnknownBeside => "nothing; an unknown DS added to the weak one",
            Attack::UnknownAlone => "both DS get an unknown number; DS re-signed",
            Attack::AllDs => "both DS and their RRSIG; no NSEC proves it",
            Attack::AllWeakSignatures => "all weak signatures",
        }
    }

    /// Whether it needs forged signatures: weak ones, and but for [`Attack::StrongKeys`] those of the parent.
    pub const fn forges(self) -> bool {
        matches!(
            self,
            Attack::StrongKeys | Attack::StrongDsForged | Attack::NumberTurnedForged | Attack::UnknownAlone
        )
    }

    const fn is_of_weak_keys(self) -> bool {
        matches!(
            self,
            Attack::StrongKeys | Attack::StrongDsForged | Attack::NumberTurnedForged | Attack::UnknownBeside
        )
    }

    fn delegation(self, strong: Vec<u8>, weak: Vec<u8>, unknown: u8) -> Vec<Vec<u8>> {
        let turned = |mut ds: Vec<u8>| {
            ds[DS_ALGORITHM] = unknown;
            ds
        };
        match self {
            Attack::StrongDsForged => vec![weak],
            Attack::NumberTurnedForged | Attack::UnknownBeside => vec![turned(strong), weak],
            Attack::UnknownAlone => vec![turned(strong), turned(weak)],
            _ => vec![strong, weak],
        }
    }

    fn lets_through(self, line: &Line<'_>, [strong, weak]: [u8; 2]) -> bool {
        let Some((covered, algorithm)) = line.signature() else { return true };
        match self {
            Attack::StrongSignatures => algorithm != strong || covered == "DNSKEY",
            Attack::AllStrongSignatures => algorithm != strong,
            Attack::AllWeakSignatures => algorithm != weak,
            _ => true,
        }
    }

    fn delegates(self, line: &Line<'_>, text: &str, strong: u8, unknown: u8) -> Option<String> {
        let is_strong = line.ds() == Some(strong);
        let covers_ds = line.signature().is_some_and(|(covered, _)| covered == "DS");
        match self {
            Attack::StrongDs if is_strong => None,
            Attack::AllDs if covers_ds || line.ds().is_some() => None,
            Attack::NumberTurned if is_strong => {
                let words: Vec<&str> = line.0.clone();
                let number = unknown.to_string();
                let turned = |(at, word): (usize, &&str)| match at {
                    Line::DS_NUMBER => number.clone(),
                    _ => (*word).to_owned(),
                };
                Some(words.iter().enumerate().map(turned).collect::<Vec<_>>().join(" "))
            }
            _ => Some(text.to_owned()),
        }
    }
}

/// A record in a zone file that this program wrote: `OWNER TTL IN TYPE RDATA…`.
struct Line<'a>(Vec<&'a str>);

impl Line<'_> {
    /// Where a DS record's algorithm stands: behind the key tag.
    const DS_NUMBER: usize = 5;

    fn read(line: &str) -> Line<'_> {
        Line(line.split_ascii_whitespace().collect())
    }

    fn word(&self, at: usize) -> &str {
        self.0.get(at).copied().unwrap_or("")
    }

    /// The type that it signs and by which algorithm, if it is a signature.
    fn signature(&self) -> Option<(&str, u8)> {
        (self.word(3) == "RRSIG").then(|| Some((self.word(4), self.word(5).parse().ok()?)))?
    }

    /// The algorithm of the key that it delegates to, if it is a DS record.
    fn ds(&self) -> Option<u8> {
        (self.word(3) == "DS").then(|| self.word(Self::DS_NUMBER).parse().ok())?
    }
}

/// What the zones of attacks are made of.
#[derive(Clone)]
pub struct Pair<'a> {
    /// What is to protect.
    pub strong: Signing<'a>,
    /// What is to be there for those who do not know it yet.
    pub weak: Signing<'a>,
    /// What the parent is signed by.
    pub parent: Signing<'a>,
    /// A number that no resolver knows.
    pub unknown: u8,
}

impl fmt::Debug for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("unknown", &self.unknown).finish_non_exhaustive()
    }
}

/// The place of an attack's zone in a plan that has one TLD and as many domains as there are attacks.
fn place_of(plan: &Plan, attack: usize) -> usize {
    plan.of_level(Level::Domain).map(|(place, _)| place).nth(attack).unwrap_or_default()
}

/// Makes the zones of all attacks and their parent anew, in files that are there. The plan has one TLD, which is to [change](Terms::changing), and
/// as many domains as there are attacks.
///
/// # Errors
/// What keys, zones or files refuse; [`InternetError::Interrupted`] soon after `stop` was set.
pub fn make(
    plan: &Plan,
    files: &Files,
    pair: &Pair<'_>,
    terms: &Terms,
    address: &dyn Fn(Level) -> Ipv4Addr,
    stop: &AtomicBool,
) -> Result<(), InternetError> {
    let numbers = [pair.strong.code_point.number(), pair.weak.code_point.number()];
    let signed = |data: &Zone, keys: Vec<ZoneKey>, how: &Signing<'_>| {
        lines(data, &SignPlan { denial: how.denial.clone(), ..SignPlan::new(keys, terms.validity) })
    };
    let mut ds = files.ds.clone();
    let mut attacked = BTreeMap::new();
    let mut parent = 0;
    for (at, attack) in Attack::ALL.into_iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Err(InternetError::Interrupted);
        }
        let place = place_of(plan, at);
        let zone = &plan.zones()[place];
        let (strong, weak) = (keys(&zone.name, &pair.strong)?, keys(&zone.name, &pair.weak)?);
        let [strong_ds, weak_ds] = [&strong, &weak].map(|keys| keys[0].ds(DsDigest::Sha256));
        ds[place] = attack.delegation(strong_ds, weak_ds, pair.unknown);
        let all = if attack.is_of_weak_keys() { weak } else { [strong, weak].concat() };
        let data = data(plan, place, None, &ds, address, terms.ttl_of(place))?;
        let mut lines = signed(&data, all, &pair.weak)?;
        lines.retain(|line| attack.lets_through(&Line::read(line), numbers));
        replace(files, place, &lines)?;
        attacked.insert(zone.name.to_string(), attack);
        parent = zone.parent;
    }
    let data = data(plan, parent, None, &ds, address, terms.ttl_of(parent))?;
    let keys = files.keys.get(&parent).cloned().unwrap_or_default();
    let through = |text: String| {
        let line = Line::read(&text);
        match attacked.get(line.word(0)) {
            Some(attack) => attack.delegates(&line, &text, numbers[0], pair.unknown),
            None => Some(text),
        }
    };
    let lines: Vec<String> = signed(&data, keys, &pair.parent)?.into_iter().filter_map(through).collect();
    replace(files, parent, &lines)
}

words! {
    /// What a resolver makes of an answer (RFC 4035, section 4.3), from the one that trusts most.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// It says that the answer is authentic (AD).
        Secure = "secure",
        /// It gives the answer, and does not say so.
        Insecure = "insecure",
        /// It gives no answer, but to those who do not want it validated.
        Bogus = "bogus",
        /// It gives no answer to anybody.
        Failed = "failed",
    }
}

/// Asks the resolver for a zone's SOA record, a host of it and a name that is not there; what it makes of each.
///
/// # Errors
/// The resolver has ended; [`InternetError::Interrupted`] once `stop` is set.
pub fn judge(
    internet: &mut Internet<'_>,
    attack: Attack,
    stop: &AtomicBool,
) -> Result<Vec<Verdict>, InternetError> {
    let plan = internet.plan();
    let at = Attack::ALL.iter().position(|other| *other == attack).unwrap_or_default();
    let zone = &plan.zones()[place_of(plan, at)];
    let mut questions = vec![(zone.name, Rtype::SOA)];
    questions.extend(plan.hosts_of(zone).into_iter().take(1).map(|host| (host, Rtype::A)));
    questions.extend(zone.name.child(b"no-such-name").map(|name| (name, Rtype::A)));
    let resolver = internet.place().resolver();
    let gives = |said: Said| said.rcode == 0 || said.rcode == Said::NXDOMAIN;
    let mut verdicts = Vec::new();
    for (name, rtype) in questions {
        if stop.load(Ordering::Relaxed) {
            return Err(InternetError::Interrupted);
        }
        let said = ask(resolver, &name, rtype, WAIT);
        if said.is_err() {
            internet.check()?;
        }
        verdicts.push(match said {
            Ok(said) if gives(said) && said.authentic => Verdict::Secure,
            Ok(said) if gives(said) => Verdict::Insecure,
            _ if ask_unchecked(resolver, &name, rtype, WAIT).is_ok_and(gives) => Verdict::Bogus,
            _ => Verdict::Failed,
        });
    }
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRONG: u8 = 18;
    const WEAK: u8 = 13;

    fn through(attack: Attack, line: &str) -> bool {
        attack.lets_through(&Line::read(line), [STRONG, WEAK])
    }

    #[test]
    fn what_comes_through_of_a_zone() {
        let over = |rtype: &str, number: u8| format!("a. 60 IN RRSIG {rtype} {number} 1 60 2 1 7 a. AAAA");
        for attack in Attack::ALL {
            assert!(
                through(attack, "a. 60 IN A 192.0.2.1") && through(attack, "a. 60 IN DNSKEY 257 3 18 AAAA")
            );
            assert_eq!(through(attack, &over("A", WEAK)), attack != Attack::AllWeakSignatures);
        }
        assert!(through(Attack::StrongSignatures, &over("DNSKEY", STRONG)));
        assert!(!through(Attack::StrongSignatures, &over("A", STRONG)));
        assert!(!through(Attack::AllStrongSignatures, &over("DNSKEY", STRONG)));
    }

    #[test]
    fn what_comes_through_of_a_delegation() {
        let text = "a. 60 IN DS 4711 18 2 ABCD";
        let of = |attack: Attack, text: &str| attack.delegates(&Line::read(text), text, STRONG, 123);
        assert_eq!(of(Attack::Nothing, text).as_deref(), Some(text));
        assert_eq!(of(Attack::StrongDs, text), None);
        assert_eq!(of(Attack::NumberTurned, text).as_deref(), Some("a. 60 IN DS 4711 123 2 ABCD"));
        let weak = "a. 60 IN DS 4711 13 2 ABCD";
        assert_eq!(of(Attack::StrongDs, weak).as_deref(), Some(weak));
        let signature = "a. 60 IN RRSIG DS 13 1 60 2 1 7 . AAAA";
        assert_eq!((of(Attack::AllDs, weak), of(Attack::AllDs, signature)), (None, None));
        assert_eq!(of(Attack::StrongDs, signature).as_deref(), Some(signature));
    }

    #[test]
    fn words() {
        for attack in Attack::ALL {
            assert_eq!(Attack::from_word(attack.word()), Some(attack));
        }
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_word(verdict.word()), Some(verdict));
        }
    }

    #[test]
    fn delegations_are_turned_where_the_algorithm_stands() {
        let ds = Attack::UnknownAlone.delegation(vec![1, 2, 18, 2, 9], vec![3, 4, 13, 2, 9], 123);
        assert_eq!(ds, [[1, 2, 123, 2, 9], [3, 4, 123, 2, 9]]);
    }
}
