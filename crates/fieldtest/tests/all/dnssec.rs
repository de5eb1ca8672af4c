//! Zones from and to anywhere, keys that land nowhere by accident, requests to the parent, and reports for programs.

use std::process::Command;

use serde_json::Value;

use crate::examples::run_line;
use crate::scratch::{Run, Scratch, ZONE};

fn sign(more: &str) -> String {
    format!("dnssec sign -a ed25519 {more}")
}

fn keys(scratch: &Scratch, directory: &str) -> usize {
    scratch.listing().iter().filter(|entry| entry.starts_with(&format!("{directory}K"))).count()
}

#[test]
fn no_keys_beside_a_stream() {
    let scratch = Scratch::with_zone();
    for output in ["/dev/null", "/dev/stdout", "-"] {
        scratch.refuses(&sign(&format!("zone -o {output}")), 2, &["new keys", "--key-directory"]);
    }
    std::fs::create_dir(scratch.path("keys")).expect("a directory");
    let run = scratch.fine(&sign("zone -o - -K keys"));
    assert!(run.stdout.starts_with("example. 3600 IN SOA "), "{run:?}");
    assert_eq!((keys(&scratch, "keys/"), keys(&scratch, "")), (4, 0));
    scratch.write("signed", &run.stdout);
    scratch.fine("dnssec verify signed");
    scratch.refuses(&sign("zone -o - -K missing"), 1, &["no directory missing", "create it first"]);
    // With keys that are there nothing is left anywhere.
    let key = scratch.listing().into_iter().find(|entry| entry.contains(".key")).expect("a key");
    let key = key.split(' ').next().expect("a name").to_owned();
    scratch.fine(&format!("dnssec sign zone -k {key} -o /dev/null"));
    assert_eq!((keys(&scratch, "keys/"), keys(&scratch, "")), (4, 0));
}

#[test]
fn standard_input_is_a_zone() {
    let scratch = Scratch::with_zone();
    scratch.run_on("zone", &sign("- -o signed")).tells(0, &[]);
    scratch.run_on("signed", "dnssec verify -").tells(0, &[]);
    scratch.write("zone", "$TTL 1\nx. FOO\n");
    let words = ["standard input, line 2: unknown record type 'FOO'"];
    scratch.run_on("zone", &sign("- -o x")).tells(1, &words);
}

/// A directive must not be able to make the program wait, or read without an end.
#[test]
fn only_regular_files_are_included() {
    let scratch = Scratch::new();
    scratch.fifo("fifo");
    for file in ["fifo", "/dev/zero", "/dev/stdin", "."] {
        scratch.write("zone", format!("{ZONE}$INCLUDE {file}\n"));
        scratch.refuses(&sign("zone -o x"), (1, "syntax"), &["zone, line 8: ", file]);
    }
    scratch.write("zone", ZONE);
    std::os::unix::fs::symlink("/dev/zero", scratch.path("endless.key")).expect("a link");
    scratch.refuses("dnssec sign zone -o x -k endless", 1, &["endless.key", "16 MiB"]);
    scratch.refuses("dnssec verify zone --anchor /dev/zero", 1, &["/dev/zero", "64 MiB"]);
}

/// What is included is a source as the zone is, by whatever name it is written to, and by whatever command.
#[test]
fn an_output_is_no_file_that_the_zone_includes() {
    let scratch = Scratch::new();
    scratch.write("zone", format!("{ZONE}$INCLUDE included\n"));
    scratch.write("included", "more 300 IN A 192.0.2.77\n");
    std::os::unix::fs::symlink("included", scratch.path("soft")).expect("a link");
    std::fs::hard_link(scratch.path("included"), scratch.path("hard")).expect("a link");
    for output in ["included", "soft", "hard"] {
        scratch.refuses(&sign(&format!("zone -o {output}")), 1, &[output, "would be lost"]);
        let load = format!("dnssec load 127.0.0.1:5300 --zone zone -o {output}");
        scratch.refuses(&load, 1, &[output, "would be lost"]);
        assert_eq!(scratch.read("included"), "more 300 IN A 192.0.2.77\n");
    }
}

#[test]
fn stale_requests_to_the_parent() {
    let scratch = Scratch::new();
    scratch
        .write("zone", format!("{ZONE}@ IN CDS 4711 15 2 {}\n@ IN CDNSKEY 257 3 15 AAEC\n", "00".repeat(32)));
    scratch.fine(&sign("zone -o signed")).tells(0, &[" CDS 4711, CDNSKEY "]);
    assert!(!scratch.read("signed").contains(" CD"), "{}", scratch.read("signed"));
    scratch.fine("dnssec verify signed");
    let run = scratch.fine(&sign("zone -o computed --cds compute"));
    assert!(!run.stderr.contains("left out"), "{run:?}");
    assert!(scratch.read("computed").contains("IN CDS ") && scratch.read("computed").contains("IN CDNSKEY "));
    scratch.fine("dnssec verify computed");
    scratch.fine(&sign("zone -o kept --cds keep"));
    let run = scratch.run("dnssec verify kept");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains(" CDS 4711 "), "{run:?}");
}

/// RFC 8901: the keys of the other signer stay, or are named; RFC 9276: iterations are warned of.
#[test]
fn what_becomes_of_other_keys_and_of_iterations_is_said() {
    let scratch = Scratch::new();
    let keys =
        "@ IN DNSKEY 256 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=\n@ IN DNSKEY 256 3 8 AQAB\n";
    scratch
        .write("zone", format!("{ZONE}{keys}@ IN NSEC3PARAM 1 0 151 -\nd IN DNAME x.\na.d IN A 192.0.2.1\n"));
    let document = scratch.json(&sign("zone -o signed"), 0);
    let number = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!(number(&document["keys kept"]), Some(1), "{document}");
    assert_eq!(number(&document["left out"]["keys"]), Some(1), "{document}");
    assert_eq!(number(&document["warnings"]), Some(2), "{document}");
    assert_eq!(
        scratch.read("signed").matches(" DNSKEY ").count()
            - scratch.read("signed").matches(" RRSIG DNSKEY ").count(),
        3
    );
    let document = scratch.json("dnssec verify signed", 1);
    assert_eq!(number(&document["findings"]), Some(1), "{document}");
    assert_eq!(document["findings"][0]["type"], "NSEC3PARAM", "{document}");
    scratch.fine(&sign("zone -o alone --dnskey remove --nsec3"));
    scratch.fine("dnssec verify alone");
}

#[test]
fn reports_for_programs() {
    let scratch = Scratch::with_zone();
    let document = scratch.json(&sign("zone -o signed"), 0);
    assert_eq!(document["zone"], "example.");
    assert_eq!(document["signatures"].as_u64(), Some(9), "{document}");
    assert_eq!(document["new keys"].as_array().map(Vec::len), Some(2), "{document}");
    let document = scratch.json("dnssec verify signed", 0);
    assert_eq!((&document["secure"], &document["number of findings"]), (&Value::Bool(true), &0.into()));
    assert_eq!(document["signatures"]["good"].as_u64(), Some(9), "{document}");
    // All findings, however many they are.
    let many: String = (0..60).map(|at| format!("n{at} IN A 192.0.2.1\n")).collect();
    scratch.write("many", ZONE.to_owned() + &many);
    scratch.fine(&sign("many -o signed-many"));
    scratch.write("damaged", scratch.read("signed-many").replace("IN A 192.0.2.1\n", "IN A 192.0.2.2\n"));
    let document = scratch.json("dnssec verify damaged", 1);
    assert_eq!(document["findings"].as_array().map(Vec::len), Some(60), "{document}");
    assert_eq!((&document["secure"], &document["number of findings"]), (&Value::Bool(false), &60.into()));
    let document = scratch.json("dnssec keygen a -a ed25519", 0);
    assert_eq!((&document["zone"], &document["flags"]), (&"a.".into(), &256.into()));
    assert!(scratch.path(document["file"].as_str().expect("a name")).is_file());
    let document = scratch.json("dnssec generate -n 2 -o made", 0);
    assert_eq!(document["delegations"], 2);
    for form in ["csv", "md"] {
        scratch.refuses(&sign(&format!("zone -o x --format {form}")), 2, &["omit --format"]);
        scratch.refuses(&format!("dnssec generate -o x --format {form}"), 2, &["omit --format"]);
        scratch.refuses(&format!("dnssec keygen a -a ed25519 --format {form}"), 2, &["omit --format"]);
    }
    for output in ["-", "/dev/stdout"] {
        scratch.refuses(&sign(&format!("zone -o {output} -K . --format json")), 2, &["json", "-o"]);
    }
    // A form that there is in no case is not what a file helps with, nor is one that there is not here.
    let neither = sign("zone -o - -K . --format csv");
    scratch.refuses(&neither, 2, &["csv", "standard output; leave --format out"]);
}

#[test]
fn a_message_that_is_too_long() {
    let scratch = Scratch::new();
    let addresses: String =
        (0..5_000).map(|at| format!("many IN A 10.0.{}.{}\n", at / 250, at % 250)).collect();
    scratch.write("zone", ZONE.to_owned() + &addresses);
    scratch.refuses(&sign("zone -o x"), (1, "unservable"), &["many.example. A: ", "65,535"]);
    scratch.write("zone", ZONE);
    let run = scratch.fine("dnssec sizes zone -a uov-ip-pkc --format csv");
    assert!(run.stdout.contains("over 65535 bytes"), "{run:?}");
}

/// A number that IANA has given to another algorithm is taken with a warning, and stands for one algorithm only.
#[test]
fn numbers_of_other_algorithms() {
    let scratch = Scratch::with_zone();
    let as_ecdsa = |arguments: &str| format!("{arguments} --code-point ml-dsa-44=13");
    for arguments in ["sign zone -a ml-dsa-44 -o x", "verify x"] {
        let run = scratch.fine(&as_ecdsa(&format!("dnssec {arguments}")));
        assert!(run.stderr.contains("warning: 13 ") && run.stderr.contains("ECDSAP256SHA256"), "{run:?}");
    }
    let own = scratch.fine("dnssec keygen a -a ml-dsa-44 --code-point ml-dsa-44=18");
    assert!(!own.stderr.contains("warning"), "{own:?}");
    // No two algorithms have it.
    let both = as_ecdsa("dnssec verify x --code-point hawk-512=13");
    scratch.refuses(&both, 2, &["13 already belongs to hawk-512", "ml-dsa-44"]);
    let run = scratch.run(&as_ecdsa("dnssec keygen a -a ecdsa-p256"));
    assert!(run.code == Some(2) && run.stderr.contains("--code-point ecdsa-p256="), "{run:?}");
    // A key of the other one, whose secret is as long, is not taken for one of this.
    let key = scratch.fine("dnssec keygen example. -a ecdsa-p256").stdout;
    let run = scratch.run(&as_ecdsa(&format!("dnssec sign zone -o y -k {} --format json", key.trim())));
    let words = format!("{}.private, line 3: ", key.trim());
    assert!(run.code == Some(1) && run.stderr.contains(&words) && !scratch.path("y").exists(), "{run:?}");
}

/// What `keygen` makes unless told otherwise signs a zone that a parent's DS records do not lead into.
#[test]
fn a_zone_signing_key_alone() {
    let scratch = Scratch::with_zone();
    let keygen = |more: &str| {
        let arguments = format!("dnssec keygen example -a ed25519 {more}");
        scratch.fine(&arguments).stdout.trim().to_owned()
    };
    let (zsk, ksk) = (keygen(""), keygen("--ksk"));
    let words = "the SEP flag";
    let alone = scratch.fine(&format!("dnssec sign zone -k {zsk} -o alone"));
    assert!(alone.stderr.contains("warning: ") && alone.stderr.contains(words), "{alone:?}");
    assert!(alone.stderr.contains("keygen --ksk"), "{alone:?}");
    let run = scratch.run("dnssec verify alone");
    assert!(run.code == Some(1) && run.stdout.contains(words), "{run:?}");
    scratch.fine(&["dnssec", "verify", "alone", "--anchor", &format!("{zsk}.key")]);
    let document = scratch.json(&format!("dnssec sign zone -k {zsk} -o alone"), 0);
    assert_eq!(document["warnings"].as_array().map(Vec::len), Some(1), "{document}");
    for keys in [format!("-k {ksk}"), format!("-k {ksk} -k {zsk}")] {
        let run = scratch.fine(&format!("dnssec sign zone -o good {keys}"));
        assert!(!run.stderr.contains("warning"), "{run:?}");
        scratch.fine("dnssec verify good");
    }
    // A key-signing key that is only published signs nothing.
    std::fs::remove_file(scratch.path(&format!("{ksk}.private"))).expect("a file");
    let run = scratch.run(&format!("dnssec sign zone -k {ksk} -k {zsk} -o published"));
    assert!(run.code != Some(0) || run.stderr.contains(words), "{run:?}");
}

/// What is no fault, and yet not as it was meant: `sign` and `verify` say the same of it.
#[test]
fn records_outside_and_servers_of_wildcards() {
    let scratch = Scratch::new();
    scratch.write("zone", format!("{ZONE}*.q IN NS ns\n*.b.q IN NS ns\na.elsewhere. IN A 192.0.2.1\n"));
    let outside = "outside example.: 1 record\n";
    let wildcards = "warning: *.q.example. and 1 other wildcard";
    let run = scratch.fine(&sign("zone -o signed"));
    assert!(run.stderr.contains(outside) && run.stderr.contains(wildcards), "{run:?}");
    let run = scratch.fine("dnssec verify signed");
    assert!(!run.stderr.contains("ignored") && run.stderr.contains(wildcards), "{run:?}");
    scratch.write("signed", scratch.read("signed") + "a.elsewhere. 60 IN A 192.0.2.1\n");
    scratch.fine("dnssec verify signed").tells(0, &[outside, ", 0 findings"]);
    let document = scratch.json("dnssec verify signed", 0);
    assert_eq!(document["left out"]["records outside"], 1, "{document}");
    assert_eq!(document["warnings"].as_array().map(Vec::len), Some(1), "{document}");
    // A wildcard of other records, and an apex that is one, are as usual.
    scratch.write("usual", ZONE.replace("example.", "*.q.") + "* IN A 192.0.2.1\n");
    let run = scratch.fine(&sign("usual -o signed"));
    assert!(!run.stderr.contains("warning"), "{run:?}");
}

/// What servers do not load, and what nobody follows, is signed with one warning of each kind, by `sign` and by `verify`.
#[test]
fn zones_that_servers_do_not_load() {
    let scratch = Scratch::new();
    let (sha1, sha256) = ("00".repeat(20), "00".repeat(32));
    let both = format!("d IN NS ns\nd IN DS 1 13 1 {sha1}\nd IN DS 1 13 2 {sha256}\n");
    for (records, said) in [
        ("", None),
        (&both, None),
        ("@ IN NS lost\n@ IN NS lost2\n", Some("lost.example. and 1 other name server ")),
        ("d IN NS ns.d\nns.d IN A 192.0.2.1\n", None),
        ("d IN NS ns.d\ne IN NS e\n", Some("d.example. and 1 other delegation ")),
        ("d IN CDS 0 0 0 00\nd IN TXT x\n", Some("d.example. with CDS ")),
        (&format!("d IN NS ns\nd IN DS 1 13 1 {sha1}\n"), Some("d.example. with SHA-1 ")),
        (&format!("d IN NS ns\nd IN DS 1 7 2 {sha256}\n"), Some("d.example. with DS records of RSA ")),
    ] {
        scratch.write("zone", ZONE.to_owned() + records);
        for arguments in [&sign("zone -o signed")[..], "dnssec verify signed"] {
            let document = scratch.json(arguments, 0);
            let warnings = document["warnings"].as_array().expect("warnings");
            assert_eq!(warnings.len(), said.iter().len(), "{records}: {document}");
            assert!(said.is_none_or(|said| warnings[0].to_string().contains(said)), "{records}: {document}");
        }
    }
    scratch.write("zone", ZONE.replace("IN NS  ns", "IN TXT ns"));
    let run = scratch.fine(&sign("zone -o signed"));
    assert!(run.stderr.contains("warning: example. "), "{run:?}");
    // What was read as 0 is 0 when it is signed.
    scratch.write("zone", ZONE.to_owned() + "a 2147483648 IN A 192.0.2.1\n");
    let run = scratch.fine(&sign("zone -o signed"));
    assert!(run.stderr.contains("warning: 1 record "), "{run:?}");
    assert!(scratch.read("signed").contains("a.example. 0 IN A "), "{}", scratch.read("signed"));
    let run = scratch.fine("dnssec verify signed");
    assert!(!run.stderr.contains("warning"), "{run:?}");
    // An anchor of SHA-1 alone.
    scratch.write("anchor", format!("example. IN DS 1 15 1 {sha1}\n"));
    let run = scratch.run("dnssec verify signed --anchor anchor");
    assert!(run.code == Some(1) && run.stderr.contains("SHA-1"), "{run:?}");
}

/// Keys that are not to sign now, and one that stays published and is no point of its curve.
#[test]
fn keys_that_had_better_not_be_used() {
    let scratch = Scratch::with_zone();
    let key = scratch.fine("dnssec keygen example -a ecdsa-p256 --ksk").stdout.trim().to_owned();
    let arguments = format!("dnssec sign zone -k {key} -o signed");
    let file = format!("{key}.private");
    let private = scratch.read(&file);
    for (times, is_warned) in [
        ("Inactive: 20700101000000\nDelete: 20700101000000\n", false),
        ("Inactive: 20200101000000\n", true),
        ("Delete: 20200101000000\n", true),
        ("Activate: 20700101000000\n", true),
    ] {
        scratch.write(&file, private.clone() + times);
        let run = scratch.fine(&arguments);
        assert_eq!(run.stderr.contains(&format!("warning: {key} signs, ")), is_warned, "{times}: {run:?}");
    }
    scratch.write(&file, &private);
    scratch.write("zone", format!("{ZONE}@ IN DNSKEY 256 3 13 {}==\n", "A".repeat(86)));
    scratch.fine(&arguments).tells(0, &["warning: DNSKEY 1037 is not ", "valid key: "]);
    let run = scratch.run("dnssec verify signed");
    assert!(run.code == Some(1) && run.stdout.contains("1037"), "{run:?}");
    // What is left out is not spoken of.
    let run = scratch.fine(&format!("{arguments} --dnskey remove"));
    assert!(!run.stderr.contains("warning"), "{run:?}");
}

/// Eight digits are a day, as for BIND's tools: as seconds they would be one of 1970.
#[test]
fn days_as_times() {
    let scratch = Scratch::with_zone();
    scratch.fine(&sign("zone -o signed --inception 20260101 --expiration 20260102"));
    assert!(scratch.read("signed").contains(" 20260102000000 20260101000000 "), "{}", scratch.read("signed"));
    for (at, code) in [("20260101", 0), ("20260102000000", 0), ("20260103", 1), ("1767225600", 0)] {
        let run = scratch.run(&format!("dnssec verify signed --at {at}"));
        assert_eq!(run.code, Some(code), "{at}: {run:?}");
    }
    scratch.refuses("dnssec verify signed --at 20261301", 2, &["20261301", "YYYYMMDDHHmmSS"]);
}

/// A directory whose name is mistyped would hide the keys.
#[test]
fn keys_go_only_where_there_is_a_directory() {
    let scratch = Scratch::with_zone();
    let keygen = "dnssec keygen example -a ed25519 -K";
    scratch.refuses(&format!("{keygen} a/b"), 1, &["no directory a/b", "create it first"]);
    scratch.refuses(&format!("{keygen} zone"), 1, &["zone is not", "another one"]);
    scratch.refuses(&sign("zone -o - -K zone"), 1, &["zone is not"]);
}

/// A zone that chose NSEC3 is sized, studied and signed so, and what it was before it is signed in its place is kept.
#[test]
fn a_zone_keeps_its_denial() {
    let scratch = Scratch::with_zone();
    scratch.write("hashed", ZONE.to_owned() + "@ IN NSEC3PARAM 1 0 0 ab\n");
    scratch.fine(&sign("hashed -o signed")).tells(0, &["NSEC3PARAM"]);
    let hashed = |name: &str| {
        scratch.read(name).lines().any(|line| line.contains("\tNSEC3\t") || line.contains(" NSEC3 "))
    };
    assert!(hashed("signed") && scratch.read("signed").contains("NSEC3PARAM"));
    scratch.fine("dnssec verify signed");
    // What is signed again stays as it is, with opt-out if it had that.
    scratch.fine(&sign("zone -o left-out --nsec3 --opt-out"));
    scratch.fine(&sign("left-out -o again")).tells(0, &["NSEC3 and opt-out"]);
    let run = scratch.fine(&sign("hashed -o plain --nsec"));
    assert!(!run.stderr.contains("NSEC3") && !hashed("plain"), "{run:?}");
    let sizes = scratch.fine("dnssec sizes hashed -a ed25519");
    assert!(sizes.stdout.contains("with NSEC3"), "{sizes:?}");
    scratch.fine(&sign("hashed -o hashed")).tells(0, &[" hashed.1"]);
    assert_eq!(scratch.read("hashed.1"), ZONE.to_owned() + "@ IN NSEC3PARAM 1 0 0 ab\n");
}

/// Every RRset fits, and the answer that a name does not exist, with four signatures of 17,088 octets, does not.
#[test]
fn a_denial_that_is_too_long() {
    let scratch = Scratch::with_zone();
    let large = "dnssec sign zone -a slh-dsa-sha2-128f -o x";
    let words = [" 6", "65,535", "smaller signatures", "or NSEC"];
    scratch.refuses(&format!("{large} --nsec3"), (1, "unservable-denial"), &words);
    scratch.fine(large);
    scratch.fine("dnssec verify x");
}

/// Keys of BIND for RSA with SHA-512, small ones among them (RFC 5702, section 2.2): BIND validates what they sign here,
/// and what they sign there validates here.
#[test]
fn rsa_with_sha_512() {
    let bind = |scratch: &Scratch, tool: &str, arguments: &str| {
        let output = Command::new(tool).args(arguments.split(' ')).current_dir(scratch.path("")).output();
        match output {
            Err(_) => {
                let demanded = std::env::var_os("FIELDTEST_PEERS").is_some_and(|wanted| wanted == "required");
                assert!(!demanded, "{tool} is not installed, and FIELDTEST_PEERS=required demands it");
                None
            }
            Ok(output) => {
                assert!(output.status.success(), "{tool} {arguments:?}: {output:?}");
                Some(String::from_utf8(output.stdout).expect("text").trim().to_owned())
            }
        }
    };
    for bits in ["1024", "2048"] {
        let scratch = Scratch::with_zone();
        let make = format!("-q -a RSASHA512 -b {bits} -f KSK example.");
        let Some(key) = bind(&scratch, "dnssec-keygen", &make) else { return };
        scratch.fine(&format!("dnssec sign zone -k {key} -o ours"));
        bind(&scratch, "dnssec-verify", "-z -o example. ours");
        scratch.fine("dnssec verify ours");
        bind(&scratch, "dnssec-signzone", "-q -S -P -z -o example. -f theirs zone");
        let run = scratch.run("dnssec verify theirs");
        assert_eq!(run.code, Some(0), "{run:?}");
        let text = scratch.read("theirs").replace("192.0.2.25", "192.0.2.26");
        scratch.write("damaged", text);
        assert_eq!(scratch.run("dnssec verify damaged").code, Some(1));
    }
}

/// Moments, keys and parameters that lead nowhere: refused, warned of, or named where they are left out.
#[test]
fn what_no_validator_would_follow() {
    let scratch = Scratch::with_zone();
    let signed_until = |expiration: &str| {
        sign(&format!("zone -o dead --inception 20260101000000 --expiration {expiration}"))
    };
    // By serial arithmetic, the first of these lies before the inception.
    for (expiration, cause) in [("20950101000000", "68 years"), ("20250101000000", "not after")] {
        scratch.refuses(&signed_until(expiration), 2, &[cause, "--expiration"]);
    }
    let warnings = |arguments: &str| scratch.json(arguments, 0)["warnings"].as_array().map(Vec::len);
    assert_eq!(warnings(&signed_until("20260102000000")), Some(1));
    assert_eq!(
        warnings(&sign("zone -o early --inception 20700101000000 --expiration 20710101000000")),
        Some(1)
    );
    assert_eq!(warnings(&sign("zone -o now")), Some(0));

    // A key that is no zone key.
    let key = scratch.fine("dnssec keygen example -a ed25519 --ksk").stdout.trim().to_owned();
    let file = format!("{key}.key");
    scratch.write(&file, scratch.read(&file).replace("DNSKEY 257", "DNSKEY 1"));
    scratch.refuses(&format!("dnssec sign zone -k {key} -o x"), (1, "not-zone-key"), &["K"]);
    // One that is revoked is no entry, and is not said to lack the flag.
    scratch.write(&file, scratch.read(&file).replace("DNSKEY 1 ", "DNSKEY 385 "));
    let zsk = scratch.fine("dnssec keygen example -a ed25519").stdout.trim().to_owned();
    scratch.fine(&format!("dnssec sign zone -k {key} -k {zsk} -o revoked"));
    let run = scratch.run("dnssec verify revoked");
    assert!(run.code == Some(1) && run.stdout.contains("RFC 5011"), "{run:?}");

    // A digest that is not known is as if it were not there.
    scratch.write("anchor", "example. IN DS 1 15 250 00\n");
    let run = scratch.run("dnssec verify now --anchor anchor");
    assert!(run.code == Some(1) && run.stdout.contains("type 250"), "{run:?}");

    // Neither another hash function, nor flags, nor a second record can be followed.
    for (records, left_out) in [
        ("@ IN NSEC3PARAM 2 0 0 -\n", 1),
        ("@ IN NSEC3PARAM 1 1 0 -\n", 1),
        ("@ IN NSEC3PARAM 1 0 0 -\n@ IN NSEC3PARAM 1 0 0 ab\n", 1),
        ("@ IN NSEC3PARAM 1 0 0 -\n", 0),
    ] {
        scratch.write("hashed", ZONE.to_owned() + records);
        let run = scratch.fine(&sign("hashed -o x --format json"));
        assert_eq!(run.json()["left out"]["NSEC3PARAM records"], left_out, "{records}: {run:?}");
        assert_eq!(run.stderr.contains("ignored"), left_out > 0, "{run:?}");
    }
}

/// Whatever a validator that is installed refuses, this program refuses or warns of; the same seed tries the same mutants.
#[test]
fn mutants_of_a_zone() {
    let scratch = Scratch::with_zone();
    scratch.fine(&sign("zone -o signed"));
    std::fs::create_dir(scratch.path("kept")).expect("a directory");
    let torture = "dnssec torture signed --count 30";
    let table = format!("{torture} --format csv");
    let run = scratch.fine(&format!("{table} --keep kept"));
    let rows = run.stdout.lines().count() - 1;
    assert_eq!(
        scratch
            .listing()
            .iter()
            .filter(|entry| entry.starts_with("kept/") && entry.contains(".zone"))
            .count(),
        rows
    );
    assert!(run.stderr.contains("30 mutants of "), "{run:?}");
    assert_eq!(scratch.fine(&table).stdout, run.stdout);
    // Without another validator there is nothing to agree with.
    let mut own = scratch.command(&torture);
    let run = Run::from(own.env("PATH", "").output().expect("the program starts"));
    assert!(run.code == Some(0) && !run.stderr.contains("agree"), "{run:?}");
    // Not signed, it is signed first; what is not valid says nothing of mutants.
    scratch.fine("dnssec torture zone --count 1");
    scratch.write("signed", scratch.read("signed").replace("192.0.2.25", "192.0.2.26"));
    scratch.refuses(torture, (1, "zone-not-valid"), &["verify"]);
    scratch.refuses("dnssec torture signed -a nosuch", (2, "unknown-name"), &["'nosuch'"]);
    scratch.refuses("dnssec torture zone --keep nowhere", (1, "no-directory"), &["nowhere"]);
}

/// The tutorial for DNS vendors decides on its zone as the program does: each `advise` of it ends in what comes out.
#[test]
fn the_tutorial_decides_as_the_program() {
    let scratch = Scratch::new();
    let tutorial = include_str!("../../../../docs/tutorials/dns-vendor.md");
    scratch.fine("dnssec generate --form tld -n 2000 -o test.zone");
    let study = tutorial.lines().find(|line| line.starts_with("fieldtest study ")).expect("a study");
    // Sizes and facts decide, and they take no time.
    let run = run_line(&scratch, &study.replace("--budget 10", "--budget 0.001"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let decisions = tutorial.lines().filter(|line| line.starts_with("fieldtest advise "));
    let decided = decisions.filter_map(|line| line.split_once(" # ")).map(|(line, outcome)| {
        let run = run_line(&scratch, &format!("{line} --format json"));
        let first = &run.json()[0]["survivors"][0]["title"];
        assert_eq!(first.as_str().unwrap_or("nothing"), outcome, "{line}: {run:?}");
    });
    assert_eq!(decided.count(), 4);
}
