//! Whether a server can say that something is not there: SOA and proofs, each with its signatures, in one message of at
//! most 65,535 octets (RFC 1035, section 4.2.2).
//!
//! With large signatures every RRset of a zone may fit into a message of its own, and the answer NXDOMAIN, which has two
//! to four of them, into none.

use crate::bitmap;
use crate::denial::nsec3::{self, Hashed};
use crate::denial::{Nsec3, View};
use crate::name::Name;
use crate::rtype::Rtype;
use crate::sizes::fit::LONGEST_MESSAGE;
use crate::sizes::{AlgorithmSize, Composer, Edns};
use crate::zone::{Owner, Role};

/// Octets of the label that is asked for. One of this length exists for every gap of a chain, or nearly: there are 36¹²,
/// and they are as long in the sizes of answers.
const LABEL: usize = 12;
/// Octets of the longest name, and of the largest bitmap: 256 windows of 34.
const LONGEST_NAME: u64 = 255;
const LONGEST_BITMAP: u64 = 256 * 34;
/// Type, class, TTL and RDATA length of a record.
const RECORD: u64 = 10;

/// A negative answer that no message holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unservable {
    pub(crate) name: Name,
    pub(crate) says: &'static str,
    pub(crate) octets: u64,
}

const NODATA: &str = "it has no record of a type";
/// NXDOMAIN, with the name as the closest encloser.
const NXDOMAIN: &str = "a name right below it does not exist";

/// What every negative answer of a zone begins with.
pub(crate) struct Negative<'v, 'z> {
    pub(crate) view: &'v View<'z>,
    pub(crate) soa: &'v [u8],
    /// Length of the RDATA of each RRSIG over an RRset; the same keys sign them all.
    pub(crate) rrsigs: &'v [usize],
}

/// A record of the chain, with its RDATA's length.
struct Link<'z> {
    owner: Owner<'z>,
    rdata: u64,
}

impl<'z> Negative<'_, 'z> {
    /// The first answer that no message holds, of a zone with NSEC: NODATA at a name, or NXDOMAIN right behind one.
    pub(crate) fn with_nsec(&self) -> Option<Unservable> {
        if self.always_fits(2, LONGEST_NAME + LONGEST_BITMAP) {
            return None;
        }
        let mut types = Vec::new();
        let mut bitmap = Vec::new();
        let owners = self.view.zone.owners().filter(|owner| self.view.in_chain(*owner));
        let links: Vec<Link<'z>> = owners
            .map(|owner| {
                types.clear();
                bitmap.clear();
                self.view.push_nsec_types(owner, &mut types);
                bitmap::push(&mut types, &mut bitmap);
                Link { owner, rdata: (self.view.nsec_next(owner).len() + bitmap.len()) as u64 }
            })
            .collect();
        let proof = |link: &Link<'z>| (link.owner.wire().to_vec(), link.rdata);
        links.iter().enumerate().find_map(|(at, link)| {
            let nodata = || self.excess(link.owner.name(), NODATA, &[proof(link)]);
            let nxdomain = |encloser: &Name| {
                let wildcard = encloser.child(b"*")?;
                let behind = self.view.zone.search(wildcard.as_wire()).map_or_else(|at| at, |at| at + 1);
                let last = links.partition_point(|link| link.owner.id().index() < behind).checked_sub(1)?;
                let mut proofs = vec![proof(link)];
                if last != at {
                    proofs.push(proof(&links[last]));
                }
                self.excess(*encloser, NXDOMAIN, &proofs)
            };
            nodata().or_else(|| enclosers(&links, at).iter().find_map(nxdomain))
        })
    }

    /// Whether every answer of a zone with such an NSEC3 chain fits: nearly always, and then the chain need not be there.
    pub(crate) fn always_fits_with_nsec3(&self, parameters: &Nsec3) -> bool {
        self.always_fits(3, fixed(parameters) + LONGEST_BITMAP)
    }

    /// As [`with_nsec`](Self::with_nsec), of a zone with this NSEC3 chain.
    pub(crate) fn with_nsec3(&self, parameters: &Nsec3, chain: &[Hashed]) -> Option<Unservable> {
        if self.always_fits_with_nsec3(parameters) {
            return None;
        }
        let fixed = fixed(parameters);
        let apex = self.view.zone.apex();
        let mut types = Vec::new();
        let mut bitmap = Vec::new();
        let lengths: Vec<u64> = chain
            .iter()
            .map(|entry| {
                bitmap.clear();
                entry.push_bitmap(self.view, &mut types, &mut bitmap);
                fixed + bitmap.len() as u64
            })
            .collect();
        // The name asked for may fall into any gap, so the longest records can cover it.
        let mut longest: Vec<usize> = (0..chain.len()).collect();
        longest.sort_by_key(|at| std::cmp::Reverse(lengths[*at]));
        longest.truncate(3);
        let proof = |at: usize| {
            let mut owner = Vec::new();
            nsec3::push_owner(&chain[at].hash, apex.as_wire(), &mut owner);
            (owner, lengths[at])
        };
        (0..chain.len()).find_map(|at| {
            let entry = &chain[at];
            let (name, _) = Name::from_wire(entry.name(self.view)).ok()?;
            if let Some(found) = self.excess(name, NODATA, &[proof(at)]) {
                return Some(found);
            }
            if !entry.terminal(self.view).is_none_or(may_enclose) {
                return None;
            }
            let wildcard = parameters.hash(name.child(b"*")?.as_wire());
            // Before the first entry, the last one covers: the chain is a circle.
            let covering = match chain.binary_search_by_key(&wildcard, |entry| entry.hash) {
                Ok(at) => at,
                Err(at) => at.checked_sub(1).unwrap_or(chain.len() - 1),
            };
            let mut proofs = vec![at];
            for one in longest
                .iter()
                .copied()
                .find(|one| ![at, covering].contains(one))
                .into_iter()
                .chain([covering])
            {
                if !proofs.contains(&one) {
                    proofs.push(one);
                }
            }
            let proofs: Vec<_> = proofs.into_iter().map(proof).collect();
            self.excess(name, NXDOMAIN, &proofs)
        })
    }

    /// Whether every answer with so many proofs fits, whatever the names.
    fn always_fits(&self, proofs: u64, rdata: u64) -> bool {
        let rrset = |rdata: u64| {
            let lengths = self.rrsigs.iter().map(|len| *len as u64).chain([rdata]);
            lengths.map(|len| LONGEST_NAME + RECORD + len).sum::<u64>()
        };
        let around = 12 + LONGEST_NAME + 4 + Edns::default().len();
        around + rrset(self.soa.len() as u64) + proofs * rrset(rdata) <= LONGEST_MESSAGE
    }

    fn excess(&self, name: Name, says: &'static str, proofs: &[(Vec<u8>, u64)]) -> Option<Unservable> {
        let apex = self.view.zone.apex().as_wire();
        let question = if says == NODATA { name } else { below(&name)? };
        let octets = {
            let mut composer = Composer::new(Some(AlgorithmSize::new(0, 0)));
            composer.question(question.as_wire());
            composer.record(apex, Rtype::SOA, self.soa);
            self.rrsigs.iter().for_each(|len| composer.opaque(apex, *len as u64));
            for (owner, rdata) in proofs {
                composer.opaque(owner, *rdata);
                self.rrsigs.iter().for_each(|len| composer.opaque(owner, *len as u64));
            }
            composer.opt(Edns::default());
            composer.length().base
        };
        (octets > LONGEST_MESSAGE).then_some(Unservable { name, says, octets })
    }
}

/// Octets of NSEC3 RDATA without the bitmap: parameters, and the next hash behind its length.
fn fixed(parameters: &Nsec3) -> u64 {
    (5 + parameters.salt.len() + 1 + nsec3::HASH) as u64
}

fn below(encloser: &Name) -> Option<Name> {
    let room = usize::try_from(LONGEST_NAME).ok()?.checked_sub(encloser.as_wire().len() + 1)?;
    encloser.child(&[b'x'; LABEL][..room.min(LABEL)])
}

/// Whether names that do not exist can have this one as their closest encloser.
fn may_enclose(owner: Owner<'_>) -> bool {
    owner.role() == Role::Authoritative && owner.rrset(Rtype::DNAME).is_none()
}

/// The names of which children that do not exist lie in the gap behind a link.
fn enclosers(links: &[Link<'_>], at: usize) -> Vec<Name> {
    let owner = links[at].owner;
    let next = links.get(at + 1).map(|next| next.owner.name());
    let apex = links[0].owner.name();
    let mut enclosers: Vec<Name> = may_enclose(owner).then(|| owner.name()).into_iter().collect();
    let mut name = owner.name();
    while name != apex && !next.as_ref().is_some_and(|next| next.is_at_or_below(&name)) {
        let Some(parent) = name.parent() else { break };
        enclosers.push(parent);
        name = parent;
    }
    enclosers
}
