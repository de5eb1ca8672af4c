//! The computed sizes of zone files against the files that signing writes. Both derive the chain of denial, each in its
//! own code.

use crate::common::*;
use fieldtest_dnssec::Zone;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::sample::{Form as SampleForm, Sample};
use fieldtest_dnssec::sign::Form;
use fieldtest_dnssec::sizes::{AlgorithmSize, DenialMethod, KeySet, Setup, Signers, ZoneFacts};

/// The lengths of the stand-in signature.
const TOY_SIZE: AlgorithmSize = AlgorithmSize::new(32, 32);

fn zones() -> Vec<Zone> {
    let sample = |form| Sample { form, delegations: 300, seed: 3 }.zone().unwrap();
    let below = format!("{ZONE}x IN NSEC3PARAM 1 0 0 -\ny IN DNSKEY 0 3 15 AAEC\n");
    vec![read(&below), sample(SampleForm::Root), sample(SampleForm::Tld)]
}

fn of_all(check: impl Fn(&Zone, &ZoneFacts<'_>, DenialMethod, Denial)) {
    for zone in zones() {
        let facts = ZoneFacts::new(&zone).unwrap();
        check(&zone, &facts, DenialMethod::Nsec, Denial::Nsec);
        check(&zone, &facts, DenialMethod::Nsec3, nsec3(false));
        check(&zone, &facts, DenialMethod::Nsec3OptOut, nsec3(true));
    }
}

#[test]
fn raw_files_have_the_computed_size() {
    of_all(|zone, facts, method, denial| {
        let mut plan = plan(key_pair(zone, TOY), denial);
        for (set, all) in [(KeySet::KskZsk, false), (KeySet::BothSign, true)] {
            plan.all_keys_sign_dnskey = all;
            let written = write(zone, &plan, Form::Raw).unwrap().0.len() as u64;
            let computed = facts.raw_size(Setup::new(method), set).size(TOY_SIZE);
            assert_eq!(computed, written, "{} {method:?} {set:?}", zone.apex());
        }
    });
}

#[test]
fn two_algorithms_add_up() {
    of_all(|zone, facts, method, denial| {
        let keys = [key_pair(zone, TOY), key_pair(zone, TOY_TOO)].concat();
        let written = write(zone, &plan(keys, denial), Form::Raw).unwrap().0.len() as u64;
        let setup = Setup { signers: Signers::Two, ..Setup::new(method) };
        let computed = facts.raw_size(setup, KeySet::KskZsk).size(TOY_SIZE.and(TOY_SIZE));
        assert_eq!(computed, written, "{} {method:?}", zone.apex());
    });
}

/// Text is estimated in the digits of algorithm numbers, which have three here instead of two, and of key tags.
#[test]
fn text_files_have_the_computed_size_but_for_digits() {
    of_all(|zone, facts, method, denial| {
        let (written, counts) = write(zone, &plan(key_pair(zone, TOY), denial), Form::Text).unwrap();
        let size = facts.text_size(Setup::new(method), KeySet::KskZsk);
        assert_eq!(size.signatures, counts.signatures);
        let most = size.size(&[TOY_SIZE]) + size.signatures + size.keys;
        let range = most - 4 * size.signatures..=most;
        let written = written.len() as u64;
        assert!(range.contains(&written), "{} {method:?}: {written} in {range:?}", zone.apex());
    });
}
