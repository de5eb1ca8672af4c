//! Which number stands for which algorithm in a zone: the facts' tables joined with the carrier's.

use fieldtest_catalog::Wanted;
use fieldtest_catalog::signature::{self, Algorithm, Implementation};
use fieldtest_dnssec::codepoints::{CodePoint, CodePointError, CodePoints};
use fieldtest_dnssec::rtype;
use fieldtest_kinds::signature::Signature;

/// IANA's number for RSA with SHA-512, which the catalog has beside its algorithms.
const RSASHA512: u8 = 10;

/// The table named `preferred` (`iana`, `oqs`, `patad`), completed from IANA's and the private one; `chosen` goes
/// before all.
///
/// An algorithm whose number another one took keeps none, as it cannot be used beside it, but where IANA gives both the same.
pub(crate) fn code_points(
    preferred: &str,
    chosen: &[(String, CodePoint)],
) -> Result<CodePoints, CodePointError> {
    let mut table = CodePoints::new();
    for (algorithm, code_point) in chosen {
        table.insert(algorithm, code_point.clone())?;
    }
    for source in [preferred, "iana", "private"] {
        for facts in signature::all().iter().map(|algorithm| algorithm.facts) {
            let numbers = facts.kind.dnssec.as_ref().map(|dnssec| &dnssec.code_points);
            if let Some(number) = numbers.and_then(|numbers| numbers.get(source))
                && table.get(&facts.name).is_none()
            {
                let number = CodePoint::Number(*number);
                match table.insert(&facts.name, number.clone()) {
                    Ok(()) => {}
                    Err(CodePointError::Taken { holder, .. }) => {
                        if is_same_but_for_length(&holder, &facts.name) {
                            table.share(&facts.name, number)?;
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(table)
}

/// Whether two algorithms are one under IANA's number, which they share: RSA with another modulus.
fn is_same_but_for_length(one: &str, other: &str) -> bool {
    iana_number(one).is_some_and(|number| Some(number) == iana_number(other))
}

/// Gives each of these algorithms that has no number one of those that IANA reserves (RFC 6014, section 2) and no table has:
/// for zones that are made to be timed, and that nobody else sees.
pub(crate) fn stand_in(table: &mut CodePoints, algorithms: &[&'static Algorithm]) {
    let mut free = (123..228).map(CodePoint::Number);
    for name in algorithms.iter().map(|algorithm| algorithm.facts.name.as_str()) {
        // The next number, should someone have this one.
        while table.get(name).is_none() {
            let Some(number) = free.next() else { return };
            let _ = table.insert(name, number);
        }
    }
}

pub(crate) fn iana_number(algorithm: &str) -> Option<u8> {
    let facts = &signature::find(algorithm).ok()?.facts.kind;
    facts.dnssec.as_ref()?.code_points.get("iana").copied()
}

/// What gives an algorithm a number, for whoever has none.
pub(crate) fn to_number(algorithm: &str) -> String {
    let free = fieldtest_catalog::free_number();
    let free = free.map(|number| format!(", {number} for example")).unwrap_or_default();
    format!("give it one with --code-point {algorithm}=NUMBER{free}")
}

/// IANA's mnemonic of a code point that there belongs to another algorithm than this one: everybody else takes the
/// records that it marks for that algorithm's.
pub(crate) fn belongs_to(algorithm: &str, code_point: &CodePoint) -> Option<&'static str> {
    match code_point {
        CodePoint::Number(number) if iana_number(algorithm) != Some(*number) => {
            rtype::algorithm_mnemonic(*number)
        }
        _ => None,
    }
}

/// The implementation that serves an algorithm, by a name that a table of code points has.
pub(crate) fn implementation(algorithm: &str, wanted: Option<&str>) -> Option<&'static Implementation> {
    signature::find(algorithm).ok()?.served(Wanted::preferred(wanted)).ok()
}

/// What the carrier asks for code by: a code point's implementation, if the table and the catalog have one.
pub(crate) fn resolver<'a>(
    table: &'a CodePoints,
    wanted: Option<&'a str>,
) -> impl Fn(&CodePoint) -> Option<&'a dyn Signature> + Sync + 'a {
    move |code_point| {
        let Some(algorithm) = table.algorithm(code_point) else {
            return (*code_point == CodePoint::Number(RSASHA512)).then(signature::rsa_sha512);
        };
        implementation(algorithm, wanted).map(|implementation| implementation.code.as_ref() as &dyn Signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_no_number_gets_one_to_be_timed_with() {
        let algorithms: Vec<&'static Algorithm> = signature::all().iter().collect();
        let mut table = code_points("iana", &[("ed25519".to_owned(), CodePoint::Number(123))]).unwrap();
        let before: Vec<CodePoint> = table.iter().map(|(_, number)| number.clone()).collect();
        assert_eq!(table.get("mldsa44-ed25519"), None);
        stand_in(&mut table, &algorithms);
        assert!(algorithms.iter().all(|algorithm| table.get(&algorithm.facts.name).is_some()));
        assert!(table.iter().map(|(_, number)| number).take(before.len()).eq(&before));
        let number = table.get("mldsa44-ed25519").unwrap();
        assert_eq!(table.algorithm(number), Some("mldsa44-ed25519"));
        assert!((124..228).contains(&number.number()), "123 is Ed25519's here");
    }

    #[test]
    fn numbers_of_others() {
        for (algorithm, number, other) in [
            ("ml-dsa-44", 13, Some("ECDSAP256SHA256")),
            ("ml-dsa-44", 10, Some("RSASHA512")),
            ("falcon-512", 17, Some("SM2SM3")),
            ("ml-dsa-44", 18, None),
            ("ecdsa-p256", 13, None),
            ("hawk-512", 200, None),
        ] {
            assert_eq!(belongs_to(algorithm, &CodePoint::Number(number)), other, "{algorithm}={number}");
        }
        let private: CodePoint = "253:a.example.".parse().unwrap();
        assert_eq!(belongs_to("ml-dsa-44", &private), None);
    }
}
