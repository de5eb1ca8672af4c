//! Whether a resolver says of every name what it has to: secure, or bogus where something was broken on purpose.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fieldtest_dnssec::{Name, Rtype};

use crate::InternetError;
use crate::ask::{Said, ask};
use crate::internet::Internet;

/// How long a resolver may take for one question: it asks again before it says that something is bogus.
const WAIT: Duration = Duration::from_secs(30);

/// What a resolver has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The records, with AD.
    Secure,
    /// That there is no such name, with AD.
    SecureDenial,
    /// That there is no such name; within an opt-out span nothing proves that securely (RFC 5155, section 9.2).
    Denial,
    /// SERVFAIL.
    Bogus,
}

/// What was asked and said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Answers that were secure, as they had to be.
    pub secure: u64,
    /// Denials without AD that had to be no more than that.
    pub unproved: u64,
    /// Questions that failed, as they had to.
    pub bogus: u64,
    /// Answers without AD that had to be secure: as of a resolver that knows no such algorithm.
    pub insecure: u64,
    /// What was not as it had to be, in words; those answers are among it.
    pub wrong: Vec<String>,
}

/// Asks for every host, for the SOA record of every zone and for a name that is in none. `broken` is the place of a zone whose
/// keys cannot be trusted: whatever is at or below it is to fail and nothing else. `opts_out` says of zones that they leave insecure
/// delegations out of their chain.
///
/// # Errors
/// The resolver has ended; [`InternetError::Interrupted`] once `stop` is set.
pub fn of_all(
    internet: &mut Internet<'_>,
    broken: Option<usize>,
    opts_out: &dyn Fn(usize) -> bool,
    stop: &AtomicBool,
) -> Result<Verdicts, InternetError> {
    let plan = internet.plan();
    let broken = broken.and_then(|place| plan.zones().get(place)).map(|zone| zone.name);
    let is_broken = |name: &Name| broken.is_some_and(|broken| name.is_at_or_below(&broken));
    let or_bogus = |name: &Name, otherwise| if is_broken(name) { Expected::Bogus } else { otherwise };
    let mut questions: Vec<(Name, Rtype, Expected)> = Vec::new();
    for (place, zone) in plan.zones().iter().enumerate() {
        questions.push((zone.name, Rtype::SOA, or_bogus(&zone.name, Expected::Secure)));
        if let Some(none) = zone.name.child(b"no-such-name") {
            let denied = if opts_out(place) { Expected::Denial } else { Expected::SecureDenial };
            questions.push((none, Rtype::A, or_bogus(&none, denied)));
        }
    }
    questions
        .extend(plan.hosts().into_iter().map(|host| (host, Rtype::A, or_bogus(&host, Expected::Secure))));
    let mut verdicts = Verdicts::default();
    for (name, rtype, expected) in questions {
        if stop.load(Ordering::Relaxed) {
            return Err(InternetError::Interrupted);
        }
        let said = ask(internet.place().resolver(), &name, rtype, WAIT);
        if said.is_err() {
            internet.check()?;
        }
        match said {
            Ok(said) if is_as(expected, said) => match expected {
                Expected::Secure | Expected::SecureDenial => verdicts.secure += 1,
                Expected::Denial => verdicts.unproved += 1,
                Expected::Bogus => verdicts.bogus += 1,
            },
            Ok(said) => {
                let is_secure = matches!(expected, Expected::Secure | Expected::SecureDenial);
                verdicts.insecure +=
                    u64::from(is_secure && is_as(expected, Said { authentic: true, ..said }));
                verdicts.wrong.push(format!(
                    "{name}: response code {}{} where {expected:?} was expected",
                    said.rcode,
                    if said.authentic { " with AD" } else { "" }
                ));
            }
            Err(error) => verdicts.wrong.push(format!("{name}: {error}")),
        }
    }
    Ok(verdicts)
}

fn is_as(expected: Expected, said: Said) -> bool {
    match expected {
        Expected::Secure => said.rcode == 0 && said.authentic && said.answers > 0,
        Expected::SecureDenial => said.rcode == Said::NXDOMAIN && said.authentic,
        Expected::Denial => said.rcode == Said::NXDOMAIN,
        Expected::Bogus => said.rcode == Said::SERVFAIL,
    }
}
