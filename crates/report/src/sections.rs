//! A report's parts, made of what its chapters say.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{KeyOperation, SPEED};

use crate::advice::Advice;
use crate::once::each_once;
use crate::plot::{Plot, scatter};
use crate::report::Report;
use crate::section::{Section, identifier};
use crate::table::Table;
use crate::tables::ledger::Ledger;
use crate::tables::{elapsed, messages, other, primitives, security};

impl Report {
    /// The tables, study by study, then security and proofs.
    pub fn sections(&self) -> Vec<Section> {
        let studies = each_once(self.records().iter().map(|record| record.study.as_str()));
        let mut sections: Vec<Section> = studies.iter().map(|study| section(self, study)).collect();
        sections.extend(security::sections(self));
        if let Some(disturbance) = self.disturbance() {
            let tables = sections.iter_mut().flat_map(|section| &mut section.tables);
            for table in tables.filter(|table| table.is_timed()) {
                table.note(disturbance.as_str());
            }
        }
        sections
    }
}

fn section(report: &Report, study: &str) -> Section {
    let mut ledger = Ledger::new(report, study);
    let verdict =
        report.study_section(study).and_then(|study_section| report.verdict(study_section.decision?));
    let (title, lead, tables) = match (report.study_section(study), study) {
        (Some(study_section), _) => (
            study_section.title.to_owned(),
            study_section.lead.to_owned(),
            (study_section.tables)(report, &mut ledger),
        ),
        (None, SPEED) => (
            "Speed".to_owned(),
            "The cost of one operation on its own, on one core.".to_owned(),
            of_speed(report, &mut ledger),
        ),
        (None, other) => (other.to_owned(), format!("The results of the study {other}."), Vec::new()),
    };
    let recommendation = verdict.iter().flat_map(Advice::lines).collect();
    let mut tables: Vec<_> =
        verdict.iter().flat_map(Advice::tables).chain(tables).filter(|table| !table.is_empty()).collect();
    tables.extend(other::table(&ledger));
    Section { id: identifier(study), title, lead, recommendation, tables }
}

fn of_speed(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    let timed = KeyOperation::DECIDING.map(|operation| (operation.word(), operation.word(), None));
    let mut tables = vec![primitives::table(report, ledger), elapsed::table(report, ledger, &timed)];
    tables.extend(messages::tables(report, ledger));
    tables
}

pub(crate) fn plots(report: &Report, section: &Section) -> Vec<Plot> {
    let records: Vec<&Record> =
        report.records().iter().filter(|record| identifier(&record.study) == section.id).collect();
    let study_section = records.first().and_then(|record| report.study_section(&record.study));
    let own = study_section.map_or(&[][..], |study_section| study_section.plots).iter();
    // Where something is decided, its picture has the costs.
    let is_decided = study_section.is_some_and(|it| it.decision.is_some());
    let operations = (!is_decided).then(|| scatter::operations(report, &records)).flatten();
    own.filter_map(|plot| plot(report, &records)).chain(operations).collect()
}
