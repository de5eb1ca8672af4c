//! What takes the place of an algorithm, be it one that no record is about.

use fieldtest_catalog as catalog;
use fieldtest_report::advice::{Advice, Decision, POST_QUANTUM, Request, STRENGTH};
use fieldtest_report::{Error, Report};

/// Decides; of what is to be replaced and no record is about, by its strength in the catalog.
pub(super) fn decide(
    decision: &Decision,
    report: &Report,
    request: &Request,
) -> Result<Option<Advice>, Error> {
    let found = decision.decide(report, request)?;
    if found.is_some() {
        return Ok(found);
    }
    by_strength(decision, report, request).map_or(Ok(None), |request| decision.decide(report, &request))
}

/// What a carrier takes: signatures, MACs, …; nothing where no record is of it.
pub(super) fn kind<'a>(decision: &Decision, report: &'a Report) -> Option<&'a str> {
    let mut candidates = report.of_study(decision.study).filter_map(|it| report.candidate(&it.algorithm));
    candidates.next().map(|it| it.kind.as_str())
}

/// The same request without the algorithm to be replaced, where the carrier takes its kind and the catalog knows its strength.
fn by_strength(decision: &Decision, report: &Report, request: &Request) -> Option<Request> {
    let old = catalog::entry(request.replaces.as_deref()?).ok()?;
    let mut typed = request.typed.clone();
    let mut ask = |id: &str, value: String| {
        if decision.property(id).is_some() && request.asks(id).is_none() {
            typed.push((id.to_owned(), value));
        }
    };
    ask(STRENGTH.id, old.strength()?.to_string());
    if old.post_quantum() == Some(true) {
        ask(POST_QUANTUM.id, "yes".to_owned());
    }
    (kind(decision, report) == Some(old.kind())).then(|| Request { typed, replaces: None, ..request.clone() })
}
