//! Whether a zone's NSEC3 chains are exactly right (RFC 5155, section 7.1).

use std::cmp::Ordering;

use super::chain::Types;
use super::{Findings, shown};
use crate::denial::nsec3::parameters;
use crate::denial::nsec3::{self, HASH};
use crate::denial::{Nsec3, View};
use crate::rtype::Rtype;
use crate::zone::Owner;

/// An NSEC3 record of the chain that is being checked.
struct Link<'z> {
    hash: [u8; HASH],
    owner: Owner<'z>,
    opt_out: bool,
    next: &'z [u8],
    bitmap: &'z [u8],
}

/// Checks every chain, and that no NSEC3 record is outside of them.
pub(super) fn check(view: &View<'_>, chains: &[Nsec3], findings: &mut Findings) {
    let mut links: Vec<Vec<Link<'_>>> = chains.iter().map(|_| Vec::new()).collect();
    let apex_len = view.zone.apex().as_wire().len();
    for owner in view.zone.owners() {
        let Some(rrset) = owner.rrset(Rtype::NSEC3) else { continue };
        let wire = owner.wire();
        let label = &wire[1..1 + usize::from(wire[0])];
        let hash = nsec3::hash_of_label(label).filter(|_| {
            wire.len() == 1 + label.len() + apex_len && wire.ends_with(view.zone.apex().as_wire())
        });
        let Some(hash) = hash else {
            findings.add(owner, Rtype::NSEC3, "the owner is not a hash right below the apex");
            continue;
        };
        for rdata in rrset.rdata() {
            let parsed = parameters(rdata).and_then(|(parameters, rest, flags)| {
                let (len, rest) = rest.split_first()?;
                let (next, bitmap) = rest.split_at_checked(usize::from(*len))?;
                Some((parameters, flags, next, bitmap))
            });
            let Some((parameters, flags, next, bitmap)) = parsed.filter(|(.., next, _)| next.len() == HASH)
            else {
                findings.add(
                    owner,
                    Rtype::NSEC3,
                    "the record is malformed, or its hash function is not SHA-1",
                );
                continue;
            };
            if flags & !nsec3::OPT_OUT != 0 {
                findings.add(
                    owner,
                    Rtype::NSEC3,
                    format!("unknown flags {flags}; validators ignore the record"),
                );
            }
            let chain = chains
                .iter()
                .position(|chain| chain.iterations == parameters.iterations && chain.salt == parameters.salt);
            match chain {
                Some(at) => links[at].push(Link { hash, owner, opt_out: parameters.opt_out, next, bitmap }),
                None if chains.is_empty() => {}
                None => {
                    let what = "iterations and salt are not those of the NSEC3PARAM record";
                    findings.add(owner, Rtype::NSEC3, what);
                }
            }
        }
    }
    for (parameters, links) in chains.iter().zip(&links) {
        check_chain(view, parameters, links, findings);
    }
}

/// Walks the names' hashes and the records side by side; canonical order of NSEC3 owners is the order of hashes.
fn check_chain(view: &View<'_>, parameters: &Nsec3, links: &[Link<'_>], findings: &mut Findings) {
    let apex = view.zone.owner(view.apex);
    if links.is_empty() {
        findings.add(apex, Rtype::NSEC3, "the zone has an NSEC3PARAM record, but no NSEC3 record of it");
        return;
    }
    for (at, link) in links.iter().enumerate() {
        let expected = &links[(at + 1) % links.len()];
        if link.next != expected.hash {
            let what = format!(
                "the next hash is {}, expected {}",
                nsec3::shown(link.next),
                nsec3::shown(&expected.hash)
            );
            findings.add(link.owner, Rtype::NSEC3, what);
        }
    }
    let any_opt_out = links.iter().any(|link| link.opt_out);
    let names = view.hashed_names(parameters, any_opt_out);
    let mut types = Types::default();
    let mut names = names.iter().peekable();
    for (at, link) in links.iter().enumerate() {
        // Names before this record's hash have no record of their own; the record before covers them.
        let covering = &links[(at + links.len() - 1) % links.len()];
        while let Some(name) = names.next_if(|name| name.hash < link.hash) {
            missing(view, name, covering, findings);
        }
        match names.peek().map(|name| name.hash.cmp(&link.hash)) {
            Some(Ordering::Equal) => {
                let Some(name) = names.next() else { continue };
                types.expected.clear();
                if let Some(owner) = name.terminal(view) {
                    view.push_nsec3_types(owner, &mut types.expected);
                }
                if let Some(what) = types.compare(link.bitmap) {
                    let what = format!("{what} (this is the hash of {})", shown(name.name(view)));
                    findings.add(link.owner, Rtype::NSEC3, what);
                }
                while let Some(other) = names.next_if(|other| other.hash == link.hash) {
                    let what =
                        format!("{} and {} have this hash", shown(name.name(view)), shown(other.name(view)));
                    findings.add(link.owner, Rtype::NSEC3, what);
                }
            }
            _ => findings.add(link.owner, Rtype::NSEC3, "no name of the zone has this hash"),
        }
    }
    for name in names {
        missing(view, name, &links[links.len() - 1], findings);
    }
}

/// A name without an NSEC3 record: allowed only to insecure delegations under a record with the opt-out flag.
fn missing(view: &View<'_>, name: &nsec3::Hashed, covering: &Link<'_>, findings: &mut Findings) {
    if name.required || !covering.opt_out {
        let hash = nsec3::shown(&name.hash);
        let what = format!("the record is missing: no NSEC3 record has its hash {hash}");
        findings.list.push(super::Finding { owner: shown(name.name(view)), rtype: Rtype::NSEC3, what });
    }
}
