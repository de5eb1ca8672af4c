//! The verdicts of a report.

use super::{Advice, Decision, Request};
use crate::report::Report;

impl Report {
    /// The verdict of every study whose decision is known, by the usual constraints.
    pub fn verdicts(&self) -> Vec<Advice> {
        let decisions = self.chapters().iter().filter_map(|chapter| chapter.decision());
        decisions.filter_map(|decision| self.verdict(decision)).collect()
    }

    /// The verdict on one carrier by its usual constraints.
    pub(crate) fn verdict(&self, decision: &Decision) -> Option<Advice> {
        // These say something of every property that they name; a test of each carrier holds that.
        decision.decide(self, &Request::default()).ok().flatten()
    }
}
