//! `fieldtest doctor`: is this machine, now, one to measure on?

use anyhow::Result;
use fieldtest_frame::measuring::diagnose;
use fieldtest_report::{Kind, Table};

use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(format: Format) -> Result<Outcome> {
    let diagnosis = diagnose();
    let (host, condition) = (&diagnosis.host, &diagnosis.condition);
    let mut table = Table::new(format!("This machine is {} for measuring", diagnosis.verdict))
        .column("what", Kind::Text)
        .column("seen", Kind::Text);
    let mut row = |what: &str, seen: String| {
        table.row([what.into(), seen.into()]);
    };
    let list = |items: &[String]| if items.is_empty() { "not visible".to_owned() } else { items.join(", ") };
    row("verdict", diagnosis.verdict.to_string());
    row("counter", condition.counter.to_string());
    row("processor", host.cpu.clone());
    row("cores allowed", host.cores.to_string());
    row("extensions", list(&host.features));
    row("kernel", host.kernel.clone());
    row("system", host.system.clone());
    row("compiler", host.compiler.clone());
    row("load average", condition.load.map_or("not visible".into(), |load| format!("{load:.2}")));
    row(
        "time stolen",
        condition.steal.map_or("not visible".into(), |share| format!("{:.1} %", share * 100.0)),
    );
    row(
        "time of others",
        condition.others.map_or("not visible".into(), |share| format!("{:.1} %", share * 100.0)),
    );
    row(
        "frequency",
        match condition.frequency {
            Some((low, high)) => format!("{low:.0} to {high:.0} MHz"),
            None => "not visible".into(),
        },
    );
    row("governor", list(&condition.governors));
    row(
        "file system here",
        match &condition.file_system {
            Some((_, Ok(name))) => name.clone(),
            Some((_, Err(why))) => why.clone(),
            None => "not asked".into(),
        },
    );
    for finding in &diagnosis.findings {
        row(&format!("finding ({})", finding.weight), finding.to_string());
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
