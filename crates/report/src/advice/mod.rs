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

pub use common::{COMMON, POST_QUANTUM, STATUS, STRENGTH, TIED, WARNINGS, implemented_by, implementers};
pub use fieldtest_verdict::{ANY, ANYONE, Alternative, Constraint, Nearest, Request};
pub use judge::{Advice, Excluded, Shown, Survivor};
pub(crate) use matrix::matrix;
pub use property::{Demand, Evidence, Held, Of, Property, Value};

pub use crate::number::written;

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
    /// What a person would say of an algorithm, in clauses that follow its name.
    pub told: fn(&Report, &str) -> Vec<String>,
    /// What people ask, and the command that answers it: an example of help, which has room for three of all.
    pub example: Option<(&'static str, &'static str)>,
}

impl Decision {
    /// Every property that there can be a constraint on.
    pub fn properties(&self) -> impl Iterator<Item = Property> + use<> {
        COMMON.into_iter().chain(self.own.iter().copied())
    }

    /// What a person would say of an algorithm, and how it stands in this carrier where its use there is no standard.
    pub(crate) fn said(&self, report: &Report, algorithm: &str) -> Vec<String> {
        let standings = report.candidate(algorithm).map_or(&[][..], |it| &it.standings);
        let own = standings.iter().find(|(carrier, _)| carrier == self.study);
        let own = own.filter(|(_, standing)| !standing.starts_with("standard"));
        let own = own.map(|(carrier, standing)| format!("its use in {carrier} is {standing}"));
        (self.told)(report, algorithm).into_iter().chain(own).collect()
    }

    /// The property of this name.
    pub fn property(&self, id: &str) -> Option<Property> {
        self.properties().find(|property| property.id == id)
    }
}
