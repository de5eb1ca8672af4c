//! The zones' data, signed from the bottom up: a parent has the DS records of its children, so these have their keys first.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use data_encoding::BASE64;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::format::text::{push_rdata, push_record};
use fieldtest_dnssec::keys::{DsDigest, KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Plan as SignPlan, Signer};
use fieldtest_dnssec::zone::{ZoneBuilder, ZoneError};
use fieldtest_dnssec::{Name, Rtype, Zone};
use fieldtest_kinds::signature::Signature;
use rayon::prelude::*;

use crate::InternetError;
use crate::online::{self, Online};
use crate::plan::{Delegated, Level, Plan};

/// Seconds for which resolvers may keep records: as TLDs have it for delegations, and long enough that none runs out in an experiment.
pub const TTL: u32 = 86_400;
/// For which they may keep that something is not there (RFC 2308).
const MINIMUM: u32 = 3_600;

/// How one level is signed.
#[derive(Clone)]
pub struct Signing<'a> {
    /// Makes keys and signatures.
    pub code: &'a dyn Signature,
    /// The number in DNSKEY, DS and RRSIG.
    pub code_point: CodePoint,
    /// How existence is denied.
    pub denial: Denial,
    /// Who signs answers as they are given, in place of all of this but the number; the files have no signatures then.
    pub online: Option<Online<'a>>,
    /// Whether one key of an algorithm signs everything (a combined signing key), and not one the keys and another all else.
    pub combined: bool,
    /// A second algorithm, by which everything is signed too, and which the parent names beside the first one.
    pub beside: Option<(&'a dyn Signature, CodePoint)>,
}

impl<'a> Signing<'a> {
    /// By one algorithm, with a key-signing and a zone-signing key.
    pub fn new(code: &'a dyn Signature, code_point: CodePoint, denial: Denial) -> Signing<'a> {
        Signing { code, code_point, denial, online: None, combined: false, beside: None }
    }
}

/// When signatures are valid, and which zones are to change while they are served.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The first and the last second of every signature's validity.
    pub validity: [u32; 2],
    /// The places of zones whose keys are kept, so that they can be made anew.
    pub changing: Vec<usize>,
    /// Seconds for which resolvers may keep records of these; those of all others are kept for a day.
    pub ttl: u32,
}

impl Terms {
    /// Nothing is to change.
    pub fn new(validity: [u32; 2]) -> Terms {
        Terms { validity, changing: Vec::new(), ttl: TTL }
    }

    /// Of the zone at this place.
    pub fn ttl_of(&self, place: usize) -> u32 {
        if self.changing.contains(&place) { self.ttl } else { TTL }
    }
}

/// The RDATA of the DS records of every zone, by its place.
pub(crate) type Delegations = Vec<Vec<Vec<u8>>>;

/// What a zone has beyond the data of its plan, to give resolvers work.
#[derive(Debug, Clone, Default)]
pub struct Burden {
    /// DNSKEY RDATA of more keys, which sign nothing.
    pub keys: Vec<Vec<u8>>,
    /// RRSIG RDATA in place of every signature over A records of the zone's hosts.
    pub signatures: Vec<Vec<u8>>,
    /// How it denies existence, in place of its level's way.
    pub denial: Option<Denial>,
}

/// Zones in files.
#[derive(Debug, Clone)]
pub struct Files {
    /// Where they are.
    pub directory: PathBuf,
    /// The root's key-signing key as a DNSKEY record: what a resolver trusts.
    pub anchor: String,
    /// Signatures of all zones.
    pub signatures: u64,
    /// Octets of all files.
    pub octets: u64,
    /// Whether a level's answers are signed as they are given.
    pub(crate) online: [bool; 3],
    /// The keys of those that are to [change](Terms::changing), the key-signing key first.
    pub(crate) keys: BTreeMap<usize, Vec<ZoneKey>>,
    pub(crate) ds: Delegations,
}

impl Files {
    /// The file of the zone at this place of the plan.
    pub fn of(&self, place: usize) -> PathBuf {
        self.directory.join(file_name(place))
    }
}

/// The name of a zone's file.
pub fn file_name(place: usize) -> String {
    format!("{place}.zone")
}

/// The name of the root's server; that of a zone's is `ns` below it.
fn server_of(zone: &Name) -> Option<Name> {
    if *zone == Name::ROOT { Name::ROOT.child(b"root")?.child(b"a") } else { zone.child(b"ns") }
}

/// Makes every zone, its keys, and signs it; the files go into `directory`, which is there. `address` is where a level's
/// server will be. Of a `root` that is given, everything stays but its name servers and what is at or below the plan's
/// top-level domains. Uses all threads of rayon's pool that it is called in.
///
/// # Errors
/// What keys, zones or files refuse; [`InternetError::Interrupted`] soon after `stop` was set.
pub fn make<'a>(
    plan: &Plan,
    root: Option<&Zone>,
    signing: &(dyn Fn(Level) -> Signing<'a> + Sync),
    address: &(dyn Fn(Level) -> Ipv4Addr + Sync),
    terms: &Terms,
    directory: &Path,
    stop: &AtomicBool,
) -> Result<Files, InternetError> {
    make_burdened(plan, root, signing, address, terms, &|_| Burden::default(), directory, stop)
}

/// As [`make`], with what `burden` says of the zone at each place of the plan.
///
/// # Errors
/// As [`make`].
#[expect(clippy::too_many_arguments, reason = "what `make` takes, and one more")]
pub fn make_burdened<'a>(
    plan: &Plan,
    root: Option<&Zone>,
    signing: &(dyn Fn(Level) -> Signing<'a> + Sync),
    address: &(dyn Fn(Level) -> Ipv4Addr + Sync),
    terms: &Terms,
    burden: &(dyn Fn(usize) -> Burden + Sync),
    directory: &Path,
    stop: &AtomicBool,
) -> Result<Files, InternetError> {
    let (signatures, octets) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut ds: Delegations = vec![Vec::new(); plan.zones().len()];
    let mut kept = BTreeMap::new();
    let mut anchor = String::new();
    for level in [Level::Domain, Level::Tld, Level::Root] {
        let how = signing(level);
        let zones: Vec<(usize, &Delegated)> = plan.of_level(level).collect();
        let one = |(place, zone): &(usize, &Delegated)| -> Result<(usize, Vec<ZoneKey>), InternetError> {
            if stop.load(Ordering::Relaxed) {
                return Err(InternetError::Interrupted);
            }
            let name = zone.name.to_string();
            let path = directory.join(file_name(*place));
            let refused = |source| InternetError::File { path: path.clone(), source };
            if let Some(online) = &how.online {
                let data = data(plan, *place, root, &ds, address, terms.ttl_of(*place))?;
                let text = unsigned_text(&data);
                octets.fetch_add(text.len() as u64, Ordering::Relaxed);
                std::fs::write(&path, text).map_err(refused)?;
                let key = online::key(online, how.code_point.number(), &zone.name, level, directory)?;
                return Ok((*place, vec![key]));
            }
            let mut keys = keys(&zone.name, &how)?;
            let entry = match terms.changing.contains(place) {
                true => keys.clone(),
                false => keys.iter().filter(|key| key.is_secure_entry_point()).cloned().collect(),
            };
            let burden = burden(*place);
            for rdata in burden.keys {
                let key = ZoneKey::from_dnskey(zone.name, rdata);
                keys.push(key.map_err(|source| InternetError::Key { zone: name.clone(), source })?);
            }
            let data = data(plan, *place, root, &ds, address, terms.ttl_of(*place))?;
            let denial = burden.denial.unwrap_or_else(|| how.denial.clone());
            let own = SignPlan { denial, ..SignPlan::new(keys, terms.validity) };
            let mut out = BufWriter::new(File::create(&path).map_err(refused)?);
            let counts = Signer::new(&data, &own)
                .and_then(|signer| signer.write(Form::Text, &mut out))
                .map_err(|source| InternetError::Sign { zone: name.clone(), source })?;
            out.flush().map_err(refused)?;
            if !burden.signatures.is_empty() {
                replace_signatures(&path, &name, &burden.signatures)?;
            }
            signatures.fetch_add(counts.signatures, Ordering::Relaxed);
            octets.fetch_add(counts.octets, Ordering::Relaxed);
            Ok((*place, entry))
        };
        let made: Vec<(usize, Vec<ZoneKey>)> = zones.par_iter().map(one).collect::<Result<_, _>>()?;
        for (place, keys) in made {
            let entry = &keys[0];
            let entries = keys.iter().filter(|key| key.is_secure_entry_point());
            ds[place] = entries.map(|key| key.ds(DsDigest::Sha256)).collect();
            if level == Level::Root {
                anchor = record(entry.owner(), Rtype::DNSKEY, entry.dnskey());
            }
            if terms.changing.contains(&place) {
                kept.insert(place, keys);
            }
        }
    }
    Ok(Files {
        directory: directory.to_path_buf(),
        anchor,
        signatures: signatures.into_inner(),
        octets: octets.into_inner(),
        online: Level::ALL.map(|level| signing(level).online.is_some()),
        keys: kept,
        ds,
    })
}

/// A key-signing and a zone-signing key of each algorithm, or one that is both; those of the first algorithm come first.
pub(crate) fn keys(zone: &Name, how: &Signing<'_>) -> Result<Vec<ZoneKey>, InternetError> {
    let uses: &[KeyUse] = match how.combined {
        true => &[KeyUse::KeySigning],
        false => &[KeyUse::KeySigning, KeyUse::ZoneSigning],
    };
    let mut keys = Vec::new();
    for (code, number) in
        [(how.code, &how.code_point)].into_iter().chain(how.beside.as_ref().map(|it| (it.0, &it.1)))
    {
        for key_use in uses {
            let key = ZoneKey::generate(*zone, *key_use, number.clone(), code);
            keys.push(key.map_err(|source| InternetError::Key { zone: zone.to_string(), source })?);
        }
    }
    Ok(keys)
}

pub(crate) fn lines(data: &Zone, plan: &SignPlan) -> Result<Vec<String>, InternetError> {
    let refused = |source| InternetError::Sign { zone: data.apex().to_string(), source };
    let mut text = Vec::new();
    Signer::new(data, plan).and_then(|signer| signer.write(Form::Text, &mut text)).map_err(refused)?;
    Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
}

/// Writes lines into the file of a zone. Whoever reads it meanwhile has the old one or the new one.
pub(crate) fn replace(files: &Files, place: usize, lines: &[String]) -> Result<(), InternetError> {
    let path = files.of(place);
    let beside = path.with_extension("new");
    let refused = |path: &Path| {
        let path = path.to_path_buf();
        |source| InternetError::File { path, source }
    };
    std::fs::write(&beside, lines.join("\n") + "\n").map_err(refused(&beside))?;
    std::fs::rename(&beside, &path).map_err(refused(&path))
}

fn unsigned_text(zone: &Zone) -> Vec<u8> {
    let mut text = Vec::new();
    for owner in zone.owners() {
        for rrset in owner.rrsets() {
            for (ttl, rdata) in rrset.records() {
                push_record(owner.wire(), ttl, rrset.rtype(), rdata, &mut text);
            }
        }
    }
    text
}

fn record(owner: &Name, rtype: Rtype, rdata: &[u8]) -> String {
    let mut text = Vec::new();
    push_record(owner.as_wire(), TTL, rtype, rdata, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The unsigned data of a zone; of a root that is given, all that stays of it.
pub(crate) fn data(
    plan: &Plan,
    place: usize,
    root: Option<&Zone>,
    ds: &Delegations,
    address: &dyn Fn(Level) -> Ipv4Addr,
    ttl: u32,
) -> Result<Zone, InternetError> {
    let zone = &plan.zones()[place];
    let given = root.filter(|_| zone.level == Level::Root);
    unsigned(plan, place, given, ds, address, ttl)
        .map_err(|source| InternetError::Zone { zone: zone.name.to_string(), source })
}

fn unsigned(
    plan: &Plan,
    place: usize,
    given: Option<&Zone>,
    ds: &Delegations,
    address: &dyn Fn(Level) -> Ipv4Addr,
    ttl: u32,
) -> Result<Zone, ZoneError> {
    let zone = &plan.zones()[place];
    let mut builder = ZoneBuilder::new();
    let children: Vec<(usize, &Delegated)> = plan.children(place).collect();
    match given {
        Some(given) => builder.extend(given, |rrset| {
            let owner = rrset.owner().name();
            let replaced = owner == Name::ROOT && rrset.rtype() == Rtype::NS;
            !replaced && !children.iter().any(|(_, child)| owner.is_at_or_below(&child.name))
        }),
        None => push_soa(&mut builder, &zone.name, ttl)?,
    }
    let own = [(place, zone)];
    for (at, served) in own.iter().chain(&children) {
        if let Some(server) = server_of(&served.name) {
            builder.push(&served.name, Rtype::NS, ttl, server.as_wire())?;
            builder.push(&server, Rtype::A, ttl, &address(served.level).octets())?;
        }
        if *at != place {
            for ds in &ds[*at] {
                builder.push(&served.name, Rtype::DS, ttl, ds)?;
            }
        }
    }
    if zone.level == Level::Domain {
        for (number, host) in plan.hosts_of(zone).iter().enumerate() {
            // Of TEST-NET-1 (RFC 5737): nobody goes there.
            builder.push(host, Rtype::A, ttl, &[192, 0, 2, number as u8])?;
        }
    }
    builder.finish()
}

fn push_soa(builder: &mut ZoneBuilder, zone: &Name, ttl: u32) -> Result<(), ZoneError> {
    let (Some(server), Some(person)) = (server_of(zone), zone.child(b"hostmaster")) else { return Ok(()) };
    let mut rdata = [server.as_wire(), person.as_wire()].concat();
    // Serial, refresh, retry, expire, minimum.
    for number in [1, 7_200, 3_600, 1_209_600, MINIMUM.min(ttl)] {
        rdata.extend(number.to_be_bytes());
    }
    builder.push(zone, Rtype::SOA, ttl, &rdata)
}

/// Turns one bit in every signature over the DNSKEY RRset of a zone's file.
///
/// # Errors
/// The file cannot be read or written, or has no such signature.
pub fn flip(files: &Files, place: usize, zone: &Name) -> Result<(), InternetError> {
    let path = files.of(place);
    let refused = |source| InternetError::File { path: path.clone(), source };
    let text = std::fs::read_to_string(&path).map_err(refused)?;
    let mut flipped = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| match is_over_keys(line).then(|| with_one_bit(line)).flatten() {
            Some(line) => {
                flipped += 1;
                line
            }
            None => line.to_owned(),
        })
        .collect();
    if flipped == 0 {
        return Err(InternetError::NothingToFlip(zone.to_string()));
    }
    std::fs::write(&path, lines.join("\n") + "\n").map_err(refused)
}

/// Puts these signatures in place of those over the A records of `www` in a zone's file.
fn replace_signatures(path: &Path, zone: &str, signatures: &[Vec<u8>]) -> Result<(), InternetError> {
    let refused = |source| InternetError::File { path: path.to_path_buf(), source };
    let text = std::fs::read_to_string(path).map_err(refused)?;
    let begins = format!("www.{zone} {TTL} IN RRSIG A ");
    let mut lines = Vec::new();
    let mut replaced = false;
    for line in text.lines() {
        if !line.starts_with(&begins) {
            lines.push(line.to_owned());
            continue;
        }
        replaced = true;
        for rdata in signatures {
            let mut text = Vec::new();
            push_rdata(Rtype::RRSIG, rdata, &mut text);
            lines.push(format!("www.{zone} {TTL} IN RRSIG {}", String::from_utf8_lossy(&text)));
        }
    }
    if !replaced {
        return Err(InternetError::NothingToReplace(zone.to_owned()));
    }
    std::fs::write(path, lines.join("\n") + "\n").map_err(refused)
}

/// `OWNER TTL IN RRSIG DNSKEY …`
fn is_over_keys(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().skip(3);
    words.next() == Some("RRSIG") && words.next() == Some("DNSKEY")
}

/// The line with a bit in the middle of its last word, the signature, turned.
fn with_one_bit(line: &str) -> Option<String> {
    let (before, signature) = line.rsplit_once(' ')?;
    let mut octets = BASE64.decode(signature.as_bytes()).ok()?;
    let middle = octets.len() / 2;
    *octets.get_mut(middle)? ^= 1;
    Some(format!("{before} {}", BASE64.encode(&octets)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit() {
        let line = ". 60 IN RRSIG DNSKEY 15 0 60 20260101000000 20250101000000 1 . AAAA";
        assert!(is_over_keys(line) && !is_over_keys(&line.replace("DNSKEY", "NS")));
        assert_eq!(with_one_bit(line).as_deref(), Some(line.replace("AAAA", "AAEA").as_str()));
        assert_eq!(with_one_bit(". 60 IN RRSIG DNSKEY !"), None);
    }
}
