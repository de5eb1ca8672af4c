//! Which key signs what.

use fieldtest_kinds::signature::SigningKey;

use super::{Plan, SignError};
use crate::keys::{REVOKED, ZONE_KEY, ZoneKey};
use crate::name::Name;
use crate::rtype::Rtype;

pub(super) struct ActiveKey<'a> {
    pub(super) key: &'a ZoneKey,
    pub(super) signing: &'a dyn SigningKey,
    pub(super) position: usize,
    pub(super) algorithm: u8,
    pub(super) tag: u16,
    pub(super) signs_keys: bool,
    /// Whether it signs the RRsets of keys even where only entry keys do, so that a parent may point to it.
    pub(super) is_entry: bool,
    signs_data: bool,
}

impl ActiveKey<'_> {
    /// Whether the key signs RRsets of this type. CDS and CDNSKEY of the apex go with DNSKEY, since the parent checks
    /// them against the keys that it knows (RFC 7344, section 4.1).
    pub(super) fn signs(&self, rtype: Rtype, apex: bool) -> bool {
        match rtype {
            Rtype::DNSKEY | Rtype::CDS | Rtype::CDNSKEY if apex => self.signs_keys,
            _ => self.signs_data,
        }
    }
}

/// The plan's signing keys in the canonical order of their RRSIG records.
pub(super) fn active<'a>(apex: &Name, plan: &'a Plan) -> Result<Vec<ActiveKey<'a>>, SignError> {
    if plan.expiration.wrapping_sub(plan.inception).cast_signed() <= 0 {
        return Err(SignError::Times);
    }
    for (at, key) in plan.keys.iter().enumerate() {
        if key.owner() != apex {
            return Err(SignError::ForeignKey {
                key: key.file_name(),
                owner: Box::new(*key.owner()),
                zone: Box::new(*apex),
            });
        }
        if key.flags() & ZONE_KEY == 0 {
            return Err(SignError::NotZoneKey(key.file_name()));
        }
        if plan.keys[..at].iter().any(|other| other.dnskey() == key.dnskey()) {
            return Err(SignError::DuplicateKey(key.file_name()));
        }
    }
    let mut active: Vec<ActiveKey<'a>> = Vec::new();
    for (position, key) in plan.keys.iter().enumerate() {
        let fellows = || {
            plan.keys
                .iter()
                .filter(|other| other.signing().is_some() && other.code_point() == key.code_point())
        };
        let Some(signing) = key.signing() else {
            if fellows().next().is_none() {
                return Err(SignError::UnusedAlgorithm(key.code_point().clone()));
            }
            continue;
        };
        let sep = key.is_secure_entry_point();
        let alone = !fellows().any(|other| other.is_secure_entry_point() != sep);
        let revoked = key.flags() & REVOKED != 0;
        active.push(ActiveKey {
            key,
            signing,
            position,
            algorithm: key.code_point().number(),
            tag: key.tag(),
            is_entry: (sep || alone) && !revoked,
            signs_keys: sep || alone || plan.all_keys_sign_dnskey,
            signs_data: (!sep || alone) && !revoked,
        });
    }
    if active.is_empty() {
        return Err(SignError::NoKey);
    }
    active.sort_by_key(|key| (key.algorithm, key.tag));
    Ok(active)
}

/// Whether a key of the zone can stay beside these, published without signing; see [`super::Dnskey::Keep`]. Of private
/// algorithms (RFC 4034, appendix A.1.1) the number does not say which one it is, so their keys cannot.
pub(super) fn can_stay(dnskey: &[u8], active: &[ActiveKey<'_>]) -> bool {
    const PRIVATE: u8 = 253;
    let [high, low, _, algorithm, ..] = *dnskey else { return false };
    let revoked = u16::from_be_bytes([high, low]) & REVOKED != 0;
    !revoked && algorithm < PRIVATE && active.iter().any(|key| key.algorithm == algorithm)
}
