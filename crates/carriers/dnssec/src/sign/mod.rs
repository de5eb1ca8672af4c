//! Signs a zone and writes it, block by block, so that no signature is kept longer than it takes to write it.

mod block;
mod error;
mod keys;
mod requests;
mod stream;

use crate::denial::nsec3::{self, Hashed};
use crate::denial::{Denial, Nsec3, View};
use crate::format::text::soa_minimum;
use crate::keys::ZoneKey;
use crate::name::Name;
use crate::placement;
use crate::rtype::Rtype;
use crate::zone::{Role, Rrset, Zone};

pub use error::SignError;
use keys::ActiveKey;

/// How a zone is to be signed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The zone's keys.
    ///
    /// Per algorithm, keys with the SEP bit sign the DNSKEY RRset (with CDS and CDNSKEY) and the others sign the
    /// rest; where there is only one sort, it signs everything. Keys without a secret half are published only.
    pub keys: Vec<ZoneKey>,
    /// From when on the signatures are valid, in seconds since 1970.
    pub inception: u32,
    /// Until when they are.
    pub expiration: u32,
    /// How the zone denies existence.
    pub denial: Denial,
    /// Whether the DNSKEY RRset is signed by every key, and not by those with the SEP bit only.
    pub all_keys_sign_dnskey: bool,
    /// What becomes of the SOA's serial.
    pub serial: Serial,
    /// What becomes of the zone's digest.
    pub zonemd: Zonemd,
    /// What becomes of the zone's DNSKEY records that are of none of these keys.
    pub dnskey: Dnskey,
    /// What becomes of the zone's CDS and CDNSKEY records.
    pub cds: Cds,
    /// Whether to use each algorithm's deterministic variant, for results that can be repeated.
    pub deterministic: bool,
}

impl Plan {
    /// Signatures by these keys, valid between two moments in seconds since 1970; existence is denied with NSEC, and all else
    /// is as it usually is.
    pub fn new(keys: Vec<ZoneKey>, [inception, expiration]: [u32; 2]) -> Plan {
        Plan {
            keys,
            inception,
            expiration,
            denial: Denial::Nsec,
            all_keys_sign_dnskey: false,
            serial: Serial::default(),
            zonemd: Zonemd::default(),
            dnskey: Dnskey::default(),
            cds: Cds::default(),
            deterministic: false,
        }
    }
}

/// What becomes of the SOA's serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Serial {
    /// It stays.
    #[default]
    Keep,
    /// It grows by one (RFC 1982).
    Increment,
}

/// What becomes of the zone's digest (RFC 8976).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Zonemd {
    /// It is computed if the zone has one.
    #[default]
    Renew,
    /// It is computed.
    Compute,
    /// It is removed.
    Remove,
}

/// What becomes of a zone's DNSKEY records that the plan has no key for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dnskey {
    /// They are removed: the zone has the keys of the plan alone.
    #[default]
    Remove,
    /// They stay, published without signing: keys of another signer (RFC 8901), standby keys, keys that are published
    /// before their time. Those of an algorithm that no key of the plan signs with are left out, since all must be signed
    /// with each algorithm of the DNSKEY RRset (RFC 4035, section 2.2), and so are revoked ones, which must sign it
    /// themselves (RFC 5011, section 2.1).
    Keep,
}

/// What becomes of the records that ask the parent for other DS records (RFC 7344).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cds {
    /// Those that name a key of the signed zone, and a request to delete (RFC 8078, section 4), stay; all others are stale
    /// and left out.
    #[default]
    Renew,
    /// They are made of the keys that sign the DNSKEY RRset, with SHA-256.
    Compute,
    /// They are removed.
    Remove,
    /// They stay as they are, whatever they name.
    Keep,
}

/// The form a signed zone is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Presentation format, a line per record.
    Text,
    /// BIND's raw format.
    Raw,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Signatures made, which are as many RRSIG records.
    pub signatures: u64,
    /// RRsets written, each signature counted as one of its own.
    pub rrsets: u64,
    /// Records written.
    pub records: u64,
    /// Octets written.
    pub octets: u64,
}

/// A message to be signed, as it stands in front of the signing function.
#[derive(Debug, Clone, Copy)]
pub struct Message<'m> {
    /// The key that signs it: its position in [`Plan::keys`].
    pub key: usize,
    /// The RRset's owner in wire form.
    pub owner: &'m [u8],
    /// The RRset's type.
    pub rtype: Rtype,
    /// RRSIG RDATA without the signature, and the RRset in canonical form.
    pub octets: &'m [u8],
}

/// A zone that is ready to be signed.
pub struct Signer<'a> {
    view: View<'a>,
    plan: &'a Plan,
    keys: Vec<ActiveKey<'a>>,
    /// The RRsets that replace what the zone has at its apex, by type.
    made: Vec<Made>,
    /// The NSEC3 records in the order of their hashes, the last one pointing to the first; empty with NSEC.
    chain: Vec<Hashed>,
    denial_ttl: u32,
    zonemd_ttl: Option<u32>,
    serial: u32,
    keys_kept: Vec<String>,
    keys_left_out: Vec<String>,
    stale: Vec<String>,
}

#[derive(Debug)]
struct Made {
    rtype: Rtype,
    ttl: u32,
    rdata: Vec<Vec<u8>>,
}

impl<'a> Signer<'a> {
    /// Checks the plan and lays out what signing adds. RRSIG, NSEC, NSEC3 and the apex's NSEC3PARAM, DNSKEY and
    /// ZONEMD records of the zone are left aside, and so is what lies [outside](Zone::outside) the zone.
    pub fn new(zone: &'a Zone, plan: &'a Plan) -> Result<Signer<'a>, SignError> {
        let apex = zone.find(zone.apex().as_wire()).ok_or(SignError::Soa)?;
        let soa = apex.rrset(Rtype::SOA).ok_or(SignError::Soa)?;
        let mut soa_rdata = soa.rdata().next().unwrap_or(&[]).to_vec();
        // Two names of at least one octet, and five numbers.
        let serial_at = soa_rdata.len().checked_sub(20).filter(|at| *at >= 2).ok_or(SignError::Soa)?;
        let old: [u8; 4] = soa_rdata[serial_at..serial_at + 4].try_into().map_err(|_| SignError::Soa)?;
        let serial = match plan.serial {
            Serial::Keep => u32::from_be_bytes(old),
            Serial::Increment => u32::from_be_bytes(old).wrapping_add(1),
        };
        soa_rdata[serial_at..serial_at + 4].copy_from_slice(&serial.to_be_bytes());
        // RFC 9077, section 3.
        let denial_ttl = soa_minimum(&soa_rdata).min(soa.ttl());
        let ttl_of = |rtype| apex.rrset(rtype).map(|rrset: Rrset<'_>| rrset.ttl());

        let keys = keys::active(zone.apex(), plan)?;
        let mut dnskey: Vec<Vec<u8>> = plan.keys.iter().map(|key| key.dnskey().to_vec()).collect();
        let (mut keys_kept, mut keys_left_out) = (Vec::new(), Vec::new());
        for other in apex.rrset(Rtype::DNSKEY).into_iter().flat_map(|rrset| rrset.rdata()) {
            if plan.keys.iter().any(|key| key.dnskey() == other) {
                continue;
            }
            let stays = plan.dnskey == Dnskey::Keep && keys::can_stay(other, &keys);
            if stays {
                dnskey.push(other.to_vec());
            }
            let named = if stays { &mut keys_kept } else { &mut keys_left_out };
            named.push(format!("DNSKEY {}", crate::keys::tag(other)));
        }
        dnskey.sort_unstable();
        dnskey.dedup();
        let mut made = vec![
            Made { rtype: Rtype::SOA, ttl: soa.ttl(), rdata: vec![soa_rdata] },
            Made {
                rtype: Rtype::DNSKEY,
                ttl: ttl_of(Rtype::DNSKEY).unwrap_or(soa.ttl()),
                rdata: dnskey.clone(),
            },
        ];
        let mut made_at_apex = vec![Rtype::DNSKEY];
        if let Denial::Nsec3(parameters) = &plan.denial {
            if parameters.salt.len() > 255 {
                return Err(SignError::Salt(parameters.salt.len()));
            }
            let mut rdata = Vec::new();
            parameters.push_parameters(0, &mut rdata);
            made.push(Made { rtype: Rtype::NSEC3PARAM, ttl: 0, rdata: vec![rdata] });
            made_at_apex.push(Rtype::NSEC3PARAM);
        }
        let mut stale = Vec::new();
        for (rtype, rdata) in requests::chosen(apex, plan, &dnskey, &keys, &mut stale)? {
            let ttl = ttl_of(rtype).or(ttl_of(Rtype::DNSKEY)).unwrap_or(soa.ttl());
            made.push(Made { rtype, ttl, rdata });
            made_at_apex.push(rtype);
        }
        let old_zonemd = ttl_of(Rtype::ZONEMD);
        let zonemd_ttl = match plan.zonemd {
            Zonemd::Renew => old_zonemd,
            Zonemd::Compute => Some(old_zonemd.unwrap_or(soa.ttl())),
            Zonemd::Remove => None,
        };
        made_at_apex.extend(zonemd_ttl.map(|_| Rtype::ZONEMD));

        let view = View { zone, apex: apex.id(), made_at_apex, signing: true };
        let chain = match &plan.denial {
            Denial::Nsec => Vec::new(),
            Denial::Nsec3(parameters) => hashed_chain(&view, parameters)?,
        };
        check_places(&view)?;
        Ok(Signer {
            view,
            plan,
            keys,
            made,
            chain,
            denial_ttl,
            zonemd_ttl,
            serial,
            keys_kept,
            keys_left_out,
            stale,
        })
    }

    /// Calls `visit` with every message that signing this zone signs, in the order of the zone.
    ///
    /// A digest of the zone depends on all signatures, so its message has zeros in the digest's place.
    pub fn for_each_message(&self, mut visit: impl FnMut(Message<'_>)) {
        let mut scratch = block::Scratch::new(self);
        let mut entries = stream::Entries::new(self);
        loop {
            let block = entries.block();
            if block.is_empty() {
                break;
            }
            self.lay_out(&block, &mut scratch);
            scratch.visit(self, &mut visit);
        }
        if let Some(zonemd) = self.zonemd(&[0; 48]) {
            self.lay_out_apex_rrset(&zonemd, &mut scratch);
            scratch.visit(self, &mut visit);
        }
    }

    /// The messages of [`for_each_message`](Self::for_each_message) that one key signs.
    pub fn messages_of(&self, key: usize) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        self.for_each_message(|message| {
            if message.key == key {
                messages.push(message.octets.to_vec());
            }
        });
        messages
    }

    /// Whether a key with the SEP flag signs the DNSKEY RRset, as [`verify`](crate::verify::verify) demands where it is
    /// given no anchor.
    pub fn has_entry(&self) -> bool {
        self.keys.iter().any(|key| key.is_entry && key.key.is_secure_entry_point())
    }

    /// How many names of the zone are in the signed one; owners of NSEC3 records are none of them.
    pub fn names(&self) -> usize {
        self.view.zone.owners().filter(|owner| self.view.has_data(*owner)).count()
    }

    /// Keys of the zone that stay without signing, see [`Dnskey::Keep`]: `DNSKEY 4711` by the tag.
    pub fn keys_kept(&self) -> &[String] {
        &self.keys_kept
    }

    /// Keys of the zone that are not written, named likewise.
    pub fn keys_left_out(&self) -> &[String] {
        &self.keys_left_out
    }

    /// CDS and CDNSKEY records that are not written, as they name no key of the zone: `CDS 4711` by the key's tag.
    pub fn stale_requests(&self) -> &[String] {
        &self.stale
    }

    fn zonemd(&self, digest: &[u8]) -> Option<Made> {
        let rdata =
            |ttl| Made { rtype: Rtype::ZONEMD, ttl, rdata: vec![crate::zonemd::rdata(self.serial, digest)] };
        self.zonemd_ttl.map(rdata)
    }
}

/// Refuses what would be wrong however it is signed.
fn check_places(view: &View<'_>) -> Result<(), SignError> {
    for rrset in view.zone.owners().flat_map(|owner| owner.rrsets()) {
        let (owner, rtype) = (rrset.owner(), rrset.rtype());
        let is_signed = owner.role() == Role::Authoritative && view.counts(owner.id(), rtype);
        if let Some(what) = placement::fault(rrset, is_signed) {
            return Err(SignError::Misplaced { owner: Box::new(owner.name()), rtype, what });
        }
    }
    Ok(())
}

/// The NSEC3 chain; refuses hashes that cannot stand side by side in one zone, or that are names of something else.
fn hashed_chain(view: &View<'_>, parameters: &Nsec3) -> Result<Vec<Hashed>, SignError> {
    let mut chain = view.hashed_names(parameters, parameters.opt_out);
    chain.retain(|entry| entry.required);
    if let Some(pair) = chain.windows(2).find(|pair| pair[0].hash == pair[1].hash) {
        return Err(SignError::HashCollision(boxed(pair[0].name(view)), boxed(pair[1].name(view))));
    }
    let mut owner = Vec::new();
    for entry in &chain {
        owner.clear();
        nsec3::push_owner(&entry.hash, view.zone.apex().as_wire(), &mut owner);
        if view.zone.find(&owner).is_some_and(|found| view.has_data(found)) {
            return Err(SignError::NameIsHash(boxed(&owner)));
        }
    }
    Ok(chain)
}

/// A wire name of the zone, for an error.
fn boxed(wire: &[u8]) -> Box<Name> {
    Box::new(Name::from_wire(wire).map_or(Name::ROOT, |(name, _)| name))
}
