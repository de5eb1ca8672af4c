//! RDATA that is none: refused with the line that it stands in, as BIND refuses it.

use crate::common::*;

/// Type and RDATA of what is no record.
fn refused() -> impl Iterator<Item = &'static str> {
    include_str!("refused.txt").lines().filter(|line| !line.starts_with(';'))
}

/// Quotes around nothing where a key, a digest or a signature must stand.
const EMPTY: &[&str] = &[
    "SIG A 13 2 60 20300101000000 20200101000000 1 x. \"\"",
    "EID \"\"",
    "NIMLOC \"\"",
    "CERT PKIX 1 0 \"\"",
    "DS 1 13 200 \"\"",
    "DS 1 13 200 \"\" \"\"",
    "SSHFP 1 9 \"\"",
    "IPSECKEY 10 0 2 . \"\"",
    "RRSIG A 13 2 60 20300101000000 20200101000000 1 x. \"\"",
    "NSEC3 1 0 0 - \"\" A",
    "DNSKEY 257 3 13 \"\"",
    "DNSKEY 257 3 13 \"\" \"\"",
    "DHCID \"\"",
    "TLSA 3 1 200 \"\"",
    "SMIMEA 3 1 200 \"\"",
    "RKEY 0 0 0 \"\"",
    "CDS 1 13 200 \"\"",
    "CDNSKEY 257 3 13 \"\"",
    "OPENPGPKEY \"\"",
    "ZONEMD 1 240 240 \"\"",
    "HHIT \"\"",
    "BRID \"\"",
    "DOA 1 2 3 x \"\"",
    "TA 1 13 200 \"\"",
    "DLV 1 13 200 \"\"",
];

/// What BIND 9.18 reads all the same: EUI48 with octets of one digit, which RFC 7043, section 3.2 does not have, and a
/// value of `ohttp`, which it does not know (RFC 9540, section 4: it has none).
const READ_BY_BIND: &[&str] = &["EUI48 0-0-5e-0-53-2a", "SVCB 1 a. key8=x", "SVCB 1 a. key10=ab"];

fn zone(record: &str) -> String {
    format!("x. 60 IN SOA a. b. 1 2 3 4 5\na.x. 60 IN {record}\nx. 60 IN NS a.\n")
}

fn said_of(record: &str) -> String {
    fault(zone(record)).to_string()
}

#[test]
fn what_is_no_record_is_refused() {
    for wrong in refused().chain(READ_BY_BIND.iter().copied()) {
        let said = said_of(wrong);
        assert!(said.contains("test, line 2: "), "{wrong}: {said}");
    }
}

/// Without the quotes the field is absent, and that is what is said.
#[test]
fn nothing_in_quotes_is_nothing() {
    for record in EMPTY {
        let rtype = record.split(' ').next().expect("a type");
        let said = said_of(record);
        assert!(said.contains("test, line 2: ") && said.contains(&format!(" {rtype} RDATA ")), "{said}");
        if rtype != "NSEC3" {
            assert_eq!(said, said_of(record.replace("\"\"", "").trim()));
        }
    }
    for fine in
        ["KEY 49152 3 0 \"\"", "SINK 1 2 3 \"\"", "IPSECKEY 10 0 0 . \"\"", "DNSKEY 257 3 13 \"\" AQID"]
    {
        read(&zone(fine));
    }
}

#[test]
fn bind_refuses_the_same() {
    if !installed("named-compilezone") {
        return;
    }
    let directory = directory();
    let reads = |record: &str| {
        let file = directory.path().join("zone");
        std::fs::write(&file, zone(record)).expect("a file");
        let arguments = ["-q", "-i", "none", "-k", "ignore", "-o", "/dev/null", "x."];
        let done = std::process::Command::new("named-compilezone").args(arguments).arg(&file).output();
        done.expect("named-compilezone").status.success()
    };
    for record in refused().chain(EMPTY.iter().copied()) {
        assert!(!reads(record), "{record}");
    }
    for record in READ_BY_BIND.iter().chain(&["A 192.0.2.1"]) {
        assert!(reads(record), "{record}");
    }
}

/// Quotes are for character strings (RFC 1035, section 5.1). An owner in quotes is read as BIND reads it, and RDATA in
/// quotes as NSD does.
#[test]
fn quotes_where_none_belong() {
    let quoted =
        ["a \"60\" IN A 192.0.2.1", "a 60 \"IN\" A 192.0.2.1", "a 60 IN \"A\" 192.0.2.1", "$TTL \"60\""];
    let quoted = [&quoted[..], &["$ORIGIN \"x.\"", "$GENERATE 1-2 a$ \"60\" A 192.0.2.$"]].concat();
    let zone = |line: &str| format!("$ORIGIN x.\nx. 60 IN SOA a. b. 1 2 3 4 5\nx. 60 IN NS a.\n{line}\n");
    for wrong in &quoted {
        let fault = fault(zone(wrong)).to_string();
        assert!(fault.contains("test, line 4: ") && fault.contains("is quoted"), "{wrong}: {fault}");
    }
    for fine in ["\"a\" 60 IN A 192.0.2.1", "a 60 IN TXT \"A\"", "a 60 IN A \"192.0.2.1\""] {
        read(&zone(fine));
    }
    let directory = directory();
    std::fs::write(directory.path().join("zone"), zone("a 60 IN A 192.0.2.1")).expect("a file");
    let peers: [(&str, &[&str]); 2] = [
        ("named-compilezone", &["-q", "-i", "none", "-k", "ignore", "-o", "/dev/null", "x.", "zone"]),
        ("kzonecheck", &["-o", "x.", "zone"]),
    ];
    for (tool, arguments) in peers {
        if !installed(tool) {
            continue;
        }
        run(directory.path(), tool, arguments);
        for wrong in &quoted {
            let file = directory.path().join("zone");
            std::fs::write(&file, zone(wrong)).expect("a file");
            let done =
                std::process::Command::new(tool).args(arguments).current_dir(directory.path()).output();
            assert!(!done.expect(tool).status.success(), "{tool} reads {wrong}");
        }
        std::fs::write(directory.path().join("zone"), zone("a 60 IN A 192.0.2.1")).expect("a file");
    }
}

#[test]
fn messages() {
    for (record, values) in [
        ("SVCB 1 a. key3=1", &["port"][..]),
        ("SVCB 1 a. alpn=h2 key1=\\002h3", &["alpn", "twice"]),
        ("SVCB 1 a. key667=x key667=y", &["key667", "twice"]),
        ("SVCB 1 a. key01=\\002h2", &["'key01=\\002h2'", "alpn=h2", "key667=value"]),
        ("SVCB 1 a. mandatory=port", &["mandatory", "port", "RFC 9460, section 8"]),
        ("SVCB 1 a. mandatory=port,key3 port=1", &["mandatory", "port twice", "RFC 9460, section 8"]),
        ("SVCB 1 a. mandatory=key0", &["mandatory", "itself", "RFC 9460, section 8"]),
        ("SVCB 1 a. no-default-alpn", &["no-default-alpn", "RFC 9460, section 7.1.1"]),
        ("CAA 0 is-sue x", &["'is-sue'", "RFC 8659, section 4.1.1"]),
        ("DS 1 13 2 d4b7", &["DS", "type 2", "2 bytes", "32"]),
        ("SSHFP 1 1 d4b7", &["SSHFP", "type 1", "2 bytes", "20"]),
        ("ZONEMD 1 1 240 d4b7", &["ZONEMD", "2 bytes", "12", "RFC 8976, section 2.2.4"]),
    ] {
        let said = said_of(record);
        assert!(said.contains("test, line 2: "), "{record}: {said}");
        assert!(values.iter().all(|value| said.contains(value)), "{record}: {said}");
    }
}
