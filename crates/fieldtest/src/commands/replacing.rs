//! What takes the place of an algorithm, be it one that no record is about.

use fieldtest_catalog as catalog;
use fieldtest_report::advice::{Advice, Decision, Request};
use fieldtest_report::{Error, Report};

/// Decides; of what is to be replaced and no record is about, by its strength in the catalog.
pub(super) fn decide(
    decision: &Decision,
    report: &Report,
    request: &Request,
) -> Result<Option<Advice>, Error> {
    let found = decision.decide(report, request)?;
    match by_strength(decision, report, request).filter(|_| found.is_none()) {
        Some(request) => decision.decide(report, &request),
        None => Ok(found),
    }
}

/// The same request without the algorithm to be replaced, where the carrier takes its kind and the catalog knows its strength.
fn by_strength(decision: &Decision, report: &Report, request: &Request) -> Option<Request> {
    let old = catalog::entry(request.replaces.as_deref()?).ok()?;
    let known = report.of_study(decision.study).find_map(|it| report.candidate(&it.algorithm))?;
    let mut typed = request.typed.clone();
    let mut ask = |id: &str, value: String| {
        if decision.property(id).is_some() && request.asks(id).is_none() {
            typed.push((id.to_owned(), value));
        }
    };
    ask("strength", old.strength()?.to_string());
    if old.post_quantum() == Some(true) {
        ask("post-quantum", "yes".to_owned());
    }
    (known.kind == old.kind()).then(|| Request { typed, replaces: None, ..request.clone() })
}
