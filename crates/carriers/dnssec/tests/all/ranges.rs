//! Zones that are signed range by range: octet for octet what one run writes.

use std::fs::{self, File};
use std::path::Path;

use crate::common::*;
use crate::random_zones;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::format::raw;
use fieldtest_dnssec::ranges::{Part, Split, split};
use fieldtest_dnssec::sign::{Form, Links, Piece, Plan, SignError, Signer, Zonemd, write_hashes};
use fieldtest_dnssec::{ReadError, Zone};
use proptest::prelude::*;

/// So little memory that every few records are a run of their own.
const LITTLE: usize = 1_000;

fn cut(zone: &[u8], folder: &Path, ranges: usize, memory: usize) -> Result<(), ReadError> {
    split(zone, Path::new("zone"), None, Split { folder, ranges, memory }).map(|_| ())
}

/// Signs what was split.
fn sign(folder: &Path, ranges: usize, plan: &Plan, form: Form) -> Result<Vec<u8>, SignError> {
    let hashes: Vec<_> = (0..ranges).map(|at| folder.join(format!("hashes-{at}"))).collect();
    for (at, path) in hashes.iter().enumerate() {
        let part = Part::load(folder, at)?;
        let signer = Signer::of_part(&part, plan, Links::default())?;
        write_hashes(&signer, &part, ranges, &mut File::create(path)?)?;
    }
    let mut pieces = Vec::new();
    for at in 0..ranges {
        let part = Part::load(folder, at)?;
        let links = Links::gather(&hashes, at)?;
        let [signed, covered] = ["signed", "covered"].map(|kind| folder.join(format!("{kind}-{at}")));
        let counts = Signer::of_part(&part, plan, links)?.write_part(
            form,
            &mut File::create(&signed)?,
            &mut File::create(&covered)?,
        )?;
        assert_eq!(counts.octets, fs::metadata(&signed)?.len());
        pieces.push(Piece { signed, covered });
    }
    let mut out = Vec::new();
    let apex = Part::apex(folder)?;
    let counts = Signer::of_part(&apex, plan, Links::default())?.join(form, &pieces, &mut out)?;
    assert_eq!(counts.octets, out.len() as u64);
    Ok(out)
}

/// A zone's records in an order of their own.
fn shuffled(zone: &Zone, seed: u64) -> Vec<u8> {
    let mut records = Vec::new();
    for rrset in zone.owners().flat_map(|owner| owner.rrsets()) {
        for (ttl, rdata) in rrset.records() {
            let mut record = Vec::new();
            raw::push_rrset(rrset.owner().wire(), ttl, rrset.rtype(), 0, [rdata].into_iter(), &mut record);
            records.push(record);
        }
    }
    let mut state = seed | 1;
    records.sort_by_cached_key(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 20
    });
    let mut out = Vec::new();
    raw::push_header(0, &mut out);
    out.extend(records.concat());
    out
}

fn agrees(zone: &[u8], plan: &Plan, form: Form, ranges: usize) {
    let folder = Directory::new(&format!("ranges-{:?}", std::thread::current().id()));
    let whole = write(&read_bytes(zone), plan, form);
    let by_ranges = cut(zone, &folder.0, ranges, LITTLE)
        .map_err(SignError::from)
        .and_then(|()| sign(&folder.0, ranges, plan, form));
    match (whole, by_ranges) {
        (Ok((whole, _)), Ok(by_ranges)) => assert!(whole == by_ranges, "{ranges} ranges"),
        (Err(whole), Err(by_ranges)) => assert_eq!(whole.to_string(), by_ranges.to_string()),
        (whole, by_ranges) => panic!("{:?} {:?}", whole.map(|_| ()), by_ranges.map(|_| ())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn one_run_and_ranges_agree(
        zone in random_zones::zone(), denial in random_zones::denial(), text: bool, digest: bool, ranges in 1..12usize,
        seed: u64,
    ) {
        let mut plan = plan(key_pair(&zone, TOY), denial);
        plan.zonemd = if digest { Zonemd::Compute } else { Zonemd::Renew };
        let form = if text { Form::Text } else { Form::Raw };
        agrees(&shuffled(&zone, seed), &plan, form, ranges);
    }
}

/// As many ranges as there can be names, so that every kind of name stands at a seam, with what it depends on elsewhere.
#[test]
fn every_name_at_a_seam() {
    let zone = read(ZONE);
    for denial in [Denial::Nsec, nsec3(false), nsec3(true)] {
        let plan = plan(key_pair(&zone, TOY), denial);
        for ranges in [1, 2, 3, 5, 8, 13, 21, 100] {
            for form in [Form::Text, Form::Raw] {
                agrees(ZONE.as_bytes(), &plan, form, ranges);
            }
        }
    }
}

/// A signed zone is signed anew with the NSEC3 parameters and the opt-out that it has.
#[test]
fn denial_as_the_zone_has_it() {
    let zone = read(ZONE);
    for opt_out in [false, true] {
        let plan = plan(key_pair(&zone, TOY), nsec3(opt_out));
        let signed = write(&zone, &plan, Form::Raw).unwrap().0;
        let folder = Directory::new("ranges-denial");
        cut(&signed, &folder.0, 4, LITTLE).unwrap();
        for at in 0..4 {
            assert_eq!(Denial::of(Part::load(&folder.0, at).unwrap().zone()), nsec3(opt_out));
        }
        assert_eq!(Denial::of(Part::apex(&folder.0).unwrap().zone()), nsec3(opt_out));
    }
}

#[test]
fn what_is_no_zone() {
    let soa = "x. 1 IN SOA a. a. 1 1 1 1 1\n";
    for (text, why) in [
        ("x. 1 IN A 192.0.2.1\n".to_owned(), "zone: "),
        (format!("{soa}a.{soa}"), "a.x."),
        (format!("{soa}a.x. 1 IN A 1\n"), "zone, line 2"),
    ] {
        let folder = Directory::new("ranges-no-zone");
        let refused = cut(text.as_bytes(), &folder.0, 2, LITTLE).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let folder = Directory::new("ranges-no-folder");
    let refused = cut(soa.as_bytes(), &folder.0.join("missing"), 2, LITTLE).unwrap_err().to_string();
    assert!(refused.contains("cannot write") && refused.contains("run-0"), "{refused}");
}

/// What is damaged between two steps is told with its file.
#[test]
fn damaged_files() {
    let zone = read(ZONE);
    let plan = plan(key_pair(&zone, TOY), nsec3(false));
    let folder = Directory::new("ranges-damaged");
    cut(ZONE.as_bytes(), &folder.0, 2, LITTLE).unwrap();
    let whole = sign(&folder.0, 2, &plan, Form::Raw).unwrap();
    assert!(whole == write(&zone, &plan, Form::Raw).unwrap().0);
    let hashes = [folder.0.join("hashes-0"), folder.0.join("hashes-1")];
    let octets = fs::read(&hashes[0]).unwrap();
    for length in [0, 7, 16, octets.len() - 1] {
        fs::write(&hashes[0], &octets[..length]).unwrap();
        let refused = (0..2).map(|at| Links::gather(&hashes, at)).find_map(Result::err).unwrap().to_string();
        assert!(refused.contains("hashes-0") && refused.contains("damaged"), "{refused}");
    }
    fs::write(folder.0.join("bounds"), "no bound").unwrap();
    assert!(Part::load(&folder.0, 0).unwrap_err().to_string().contains("bounds, line 1"));
}
