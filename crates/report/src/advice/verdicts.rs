//! The verdicts of a report.

use super::{Advice, Decision, Property, Request};
use crate::report::Report;

impl Report {
    /// The verdict of every study whose decision is known, by the usual constraints.
    pub fn verdicts(&self) -> Vec<Advice> {
        let decisions = self.study_sections().iter().filter_map(|study_section| study_section.decision);
        decisions.filter_map(|decision| self.verdict(decision)).collect()
    }

    /// The verdict on one carrier by its usual constraints; none where the records say nothing that is the carrier's own to decide by, as
    /// those of its servers may not: what is known of the algorithms anyway is no result.
    pub(crate) fn verdict(&self, decision: &Decision) -> Option<Advice> {
        let of_study = |name: &&str| self.of_study(decision.study).any(|record| record.algorithm == **name);
        let algorithms: Vec<&str> = self.measured().into_iter().filter(of_study).collect();
        let is_known =
            |property: &Property| algorithms.iter().any(|name| (property.of)(self, name).is_some());
        if !decision.own.is_empty() && !decision.own.iter().any(is_known) {
            return None;
        }
        // These say something of every property that they name; a test of each carrier holds that.
        decision.decide(self, &Request::default()).ok().flatten()
    }
}
