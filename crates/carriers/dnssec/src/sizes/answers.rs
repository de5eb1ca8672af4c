//! Composes one answer of a signed zone.
//!
//! An answer is what an authoritative server with minimal responses sends to a query with the DO bit: no NS RRset in
//! the authority section of positive answers, the proof of RFC 4035, section 3.1.3 (NSEC), RFC 5155, section 7.2
//! (NSEC3) or RFC 9824, section 3 (compact denial) in negative ones.

use super::compress::{Composer, Edns};
use super::facts::{self, NSEC3_FIXED, ZoneFacts};
use super::setup::{DenialMethod, Glue, KeySet, Setup};
use super::shape::{AlgorithmSize, Composed};
use crate::name::Name;
use crate::rtype::Rtype;
use crate::zone::{OwnerId, Role, Rrset};

#[derive(Debug, Clone, Copy)]
pub(super) enum Question {
    Soa,
    Dnskey(KeySet),
    /// The apex, for a type that it has not.
    Nodata,
    /// A name right below the apex that does not exist.
    Nxdomain(Name),
    /// As `Nxdomain`, for a name of this length whose hash the given entry of the NSEC3 chain covers.
    NxdomainAt(Name, usize),
    /// `www.example` below a delegation.
    Referral(OwnerId, Glue),
    /// The NS RRset of the apex, with all addresses or none.
    Priming(Glue),
    /// A name, or one that this wildcard answers, for a type that it has or that its CNAME record leads to.
    Own(OwnerId, Rtype),
}

struct Proof<'z> {
    owner: ProofOwner<'z>,
    rdata: u64,
}

#[expect(
    clippy::large_enum_variant,
    reason = "a proof has at most three records, which live as long as one message"
)]
enum ProofOwner<'z> {
    Zone(&'z [u8]),
    Made(Name),
}

impl Proof<'_> {
    fn owner(&self) -> &[u8] {
        match &self.owner {
            ProofOwner::Zone(wire) => wire,
            ProofOwner::Made(name) => name.as_wire(),
        }
    }
}

impl<'z> ZoneFacts<'z> {
    /// Composes the answer; for all algorithms, or exactly for one. `None` if the zone has no such answer.
    pub(super) fn compose(
        &self,
        question: &Question,
        setup: Setup,
        algorithm: Option<AlgorithmSize>,
    ) -> Option<Composed> {
        let apex = self.apex();
        let begin = || Answer {
            composer: Composer::new(algorithm),
            signer: apex,
            signers: setup.signers.count(),
            edns: setup.edns,
        };
        match question {
            Question::Soa => {
                let mut answer = begin();
                answer.composer.question(apex);
                answer.signed(apex, self.apex_rrset(Rtype::SOA)?);
                Some(answer.finish())
            }
            Question::Dnskey(set) => {
                let mut answer = begin();
                answer.composer.question(apex);
                let (keys, signatures) = set.counts();
                for _ in 0..keys {
                    answer.composer.dnskeys(apex, answer.signers);
                }
                for _ in 0..signatures {
                    answer.rrsig(apex);
                }
                Some(answer.finish())
            }
            Question::Nodata => {
                let proofs = self.prove_nodata(setup.denial)?;
                let mut answer = begin();
                answer.composer.question(apex);
                answer.negative(self.apex_rrset(Rtype::SOA)?, &proofs)
            }
            Question::Nxdomain(name) => {
                let proofs = self.prove_nxdomain(name, setup.denial, None)?;
                let mut answer = begin();
                answer.composer.question(name.as_wire());
                answer.negative(self.apex_rrset(Rtype::SOA)?, &proofs)
            }
            Question::NxdomainAt(name, covering) => {
                let proofs = self.prove_nxdomain(name, setup.denial, Some(*covering))?;
                let mut answer = begin();
                answer.composer.question(name.as_wire());
                answer.negative(self.apex_rrset(Rtype::SOA)?, &proofs)
            }
            Question::Referral(delegation, glue) => self.referral(begin(), *delegation, *glue, setup.denial),
            Question::Priming(glue) => {
                let mut answer = begin();
                let servers = self.apex_rrset(Rtype::NS)?;
                answer.composer.question(apex);
                answer.signed(apex, servers);
                for server in servers.rdata().filter(|_| *glue == Glue::All) {
                    self.addresses(&mut answer, server);
                }
                Some(answer.finish())
            }
            Question::Own(owner, rtype) => self.own(begin(), *owner, *rtype, setup.denial),
        }
    }

    fn own(&self, empty: Answer<'z>, owner: OwnerId, rtype: Rtype, denial: DenialMethod) -> Option<Composed> {
        let owner = self.zone.owner(owner);
        let (name, proofs) = if facts::is_wildcard(owner) {
            let name = owner.name().parent()?.child(b"wildcarded")?;
            (name, self.prove_expansion(&name, denial))
        } else {
            (owner.name(), Vec::new())
        };
        let aliases = self.aliases(owner);
        // Begun only now: the message remembers the name above.
        let mut answer = empty;
        answer.composer.question(name.as_wire());
        for (at, alias) in aliases.iter().enumerate() {
            let owner = if at == 0 { name.as_wire() } else { alias.wire() };
            let found = alias.rrset(rtype);
            answer.signed(owner, found.or_else(|| alias.rrset(Rtype::CNAME))?);
            if found.is_some() {
                break;
            }
        }
        answer.proven(&proofs);
        Some(answer.finish())
    }

    fn referral(
        &self,
        empty: Answer<'z>,
        delegation: OwnerId,
        glue: Glue,
        denial: DenialMethod,
    ) -> Option<Composed> {
        let owner = self.zone.owner(delegation);
        let cut = owner.name();
        let servers = owner.rrset(Rtype::NS)?;
        // A name too long to have another below it is asked for itself.
        let name = cut.child(b"example").and_then(|name| name.child(b"www")).unwrap_or(cut);
        let secure = owner.rrset(Rtype::DS);
        let proofs =
            if secure.is_some() { Vec::new() } else { self.prove_insecure(delegation, &cut, denial) };
        // Begun only now: the message remembers the names above.
        let mut answer = empty;
        answer.composer.question(name.as_wire());
        answer.unsigned(owner.wire(), servers);
        if let Some(ds) = secure {
            answer.signed(owner.wire(), ds);
        }
        answer.proven(&proofs);
        for server in servers.rdata() {
            if glue == Glue::All {
                self.addresses(&mut answer, server);
            }
        }
        Some(answer.finish())
    }

    /// Adds the addresses that the zone has of a server; signed where they are the zone's own.
    fn addresses<'m>(&self, answer: &mut Answer<'m>, server: &[u8])
    where
        'z: 'm,
    {
        let Some(owner) = self.zone.find(server) else { return };
        for rtype in [Rtype::A, Rtype::AAAA] {
            if let Some(rrset) = owner.rrset(rtype) {
                answer.unsigned(owner.wire(), rrset);
                if owner.role() == Role::Authoritative {
                    answer.rrsig(owner.wire());
                }
            }
        }
    }

    /// RFC 4035, section 3.1.3.1; RFC 5155, section 7.2.3; RFC 9824, section 3.2.
    fn prove_nodata(&self, denial: DenialMethod) -> Option<Vec<Proof<'z>>> {
        Some(match denial {
            DenialMethod::Nsec => vec![self.nsec_proof(0)],
            DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut => {
                vec![self.nsec3_proof(denial, self.nsec3(denial, self.apex()).0)]
            }
            DenialMethod::Compact => vec![self.compact_proof(self.zone.find(self.apex())?.id())],
        })
    }

    /// RFC 4035, section 3.1.3.2; RFC 5155, section 7.2.2; RFC 9824, section 3.1. The closest encloser is the apex.
    fn prove_nxdomain(
        &self,
        name: &Name,
        denial: DenialMethod,
        covering: Option<usize>,
    ) -> Option<Vec<Proof<'z>>> {
        let wildcard = self.zone.apex().child(b"*")?;
        Some(match denial {
            DenialMethod::Nsec => {
                let found = [self.nsec(name.as_wire()), self.nsec(wildcard.as_wire())];
                distinct(&found).map(|link| self.nsec_proof(link)).collect()
            }
            DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut => {
                let found = [
                    self.nsec3(denial, self.apex()).0,
                    covering.unwrap_or_else(|| self.nsec3(denial, name.as_wire()).0),
                    self.nsec3(denial, wildcard.as_wire()).0,
                ];
                distinct(&found).map(|entry| self.nsec3_proof(denial, entry)).collect()
            }
            DenialMethod::Compact => {
                let rdata = name.as_wire().len() as u64 + 2 + self.nxname_bitmap();
                vec![Proof { owner: ProofOwner::Made(*name), rdata }]
            }
        })
    }

    /// That a delegation has no DS: RFC 4035, section 3.1.4.1; RFC 5155, section 7.2.7; RFC 9824, section 3.4.
    fn prove_insecure(&self, delegation: OwnerId, cut: &Name, denial: DenialMethod) -> Vec<Proof<'z>> {
        match denial {
            DenialMethod::Nsec => vec![self.nsec_proof(self.nsec(cut.as_wire()))],
            DenialMethod::Nsec3 => vec![self.nsec3_proof(denial, self.nsec3(denial, cut.as_wire()).0)],
            DenialMethod::Nsec3OptOut => {
                // The closest ancestor that has an NSEC3, and the one that covers the next closer name.
                let mut next_closer = *cut;
                while let Some(encloser) = next_closer.parent() {
                    let (matching, matches) = self.nsec3(denial, encloser.as_wire());
                    if matches {
                        let found = [matching, self.nsec3(denial, next_closer.as_wire()).0];
                        return distinct(&found).map(|entry| self.nsec3_proof(denial, entry)).collect();
                    }
                    next_closer = encloser;
                }
                Vec::new()
            }
            DenialMethod::Compact => vec![self.compact_proof(delegation)],
        }
    }

    /// That no closer name exists than the wildcard: RFC 4035, section 3.1.3.3; RFC 5155, section 7.2.6. With compact
    /// denial the server signs the expanded name itself, which needs no proof.
    fn prove_expansion(&self, name: &Name, denial: DenialMethod) -> Vec<Proof<'z>> {
        match denial {
            DenialMethod::Nsec => vec![self.nsec_proof(self.nsec(name.as_wire()))],
            DenialMethod::Nsec3 | DenialMethod::Nsec3OptOut => {
                vec![self.nsec3_proof(denial, self.nsec3(denial, name.as_wire()).0)]
            }
            DenialMethod::Compact => Vec::new(),
        }
    }

    fn nsec_proof(&self, link: usize) -> Proof<'z> {
        let found = self.chain[link];
        Proof {
            owner: ProofOwner::Zone(self.zone.owner(found.owner).wire()),
            rdata: self.nsec_next(link) + u64::from(found.bitmap),
        }
    }

    fn nsec3_proof(&self, denial: DenialMethod, entry: usize) -> Proof<'z> {
        let found = &self.nsec3_chain(denial)[entry];
        Proof {
            owner: ProofOwner::Made(facts::hashed_owner(found, self.zone.apex())),
            rdata: NSEC3_FIXED + u64::from(found.bitmap),
        }
    }

    /// The NSEC that compact denial makes of a name that exists: the next name is `\000` below it.
    fn compact_proof(&self, owner: OwnerId) -> Proof<'z> {
        let owner = self.zone.owner(owner);
        Proof {
            owner: ProofOwner::Zone(owner.wire()),
            rdata: owner.wire().len() as u64 + 2 + u64::from(facts::bitmap_len(owner, DenialMethod::Compact)),
        }
    }
}

fn distinct(found: &[usize]) -> impl Iterator<Item = usize> + '_ {
    found.iter().enumerate().filter(|(at, item)| !found[..*at].contains(item)).map(|(_, item)| *item)
}

struct Answer<'m> {
    composer: Composer<'m>,
    signer: &'m [u8],
    signers: u64,
    edns: Edns,
}

impl<'m> Answer<'m> {
    fn unsigned(&mut self, owner: &'m [u8], rrset: Rrset<'m>) {
        for rdata in rrset.rdata() {
            self.composer.record(owner, rrset.rtype(), rdata);
        }
    }

    fn signed(&mut self, owner: &'m [u8], rrset: Rrset<'m>) {
        self.unsigned(owner, rrset);
        self.rrsig(owner);
    }

    fn rrsig(&mut self, owner: &'m [u8]) {
        self.composer.rrsigs(owner, self.signer, self.signers);
    }

    fn proven(&mut self, proofs: &'m [Proof<'_>]) {
        for proof in proofs {
            self.composer.opaque(proof.owner(), proof.rdata);
            self.rrsig(proof.owner());
        }
    }

    fn negative(mut self, soa: Rrset<'m>, proofs: &'m [Proof<'_>]) -> Option<Composed> {
        let apex = self.signer;
        self.signed(apex, soa);
        self.proven(proofs);
        Some(self.finish())
    }

    fn finish(mut self) -> Composed {
        self.composer.opt(self.edns);
        self.composer.finish()
    }
}
