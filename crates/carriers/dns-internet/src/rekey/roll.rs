//! The ways to replace keys of a zone, step by step, and what goes wrong where somebody takes the steps in another order.

use std::fmt;

use fieldtest_text::words;

/// Which of two keys, or of two pairs of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What was there before.
    Old,
    /// What is to be there.
    New,
    /// Both beside each other.
    Both,
}

impl Side {
    /// Whether the old one is among them.
    pub const fn has_old(self) -> bool {
        !matches!(self, Side::New)
    }

    /// Whether the new one is.
    pub const fn has_new(self) -> bool {
        !matches!(self, Side::Old)
    }
}

/// What a zone and its parent publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The key-signing keys in the DNSKEY RRset, each of which signs it.
    pub key_signing: Side,
    /// The zone-signing keys there.
    pub zone_signing: Side,
    /// The zone-signing keys whose signatures all other RRsets have.
    pub signatures: Side,
    /// The key-signing keys that the parent's DS records name.
    pub delegation: Side,
}

impl State {
    const OLD: State = State {
        key_signing: Side::Old,
        zone_signing: Side::Old,
        signatures: Side::Old,
        delegation: Side::Old,
    };
    const NEW: State = State {
        key_signing: Side::New,
        zone_signing: Side::New,
        signatures: Side::New,
        delegation: Side::New,
    };
}

words! {
    /// What a step does, by RFC 6781's words.
    pub enum Phase {
        /// Nothing yet.
        Initial = "initial",
        /// The new key is published.
        NewKey = "new-dnskey",
        /// There are signatures by the new key.
        NewSignatures = "new-rrsigs",
        /// The parent names the new key.
        NewDs = "new-ds",
        /// The old key is gone.
        KeyRemoval = "dnskey-removal",
        /// The old key's signatures are gone.
        SignatureRemoval = "rrsigs-removal",
    }
}

words! {
    /// What has to be gone from caches before the next step.
    pub enum Waits as in_words {
        /// DNSKEY sets that were there before.
        ForKeys = "until no cache has the DNSKEY set from before: its TTL",
        /// Signatures that were there before.
        ForSignatures = "until no cache has signatures from before: the zone's longest TTL",
        /// Both.
        ForBoth = "until no cache has keys or signatures from before: the longer of both TTLs",
        /// The parent's DS records.
        ForDs = "until no cache has the DS records from before: their TTL",
        /// Nothing: everything comes from caches that are full, which is to be seen.
        ToSee = "once around all TTLs, to be seen",
        /// Nothing, although it should.
        NotAtAll = "not at all, though caches have what was before",
    }
}

/// One step: what it does, what is there then, and what is waited for after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub phase: Phase,
    /// What is there then.
    pub state: State,
    /// What is waited for.
    pub waits: Waits,
}

words! {
    /// A way to replace keys.
    #[derive(PartialOrd, Ord)]
    pub enum Roll {
        /// The zone-signing key, the new one published before it signs (RFC 6781, section 4.1.1.1).
        ZskPrePublication = "zsk-pre-publication",
        /// The zone-signing key, both signing meanwhile (section 4.1.1.2).
        ZskDoubleSignature = "zsk-double-signature",
        /// The key-signing key, both signing the keys meanwhile (section 4.1.2).
        KskDoubleSignature = "ksk-double-signature",
        /// Both keys for those of another algorithm, its signatures before its keys, for validators that insist on every algorithm (section 4.1.4).
        AlgorithmConservative = "algorithm-conservative",
        /// The same with signatures and keys at once, for those that accept any valid path (section 4.1.4).
        AlgorithmLiberal = "algorithm-liberal",
    }
}

impl Roll {
    /// Whether the new keys are of another algorithm.
    pub const fn is_of_algorithm(self) -> bool {
        matches!(self, Roll::AlgorithmConservative | Roll::AlgorithmLiberal)
    }

    /// The steps, in the right order or in a wrong one.
    pub fn steps(self, wrong: Option<Wrong>) -> Vec<Step> {
        let (old, both, new) = (Side::Old, Side::Both, Side::New);
        let of = |phase, state, waits| Step { phase, state, waits };
        let at_first = of(Phase::Initial, State::OLD, Waits::ToSee);
        let zsk = |zone_signing, signatures| State { zone_signing, signatures, ..State::OLD };
        let ksk = |key_signing, delegation| State { key_signing, delegation, ..State::OLD };
        let all = |keys, signatures, delegation| State {
            key_signing: keys,
            zone_signing: keys,
            signatures,
            delegation,
        };
        let right = match self {
            Roll::ZskPrePublication => vec![
                at_first,
                of(Phase::NewKey, zsk(both, old), Waits::ForKeys),
                of(Phase::NewSignatures, zsk(both, new), Waits::ForSignatures),
                of(Phase::KeyRemoval, zsk(new, new), Waits::ToSee),
            ],
            Roll::ZskDoubleSignature => vec![
                at_first,
                of(Phase::NewKey, zsk(both, both), Waits::ForBoth),
                of(Phase::KeyRemoval, zsk(new, new), Waits::ToSee),
            ],
            Roll::KskDoubleSignature => vec![
                at_first,
                of(Phase::NewKey, ksk(both, old), Waits::ForKeys),
                of(Phase::NewDs, ksk(both, new), Waits::ForDs),
                of(Phase::KeyRemoval, ksk(new, new), Waits::ToSee),
            ],
            Roll::AlgorithmConservative => vec![
                at_first,
                of(Phase::NewSignatures, all(old, both, old), Waits::ForSignatures),
                of(Phase::NewKey, all(both, both, old), Waits::ForKeys),
                of(Phase::NewDs, all(both, both, new), Waits::ForDs),
                of(Phase::KeyRemoval, all(new, both, new), Waits::ForKeys),
                of(Phase::SignatureRemoval, State::NEW, Waits::ToSee),
            ],
            Roll::AlgorithmLiberal => vec![
                at_first,
                of(Phase::NewKey, all(both, both, old), Waits::ForBoth),
                of(Phase::NewDs, all(both, both, new), Waits::ForDs),
                of(Phase::KeyRemoval, State::NEW, Waits::ToSee),
            ],
        };
        let (first, last) = match (wrong, self) {
            (None, _) => return right,
            (Some(Wrong::Hasty), _) => {
                let hasten = |step: Step| match step.waits {
                    Waits::ToSee => step,
                    _ => Step { waits: Waits::NotAtAll, ..step },
                };
                return right.into_iter().map(hasten).collect();
            }
            (Some(Wrong::Unpublished), Roll::ZskPrePublication | Roll::ZskDoubleSignature) => {
                ((Phase::NewSignatures, zsk(old, new)), (Phase::NewKey, zsk(new, new)))
            }
            (Some(Wrong::Unpublished), Roll::KskDoubleSignature) => {
                ((Phase::NewDs, ksk(old, new)), (Phase::NewKey, ksk(new, new)))
            }
            (Some(Wrong::Unpublished), _) => {
                ((Phase::NewDs, all(old, old, new)), (Phase::NewKey, State::NEW))
            }
            (Some(Wrong::Removed), Roll::ZskPrePublication | Roll::ZskDoubleSignature) => {
                ((Phase::KeyRemoval, zsk(new, old)), (Phase::NewSignatures, zsk(new, new)))
            }
            (Some(Wrong::Removed), Roll::KskDoubleSignature) => {
                ((Phase::KeyRemoval, ksk(new, old)), (Phase::NewDs, ksk(new, new)))
            }
            (Some(Wrong::Removed), _) => {
                ((Phase::KeyRemoval, all(new, new, old)), (Phase::NewDs, State::NEW))
            }
        };
        vec![at_first, of(first.0, first.1, Waits::ToSee), of(last.0, last.1, Waits::ToSee)]
    }
}

words! {
    /// A mistake that operators make.
    #[derive(PartialOrd, Ord)]
    pub enum Wrong {
        /// The new key is used before it is published.
        Unpublished = "unpublished",
        /// The old key is removed while it is needed.
        Removed = "removed",
        /// Nothing is waited for.
        Hasty = "hasty",
    }
}

/// A roll, and the mistake that is made: `zsk-pre-publication`, `zsk-pre-publication/hasty`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Procedure {
    /// The way.
    pub roll: Roll,
    /// What is wrong about it, if anything.
    pub wrong: Option<Wrong>,
}

impl Procedure {
    /// Reads what was [displayed](fmt::Display).
    pub fn read(text: &str) -> Option<Procedure> {
        match text.split_once('/') {
            None => Some(Procedure { roll: Roll::from_word(text)?, wrong: None }),
            Some((roll, wrong)) => {
                Some(Procedure { roll: Roll::from_word(roll)?, wrong: Some(Wrong::from_word(wrong)?) })
            }
        }
    }

    /// Its steps.
    pub fn steps(self) -> Vec<Step> {
        self.roll.steps(self.wrong)
    }
}

impl fmt::Display for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.roll.word())?;
        self.wrong.map_or(Ok(()), |wrong| write!(f, "/{}", wrong.word()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(one: Side, other: Side) -> bool {
        one.has_old() && other.has_old() || one.has_new() && other.has_new()
    }

    /// Whether somebody who has these from caches, or from the servers, finds a valid path.
    fn validates(delegation: Side, keys: State, signatures: Side) -> bool {
        meet(delegation, keys.key_signing) && meet(keys.zone_signing, signatures)
    }

    #[test]
    fn the_right_order_leaves_everybody_a_path() {
        for roll in Roll::ALL {
            let steps = roll.steps(None);
            for pair in steps.windows(2) {
                for delegation in pair {
                    for keys in pair {
                        for signatures in pair {
                            let found = validates(
                                delegation.state.delegation,
                                keys.state,
                                signatures.state.signatures,
                            );
                            assert!(found, "{roll:?} from {:?}", pair[0].phase);
                        }
                    }
                }
            }
            assert_eq!(steps[0].state, State::OLD);
        }
    }

    /// Signatures of every algorithm that the keys have (RFC 4035, section 2.2), whatever is cached.
    #[test]
    fn the_conservative_way_has_signatures_for_every_key() {
        let covers = |keys: Side, signatures: Side| {
            (!keys.has_old() || signatures.has_old()) && (!keys.has_new() || signatures.has_new())
        };
        let all = |roll: Roll| {
            let steps = roll.steps(None);
            let fine = |pair: &[Step]| {
                let of =
                    |keys: &Step| pair.iter().all(|it| covers(keys.state.zone_signing, it.state.signatures));
                pair.iter().all(of)
            };
            steps.windows(2).all(fine)
        };
        assert!(all(Roll::AlgorithmConservative));
        assert!(!all(Roll::AlgorithmLiberal));
    }

    #[test]
    fn a_wrong_order_leaves_somebody_none() {
        for roll in Roll::ALL {
            for wrong in [Wrong::Unpublished, Wrong::Removed] {
                let steps = roll.steps(Some(wrong));
                let State { delegation, signatures, .. } = steps[1].state;
                assert!(!validates(delegation, steps[1].state, signatures), "{roll:?} {wrong:?}");
                let last = steps[2].state;
                assert!(validates(last.delegation, last, last.signatures));
            }
            assert_eq!(roll.steps(Some(Wrong::Hasty)).len(), roll.steps(None).len());
        }
    }

    #[test]
    fn words() {
        for roll in Roll::ALL {
            for wrong in [None, Some(Wrong::Unpublished), Some(Wrong::Removed), Some(Wrong::Hasty)] {
                let procedure = Procedure { roll, wrong };
                assert_eq!(Procedure::read(&procedure.to_string()), Some(procedure));
            }
        }
        for phase in Phase::ALL {
            assert_eq!(Phase::from_word(phase.word()), Some(phase));
        }
        assert_eq!(Procedure::read("zsk-pre-publication/late"), None);
    }
}
