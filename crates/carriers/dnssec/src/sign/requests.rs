//! The CDS and CDNSKEY records of a signed zone.

use super::keys::ActiveKey;
use super::{Cds, Plan, SignError};
use crate::cds::{self, Published};
use crate::keys::{DsDigest, ds};
use crate::name::Name;
use crate::rtype::Rtype;
use crate::zone::Owner;

/// A type and its RDATA in canonical order.
type Requests = (Rtype, Vec<Vec<u8>>);

/// The RDATA of each type that the signed zone has, beside the keys that it has (`dnskey`). What is left out for naming no key is added to `stale`.
pub(super) fn chosen(
    apex: Owner<'_>,
    plan: &Plan,
    dnskey: &[Vec<u8>],
    active: &[ActiveKey<'_>],
    stale: &mut Vec<String>,
) -> Result<Vec<Requests>, SignError> {
    let name = apex.name();
    let present = |rtype| apex.rrset(rtype).into_iter().flat_map(|rrset| rrset.rdata());
    if plan.cds == Cds::Renew {
        // Before anything stale is left out: a contradiction must not become a valid request to delete.
        let all: Vec<_> = cds::TYPES
            .into_iter()
            .flat_map(|rtype| present(rtype).map(move |rdata| (rtype, rdata)))
            .collect();
        refuse(&name, cds::contradicted_delete(&all))?;
    }
    let mut chosen = Vec::new();
    for rtype in cds::TYPES {
        let mut rdata: Vec<Vec<u8>> = match plan.cds {
            Cds::Keep => present(rtype).map(<[u8]>::to_vec).collect(),
            Cds::Remove => Vec::new(),
            Cds::Compute => active
                .iter()
                .filter(|key| key.is_entry)
                .map(|key| match rtype {
                    Rtype::CDS => ds(&name, key.key.dnskey(), DsDigest::Sha256),
                    _ => key.key.dnskey().to_vec(),
                })
                .collect(),
            Cds::Renew => {
                let is_true = |rdata: &&[u8]| {
                    cds::is_delete(rtype, rdata)
                        || dnskey.iter().any(|key| cds::names(&name, rtype, rdata, key))
                };
                stale.extend(
                    present(rtype).filter(|rdata| !is_true(rdata)).map(|rdata| cds::called(rtype, rdata)),
                );
                present(rtype).filter(is_true).map(<[u8]>::to_vec).collect()
            }
        };
        rdata.sort_unstable();
        if !rdata.is_empty() {
            chosen.push((rtype, rdata));
        }
    }
    if plan.cds == Cds::Renew {
        refuse_contradictions(apex, dnskey, active, &chosen)?;
    }
    Ok(chosen)
}

/// What is left must be true as a whole, too.
fn refuse_contradictions(
    apex: Owner<'_>,
    dnskey: &[Vec<u8>],
    active: &[ActiveKey<'_>],
    chosen: &[Requests],
) -> Result<(), SignError> {
    let records: Vec<(Rtype, &[u8])> = chosen
        .iter()
        .flat_map(|(rtype, rdata)| rdata.iter().map(|rdata| (*rtype, rdata.as_slice())))
        .collect();
    let signs = |key: &[u8]| active.iter().any(|active| active.key.dnskey() == key && active.signs_keys);
    let published: Vec<Published<'_>> =
        dnskey.iter().map(|key| Published { dnskey: key, signs: Some(signs(key)) }).collect();
    let owner = apex.name();
    refuse(&owner, cds::faults(&owner, &records, &published).into_iter().next())
}

fn refuse(owner: &Name, fault: Option<(Rtype, String)>) -> Result<(), SignError> {
    match fault {
        None => Ok(()),
        Some((rtype, what)) => Err(SignError::Contradiction { owner: Box::new(*owner), rtype, what }),
    }
}
