//! What is wrong with proofs that something does not exist.

use super::*;

#[test]
fn nsec_chain() {
    let zone = base(Denial::Nsec);
    let nsec = Rtype::NSEC;
    let ns = "ns.example.";
    let drop = |records: &mut Vec<Record>| {
        records.retain(|r| !(r.owner == name(ns) && (r.rtype == nsec || r.covers(nsec))));
    };
    found(&zone, drop, ns, nsec, "missing", 1);
    let bitmap = |zone: &Zone, change: &dyn Fn(&mut Vec<u8>), what: &str| {
        let edit = |records: &mut Vec<Record>| {
            let record = one(records, |r| r.is(ns, nsec));
            let at = record.rdata.len() - 8;
            let mut types = record.rdata.split_off(at);
            change(&mut types);
            record.rdata.extend_from_slice(&types);
        };
        // The signature is broken as well.
        found(zone, edit, ns, nsec, what, 2);
    };
    // Window 0 with six octets: A AAAA RRSIG NSEC.
    bitmap(&zone, &|types| types[3] |= 1, "lists MX,");
    bitmap(&zone, &|types| types[2] &= !0x40, "list A,");
    bitmap(&zone, &|types| types[7] = 0, "malformed");
    let next = |records: &mut Vec<Record>| {
        let record = one(records, |r| r.is(ns, nsec));
        let bitmap = record.rdata.split_off(record.rdata.len() - 8);
        record.rdata = name("zzz.example.").as_wire().to_vec();
        record.rdata.extend(bitmap);
    };
    found(&zone, next, ns, nsec, "is zzz.example., expected secure.example.", 2);
    let glue = |records: &mut Vec<Record>| {
        let mut record = one(records, |r| r.is(ns, nsec)).clone();
        record.owner = name("ns.sub.example.");
        records.push(record);
    };
    found(&zone, glue, "ns.sub.example.", nsec, "NSEC record", 1);
    let unsigned_name = |records: &mut Vec<Record>| {
        let mut record = one(records, |r| r.is("mail.example.", Rtype::A)).clone();
        record.owner = name("mailx.example.");
        records.push(record);
    };
    // The new name lacks a signature and an NSEC, and the name before it points past it.
    found(&zone, unsigned_name, "mail.example.", nsec, "expected mailx.example.", 3);
}

#[test]
fn nsec3_chain() {
    let zone = base(nsec3(false));
    assert_secure(&zone);
    let owners: Vec<String> = zone
        .owners()
        .filter(|owner| owner.rrset(Rtype::NSEC3).is_some())
        .map(|owner| owner.name().to_string())
        .collect();
    let victim = owners[3].as_str();
    let drop = |records: &mut Vec<Record>| records.retain(|r| r.owner != name(victim));
    let report = check(&edited(&zone, drop));
    assert_eq!(report.findings.len(), 2, "{report}");
    assert!(report.findings.iter().all(|finding| finding.rtype == Rtype::NSEC3), "{report}");
    // The name that lost its record, and the record before it, which names the next hash.
    assert_eq!(
        report.findings.iter().filter(|finding| owners.contains(&finding.owner.to_string())).count(),
        1,
        "{report}"
    );

    let extra = |records: &mut Vec<Record>| {
        let mut record = one(records, |r| r.is(victim, Rtype::NSEC3)).clone();
        record.owner = name("00000000000000000000000000000000.example.");
        records.push(record);
    };
    let report = check(&edited(&zone, extra));
    let found = |owner: &str, report: &Report| {
        report.findings.iter().any(|finding| finding.owner == name(owner) && finding.rtype == Rtype::NSEC3)
    };
    assert!(found("00000000000000000000000000000000.example.", &report), "{report}");

    let iterations = |records: &mut Vec<Record>| one(records, |r| r.is(victim, Rtype::NSEC3)).rdata[3] = 9;
    let report = check(&edited(&zone, iterations));
    assert!(found(victim, &report), "{report}");

    let types = |records: &mut Vec<Record>| {
        let record = one(records, |r| r.is(victim, Rtype::NSEC3));
        record.rdata.truncate(26);
        record.rdata.extend_from_slice(&[0, 1, 0x10]);
    };
    let report = check(&edited(&zone, types)).to_string();
    assert!(report.contains("lists MD"), "{report}");

    let no_parameters = |records: &mut Vec<Record>| records.retain(|r| r.rtype != Rtype::NSEC3PARAM);
    let report = check(&edited(&zone, no_parameters)).to_string();
    assert!(report.contains("no NSEC3PARAM record"), "{report}");
}

/// An opt-out span may hide insecure delegations, and nothing else; without the flag not even them.
#[test]
fn opt_out_spans() {
    let zone = base(nsec3(true));
    assert_secure(&zone);
    let cleared = |records: &mut Vec<Record>| {
        records.iter_mut().filter(|r| r.rtype == Rtype::NSEC3).for_each(|r| r.rdata[1] = 0);
    };
    let report = check(&edited(&zone, cleared));
    let missing = |owner: &str| {
        let hit = |f: &&Finding| f.owner == name(owner) && f.rtype == Rtype::NSEC3;
        report.findings.iter().filter(hit).count()
    };
    assert_eq!((missing("sub.example."), missing("far.below.empty.example.")), (1, 1), "{report}");
    let secure = |records: &mut Vec<Record>| {
        let ds = one(records, |r| r.is("secure.example.", Rtype::DS)).clone();
        records.push(Record { owner: name("sub.example."), ..ds });
    };
    let report = check(&edited(&zone, secure)).to_string();
    assert!(report.contains("sub.example. NSEC3: "), "{report}");
}
