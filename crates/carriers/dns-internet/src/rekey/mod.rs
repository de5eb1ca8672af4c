//! Keys of a zone that is served are replaced, step by step (RFC 6781, section 4.1).
//!
//! [`roll`] says which steps there are and what each waits for, [`Rolling`] writes the zone of each step and has its server read it.

mod difference;
pub mod roll;

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{DsDigest, ZoneKey};
use fieldtest_dnssec::sign::{Plan as SignPlan, Serial};
use fieldtest_dnssec::zone::ZoneBuilder;
use fieldtest_dnssec::{Rtype, Zone};

use crate::InternetError;
use crate::internet::Internet;
use crate::plan::{Level, Plan};
use crate::transfer;
use crate::zones::{Delegations, Files, Signing, Terms, data, keys, lines, replace};
use roll::{Side, State};

/// How long a server may take until it serves what it was given.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);
/// How often it has to say so in a row: one answer is not enough, since some of NSD's processes serve the old
/// zone while it loads the new one.
const IN_A_ROW: u32 = 5;
/// Where the serial stands, from the end of a SOA record's RDATA (RFC 1035, section 3.3.13).
const SERIAL_FROM_END: usize = 20;

struct Pair {
    old: ZoneKey,
    new: ZoneKey,
}

impl Pair {
    fn of(&self, side: Side) -> Vec<ZoneKey> {
        let old = side.has_old().then(|| self.old.clone());
        old.into_iter().chain(side.has_new().then(|| self.new.clone())).collect()
    }
}

/// What a step wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Signatures of the zone.
    pub signatures: u64,
    /// Its serial.
    pub serial: u32,
    /// The serial before, if the zone itself was changed.
    pub before: Option<u32>,
    /// Octets of what was changed then, reckoned without name compression.
    pub difference: Option<u64>,
}

/// A zone whose keys are replaced.
pub struct Rolling<'a> {
    plan: &'a Plan,
    files: &'a Files,
    address: &'a dyn Fn(Level) -> Ipv4Addr,
    terms: &'a Terms,
    place: usize,
    ds: Delegations,
    key_signing: Pair,
    zone_signing: Pair,
    data: Zone,
    /// All records but SOA, DNSKEY and signatures, and their signatures by both keys. Made once, since
    /// signers keep signatures of what did not change: made again for each step, randomised ones would make
    /// every difference a whole zone.
    records: Vec<String>,
    signatures: [Vec<String>; 2],
    written: Vec<String>,
    version: Version,
    state: Option<State>,
}

impl<'a> Rolling<'a> {
    /// Makes keys by `from` and `to` for the zone at this place, which is to [change](Terms::changing), as its parent is. The
    /// files are as in the first state then.
    ///
    /// # Errors
    /// What keys, zones or files refuse.
    pub fn new(
        plan: &'a Plan,
        files: &'a Files,
        terms: &'a Terms,
        address: &'a dyn Fn(Level) -> Ipv4Addr,
        place: usize,
        [from, to]: [&Signing<'_>; 2],
        first: State,
    ) -> Result<Rolling<'a>, InternetError> {
        let name = plan.zones()[place].name;
        let pairs = |how: &Signing<'_>| keys(&name, how);
        let ([old, old_zone], [new, new_zone]) = (two(pairs(from)?)?, two(pairs(to)?)?);
        let data = data(plan, place, None, &files.ds, address, terms.ttl_of(place))?;
        let mut records = Vec::new();
        let mut signatures = [Vec::new(), Vec::new()];
        for (signatures, key) in signatures.iter_mut().zip([&old_zone, &new_zone]) {
            let signed =
                SignPlan { denial: from.denial.clone(), ..SignPlan::new(vec![key.clone()], terms.validity) };
            let own = lines(&data, &signed)?.into_iter().filter(|line| !is_of_version(line));
            let (found, others): (Vec<String>, Vec<String>) = own.partition(|line| is_signature(line));
            (*signatures, records) = (found, others);
        }
        let mut rolling = Rolling {
            plan,
            files,
            address,
            terms,
            place,
            ds: files.ds.clone(),
            key_signing: Pair { old, new },
            zone_signing: Pair { old: old_zone, new: new_zone },
            data,
            records,
            signatures,
            written: Vec::new(),
            version: Version { signatures: 0, serial: 0, before: None, difference: None },
            state: None,
        };
        rolling.write(first)?;
        Ok(rolling)
    }

    /// Writes the zone and its parent as they are in this state; whether the parent is another one than before.
    fn write(&mut self, state: State) -> Result<bool, InternetError> {
        let before = self.state.replace(state);
        let own = |state: State| (state.key_signing, state.zone_signing, state.signatures);
        (self.version.before, self.version.difference) = (None, None);
        if before.map(own) != Some(own(state)) {
            let lines = self.lines(state, self.version.serial + 1)?;
            replace(self.files, self.place, &lines)?;
            let reckon = |_| {
                let zone = self.data.apex().to_string();
                difference::octets(&self.written, &lines)
                    .map_err(|source| InternetError::Version { zone, source: Box::new(source) })
            };
            self.version = Version {
                signatures: lines.iter().filter(|line| is_signature(line)).count() as u64,
                serial: self.version.serial + 1,
                before: before.map(|_| self.version.serial),
                difference: before.map(reckon).transpose()?,
            };
            self.written = lines;
        }
        let changes = before.map(|before| before.delegation) != Some(state.delegation);
        if changes {
            self.delegate(state.delegation, before.is_some())?;
        }
        Ok(changes && before.is_some())
    }

    /// The parent's zone, with DS records for these keys.
    fn delegate(&mut self, side: Side, again: bool) -> Result<(), InternetError> {
        let parent = self.plan.zones()[self.place].parent;
        self.ds[self.place] = self.key_signing.of(side).iter().map(|key| key.ds(DsDigest::Sha256)).collect();
        let data = data(self.plan, parent, None, &self.ds, self.address, self.terms.ttl_of(parent))?;
        let keys = self.files.keys.get(&parent).cloned().unwrap_or_default();
        let serial = if again { Serial::Increment } else { Serial::Keep };
        let signed = SignPlan { serial, ..SignPlan::new(keys, self.terms.validity) };
        replace(self.files, parent, &lines(&data, &signed)?)
    }

    fn lines(&self, state: State, serial: u32) -> Result<Vec<String>, InternetError> {
        let top = self.top(serial)?;
        let signed = |keys: Vec<ZoneKey>| {
            let plan = SignPlan { denial: Denial::Nsec, ..SignPlan::new(keys, self.terms.validity) };
            lines(&top, &plan)
        };
        let mut all = Vec::new();
        for (at, key) in self.zone_signing.of(state.signatures).into_iter().enumerate() {
            let own = signed(vec![key])?.into_iter().filter(|line| is_over(line, "SOA"));
            // The record itself once, and first of all.
            all.extend(own.filter(|line| at == 0 || is_signature(line)));
        }
        let published = self.zone_signing.of(state.zone_signing);
        let public = published.iter().map(|key| ZoneKey::from_dnskey(*key.owner(), key.dnskey().to_vec()));
        let refused = |source| InternetError::Key { zone: self.data.apex().to_string(), source };
        let public = public.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let keys = [self.key_signing.of(state.key_signing), public].concat();
        all.extend(signed(keys)?.into_iter().filter(|line| is_over(line, "DNSKEY")));
        all.extend(self.records.iter().cloned());
        let [old, new] = &self.signatures;
        all.extend(old.iter().filter(|_| state.signatures.has_old()).cloned());
        all.extend(new.iter().filter(|_| state.signatures.has_new()).cloned());
        Ok(all)
    }

    /// A zone that has the SOA record alone, with this serial.
    fn top(&self, serial: u32) -> Result<Zone, InternetError> {
        let apex = *self.data.apex();
        let zone = apex.to_string();
        let refused = |source| InternetError::Zone { zone: zone.clone(), source };
        let mut builder = ZoneBuilder::new();
        if let Some(soa) = self.data.rrset(apex.as_wire(), Rtype::SOA) {
            let mut rdata = soa.rdata().next().unwrap_or(&[]).to_vec();
            if let Some(at) = rdata.len().checked_sub(SERIAL_FROM_END) {
                rdata[at..at + 4].copy_from_slice(&serial.to_be_bytes());
            }
            builder.push(&apex, Rtype::SOA, soa.ttl(), &rdata).map_err(refused)?;
        }
        builder.finish().map_err(refused)
    }

    /// What is there.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Goes on to a state, and waits until the servers have what it needs.
    ///
    /// # Errors
    /// As [`new`](Self::new); a server that does not take what it was given; [`InternetError::Interrupted`] once `stop` is set.
    pub fn enter(
        &mut self,
        state: State,
        internet: &mut Internet<'_>,
        stop: &AtomicBool,
    ) -> Result<Version, InternetError> {
        let parent = self.plan.zones()[self.place].parent;
        let delegated = self.write(state)?;
        if self.version.before.is_some() {
            self.load(internet, self.place, self.version.serial, stop)?;
        }
        if delegated {
            // Made up with 1, and changed once.
            self.load(internet, parent, 2, stop)?;
        }
        Ok(self.version)
    }

    /// Has the server of a zone read its file, and waits until it did.
    fn load(
        &self,
        internet: &mut Internet<'_>,
        place: usize,
        serial: u32,
        stop: &AtomicBool,
    ) -> Result<(), InternetError> {
        let zone = &self.plan.zones()[place];
        internet.reload(zone.level);
        let server = internet.place().servers(zone.level);
        let begun = Instant::now();
        let mut in_a_row = 0;
        while in_a_row < IN_A_ROW {
            let is_there = transfer::serial(server, &zone.name).is_ok_and(|found| found == serial);
            in_a_row = if is_there { in_a_row + 1 } else { 0 };
            if stop.load(Ordering::Relaxed) {
                return Err(InternetError::Interrupted);
            }
            internet.check()?;
            if begun.elapsed() > PATIENCE {
                return Err(InternetError::NotTaken { zone: zone.name.to_string(), serial });
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}

/// A key-signing and a zone-signing key, as [`keys`] makes them.
fn two(keys: Vec<ZoneKey>) -> Result<[ZoneKey; 2], InternetError> {
    keys.try_into().map_err(|_| InternetError::Shape("a zone has two keys".to_owned()))
}

/// The type of the record in a line, `OWNER TTL IN TYPE RDATA…`, and the word behind it.
fn words(line: &str) -> [&str; 2] {
    let mut words = line.split_ascii_whitespace().skip(3);
    [words.next().unwrap_or(""), words.next().unwrap_or("")]
}

fn is_signature(line: &str) -> bool {
    words(line)[0] == "RRSIG"
}

/// Whether it is a record of this type, or a signature over those.
fn is_over(line: &str, rtype: &str) -> bool {
    let [own, covered] = words(line);
    own == rtype || own == "RRSIG" && covered == rtype
}

/// Whether it is another one in each version of a zone.
fn is_of_version(line: &str) -> bool {
    is_over(line, "SOA") || is_over(line, "DNSKEY")
}
