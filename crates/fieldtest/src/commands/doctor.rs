//! `fieldtest doctor`: is this machine, now, one to measure on?

use anyhow::Result;
use fieldtest_frame::measuring::diagnose;
use fieldtest_measure::doctor::Verdict;
use fieldtest_report::Table;

use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(format: Format) -> Result<Outcome> {
    let diagnosis = diagnose();
    let (host, condition) = (&diagnosis.host, &diagnosis.condition);
    let mut table =
        Table::new(format!("This machine is {} for measuring", diagnosis.verdict)).texts(["what", "seen"]);
    let list = |items: &[String]| if items.is_empty() { "not visible".to_owned() } else { items.join(", ") };
    table.fact("verdict", diagnosis.verdict.to_string());
    table.fact("counter", condition.counter.to_string());
    table.fact("processor", host.cpu.clone());
    table.fact("cores allowed", host.cores.to_string());
    table.fact("extensions", list(&host.features));
    table.fact("kernel", host.kernel.clone());
    table.fact("system", host.system.clone());
    table.fact("compiler", host.compiler.clone());
    table.fact("load average", condition.load.map_or("not visible".into(), |load| format!("{load:.2}")));
    table.fact(
        "time stolen",
        condition.steal.map_or("not visible".into(), |share| format!("{:.1}%", share * 100.0)),
    );
    table.fact(
        "time of others",
        condition.others.map_or("not visible".into(), |share| format!("{:.1}%", share * 100.0)),
    );
    table.fact(
        "frequency",
        match condition.frequency {
            Some((low, high)) => format!("{low:.0} to {high:.0} MHz"),
            None => "not visible".into(),
        },
    );
    table.fact("governor", list(&condition.governors));
    table.fact(
        "file system of this directory",
        match &condition.file_system {
            Some((_, Ok(name))) => name.clone(),
            Some((_, Err(why))) => why.clone(),
            None => "not asked".into(),
        },
    );
    for finding in &diagnosis.findings {
        table.fact(&format!("finding ({})", finding.weight), finding.to_string());
    }
    output::table(&table, format)?;
    Ok(match diagnosis.verdict {
        Verdict::Quiet => Outcome::Fine,
        Verdict::Noisy => Outcome::Undecided,
        Verdict::Unfit => Outcome::Unfit,
    })
}
