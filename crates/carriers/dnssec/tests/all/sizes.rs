//! The size engine against messages that are written out, and against published formulas.

use std::collections::HashMap;

use crate::common::{name, read};
use fieldtest_dnssec::sample::{Form, Sample};
use fieldtest_dnssec::sizes::{
    A_ROOT_2025_06_10, AlgorithmSize, Delegations, DenialMethod, Distribution, Edns, Glue, KeySet, Kind,
    Setup, Signers, ZoneFacts,
    project::{Projector, Today},
    published::Column,
};
use fieldtest_dnssec::{Name, Rtype, Zone};
use proptest::prelude::*;

/// A root whose names are as long as those of the published table's root: SOA names of 42 octets, `aaa.` as the first
/// delegation, no ZONEMD, and the real `cz.`, with four servers of four-letter prefix below it.
fn like_the_source() -> Zone {
    let mut text = String::from(
        ". 86400 IN SOA a.root-servers.example. postmasters.test. 2026082201 1800 900 604800 86400\n\
         . 518400 IN NS a.root-servers.example.\n\
         aaa. 172800 IN NS ns.aaa.\n\
         cz. 86400 IN DS 20237 13 2 CFF0F3ECDBC529C1F0031BA1840BFB835853B9209ED1E508FFF48451D7B778E2\n",
    );
    for letter in ["a", "b", "c", "d"] {
        text += &format!("cz. 172800 IN NS {letter}.ns.nic.cz.\n");
        text += &format!("{letter}.ns.nic.cz. 172800 IN A 198.18.0.1\n");
        text += &format!("{letter}.ns.nic.cz. 172800 IN AAAA 2001:db8::1\n");
    }
    read(&text)
}

/// The formulas of the published columns come out of the engine.
#[test]
fn reproduces_the_published_formulas() {
    let zone = like_the_source();
    let soa = zone.rrset(&[0], Rtype::SOA).unwrap();
    assert_eq!(soa.rdata().next().unwrap().len() - 20, 42);
    let facts = ZoneFacts::new(&zone).unwrap();
    let setup = Setup::new(DenialMethod::Nsec);
    let shape = |kind| facts.family(kind, setup).unwrap().composed()[0].0.shape;
    assert_eq!(shape(Kind::Soa), Column::Soa.formula());
    assert_eq!(shape(Kind::Dnskey(KeySet::KskZsk)), Column::Dnskey.formula());
    assert_eq!(shape(Kind::Nodata), Column::Nodata.formula());
    // Before the first delegation, one NSEC denies the wildcard too. No other gap needs as little.
    let missing = facts.family(Kind::NxdomainShort, setup).unwrap();
    assert!(missing.composed().iter().any(|(it, _)| it.shape == Column::Nxdomain.formula()));
    assert_eq!(missing.sizes(AlgorithmSize::new(32, 64)).min(), 316);
    // Only “cz.” has a DS. The table asked for it itself, which is 12 octets shorter than “www.example.cz.”.
    let mut referral = shape(Kind::Referral(Delegations::Secure, Glue::All));
    referral.base -= 12;
    assert_eq!(referral, Column::Delegation.formula());
}

/// A DNS message in octets, with compression by a table of every suffix written so far: written for this test, with
/// nothing from the engine.
struct Message {
    octets: Vec<u8>,
    written: HashMap<Vec<u8>, usize>,
}

impl Message {
    fn ask(name: &[u8]) -> Self {
        let mut message = Message { octets: vec![0; 12], written: HashMap::new() };
        message.name(name);
        message.octets.extend_from_slice(&[0; 4]);
        message
    }

    fn name(&mut self, mut wire: &[u8]) {
        let before = self.octets.len();
        let mut fresh = Vec::new();
        while wire[0] != 0 {
            if let Some(at) = self.written.get(wire) {
                self.octets.extend_from_slice(&(0xc000u16 | *at as u16).to_be_bytes());
                break;
            }
            fresh.push((wire.to_vec(), self.octets.len()));
            let end = 1 + usize::from(wire[0]);
            self.octets.extend_from_slice(&wire[..end]);
            wire = &wire[end..];
        }
        if wire[0] == 0 {
            self.octets.push(0);
        }
        assert!(self.octets.len() > before);
        self.written.extend(fresh.into_iter().filter(|(_, at)| *at < 0x4000));
    }

    /// A record whose RDATA is `fixed` octets, then names, then `rest` octets.
    fn record(&mut self, owner: &[u8], names: &[&[u8]], rest: usize) {
        self.name(owner);
        self.octets.extend_from_slice(&[0; 10]);
        for name in names {
            self.name(name);
        }
        self.octets.resize(self.octets.len() + rest, 0);
    }

    fn rrsig(&mut self, owner: &[u8], signature: usize) {
        self.record(owner, &[], 18 + 1 + signature);
    }

    fn soa(&mut self, zone: &Zone, signature: usize) {
        let soa = zone.rrset(&[0], Rtype::SOA).unwrap().rdata().next().unwrap();
        let (primary, used) = Name::from_wire(soa).unwrap();
        let (mailbox, _) = Name::from_wire(&soa[used..]).unwrap();
        self.record(&[0], &[primary.as_wire(), mailbox.as_wire()], 20);
        self.rrsig(&[0], signature);
    }

    fn servers(&mut self, zone: &Zone, owner: &[u8]) {
        for server in zone.rrset(owner, Rtype::NS).unwrap().rdata() {
            self.record(owner, &[server], 0);
        }
    }

    fn glue(&mut self, zone: &Zone, owner: &[u8]) {
        for server in zone.rrset(owner, Rtype::NS).unwrap().rdata() {
            for rtype in [Rtype::A, Rtype::AAAA] {
                for address in zone.rrset(server, rtype).iter().flat_map(|rrset| rrset.rdata()) {
                    self.record(server, &[], address.len());
                }
            }
        }
    }

    fn size(mut self) -> u64 {
        self.octets.resize(self.octets.len() + 11, 0);
        self.octets.len() as u64
    }
}

/// The sizes of a family's answers one by one, in ascending order.
fn each(sizes: &Distribution) -> Vec<u64> {
    sizes.sizes().iter().flat_map(|(size, count)| std::iter::repeat_n(*size, *count as usize)).collect()
}

/// The NSEC RDATA of a name in a zone of the form of the root: the next name, and a bitmap of 8 octets, since NSEC is
/// type 47, or of 9 at the apex with DNSKEY, which is type 48.
fn nsec(zone: &Zone, owner: &[u8]) -> usize {
    let own =
        |owner: &fieldtest_dnssec::zone::Owner<'_>| owner.wire() == b"\0" || owner.rrset(Rtype::NS).is_some();
    let chain: Vec<_> = zone.owners().filter(own).map(|owner| owner.wire().to_vec()).collect();
    let at = chain.iter().position(|name| name == owner).unwrap();
    chain[(at + 1) % chain.len()].len() + if owner == b"\0" { 9 } else { 8 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the algorithm, and also where signatures push names out of the reach of pointers.
    #[test]
    fn agrees_with_written_messages(seed in 0u64..1000, p in 0u32..6000, s in 0u32..20_000) {
        let zone = Sample { form: Form::Root, delegations: 40, seed }.zone().unwrap();
        let facts = ZoneFacts::new(&zone).unwrap();
        let setup = Setup::new(DenialMethod::Nsec);
        let algorithm = AlgorithmSize::new(p, s);
        let signature = s as usize;

        let mut nodata = Message::ask(&[0]);
        nodata.soa(&zone, signature);
        nodata.record(&[0], &[], nsec(&zone, &[0]));
        nodata.rrsig(&[0], signature);
        let sizes = |kind| facts.family(kind, setup).unwrap().sizes(algorithm);
        prop_assert_eq!(sizes(Kind::Nodata).max(), nodata.size());

        let mut priming = Message::ask(&[0]);
        priming.servers(&zone, &[0]);
        priming.rrsig(&[0], signature);
        priming.glue(&zone, &[0]);
        prop_assert_eq!(sizes(Kind::Priming).max(), priming.size());

        let mut keys = Message::ask(&[0]);
        for _ in 0..3 {
            keys.record(&[0], &[], 4 + p as usize);
        }
        keys.rrsig(&[0], signature);
        keys.rrsig(&[0], signature);
        prop_assert_eq!(sizes(Kind::Dnskey(KeySet::KskRoll)).max(), keys.size());

        let mut written = Vec::new();
        for owner in zone.owners().filter(|owner| owner.rrset(Rtype::NS).is_some() && !owner.is_apex()) {
            let asked = owner.name().child(b"example").unwrap().child(b"www").unwrap();
            let mut referral = Message::ask(asked.as_wire());
            referral.servers(&zone, owner.wire());
            match owner.rrset(Rtype::DS) {
                Some(ds) => ds.rdata().for_each(|rdata| referral.record(owner.wire(), &[], rdata.len())),
                None => referral.record(owner.wire(), &[], nsec(&zone, owner.wire())),
            }
            referral.rrsig(owner.wire(), signature);
            referral.glue(&zone, owner.wire());
            written.push(referral.size());
        }
        written.sort_unstable();
        let all = sizes(Kind::Referral(fieldtest_dnssec::sizes::Delegations::All, Glue::All));
        prop_assert_eq!(each(&all), written);
    }

    /// Every RRset of a name's own, with what CNAME records and wildcards add.
    #[test]
    fn agrees_with_written_answers(s in 0u32..20_000, text in 0usize..250) {
        let zone = read(&format!(
            ". 60 IN SOA a. b. 1 2 3 4 5\n. 60 IN NS a.\n. 60 IN MX 1 mail.a.\na. 60 IN TXT \"{}\"\na. 60 IN A 192.0.2.1\n\
             b. 60 IN CNAME c.\nc. 60 IN CNAME a.\nd. 60 IN CNAME e.\nf. 60 IN CNAME f.\n*.w. 60 IN A 192.0.2.1\n\
             x. 60 IN NS a.\nx. 60 IN DS 1 13 2 {}\n",
            "t".repeat(text), "00".repeat(32)
        ));
        let (algorithm, s) = (AlgorithmSize::new(0, s), s as usize);
        let [a, b, c, d, f] = ["a.", "b.", "c.", "d.", "f."].map(name);
        let aliases = |asked: &Name, aliases: &[(&Name, &Name)]| {
            let mut answer = Message::ask(asked.as_wire());
            for (owner, target) in aliases {
                answer.record(owner.as_wire(), &[target.as_wire()], 0);
                answer.rrsig(owner.as_wire(), s);
            }
            answer
        };
        let mut written = Vec::new();
        for rest in [4, text + 1] {
            for before in [&[][..], &[(&b, &c), (&c, &a)], &[(&c, &a)]] {
                let mut answer = aliases(before.first().map_or(&a, |(asked, _)| *asked), before);
                answer.record(a.as_wire(), &[], rest);
                answer.rrsig(a.as_wire(), s);
                written.push(answer.size());
            }
        }
        // Out of the zone, and in a circle.
        written.push(aliases(&d, &[(&d, &name("e."))]).size());
        written.push(aliases(&f, &[(&f, &f)]).size());
        let mut mail = Message::ask(&[0]);
        mail.record(&[0], &[name("mail.a.").as_wire()], 2);
        mail.rrsig(&[0], s);
        written.push(mail.size());
        // The wildcard's own NSEC covers the name that it answers.
        let (star, expanded) = (name("*.w."), name("wildcarded.w."));
        let mut wild = Message::ask(expanded.as_wire());
        wild.record(expanded.as_wire(), &[], 4);
        wild.rrsig(expanded.as_wire(), s);
        wild.record(star.as_wire(), &[], name("x.").as_wire().len() + 8);
        wild.rrsig(star.as_wire(), s);
        written.push(wild.size());
        written.sort_unstable();

        let facts = ZoneFacts::new(&zone).unwrap();
        prop_assert!(facts.has_wildcards());
        let own = facts.family(Kind::Own, Setup::new(DenialMethod::Nsec)).unwrap().sizes(algorithm);
        let counted = each(&own);
        prop_assert_eq!(own.count_over(written[0]), counted.iter().filter(|size| **size > written[0]).count() as u64);
        prop_assert_eq!(counted, written);
        let mut ds = Message::ask(name("x.").as_wire());
        ds.record(name("x.").as_wire(), &[], 36);
        ds.rrsig(name("x.").as_wire(), s);
        let found = facts.family(Kind::Ds, Setup::new(DenialMethod::Nsec)).unwrap().sizes(algorithm);
        prop_assert_eq!((found.count(), found.max()), (1, ds.size()));
    }

    /// The proof that a name does not exist has names behind its signatures, where pointers may not reach them.
    #[test]
    fn agrees_with_written_denials(s in prop_oneof![0u32..9000, 8000u32..8400, 15_500u32..20_000]) {
        let zone = Sample { form: Form::Root, delegations: 1, seed: 1 }.zone().unwrap();
        let facts = ZoneFacts::new(&zone).unwrap();
        let (cut, signature) = (name("example."), s as usize);
        // Behind the only delegation: its NSEC denies the name, the apex's denies the wildcard.
        let mut missing = Message::ask(name("f00000000000.").as_wire());
        missing.soa(&zone, signature);
        missing.record(cut.as_wire(), &[], nsec(&zone, cut.as_wire()));
        missing.rrsig(cut.as_wire(), signature);
        missing.record(&[0], &[], nsec(&zone, &[0]));
        missing.rrsig(&[0], signature);
        let family = facts.family(Kind::NxdomainLong, Setup::new(DenialMethod::Nsec)).unwrap();
        prop_assert_eq!(family.sizes(AlgorithmSize::new(0, s)).max(), missing.size());
    }

    /// Two signers cost what each of them costs, and a cookie 28 octets.
    #[test]
    fn two_signers_and_a_cookie(s in 0u32..3000, t in 0u32..3000) {
        let zone = like_the_source();
        let facts = ZoneFacts::new(&zone).unwrap();
        let one = Setup::new(DenialMethod::Nsec3);
        let two = Setup { signers: Signers::Two, edns: Edns { cookie: true }, ..one };
        let (first, second) = (AlgorithmSize::new(1, s), AlgorithmSize::new(2, t));
        for kind in [Kind::Soa, Kind::Nodata, Kind::Dnskey(KeySet::ZskRoll)] {
            let size = |setup, algorithm| facts.family(kind, setup).unwrap().sizes(algorithm).max();
            let shape = facts.family(kind, one).unwrap().composed()[0].0.shape;
            let more = size(two, first.and(second)) - size(one, first);
            // Each further RRSIG costs 29 octets, its owner, and itself; each key 14, its owner, and itself. The owner
            // is the root, of one octet, or that of the NSEC3, as a pointer of two.
            let hashed = u64::from(kind == Kind::Nodata);
            let signatures = shape.signatures * (29 + 1 + u64::from(t)) + hashed;
            let keys = shape.keys * (14 + 1 + 2);
            prop_assert_eq!(more, 28 + signatures + keys);
        }
    }
}

/// Compression never makes a message longer: every answer stays below what its records cost uncompressed.
#[test]
fn the_signed_file_is_an_upper_bound() {
    let zone = Sample { delegations: 200, ..Sample::default() }.zone().unwrap();
    let facts = ZoneFacts::new(&zone).unwrap();
    let algorithm = AlgorithmSize::new(897, 666);
    for denial in DenialMethod::ALL {
        let setup = Setup::new(denial);
        let raw = facts.raw_size(setup, KeySet::KskZsk).size(algorithm);
        let transfer = facts.transfer_size(setup, KeySet::KskZsk, algorithm);
        assert!(transfer.octets < raw, "{denial:?}");
        let text = facts.text_size(setup, KeySet::KskZsk).size(&[algorithm]);
        assert!(text > raw, "{denial:?}");
    }
}

/// The statement of the projection on a real day: a quarter of a root server's answers or more no longer fits with
/// signatures of 454 octets and up, two thirds with ML-DSA-44, none with signatures of 148.
#[test]
fn projection_on_a_root_server() {
    let zone = Sample::default().zone().unwrap();
    let facts = ZoneFacts::new(&zone).unwrap();
    let projector = Projector::new(&facts, &A_ROOT_2025_06_10, Today::ROOT_2025);
    let project = |p, s| projector.project(AlgorithmSize::new(p, s), 1232).truncated;
    for (p, s) in [(897, 666), (1024, 555), (1420, 454), (768, 592)] {
        let truncated = project(p, s);
        assert!((0.25..0.27).contains(&truncated.low), "{truncated:?}");
        assert!(truncated.high >= truncated.low && truncated.high < 0.7, "{truncated:?}");
    }
    let ml_dsa = project(1312, 2420);
    assert!((0.66..0.70).contains(&ml_dsa.low), "{ml_dsa:?}");
    assert!(project(65, 148).high < 0.001);
    assert!(project(260, 256).high < 0.001);
}
