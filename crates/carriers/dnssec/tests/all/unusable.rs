//! Zones that are signed as they should be, and that servers do not load or validators do not believe.

use crate::common::*;
use fieldtest_dnssec::denial::{Denial, MAX_ITERATIONS, Nsec3};
use fieldtest_dnssec::{Rtype, Zone};

const PLAIN: &str = "$ORIGIN example.\n$TTL 60\n@ IN SOA ns.x. a.x. 1 2 3 4 5\n@ IN NS ns.x.\n";

fn signed_with(zone: &Zone, iterations: u16) -> Zone {
    let denial = Denial::Nsec3(Nsec3 { iterations, ..Nsec3::default() });
    signed(zone, &plan(key_pair(zone, TOY), denial))
}

/// RFC 9276, section 3.2: above a limit, validators take what is denied for unsigned.
#[test]
fn more_iterations_than_validators_take() {
    let zone = read(PLAIN);
    for (iterations, findings) in [(MAX_ITERATIONS, 0), (MAX_ITERATIONS + 1, 1)] {
        let report = check(&signed_with(&zone, iterations));
        let types: Vec<Rtype> = report.findings.iter().map(|finding| finding.rtype).collect();
        assert_eq!(types, vec![Rtype::NSEC3PARAM; findings], "{report}");
    }
}

/// RFC 6672, section 2.4. A chain of NSEC3 below a DNAME record at the apex is no data.
#[test]
fn data_below_a_dname() {
    for (dname, name, found) in [
        ("@", "a", "example."),
        ("d", "a.d", "d.example."),
        ("d", "a.b.d", "d.example."),
        ("@", "@", ""),
        ("d", "a", ""),
        ("d", "e", ""),
        ("d", "d", ""),
        // Below a delegation, whose names another zone has.
        ("d.sub", "a.d.sub", ""),
    ] {
        let cut = if dname == "d.sub" { "sub IN NS ns.x.\n" } else { "" };
        let text = format!("{PLAIN}{cut}{dname} IN DNAME x.\n{name} IN A 192.0.2.1\n");
        let zone = signed_with(&read(&text), 0);
        let hiding = zone.owners().filter(|owner| owner.is_dname_above_data());
        let names: Vec<String> = hiding.map(|owner| owner.name().to_string()).collect();
        assert_eq!(names.concat(), found, "{dname} {name}");
    }
}
