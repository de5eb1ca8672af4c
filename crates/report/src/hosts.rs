//! Records of several hosts in one report: each row says whose it is, and no result of one host is divided by another's.

use std::collections::{HashMap, HashSet};

use fieldtest_measure::words::{Against, of_ratio};

use crate::advice::Advice;
use crate::once::each_once;
use crate::section::Section;
use crate::table::{Column, Format, Row, Source, Value};
use crate::{Cell, Error, Kind, Report, Table, other_data, render};

/// The column that says whose a row is.
const HOST: &str = "host";
/// What stands there where every host has the row as it is.
const EVERY: &str = "all";

/// Reports of several hosts, shown as one.
///
/// Ratios are those of each host to a baseline that all of them have, by the same implementation, as
/// [`compare`](crate::compare) has them; where there is none, no ratio is shown.
#[derive(Debug, Clone)]
pub struct Hosts {
    reports: Vec<Report>,
    baseline: Option<String>,
}

impl Hosts {
    /// Takes one report of each host. Ratios refer to `baseline`, or else to that of the first host if every host has it, or
    /// else to the first algorithm that every host has.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownBaseline`] where a host has no record about the `baseline` that was asked for.
    pub fn of(reports: Vec<Report>, baseline: Option<&str>) -> Result<Hosts, Error> {
        let everywhere = |name: &str| reports.iter().all(|report| report.measured().contains(&name));
        let first = reports.first().map(Report::measured).unwrap_or_default();
        let known: Vec<&str> = first.into_iter().filter(|name| everywhere(name)).collect();
        if let Some(name) = baseline.filter(|name| !known.contains(name)) {
            return Err(Error::UnknownBaseline { name: name.to_owned(), known: known.join(", ") });
        }
        let usual = reports.first().and_then(Report::baseline).filter(|name| known.contains(name));
        let chosen = baseline.or(usual).or(known.first().copied()).map(str::to_owned);
        let rebased = reports.into_iter().map(|report| match &chosen {
            Some(name) if baseline.is_some() || report.baseline() != Some(name) => report.with_baseline(name),
            _ => Ok(report),
        });
        let mut reports = rebased.collect::<Result<Vec<Report>, Error>>()?;
        keep_common_ratios(&mut reports);
        Ok(Hosts { reports, baseline: chosen })
    }

    /// The report as text, as [`Report::render`] makes it of one host.
    pub fn render(&self, format: Format) -> String {
        render::whole(&self.reports, self.baseline.as_deref(), || self.sections(), format)
    }

    /// The hosts, and which algorithm wins where.
    pub fn brief(&self, format: Format) -> String {
        render::whole(&self.reports, self.baseline.as_deref(), || vec![self.about()], format)
    }

    /// What is said of the hosts, and every section of theirs, each once.
    pub fn sections(&self) -> Vec<Section> {
        let hosts: Vec<&str> = self.reports.iter().map(host).collect();
        let mut merged: Vec<(Section, Vec<Parts>)> = Vec::new();
        for (at, report) in self.reports.iter().enumerate() {
            for section in report.sections() {
                let place = merged.iter().position(|(it, _)| it.id == section.id).unwrap_or(merged.len());
                let Section { id, title, lead, tables, .. } = section;
                if place == merged.len() {
                    // That of a host is no other's; a table has them all.
                    let (recommendation, tables) = (Vec::new(), Vec::new());
                    merged.push((Section { id, title, lead, recommendation, tables }, Vec::new()));
                }
                gather(&mut merged[place].1, at, tables);
            }
        }
        let merged = merged.into_iter().map(|(section, parts)| {
            let tables = parts.into_iter().map(|parts| one_table(&hosts, parts)).collect();
            Section { tables, ..section }
        });
        std::iter::once(self.about()).chain(merged).collect()
    }

    /// Which algorithm each carrier would take on which host, by its usual constraints; `None` where no carrier decides.
    fn verdicts(&self) -> Option<Table> {
        let of_each: Vec<Vec<Advice>> = self.reports.iter().map(Report::verdicts).collect();
        let studies = each_once(of_each.iter().flatten().map(|advice| advice.study));
        let mut table = Table::new("Recommendation of each host")
            .column("study", Kind::Text)
            .texts(self.reports.iter().map(host));
        for study in &studies {
            let first =
                |all: &Vec<Advice>| all.iter().find(|it| it.study == *study).map_or_else(String::new, first);
            let cells = std::iter::once((*study).to_owned()).chain(of_each.iter().map(first));
            table.row(cells.map(Cell::from));
        }
        table.note("By the default constraints; algorithms whose difference on a host is not significant share the first place.");
        (!studies.is_empty()).then_some(table)
    }

    /// The hosts, one a row, and what each would take.
    fn about(&self) -> Section {
        let words = ["processor", "cores", "kernel", "counter", "verdict", "run"];
        let mut table = Table::new("Machines of the results").column(HOST, Kind::Text).texts(words);
        for run in self.reports.iter().flat_map(Report::runs) {
            let it = &run.host;
            let (cpu, cores) = (it.processor(), it.cores.to_string());
            let cells = [&it.id, &cpu, &cores, &it.kernel, &it.counter, &run.verdict, &run.started];
            table.row(cells.map(|text| Cell::from(text.as_str())));
        }
        table.note("Results of different hosts are never divided: ratios and ranks are within each host.");
        table.notes_of(other_data(&self.reports));
        table.note(match &self.baseline {
            Some(name) => format!("Ratios are to {name} on the same host, by code that every host has."),
            None => "The hosts have no algorithm in common, so there are no ratios.".to_owned(),
        });
        Section {
            id: "hosts".to_owned(),
            title: "Hosts".to_owned(),
            lead: "Results of several machines, side by side.".to_owned(),
            recommendation: Vec::new(),
            tables: [table].into_iter().chain(self.verdicts()).collect(),
        }
    }
}

/// Who has the first place, alone or with others.
fn first(advice: &Advice) -> String {
    let first = advice.survivors.iter().filter(|it| it.rank == 1).map(|it| it.algorithm.as_str());
    let names = first.collect::<Vec<_>>().join(", ");
    if names.is_empty() { "none qualifies".to_owned() } else { names }
}

fn host(report: &Report) -> &str {
    report.runs().first().map_or("", |run| &run.host.id)
}

/// Takes away recorded ratios to what is not the baseline, and the baseline's code, on every host.
fn keep_common_ratios(reports: &mut [Report]) {
    let refers = |report: &Report| -> HashSet<(String, String)> {
        let ratios = report.records().iter().filter(|it| of_ratio(&it.operation).is_some());
        ratios.map(|it| (it.study.clone(), it.subject.clone())).collect()
    };
    let of_each: Vec<HashSet<(String, String)>> = reports.iter().map(refers).collect();
    for report in reports {
        let all = std::mem::take(&mut report.records).into_iter().zip(std::mem::take(&mut report.of_run));
        let stays = all.filter(|(it, _)| {
            let against = of_ratio(&it.operation).is_some() && Against::read(&it.subject).is_some();
            !against || of_each.iter().all(|of| of.contains(&(it.study.clone(), it.subject.clone())))
        });
        (report.records, report.of_run) = stays.unzip();
    }
}

/// The tables of one title, each with the place of its host.
type Parts = Vec<(usize, Table)>;

/// Puts each table to those of its title that another host has: a second one of a title goes to the second ones.
fn gather(all: &mut Vec<Parts>, host: usize, tables: Vec<Table>) {
    for table in tables {
        let takes = |parts: &&mut Parts| {
            parts[0].1.title() == table.title() && parts.iter().all(|(other, _)| *other != host)
        };
        match all.iter_mut().find(takes) {
            Some(parts) => parts.push((host, table)),
            None => all.push(vec![(host, table)]),
        }
    }
}

/// A row of one host, by what names it.
struct Line {
    host: usize,
    key: String,
    /// The words before its first result.
    names: Vec<String>,
    /// By the columns' names.
    cells: HashMap<String, Cell>,
}

/// One table of those that the hosts have; as it is where all have the same.
fn one_table(hosts: &[&str], parts: Parts) -> Table {
    let first = &parts[0].1;
    if parts.len() == hosts.len() && parts.iter().all(|(_, table)| table == first) {
        return parts.into_iter().next().map(|(_, table)| table).unwrap_or_default();
    }
    let ratios = has_common_baseline(&parts);
    let mut columns: Vec<&Column> = Vec::new();
    for column in parts.iter().flat_map(|(_, table)| &table.columns) {
        let is_shown = ratios || matches!(column.source, Source::Given(_));
        if is_shown && columns.iter().all(|it| it.name != column.name) {
            columns.push(column);
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    for (host, table) in &parts {
        lines.extend(table.rows.iter().map(|row| line(*host, table, row)));
    }
    let mut table = Table::new(first.title());
    for (at, column) in columns.iter().enumerate() {
        table = table.column(column.name.as_str(), column.kind.clone());
        if at == 0 {
            table = table.column(HOST, Kind::Text);
        }
    }
    for (host, line) in side_by_side(lines, hosts.len()) {
        let host = host.map_or(EVERY, |at| hosts[at]);
        let mut cells: Vec<Cell> =
            columns.iter().map(|it| line.cells.get(&it.name).cloned().unwrap_or_default()).collect();
        cells.insert(cells.len().min(1), Cell::from(host));
        table.keyed_row(line.key, cells);
    }
    for (host, note) in notes(&parts) {
        table.note(host.map_or_else(|| note.to_owned(), |at| format!("{}: {note}", hosts[at])));
    }
    table
}

/// Whether what ratios refer to has the same name, and the same code, in each of them.
fn has_common_baseline(parts: &Parts) -> bool {
    let name = |(_, table): &(usize, Table)| Some(names(table, table.rows.get(table.baseline?)?));
    let first = name(&parts[0]);
    first.is_some() && parts.iter().all(|part| name(part) == first)
}

/// What names a row: the words before its first result.
fn names(table: &Table, row: &Row) -> Vec<String> {
    let words = table.columns.iter().take_while(|column| column.kind == Kind::Text);
    let words = words.map(|column| match table.cell(row, column).value {
        Value::Text(word) => word,
        _ => String::new(),
    });
    words.collect()
}

fn line(host: usize, table: &Table, row: &Row) -> Line {
    let cells = table.columns.iter().map(|column| (column.name.clone(), table.cell(row, column)));
    Line { host, key: row.key.clone(), names: names(table, row), cells: cells.collect() }
}

/// The rows in the order of the first host that has them, those of one name together; one for all where it is the same for each
/// of `hosts`, by `None`.
fn side_by_side(lines: Vec<Line>, hosts: usize) -> Vec<(Option<usize>, Line)> {
    let mut groups: Vec<Vec<Line>> = Vec::new();
    let mut places: HashMap<(String, Vec<String>), Vec<usize>> = HashMap::new();
    for line in lines {
        let places = places.entry((line.key.clone(), line.names.clone())).or_default();
        let free = |at: &&usize| groups[**at].iter().all(|it| it.host != line.host);
        match places.iter().find(free) {
            Some(&at) => groups[at].push(line),
            None => {
                places.push(groups.len());
                groups.push(vec![line]);
            }
        }
    }
    let told = groups.into_iter().flat_map(|mut group| {
        let is_same = group.len() == hosts && group.iter().all(|it| it.cells == group[0].cells);
        group.truncate(if is_same { 1 } else { hosts });
        group.into_iter().map(move |line| ((!is_same).then_some(line.host), line)).collect::<Vec<_>>()
    });
    told.collect()
}

/// Each footnote once; with its host where another one's table has it not.
fn notes(parts: &Parts) -> Vec<(Option<usize>, &str)> {
    each_once(parts.iter().flat_map(|(host, table)| {
        table.notes().iter().map(|note| {
            let of = parts.iter().filter(|(_, other)| other.notes().contains(note)).count();
            ((of < parts.len()).then_some(*host), note.as_str())
        })
    }))
}
