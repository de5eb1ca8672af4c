use super::matrix::Studied;
use super::{Advice, Decision, Request};
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
        self.recommended(decision).map(|(_, advice)| advice)
    }

    /// The same with what it is made of.
    pub(super) fn recommended<'r>(&'r self, decision: &'r Decision) -> Option<(Studied<'r>, Advice)> {
        let studied = decision.studied(self)?;
        let study = studied.study();
        let mut own = decision.own.iter().filter_map(|it| study.at(it.id));
        if !decision.own.is_empty() && !own.any(|at| study.properties[at].known) {
            return None;
        }
        // These say something of every property that they name; a test of each carrier holds that.
        let advice = studied.decide(&Request::default()).ok().flatten()?;
        Some((studied, advice))
    }
}
