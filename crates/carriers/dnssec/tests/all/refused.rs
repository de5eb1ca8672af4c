//! RDATA that is none: refused with the line that it stands in, as BIND refuses it.

use crate::common::*;

/// Type and RDATA of what is no record.
const REFUSED: &[&str] = &[
    "WKS 192.0.2.1",
    "WKS 192.0.2.1 6 no-such-service",
    "WKS 192.0.2.1 6 65536",
    "X25 311",
    "X25 abcde",
    "ISDN",
    "ISDN a b c",
    "NSAP 470005",
    "NSAP 0x4",
    "NSAP 0x",
    "KEY NOKEY|FOO 3 5",
    "KEY 1 2",
    "GPOS 1 2",
    "LOC 91 N 1 E 0",
    "LOC 90 0 0.001 N 1 E 0",
    "LOC 1 60 N 1 E 0",
    "LOC 1 1 60 N 1 E 0",
    "LOC 1 E 1 N 0",
    "LOC 1 N 1 E",
    "LOC 1 N 1 E 0 90000001m",
    "LOC 1 N 1 E -100001m",
    "LOC 1 N 1 E 0 0 0 0 0",
    "LOC 1 1 1.0001 N 1 E 0",
    "NXT a. CAA",
    "EID",
    "ATMA 0",
    "ATMA .01",
    "ATMA 01..02",
    "ATMA +a",
    "A6 129 ::",
    "A6 64 ::1",
    "A6 0",
    "SINK 1 2",
    "APL 3:1/2",
    "APL 1:192.0.2.0",
    "APL 1:192.0.2.0/33",
    "APL 2:::/129",
    "APL 1:::/1",
    "IPSECKEY 1 4 2 a. AQID",
    "IPSECKEY 1 0 2 a. AQID",
    "IPSECKEY 1 0 2 .",
    "IPSECKEY 1 1 2 ::1 AQID",
    "HIP 2 01",
    "HIP 2 0 AQID",
    "TALINK a.",
    "DSYNC CDS FOO 1 a.",
    "NID 1 1:2:3",
    "NID 1 1:2:3:45678",
    "L32 1",
    "LP 1",
    "EUI48 00-00-5e-00-53",
    "EUI64 00:00:5e:ef:10:00:00:2a",
    "DOA 1 2 3 x",
    "AMTRELAY 1 2 0 .",
    "AMTRELAY 1 0 4 .",
    "AMTRELAY 1 0 0 a.",
    "AMTRELAY 1 0 1 1.2.3.4 x",
    "IPN 18446744073709551616",
    "IPN +1",
    "TYPE45 \\# 3 0a0400",
    "TYPE29 \\# 3 000000",
    "TYPE42 \\# 5 0001180100",
    "TYPE55 \\# 4 00020001",
    "TYPE38 \\# 1 81",
    "TYPE108 \\# 5 0000000000",
    "SVCB 1 a. alpn",
    "SVCB 1 a. port=x",
    "SVCB 1 a. foo=1",
    "SVCB 1 a. port=1 port=2",
    "SVCB 1 a. ipv4hint=::1",
    "SVCB 1 a. ech=?",
    "SVCB 1 a. key1=h2",
    "SVCB 1 a. key1",
    "SVCB 1 a. key3=1",
    "SVCB 1 a. key4=abcde",
    "SVCB 1 a. key01=\\002h2",
    "SVCB 1 a. key00=x",
    "SVCB 1 a. key=x",
    "SVCB 1 a. key65536=x",
    "SVCB 1 a. KEY667=x",
    "SVCB 1 a. ALPN=h2",
    "SVCB 1 a. \"key667=x\"",
    "SVCB 1 a. alpn=h2 key1=\\002h3",
    "SVCB 1 a. alpn=h2,,h3",
    "SVCB 1 a. key2",
    "SVCB 1 a. no-default-alpn",
    "SVCB 1 a. key2=x alpn=h2",
    "SVCB 1 a. dohpath=/q",
    "SVCB 1 a. key7=q{?dns}",
    "SVCB 1 a. dohpath=/{?dnssec}",
    "SVCB 1 a. mandatory=alpn",
    "SVCB 1 a. mandatory= alpn=h2",
    "SVCB 1 a. mandatory=alpn,alpn alpn=h2",
    "SVCB 1 a. mandatory=alpn,key1 alpn=h2",
    "SVCB 1 a. mandatory=mandatory",
    "SVCB 1 a. mandatory=key01 alpn=h2",
    "SVCB 1 a. key0=\\000 alpn=h2",
    "SVCB 1 a. key0=\\000\\003\\000\\001 alpn=h2 port=1",
    "SVCB \\# 9 000101610000020000",
    "SVCB \\# 11 0001016100000000020001",
    "SVCB \\# 12 000101610000030003000000",
    "SVCB \\# 12 000101610000010003036832",
    "SVCB \\# 16 0001016100000300020001000100020001",
    "SVCB \\# 8 0001016100029b00",
    "CAA 0 \"\" x",
    "CAA 0 is-sue x",
    "CAA 0 is_sue x",
    "CAA 0 issue\\033 x",
    "CAA \\# 2 0000",
    "CAA \\# 5 0003612d62",
    "CAA \\# 3 000261",
    "DS 1 13 1 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
    "DS 1 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
    "DS 1 13 4 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
    "CDS 1 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
    "CDS 1 13 4 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
    "DLV 1 13 1 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
    "TA 1 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
    "SSHFP 1 1 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
    "SSHFP 1 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
    "ZONEMD 1 1 1 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
    "ZONEMD 1 2 1 d4b7",
    "ZONEMD 1 1 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50ad4b7d520e7bb5f0f67674a0cceb1e3e0",
    "ZONEMD 1 1 240 d4b7d520e7bb5f0f67674a",
    "DS \\# 6 00010d02d4b7",
    "SSHFP \\# 4 0101d4b7",
    "ZONEMD \\# 8 000000010101d4b7",
];

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
const READ_BY_BIND: &[&str] = &["EUI48 0-0-5e-0-53-2a", "SVCB 1 a. key8=x"];

fn zone(record: &str) -> String {
    format!("x. 60 IN SOA a. b. 1 2 3 4 5\na.x. 60 IN {record}\nx. 60 IN NS a.\n")
}

#[test]
fn what_is_no_record_is_refused() {
    for wrong in REFUSED.iter().chain(READ_BY_BIND) {
        let fault = fieldtest_dnssec::read(zone(wrong).as_bytes(), "test".as_ref(), None).expect_err(wrong);
        assert!(fault.to_string().starts_with("test, line 2: "), "{wrong}: {fault}");
    }
}

/// Without the quotes the field is absent, and that is what is said.
#[test]
fn nothing_in_quotes_is_nothing() {
    for record in EMPTY {
        let fault = |record: &str| {
            fieldtest_dnssec::read(zone(record).as_bytes(), "test".as_ref(), None)
                .expect_err(record)
                .to_string()
        };
        let rtype = record.split(' ').next().expect("a type");
        let said = fault(record);
        assert!(said.starts_with("test, line 2: ") && said.contains(&format!(" {rtype} RDATA ")), "{said}");
        if rtype != "NSEC3" {
            assert_eq!(fault(record), fault(record.replace("\"\"", "").trim()));
        }
    }
    for fine in
        ["KEY 49152 3 0 \"\"", "SINK 1 2 3 \"\"", "IPSECKEY 10 0 0 . \"\"", "DNSKEY 257 3 13 \"\" AQID"]
    {
        fieldtest_dnssec::read(zone(fine).as_bytes(), "test".as_ref(), None).expect(fine);
    }
}

#[test]
fn bind_refuses_the_same() {
    if !installed("named-compilezone") {
        return;
    }
    let directory = Directory::new("refused");
    let reads = |record: &str| {
        let file = directory.0.join("zone");
        std::fs::write(&file, zone(record)).expect("a file");
        let arguments = ["-q", "-i", "none", "-k", "ignore", "-o", "/dev/null", "x."];
        let done = std::process::Command::new("named-compilezone").args(arguments).arg(&file).output();
        done.expect("named-compilezone").status.success()
    };
    for record in REFUSED.iter().chain(EMPTY) {
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
        let fault = fieldtest_dnssec::read(zone(wrong).as_bytes(), "test".as_ref(), None).expect_err(wrong);
        let fault = fault.to_string();
        assert!(
            fault.starts_with("test, line 4: ") && fault.contains("stands in quotes"),
            "{wrong}: {fault}"
        );
    }
    for fine in ["\"a\" 60 IN A 192.0.2.1", "a 60 IN TXT \"A\"", "a 60 IN A \"192.0.2.1\""] {
        fieldtest_dnssec::read(zone(fine).as_bytes(), "test".as_ref(), None).expect(fine);
    }
    let directory = Directory::new("quotes");
    std::fs::write(directory.0.join("zone"), zone("a 60 IN A 192.0.2.1")).expect("a file");
    let peers: [(&str, &[&str]); 2] = [
        ("named-compilezone", &["-q", "-i", "none", "-k", "ignore", "-o", "/dev/null", "x.", "zone"]),
        ("kzonecheck", &["-o", "x.", "zone"]),
    ];
    for (tool, arguments) in peers {
        if !installed(tool) {
            continue;
        }
        run(&directory.0, tool, arguments);
        for wrong in &quoted {
            let file = directory.0.join("zone");
            std::fs::write(&file, zone(wrong)).expect("a file");
            let done = std::process::Command::new(tool).args(arguments).current_dir(&directory.0).output();
            assert!(!done.expect(tool).status.success(), "{tool} reads {wrong}");
        }
        std::fs::write(directory.0.join("zone"), zone("a 60 IN A 192.0.2.1")).expect("a file");
    }
}

/// Messages say what is wrong with which part.
#[test]
fn messages() {
    for (record, values) in [
        ("SVCB 1 a. key3=1", &["port"][..]),
        ("SVCB 1 a. alpn=h2 key1=\\002h3", &["alpn", "twice"]),
        ("SVCB 1 a. key667=x key667=y", &["key667", "twice"]),
        ("SVCB 1 a. key01=\\002h2", &["“key01=\\002h2”", "alpn=h2", "key667=value"]),
        ("SVCB 1 a. mandatory=port", &["mandatory", "port", "RFC 9460, section 8"]),
        ("SVCB 1 a. mandatory=port,key3 port=1", &["mandatory", "port twice", "RFC 9460, section 8"]),
        ("SVCB 1 a. mandatory=key0", &["mandatory", "itself", "RFC 9460, section 8"]),
        ("SVCB 1 a. no-default-alpn", &["no-default-alpn", "RFC 9460, section 7.1.1"]),
        ("CAA 0 is-sue x", &["“is-sue”", "RFC 8659, section 4.1.1"]),
        ("DS 1 13 2 d4b7", &["DS", "type 2", "2 octets", "32"]),
        ("SSHFP 1 1 d4b7", &["SSHFP", "type 1", "2 octets", "20"]),
        ("ZONEMD 1 1 240 d4b7", &["ZONEMD", "2 octets", "12", "RFC 8976, section 2.2.4"]),
    ] {
        let fault = fieldtest_dnssec::read(zone(record).as_bytes(), "test".as_ref(), None).expect_err(record);
        let said = fault.to_string();
        assert!(said.starts_with("test, line 2: "), "{record}: {said}");
        assert!(values.iter().all(|value| said.contains(value)), "{record}: {said}");
    }
}
