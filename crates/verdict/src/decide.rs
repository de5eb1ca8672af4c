//! From what is asked to who is accepted, in which order, and why nobody else is.

use crate::alternatives::Lacking;
use crate::constraint::{Constraint, Request};
use crate::json::{objects, read, written};
use crate::judge::Judge;
use crate::matrix::{Cell, Matrix, Property, STATUS, STRENGTH, Study, WARNINGS};
use crate::verdict::{Rejected, Verdict};

objects! {
    /// What a page asks.
    struct Question {
        study: String,
        request: Request,
    }
}

impl Judge<'_> {
    /// The usual constraints, with what a replacement needs and what was typed in their place.
    fn wanted(&self, typed: &[(String, String)]) -> Vec<(String, String)> {
        let mut wanted = self.study.usual.clone();
        let mut ask = |id: &str, value: &str| {
            wanted.retain(|(known, _)| known != id);
            wanted.push((id.to_owned(), value.to_owned()));
        };
        // What takes its place is no weaker, and not weaker in kind: what withstands a quantum computer, or authenticates,
        // stays so.
        let has = |it: &Property| self.study.cell(self.replaced?, self.study.at(&it.id)?);
        let properties = &self.study.properties;
        for it in properties.iter().filter(|it| it.id == STRENGTH) {
            if let Some(bits) = has(it).and_then(|cell| cell.number) {
                ask(&it.id, &bits.to_string());
            }
        }
        for it in properties.iter().filter(|it| it.listed == ["yes", "no"]) {
            if has(it).is_some_and(|cell| cell.words() == ["yes"]) {
                ask(&it.id, "yes");
            }
        }
        typed.iter().for_each(|(id, value)| ask(id, value));
        wanted
    }
}

impl Matrix {
    /// Decides on one of its studies. What makes no sense in a request is left out; [`Verdict::understood`] says what was not.
    pub fn decide(&self, study: &Study, request: &Request) -> Verdict {
        let is_replaced = |name: &String| study.algorithms.iter().position(|it| it.name == *name);
        let judge = Judge { matrix: self, study, replaced: request.replaces.as_ref().and_then(is_replaced) };
        let ranks = |id: &String| study.at(id).filter(|at| study.properties[*at].ranks);
        let first = request.by.as_ref().and_then(ranks);
        let usual = study.by.iter().filter_map(ranks).filter(|at| Some(*at) != first);
        let by: Vec<usize> = first.into_iter().chain(usual).collect();

        let typed = study.properties.iter().filter_map(|it| {
            let value = request.asks(&it.id).filter(|value| it.known && it.read(0, value).is_ok())?;
            Some((it.id.clone(), value.to_owned()))
        });
        let understood = Request {
            typed: typed.collect(),
            replaces: judge.replaced.and(request.replaces.clone()),
            by: first.and(request.by.clone()),
        };
        let all = judge.wanted(&understood.typed).into_iter().filter_map(|(id, value)| {
            let at = study.at(&id)?;
            study.properties[at].read(at, &value).ok()?
        });
        // A limit of time would exclude by what an unfit machine measured.
        let is_unfit = |at: usize| {
            let mut cells = (0..study.algorithms.len()).filter_map(|it| study.cell(it, at));
            self.unfit && cells.any(|it| it.timed)
        };
        let (constraints, unjudged): (Vec<Constraint>, Vec<Constraint>) =
            all.partition(|it| study.properties[it.property].known && !is_unfit(it.property));

        // What the carrier cannot hold stays outside where nobody asks for the property, too.
        let must = study.must.iter().filter_map(|id| study.at(id));
        let must = must.filter(|at| !constraints.iter().any(|it| it.property == *at));
        let must: Vec<Constraint> =
            must.map(|property| Constraint { property, ..Constraint::default() }).collect();
        let mut fit: Vec<usize> = Vec::new();
        let mut unfit: Vec<Lacking<'_>> = Vec::new();
        for algorithm in (0..study.algorithms.len()).filter(|it| Some(*it) != judge.replaced) {
            let cell = |it: &Constraint| study.cell(algorithm, it.property);
            let lacks = constraints.iter().filter(|it| !study.properties[it.property].suffices(it, cell(it)));
            let refused = must.iter().filter(|it| cell(it).is_some_and(Cell::is_refused));
            let lacks: Vec<&Constraint> = lacks.chain(refused).collect();
            if lacks.is_empty() { fit.push(algorithm) } else { unfit.push((algorithm, lacks)) }
        }
        let mut shown = by.clone();
        let safety = [STATUS, WARNINGS].into_iter().filter_map(|id| study.at(id));
        for at in safety.chain(constraints.iter().map(|it| it.property)) {
            if !shown.contains(&at) {
                shown.push(at);
            }
        }
        let rejected = unfit.iter().map(|(algorithm, lacks)| {
            let missed = |it: &&Constraint| {
                study.properties[it.property].missed(it, study.cell(*algorithm, it.property))
            };
            Rejected {
                algorithm: *algorithm,
                lacks: lacks.iter().map(|it| it.property).collect(),
                why: lacks.iter().map(missed).collect(),
            }
        });
        let words = |all: &[Constraint]| all.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("; ");
        let mut asked = words(&constraints);
        if !unjudged.is_empty() {
            asked += &format!(
                ". Not checked, since the records lack it or are of an unfit machine: {}",
                words(&unjudged)
            );
        }
        let alternatives = judge.alternatives(&unfit, &by, &understood.typed);
        let mut verdict = Verdict {
            understood,
            asked,
            accepted: judge.ranked(fit, &by),
            rejected: rejected.collect(),
            alternatives,
            unjudged,
            by,
            shown,
            ..Verdict::default()
        };
        verdict.constraints = constraints;
        judge.recommend(&mut verdict);
        verdict.remark = judge.remark(&verdict);
        verdict
    }

    /// Answers a page: JSON for JSON; `None` where that asks nothing of these studies.
    pub fn answer(&self, question: &str) -> Option<String> {
        let Question { study, request } = read(question)?;
        let study = self.studies.iter().find(|it| it.study == study)?;
        Some(written(&self.decide(study, &request)))
    }
}
