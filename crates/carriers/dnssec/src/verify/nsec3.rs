//! Whether a zone's NSEC3 chains are exactly right (RFC 5155, section 7.1).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops::Range;

use super::{Finding, Findings, chain, shown};
use crate::bitmap;
use crate::denial::nsec3::parameters;
use crate::denial::nsec3::{self, HASH};
use crate::denial::{Nsec3, View};
use crate::name::Name;
use crate::rtype::Rtype;

/// An NSEC3 record of the chain that is being checked.
#[derive(Debug, Clone)]
pub(super) struct Link<'l> {
    pub(super) hash: [u8; HASH],
    pub(super) opt_out: bool,
    pub(super) next: [u8; HASH],
    pub(super) bitmap: Cow<'l, [u8]>,
}

/// A name that a chain has, or may have.
#[derive(Debug, Clone)]
pub(super) struct Due<'d> {
    pub(super) hash: [u8; HASH],
    /// False for names that an opt-out chain may leave out.
    pub(super) required: bool,
    pub(super) name: Cow<'d, [u8]>,
    pub(super) bitmap: Cow<'d, [u8]>,
}

/// What only all records of a chain together tell.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    first: Option<[u8; HASH]>,
    last_opt_out: bool,
    pub(super) any_opt_out: bool,
}

impl Ends {
    /// Adds a record, in the order of the hashes.
    pub(super) fn add(&mut self, link: &Link<'_>) {
        self.first.get_or_insert(link.hash);
        self.last_opt_out = link.opt_out;
        self.any_opt_out |= link.opt_out;
    }
}

/// Checks every chain, and that no NSEC3 record is outside of them.
pub(super) fn check(view: &View<'_>, chains: &[Nsec3], findings: &mut Findings) {
    let all = 0..view.zone.owner_count();
    let mut links: Vec<Vec<Link<'_>>> = chains.iter().map(|_| Vec::new()).collect();
    for_each_link(view, &all, chains, findings, |chain, link| links[chain].push(link));
    for (parameters, links) in chains.iter().zip(links) {
        let mut ends = Ends::default();
        links.iter().for_each(|link| ends.add(link));
        let names = due(view, &all, parameters, ends.any_opt_out);
        let names = names.into_iter().map(Ok::<_, Infallible>);
        let Ok(()) = check_chain(view.zone.apex(), &ends, names, links.into_iter().map(Ok), findings);
    }
}

/// Hands out the NSEC3 records of the owners at these positions, each with the number of its chain, in the order of their
/// hashes, which is the canonical order of their owners; finds those that are of no chain.
pub(super) fn for_each_link<'z>(
    view: &View<'z>,
    owners: &Range<usize>,
    chains: &[Nsec3],
    findings: &mut Findings,
    mut take: impl FnMut(usize, Link<'z>),
) {
    let apex_len = view.zone.apex().as_wire().len();
    for owner in view.zone.owners_in(owners.clone()) {
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
                Some((parameters, flags, next.try_into().ok()?, Cow::Borrowed(bitmap)))
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
                    let what = "iterations and salt are not those of the NSEC3PARAM record";
                    findings.add(owner, Rtype::NSEC3, what);
                }
            }
        }
    }
}

/// The names of the owners at these positions that a chain has or may have, in the order of their hashes.
pub(super) fn due<'z>(
    view: &View<'z>,
    owners: &Range<usize>,
    parameters: &Nsec3,
    opt_out: bool,
) -> impl IntoIterator<Item = Due<'z>> {
    let mut types = Vec::new();
    view.hashed_names_of(owners, parameters, opt_out).into_iter().map(move |name| {
        types.clear();
        let mut bitmap = Vec::new();
        if let Some(owner) = name.terminal(view) {
            view.push_nsec3_types(owner, &mut types);
        }
        bitmap::push(&mut types, &mut bitmap);
        Due {
            hash: name.hash,
            required: name.required,
            name: Cow::Borrowed(name.name(view)),
            bitmap: Cow::Owned(bitmap),
        }
    })
}

/// Walks the names' hashes and the records side by side.
pub(super) fn check_chain<'a, E>(
    apex: &Name,
    ends: &Ends,
    mut names: impl Iterator<Item = Result<Due<'a>, E>>,
    links: impl Iterator<Item = Result<Link<'a>, E>>,
    findings: &mut Findings,
) -> Result<(), E> {
    let Some(first) = ends.first else {
        let what = "the zone has an NSEC3PARAM record, but no NSEC3 record of it".to_owned();
        findings.list.push(Finding { owner: *apex, rtype: Rtype::NSEC3, what });
        return Ok(());
    };
    let mut fault = |hash: &[u8; HASH], what: String| {
        let mut owner = Vec::new();
        nsec3::push_owner(hash, apex.as_wire(), &mut owner);
        findings.list.push(Finding { owner: shown(&owner), rtype: Rtype::NSEC3, what });
    };
    let mut missing = Vec::new();
    // Names before a record's hash have no record of their own; the record before covers them, before the first the last.
    let mut covered_by_opt_out = ends.last_opt_out;
    let mut ahead = names.next().transpose()?;
    let mut links = links.peekable();
    while let Some(link) = links.next().transpose()? {
        // Of a record that cannot be read the next turn tells.
        let expected = links.peek().and_then(|next| next.as_ref().ok()).map_or(first, |next| next.hash);
        if link.next != expected {
            let (next, expected) = (nsec3::shown(&link.next), nsec3::shown(&expected));
            fault(&link.hash, format!("the next hash is {next}, expected {expected}"));
        }
        while let Some(name) = ahead.take_if(|name| name.hash < link.hash) {
            missing.extend(name.missing(covered_by_opt_out));
            ahead = names.next().transpose()?;
        }
        match ahead.as_ref().map(|name| name.hash.cmp(&link.hash)) {
            Some(Ordering::Equal) => {
                let Some(name) = ahead.take() else { continue };
                if let Some(what) = chain::difference(&name.bitmap, &link.bitmap) {
                    fault(&link.hash, format!("{what} (this is the hash of {})", shown(&name.name)));
                }
                ahead = names.next().transpose()?;
                while let Some(other) = ahead.take_if(|other| other.hash == link.hash) {
                    let (one, other) = (shown(&name.name), shown(&other.name));
                    fault(&link.hash, format!("{one} and {other} have this hash"));
                    ahead = names.next().transpose()?;
                }
            }
            _ => fault(&link.hash, "no name of the zone has this hash".to_owned()),
        }
        covered_by_opt_out = link.opt_out;
    }
    while let Some(name) = ahead {
        missing.extend(name.missing(covered_by_opt_out));
        ahead = names.next().transpose()?;
    }
    findings.list.extend(missing);
    Ok(())
}

impl Due<'_> {
    /// A name without an NSEC3 record: allowed only to insecure delegations under a record with the opt-out flag.
    fn missing(&self, covered_by_opt_out: bool) -> Option<Finding> {
        let hash = nsec3::shown(&self.hash);
        let what = format!("the record is missing: no NSEC3 record has its hash {hash}");
        let is_wrong = self.required || !covered_by_opt_out;
        is_wrong.then(|| Finding { owner: shown(&self.name), rtype: Rtype::NSEC3, what })
    }
}
