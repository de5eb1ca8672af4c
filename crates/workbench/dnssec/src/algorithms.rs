//! Which number stands for which algorithm in a zone: the facts' tables joined with the carrier's.

use fieldtest_catalog::Wanted;
use fieldtest_catalog::signature::{self, Implementation};
use fieldtest_dnssec::codepoints::{CodePoint, CodePointError, CodePoints};
use fieldtest_kinds::signature::Signature;

use crate::rsa_sha512;

/// The table named `preferred` (`iana`, `oqs`, `patad`), completed from IANA's and the private one; `chosen` goes
/// before all.
///
/// An algorithm whose number another one took keeps none: it cannot be used beside it.
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
                match table.insert(&facts.name, CodePoint::Number(*number)) {
                    Ok(()) | Err(CodePointError::Taken { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(table)
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
            return (*code_point == CodePoint::Number(rsa_sha512::NUMBER))
                .then(rsa_sha512::implementation)?;
        };
        implementation(algorithm, wanted).map(|implementation| implementation.code.as_ref() as &dyn Signature)
    }
}
