//! The verdict on one carrier: which algorithms have what is asked of them, in order; why the others have not; and one
//! sentence. What algorithms have is read off records here; `fieldtest_verdict` decides, as it does in the page.

mod common;
mod judge;
mod matrix;
mod property;
mod tables;
#[cfg(test)]
mod tests;
mod verdicts;

pub use common::{
    COMMON, COMMON_MEANINGS, POST_QUANTUM, STATUS, STRENGTH, TIED, WARNINGS, implemented_by, implementers,
    looked_at, support,
};
pub use fieldtest_verdict::{
    ANY, ANYONE, AUTHENTICATES, Alternative, Constraint, Nearest, PROTECTS, Request,
};
pub use judge::{Advice, Excluded, Shown, Survivor};
pub(crate) use matrix::matrix;
pub use property::{Demand, Evidence, Fact, Held, Of, Property, Value};
pub(crate) use tables::{caveat, said};

pub use crate::number::written;

use crate::once::each_once;
use crate::report::Report;

/// What a carrier's users decide: what they look for, by which properties, and what of it nobody would go without.
#[derive(Debug)]
pub struct Decision {
    /// The study whose records it is made of.
    pub study: &'static str,
    /// What is looked for: `signature for DNSSEC`.
    pub wanted: &'static str,
    /// The properties that only its algorithms have, beside [`COMMON`] ones.
    pub own: &'static [Property],
    /// The constraints where nobody says otherwise, as they would be typed: property and value.
    pub usual: &'static [(&'static str, &'static str)],
    /// The properties by which survivors are put in order: the second where the first cannot tell them apart, and so on.
    pub by: &'static [&'static str],
    /// The properties of which a [refusal](Value::Refused) excludes, whatever else is asked: what cannot be sent cannot be deployed.
    pub must: &'static [&'static str],
    /// How records of a property are made, where a usual study makes none: property and what to do.
    pub made: &'static [(&'static str, &'static str)],
    /// What an algorithm costs in what the carrier's users count, the most important first.
    pub facts: fn(&Report, &str) -> Vec<Fact>,
    /// What else to know before one takes it.
    pub caveats: fn(&Report, &str) -> Vec<String>,
    /// The command to try next with an algorithm; empty where there is none.
    pub next: fn(&Report, &str) -> String,
    /// What is in use today, the likeliest first.
    pub today: fn(&Report) -> Vec<String>,
    /// The property whose costs the picture compares with today's.
    pub cost: &'static str,
    /// What constraints on own properties ask for, in words of help; titles head columns and are too short for that.
    pub meanings: &'static [(&'static str, &'static str)],
    /// What people ask, and the command that answers it: an example of help, which has room for three of all.
    pub example: Option<(&'static str, &'static str)>,
}

impl Decision {
    /// Every property that there can be a constraint on.
    pub fn properties(&self) -> impl Iterator<Item = Property> + use<> {
        COMMON.into_iter().chain(self.own.iter().copied())
    }

    /// The facts and the caveats of an algorithm, with how it stands in this carrier where its use there is no standard.
    pub(crate) fn said(&self, report: &Report, algorithm: &str) -> (Vec<String>, Vec<String>) {
        let standings = report.candidate(algorithm).map_or(&[][..], |it| &it.standings);
        let own = standings.iter().find(|(carrier, _)| carrier == self.study);
        let own = own.filter(|(_, standing)| !standing.starts_with("standard"));
        let title = report.study_section(self.study).map_or(self.study, |it| it.title);
        let own = own.map(|(_, standing)| format!("Its use in {title} is {standing}"));
        let unfit = report.is_unfit() && self.is_timed(report);
        let mut facts = (self.facts)(report, algorithm);
        facts.retain(|it| !(unfit && it.is_timed));
        let of_facts = facts.iter().flat_map(|it| it.caveats.iter().cloned());
        let unfit = unfit.then(|| "This machine was unfit for timing: do not use its times".to_owned());
        let caveats = unfit.into_iter().chain(own).chain((self.caveats)(report, algorithm)).chain(of_facts);
        (facts.iter().map(|it| it.text.clone()).collect(), each_once(caveats))
    }

    /// Whether something of this study was timed.
    pub(super) fn is_timed(&self, report: &Report) -> bool {
        report.of_study(self.study).any(|record| record.samples > 0)
    }

    /// The command to try next. It is pasted into shells, and records may be anybody's.
    pub(crate) fn next_command(&self, report: &Report, algorithm: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        match algorithm.chars().all(is_plain) && !algorithm.starts_with('-') {
            true => (self.next)(report, algorithm),
            false => String::new(),
        }
    }

    /// The property of this name.
    pub fn property(&self, id: &str) -> Option<Property> {
        self.properties().find(|property| property.id == id)
    }
}
