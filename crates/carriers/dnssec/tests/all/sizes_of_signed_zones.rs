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

fn denials() -> [(DenialMethod, Denial); 3] {
    [
        (DenialMethod::Nsec, Denial::Nsec),
        (DenialMethod::Nsec3, nsec3(false)),
        (DenialMethod::Nsec3OptOut, nsec3(true)),
    ]
}

#[test]
fn raw_files_have_the_computed_size() {
    for zone in zones() {
        let facts = ZoneFacts::new(&zone).unwrap();
        for (method, denial) in denials() {
            let mut plan = plan(key_pair(&zone, TOY), denial);
            for (set, all) in [(KeySet::KskZsk, false), (KeySet::BothSign, true)] {
                plan.all_keys_sign_dnskey = all;
                let written = write(&zone, &plan, Form::Raw).unwrap().0.len() as u64;
                let computed = facts.raw_size(Setup::new(method), set).size(TOY_SIZE);
                assert_eq!(computed, written, "{} {method:?} {set:?}", zone.apex());
            }
        }
    }
}

#[test]
fn two_algorithms_add_up() {
    for zone in zones() {
        let facts = ZoneFacts::new(&zone).unwrap();
        for (method, denial) in denials() {
            let keys = [key_pair(&zone, TOY), key_pair(&zone, TOY_TOO)].concat();
            let written = write(&zone, &plan(keys, denial), Form::Raw).unwrap().0.len() as u64;
            let setup = Setup { signers: Signers::Two, ..Setup::new(method) };
            let computed = facts.raw_size(setup, KeySet::KskZsk).size(TOY_SIZE.and(TOY_SIZE));
            assert_eq!(computed, written, "{} {method:?}", zone.apex());
        }
    }
}

/// Text is estimated in the digits of algorithm numbers, which have three here instead of two, and of key tags.
#[test]
fn text_files_have_the_computed_size_but_for_digits() {
    for zone in zones() {
        let facts = ZoneFacts::new(&zone).unwrap();
        for (method, denial) in denials() {
            let (written, counts) = write(&zone, &plan(key_pair(&zone, TOY), denial), Form::Text).unwrap();
            let size = facts.text_size(Setup::new(method), KeySet::KskZsk);
            assert_eq!(size.signatures, counts.signatures);
            let most = size.size(&[TOY_SIZE]) + size.signatures + size.keys;
            let least = most - 4 * size.signatures;
            let written = written.len() as u64;
            assert!(
                (least..=most).contains(&written),
                "{} {method:?}: {written} in {least}..={most}",
                zone.apex()
            );
        }
    }
}
