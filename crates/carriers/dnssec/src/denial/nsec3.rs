//! Hashed names and the NSEC3 chain (RFC 5155).

use data_encoding::{Encoding, Specification};
use rayon::prelude::*;
use sha1::{Digest, Sha1};
use std::sync::LazyLock;

use super::View;
use crate::bitmap;
use crate::name;
use crate::rtype::Rtype;
use crate::zone::{Owner, OwnerId, Role, Zone};

/// Length of a hashed name, which is SHA-1's.
pub(crate) const HASH: usize = 20;
/// The only hash function there is (RFC 5155, section 11).
pub(crate) const SHA1: u8 = 1;
/// The flag of NSEC3 records that may leave out insecure delegations (RFC 5155, section 3.1.2.1).
pub(crate) const OPT_OUT: u8 = 1;
/// Below this many names a thread pool costs more than it brings.
const SEQUENTIAL: usize = 256;

/// Validators treat denials with more iterations than this as unsigned, as RFC 9276, section 3.2, lets them: BIND 9.18.49 and
/// Unbound 1.17.1 do so from 151 on.
pub const MAX_ITERATIONS: u16 = 150;

/// The parameters of an NSEC3 chain; the default is what RFC 9276 asks for: no iterations, no salt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Nsec3 {
    /// Additional iterations of the hash function.
    pub iterations: u16,
    /// Up to 255 octets.
    pub salt: Vec<u8>,
    /// Whether delegations without DS stay out of the chain.
    pub opt_out: bool,
}

impl Nsec3 {
    /// The hash of a lower-case name in wire form (RFC 5155, section 5).
    pub fn hash(&self, name: &[u8]) -> [u8; HASH] {
        let mut digest = Sha1::new().chain_update(name).chain_update(&self.salt).finalize();
        for _ in 0..self.iterations {
            digest = Sha1::new().chain_update(digest).chain_update(&self.salt).finalize();
        }
        digest.into()
    }

    /// What NSEC3 and NSEC3PARAM begin with.
    pub(crate) fn push_parameters(&self, flags: u8, out: &mut Vec<u8>) {
        out.extend_from_slice(&[SHA1, flags]);
        out.extend_from_slice(&self.iterations.to_be_bytes());
        out.push(self.salt.len() as u8);
        out.extend_from_slice(&self.salt);
    }
}

/// Reads what NSEC3 and NSEC3PARAM begin with: the parameters, what follows them, and the flags.
pub(crate) fn parameters(rdata: &[u8]) -> Option<(Nsec3, &[u8], u8)> {
    let [SHA1, flags, high, low, salt, rest @ ..] = rdata else { return None };
    let (salt, rest) = rest.split_at_checked(usize::from(*salt))?;
    let iterations = u16::from_be_bytes([*high, *low]);
    Some((Nsec3 { iterations, salt: salt.to_vec(), opt_out: flags & OPT_OUT != 0 }, rest, *flags))
}

/// Whether any NSEC3 record has the flag. NSEC3PARAM does not say it (RFC 5155, section 4.1.2).
pub(crate) fn has_opt_out(zone: &Zone) -> bool {
    let mut all = zone.owners().filter_map(|owner| owner.rrset(Rtype::NSEC3)).flat_map(|it| it.rdata());
    all.any(|rdata| rdata.get(1).is_some_and(|flags| flags & OPT_OUT != 0))
}

/// Base32hex in lower case without padding: a hash as a label (RFC 5155, section 3.3).
static LABEL: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("0123456789abcdefghijklmnopqrstuv");
    specification.translate.from.push_str("ABCDEFGHIJKLMNOPQRSTUV");
    specification.translate.to.push_str("abcdefghijklmnopqrstuv");
    specification.encoding().unwrap_or(data_encoding::BASE32HEX_NOPAD)
});

/// Appends the owner name of a hash's NSEC3 record in wire form.
pub(crate) fn push_owner(hash: &[u8; HASH], apex: &[u8], out: &mut Vec<u8>) {
    let mut label = [0u8; HASH * 8 / 5];
    LABEL.encode_mut(hash, &mut label);
    out.push(label.len() as u8);
    out.extend_from_slice(&label);
    out.extend_from_slice(apex);
}

/// The hash that an NSEC3 record's first label spells, if it spells one.
pub(crate) fn hash_of_label(label: &[u8]) -> Option<[u8; HASH]> {
    LABEL.decode(label).ok()?.try_into().ok()
}

/// A hash as people see it in owner names.
pub(crate) fn shown(hash: &[u8]) -> String {
    LABEL.encode(hash)
}

/// A name with its hash: an owner, or an empty non-terminal above it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hashed {
    pub(crate) hash: [u8; HASH],
    /// False for names that an opt-out chain may leave out.
    pub(crate) required: bool,
    pub(crate) owner: OwnerId,
    /// How many labels of the owner's name, from the right, the hashed name has.
    labels: u8,
    whole: bool,
}

impl Hashed {
    /// The hashed name in wire form.
    pub(crate) fn name<'z>(&self, view: &View<'z>) -> &'z [u8] {
        suffix(view.zone.owner(self.owner).wire(), self.labels)
    }

    /// The owner, unless the name is an empty non-terminal.
    pub(crate) fn terminal<'z>(&self, view: &View<'z>) -> Option<Owner<'z>> {
        self.whole.then(|| view.zone.owner(self.owner))
    }

    /// Appends the bitmap of the name's NSEC3 record. `types` is room to work in.
    pub(crate) fn push_bitmap(&self, view: &View<'_>, types: &mut Vec<Rtype>, out: &mut Vec<u8>) {
        types.clear();
        if let Some(owner) = self.terminal(view) {
            view.push_nsec3_types(owner, types);
        }
        bitmap::push(types, out);
    }
}

impl<'z> View<'z> {
    pub(crate) fn push_nsec3_types(&self, owner: Owner<'z>, out: &mut Vec<Rtype>) {
        self.push_types(owner, out);
        if owner.role() != Role::Delegation || owner.rrset(Rtype::DS).is_some() {
            out.push(Rtype::RRSIG);
        }
    }

    /// Every name that an NSEC3 chain has or may have, in the order of the hashes: with data, or an empty
    /// non-terminal. With `opt_out` those that may be left out are not `required`; two names of the same hash both
    /// appear.
    pub(crate) fn hashed_names(&self, parameters: &Nsec3, opt_out: bool) -> Vec<Hashed> {
        let mut names = Vec::with_capacity(self.zone.owner_count());
        self.push_names(&mut names, opt_out, true);
        if opt_out {
            self.push_names(&mut names, false, false);
        }
        let hash = |entry: &mut Hashed| entry.hash = parameters.hash(entry.name(self));
        // Required entries come first, so that removing duplicates keeps them.
        let order = |entry: &Hashed| (entry.hash, !entry.required);
        if names.len() < SEQUENTIAL {
            names.iter_mut().for_each(hash);
            names.sort_by_key(order);
        } else {
            names.par_iter_mut().for_each(hash);
            names.par_sort_unstable_by_key(order);
        }
        if opt_out {
            names.dedup_by(|later, earlier| {
                later.hash == earlier.hash && later.name(self) == earlier.name(self)
            });
        }
        names
    }

    /// Canonical order has every name behind its ancestors, so an empty non-terminal is a part of a name that neither
    /// exists nor is shared with the name before.
    fn push_names(&self, names: &mut Vec<Hashed>, secure_only: bool, required: bool) {
        let apex_labels = name::labels(self.zone.owner(self.apex).wire()).count();
        let mut before: &[u8] = &[];
        for owner in self.zone.owners().filter(|owner| self.in_chain(*owner)) {
            let insecure = owner.role() == Role::Delegation && owner.rrset(Rtype::DS).is_none();
            if secure_only && insecure {
                continue;
            }
            let key = owner.order_key();
            let labels = key.iter().filter(|octet| **octet == 0).count();
            let shared =
                key.iter().zip(before).take_while(|(a, b)| a == b).filter(|(octet, _)| **octet == 0).count();
            // The owner itself comes last; the apex has no name above it here.
            for count in (shared.max(apex_labels) + 1..labels).chain([labels]) {
                names.push(Hashed {
                    hash: [0; HASH],
                    required,
                    owner: owner.id(),
                    labels: count as u8,
                    whole: count == labels,
                });
            }
            before = key;
        }
    }
}

/// The last `count` labels of a wire name.
fn suffix(wire: &[u8], count: u8) -> &[u8] {
    let skip = name::labels(wire).count().saturating_sub(usize::from(count));
    let start: usize = name::labels(wire).take(skip).map(|label| 1 + label.len()).sum();
    &wire[start..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;

    /// RFC 5155, appendix A: the names of the example zone, 12 iterations, salt AABBCCDD.
    #[test]
    fn hashes_of_rfc_5155() {
        let parameters = Nsec3 { iterations: 12, salt: vec![0xaa, 0xbb, 0xcc, 0xdd], opt_out: true };
        for (name, expected) in [
            ("example.", "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom"),
            ("a.example.", "35mthgpgcu1qg68fab165klnsnk3dpvl"),
            ("ai.example.", "gjeqe526plbf1g8mklp59enfd789njgi"),
            ("ns1.example.", "2t7b4g4vsa5smi47k61mv5bv1a22bojr"),
            ("ns2.example.", "q04jkcevqvmu85r014c7dkba38o0ji5r"),
            ("w.example.", "k8udemvp1j2f7eg6jebps17vp3n8i58h"),
            ("*.w.example.", "r53bq7cc2uvmubfu5ocmm6pers9tk9en"),
            ("x.w.example.", "b4um86eghhds6nea196smvmlo4ors995"),
            ("y.w.example.", "ji6neoaepv8b5o6k4ev33abha8ht9fgc"),
            ("x.y.w.example.", "2vptu5timamqttgl4luu9kg21e0aor3s"),
            ("xx.example.", "t644ebqk9bibcna874givr6joj62mlhv"),
        ] {
            let hash = parameters.hash(Name::parse(name.as_bytes(), None).unwrap().as_wire());
            assert_eq!(shown(&hash), expected, "{name}");
            assert_eq!(hash_of_label(expected.to_uppercase().as_bytes()), Some(hash));
        }
    }

    #[test]
    fn suffixes() {
        let wire = b"\x01a\x02bc\x01d\0";
        assert_eq!(suffix(wire, 2), b"\x02bc\x01d\0");
        assert_eq!(suffix(wire, 0), b"\0");
        assert_eq!(suffix(wire, 9), wire);
    }
}
