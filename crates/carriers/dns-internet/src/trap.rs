//! Zones that make a resolver work: keys whose tags collide with signatures that none of them made (CVE-2023-50387, “KeyTrap”), and
//! denials by NSEC3 with many iterations (CVE-2023-50868).
//!
//! A signature names its key by a tag of 16 bits (RFC 4034, section 3.1.6), and a resolver has to try every key of that tag (RFC 4035,
//! section 5.3.1). With K keys of one tag and S signatures these are K × S verifications, of which none succeeds, unless the resolver stops before.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey, tag};
use fieldtest_dnssec::rrsig::{Rrsig, labels, push_rrset};
use fieldtest_dnssec::{Name, Rtype};
use fieldtest_kinds::signature::Signature;
use rayon::prelude::*;

use crate::InternetError;
use crate::zones::TTL;

/// Keys that are drawn at once, few enough that whoever asks for the end waits for no more than a moment, and at most.
const BATCH: usize = 16;
const MOST_KEYS: usize = 150_000;
/// Bits of the Flags field that have no meaning and that every validator ignores (RFC 4034, section 2.1.1), but for those that BIND gives one
/// of its own. A signer has to leave them 0; somebody who attacks has not.
const UNUSED: [u16; 9] = [0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0400, 0x0800, 0x2000];

/// Keys with one tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colliding {
    /// It.
    pub tag: u16,
    /// Their DNSKEY RDATA.
    pub keys: Vec<Vec<u8>>,
    /// Keys that were drawn for them.
    pub drawn: usize,
    /// Whether unused bits of the flags were set to have as many, as drawing them takes too long.
    pub by_flags: bool,
}

/// Zone-signing keys of a zone whose tags collide: drawn until so many do, for so long, and else with unused bits of the flags set.
/// Uses all threads of rayon's pool that it is called in.
///
/// # Errors
/// The implementation makes no key; [`InternetError::Interrupted`] soon after `stop` was set.
pub fn colliding(
    zone: &Name,
    (code_point, code): (&CodePoint, &dyn Signature),
    wanted: usize,
    time: Duration,
    stop: &AtomicBool,
) -> Result<Colliding, InternetError> {
    let begun = Instant::now();
    let mut drawn: Vec<Vec<u8>> = Vec::new();
    let mut by_tag: HashMap<u16, Vec<usize>> = HashMap::new();
    let one = |_| -> Result<Vec<u8>, InternetError> {
        let key = ZoneKey::generate(*zone, KeyUse::ZoneSigning, code_point.clone(), code);
        let key = key.map_err(|source| InternetError::Key { zone: zone.to_string(), source })?;
        Ok(key.dnskey().to_vec())
    };
    // Each key has 512 tags by its flags, so that with so many keys a number as wanted meets in one.
    let fewest = wanted * 32;
    while drawn.len() < fewest || begun.elapsed() < time && drawn.len() < MOST_KEYS {
        if stop.load(Ordering::Relaxed) {
            return Err(InternetError::Interrupted);
        }
        let batch: Vec<Vec<u8>> = (0..BATCH).into_par_iter().map(one).collect::<Result<_, _>>()?;
        for rdata in batch {
            let tag = tag(&rdata);
            let places = by_tag.entry(tag).or_default();
            places.push(drawn.len());
            drawn.push(rdata);
            if places.len() == wanted {
                let keys = places.iter().map(|place| drawn[*place].clone()).collect();
                return Ok(Colliding { tag, keys, drawn: drawn.len(), by_flags: false });
            }
        }
    }
    Ok(by_flags(&drawn, wanted))
}

/// Of these keys as many as can be, up to a number, with unused bits of the flags set so that the tags collide.
fn by_flags(drawn: &[Vec<u8>], wanted: usize) -> Colliding {
    let mut by_tag: HashMap<u16, Vec<(usize, u16)>> = HashMap::new();
    // Of so many there are enough, and each has 512 tags.
    for (place, rdata) in drawn.iter().take(wanted * 64).enumerate() {
        for choice in 0..1_u16 << UNUSED.len() {
            let set = UNUSED.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1);
            let flags = set.fold(KeyUse::ZoneSigning.flags(), |flags, (_, bit)| flags | bit);
            let places = by_tag.entry(tag(&with_flags(rdata, flags))).or_default();
            // Each key once.
            if places.last().is_none_or(|(last, _)| *last != place) {
                places.push((place, flags));
            }
        }
    }
    let most = by_tag.into_iter().max_by_key(|(tag, places)| (places.len(), *tag));
    let (tag, places) = most.unwrap_or_default();
    let keys = places.iter().take(wanted).map(|(place, flags)| with_flags(&drawn[*place], *flags)).collect();
    Colliding { tag, keys, drawn: drawn.len(), by_flags: true }
}

fn with_flags(rdata: &[u8], flags: u16) -> Vec<u8> {
    [&flags.to_be_bytes(), rdata.get(2..).unwrap_or_default()].concat()
}

/// So many signatures over the A record of `host`, as if keys of this tag had made them: well-formed ones by another key of the same
/// algorithm, so that a resolver has all the work of verifying each. They differ in their first second of validity.
///
/// # Errors
/// The implementation makes no key or signature.
pub fn forged(
    (zone, host, address): (&Name, &Name, [u8; 4]),
    (code_point, code): (&CodePoint, &dyn Signature),
    tag: u16,
    number: u32,
    [inception, expiration]: [u32; 2],
) -> Result<Vec<Vec<u8>>, InternetError> {
    let refused = |what: String| InternetError::Forge { zone: zone.to_string(), what };
    let pair = code.generate().map_err(|error| refused(error.to_string()))?;
    let key = code.signing_key(&pair.secret).map_err(|error| refused(error.to_string()))?;
    let one = |at: u32| -> Result<Vec<u8>, InternetError> {
        let rrsig = Rrsig {
            covered: Rtype::A,
            algorithm: code_point.number(),
            labels: labels(host.as_wire()),
            original_ttl: TTL,
            expiration,
            inception: inception.wrapping_add(at),
            key_tag: tag,
            signer: zone.as_wire(),
            signature: &[],
        };
        let mut rdata = Vec::new();
        rrsig.push_prefix(zone.as_wire(), &mut rdata);
        let mut message = rdata.clone();
        push_rrset(host.as_wire(), Rtype::A, TTL, std::iter::once(&address[..]), &mut message);
        let mut signature = Vec::new();
        key.sign(&message, &mut signature).map_err(|error| refused(error.to_string()))?;
        rdata.extend_from_slice(code_point.prefix());
        rdata.extend_from_slice(&signature);
        Ok(rdata)
    };
    (0..number).map(one).collect()
}

/// A name below a zone with as many labels as fit: of a denial by NSEC3, a resolver may hash each name between (RFC 5155, section 8.3).
pub fn deep(zone: &Name) -> Name {
    let mut name = *zone;
    while let Some(child) = name.child(b"x") {
        name = child;
    }
    name
}

#[cfg(test)]
mod tests {
    use fieldtest_kinds::toy::Toy;
    use sha2::{Digest, Sha512};

    use super::*;

    static TOY: Toy = Toy { hash: |parts| Sha512::digest(parts.concat()).to_vec() };

    #[test]
    fn tags_collide() -> Result<(), Box<dyn std::error::Error>> {
        let zone = Name::ROOT.child(b"trap").ok_or("a name")?;
        let number = CodePoint::Number(15);
        let stop = AtomicBool::new(false);
        // Two of one tag are there after some three hundred keys.
        let found = colliding(&zone, (&number, &TOY), 2, Duration::from_secs(60), &stop)?;
        assert!(!found.by_flags && found.keys.len() == 2 && found.keys[0] != found.keys[1]);
        assert!(found.keys.iter().all(|key| tag(key) == found.tag && key[..2] == [1, 0]));
        // Without time for more, by the flags.
        let found = colliding(&zone, (&number, &TOY), 6, Duration::ZERO, &stop)?;
        assert!(found.keys.iter().all(|key| tag(key) == found.tag));
        assert!(found.by_flags && (4..=6).contains(&found.keys.len()), "{}", found.keys.len());
        let points = found.keys.iter().map(|key| &key[4..]).collect::<std::collections::HashSet<_>>();
        assert_eq!(points.len(), found.keys.len());
        stop.store(true, Ordering::Relaxed);
        let stopped = colliding(&zone, (&number, &TOY), 6, Duration::ZERO, &stop);
        assert!(matches!(stopped, Err(InternetError::Interrupted)));
        Ok(())
    }

    #[test]
    fn forged_signatures_differ_and_name_the_tag() -> Result<(), Box<dyn std::error::Error>> {
        let zone = Name::ROOT.child(b"trap").ok_or("a name")?;
        let host = zone.child(b"www").ok_or("a name")?;
        let number = CodePoint::Number(15);
        let all = forged((&zone, &host, [192, 0, 2, 0]), (&number, &TOY), 4711, 3, [1_000, 2_000])?;
        for (at, rdata) in all.iter().enumerate() {
            let read = Rrsig::parse(rdata).ok_or("an RRSIG")?;
            assert_eq!((read.key_tag, read.algorithm, read.labels), (4711, 15, 2));
            assert_eq!((read.inception, read.signature.len()), (1_000 + at as u32, 64));
        }
        assert_ne!(all[0], all[1]);
        assert!(deep(&zone).as_wire().len() > 250);
        Ok(())
    }
}
