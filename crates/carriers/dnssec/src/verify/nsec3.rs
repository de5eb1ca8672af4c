//! Whether a zone's NSEC3 chains are exactly right (RFC 5155, section 7.1).

use super::{Finding, Findings, chain, shown};
use crate::denial::nsec3::parameters;
use crate::denial::nsec3::{self, HASH};
use crate::denial::{Nsec3, View};
use crate::rtype::Rtype;

struct Link<'z> {
    hash: [u8; HASH],
    opt_out: bool,
    next: [u8; HASH],
    bitmap: &'z [u8],
}

/// A name that a chain has, or may have.
struct Due<'z> {
    hash: [u8; HASH],
    /// False for names that an opt-out chain may leave out.
    required: bool,
    name: &'z [u8],
    bitmap: Vec<u8>,
}

/// Checks every chain, and that no NSEC3 record is outside of them.
pub(super) fn check(view: &View<'_>, chains: &[Nsec3], findings: &mut Findings) {
    let mut links: Vec<Vec<Link<'_>>> = chains.iter().map(|_| Vec::new()).collect();
    for_each_link(view, chains, findings, |chain, link| links[chain].push(link));
    for (parameters, links) in chains.iter().zip(links) {
        check_chain(view, parameters, &links, findings);
    }
}

/// Hands out the NSEC3 records, each with the number of its chain, in the order of their hashes, which is the canonical order
/// of their owners; finds those that are of no chain.
fn for_each_link<'z>(
    view: &View<'z>,
    chains: &[Nsec3],
    findings: &mut Findings,
    mut take: impl FnMut(usize, Link<'z>),
) {
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
                Some((parameters, flags, next.try_into().ok()?, bitmap))
            });
            let Some((parameters, flags, next, bitmap)) = parsed else {
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
                Some(at) => take(at, Link { hash, opt_out: parameters.opt_out, next, bitmap }),
                None if chains.is_empty() => {}
                None => {
                    let what = "iterations and salt differ from the NSEC3PARAM record";
                    findings.add(owner, Rtype::NSEC3, what);
                }
            }
        }
    }
}

/// The names that a chain has or may have, in the order of their hashes.
fn due<'v>(view: &'v View<'_>, parameters: &Nsec3, opt_out: bool) -> impl Iterator<Item = Due<'v>> {
    let mut types = Vec::new();
    view.hashed_names(parameters, opt_out).into_iter().map(move |name| {
        let mut bitmap = Vec::new();
        name.push_bitmap(view, &mut types, &mut bitmap);
        Due { hash: name.hash, required: name.required, name: name.name(view), bitmap }
    })
}

/// Walks the names' hashes and the records side by side.
fn check_chain(view: &View<'_>, parameters: &Nsec3, links: &[Link<'_>], findings: &mut Findings) {
    let apex = view.zone.apex();
    let (Some(first), Some(last)) = (links.first(), links.last()) else {
        let what = "the zone has an NSEC3PARAM record, but no NSEC3 record for it".to_owned();
        findings.list.push(Finding { owner: *apex, rtype: Rtype::NSEC3, what });
        return;
    };
    let mut fault = |hash: &[u8; HASH], what: String| {
        let mut owner = Vec::new();
        nsec3::push_owner(hash, apex.as_wire(), &mut owner);
        findings.list.push(Finding { owner: shown(&owner), rtype: Rtype::NSEC3, what });
    };
    let mut missing = Vec::new();
    // Names before a record's hash have no record of their own; the record before covers them, before the first the last.
    let mut covered_by_opt_out = last.opt_out;
    let mut names = due(view, parameters, links.iter().any(|link| link.opt_out)).peekable();
    for (link, next) in links.iter().zip(links[1..].iter().chain([first])) {
        if link.next != next.hash {
            let (next, expected) = (nsec3::shown(&link.next), nsec3::shown(&next.hash));
            fault(&link.hash, format!("the next hash is {next}, expected {expected}"));
        }
        while let Some(name) = names.next_if(|name| name.hash < link.hash) {
            missing.extend(name.missing(covered_by_opt_out));
        }
        match names.next_if(|name| name.hash == link.hash) {
            Some(name) => {
                if let Some(what) = chain::difference(&name.bitmap, link.bitmap) {
                    fault(&link.hash, format!("{what} (this is the hash of {})", shown(name.name)));
                }
                while let Some(other) = names.next_if(|other| other.hash == link.hash) {
                    let (one, other) = (shown(name.name), shown(other.name));
                    fault(&link.hash, format!("{one} and {other} have this hash"));
                }
            }
            None => fault(&link.hash, "no name of the zone has this hash".to_owned()),
        }
        covered_by_opt_out = link.opt_out;
    }
    missing.extend(names.filter_map(|name| name.missing(covered_by_opt_out)));
    findings.list.extend(missing);
}

impl Due<'_> {
    /// A name without an NSEC3 record: allowed only to insecure delegations under a record with the opt-out flag.
    fn missing(&self, covered_by_opt_out: bool) -> Option<Finding> {
        let hash = nsec3::shown(&self.hash);
        let what = format!("the record is missing: no NSEC3 record has its hash {hash}");
        let is_wrong = self.required || !covered_by_opt_out;
        is_wrong.then(|| Finding { owner: shown(self.name), rtype: Rtype::NSEC3, what })
    }
}
