//! CDS and CDNSKEY: which DS records a zone asks its parent to have (RFC 7344, RFC 8078).
//!
//! A parent that acts on records which name none of the zone's keys breaks the delegation, so neither the signer nor
//! the validator takes them as they come.

use crate::keys;
use crate::name::Name;
use crate::rtype::Rtype;

/// The two types, by which a zone says the same thing.
pub(crate) const TYPES: [Rtype; 2] = [Rtype::CDS, Rtype::CDNSKEY];

pub(crate) struct Published<'k> {
    pub(crate) dnskey: &'k [u8],
    /// Whether it signs the DNSKEY RRset; `None` if that cannot be told.
    pub(crate) signs: Option<bool>,
}

/// Whether the record asks for the removal of all DS records (RFC 8078, section 4).
pub(crate) fn is_delete(rtype: Rtype, rdata: &[u8]) -> bool {
    match rtype {
        Rtype::CDS => rdata == [0, 0, 0, 0, 0],
        _ => rdata == [0, 0, 3, 0, 0],
    }
}

/// Whether a record names this key. One with a digest of an unknown kind is believed its tag and algorithm.
pub(crate) fn names(owner: &Name, rtype: Rtype, rdata: &[u8], dnskey: &[u8]) -> bool {
    match rtype {
        Rtype::CDS => keys::ds_means(owner, dnskey, rdata).unwrap_or(true),
        _ => rdata == dnskey,
    }
}

const DELETE_BESIDE_OTHERS: &str = "the delete request must be the only record (RFC 8078, section 4)";

/// The type of a request to delete that stands beside any other record of the two types, and what is wrong with that.
pub(crate) fn contradicted_delete(records: &[(Rtype, &[u8])]) -> Option<(Rtype, String)> {
    let (rtype, _) = records.iter().find(|(rtype, rdata)| is_delete(*rtype, rdata))?;
    let alone = records.iter().all(|(rtype, rdata)| is_delete(*rtype, rdata));
    (!alone).then(|| (*rtype, DELETE_BESIDE_OTHERS.to_owned()))
}

/// How a message calls a record: `CDS 4711` by the key's tag.
pub(crate) fn called(rtype: Rtype, rdata: &[u8]) -> String {
    let tag = match rtype {
        Rtype::CDS => rdata.first_chunk().map_or(0, |tag| u16::from_be_bytes(*tag)),
        _ => keys::tag(rdata),
    };
    format!("{rtype} {tag}")
}

/// What is wrong with a zone's records of both types, given its keys: the type, and the end of a sentence.
pub(crate) fn faults(
    owner: &Name,
    records: &[(Rtype, &[u8])],
    keys: &[Published<'_>],
) -> Vec<(Rtype, String)> {
    let mut faults = Vec::new();
    // Which keys each of the two types names; a request to delete counts as one more.
    let mut named = [vec![false; keys.len() + 1], vec![false; keys.len() + 1]];
    for (rtype, rdata) in records {
        let named = &mut named[usize::from(*rtype == Rtype::CDNSKEY)];
        if is_delete(*rtype, rdata) {
            named[keys.len()] = true;
            continue;
        }
        let mut any = false;
        for (at, key) in keys.iter().enumerate() {
            if names(owner, *rtype, rdata, key.dnskey) {
                (any, named[at]) = (true, true);
            }
        }
        if !any {
            faults.push((
                *rtype,
                format!(
                    "{} does not refer to a key of the zone (RFC 7344, section 4.1)",
                    called(*rtype, rdata)
                ),
            ));
        }
    }
    for (at, rtype) in TYPES.into_iter().enumerate() {
        let of_type = || records.iter().filter(|(other, _)| *other == rtype);
        if named[at][keys.len()] && of_type().count() > 1 {
            faults.push((rtype, DELETE_BESIDE_OTHERS.into()));
        }
        let mut signers = keys.iter().zip(&named[at]).filter(|(_, named)| **named).map(|(key, _)| key.signs);
        let first = signers.next();
        if first.into_iter().chain(signers).all(|signs| signs == Some(false)) && first.is_some() {
            let what = "none of these keys signs the DNSKEY RRset, so the delegation would break \
                        (RFC 7344, section 4.1)";
            faults.push((rtype, what.into()));
        }
    }
    let has = |rtype| records.iter().any(|(other, _)| *other == rtype);
    if has(Rtype::CDS) && has(Rtype::CDNSKEY) && named[0] != named[1] {
        faults.push((Rtype::CDS, "CDS and CDNSKEY refer to different keys (RFC 7344, section 4)".into()));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{DsDigest, ds};

    fn key(last: u8) -> Vec<u8> {
        vec![1, 1, 3, 13, 7, 7, last]
    }

    #[test]
    fn records_and_keys() {
        let owner = Name::parse(b"example.", None).unwrap();
        let (one, two) = (key(1), key(2));
        let keys =
            [Published { dnskey: &one, signs: Some(true) }, Published { dnskey: &two, signs: Some(false) }];
        let cds = |key: &[u8]| ds(&owner, key, DsDigest::Sha384);
        let (first, second, other) = (cds(&one), cds(&two), cds(&key(3)));
        let delete: (&[u8], &[u8]) = (&[0; 5], &[0, 0, 3, 0, 0]);
        let faults = |records: &[(Rtype, &[u8])]| faults(&owner, records, &keys);
        let none: [(Rtype, String); 0] = [];
        assert_eq!(faults(&[(Rtype::CDS, &first)]), none);
        assert_eq!(faults(&[(Rtype::CDS, &first), (Rtype::CDS, &second)]), none);
        assert_eq!(faults(&[(Rtype::CDS, &first), (Rtype::CDNSKEY, &one)]), none);
        assert_eq!(faults(&[(Rtype::CDS, delete.0), (Rtype::CDNSKEY, delete.1)]), none);
        // A digest that is not known here, of the right key.
        assert_eq!(faults(&[(Rtype::CDS, &[&first[..3], &[3, 9]].concat())]), none);
        for (records, rtype) in [
            (&[(Rtype::CDS, &other[..])][..], Rtype::CDS),
            (&[(Rtype::CDNSKEY, &key(3))], Rtype::CDNSKEY),
            (&[(Rtype::CDS, &second)], Rtype::CDS),
            (&[(Rtype::CDS, &first), (Rtype::CDNSKEY, &two)], Rtype::CDS),
            (&[(Rtype::CDS, &first), (Rtype::CDNSKEY, delete.1)], Rtype::CDS),
            (&[(Rtype::CDS, &first), (Rtype::CDS, delete.0)], Rtype::CDS),
        ] {
            let found = faults(records);
            assert!(found.iter().any(|(of, _)| *of == rtype), "{records:?}: {found:?}");
        }
        let mut damaged = first;
        damaged[9] ^= 1;
        assert_eq!(faults(&[(Rtype::CDS, &damaged)]).len(), 1);
    }
}
