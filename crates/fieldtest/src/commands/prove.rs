//! `fieldtest prove`: the official known answers, reproduced here and now.

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_catalog::host::extensions;
use fieldtest_frame::arguments::Select;
use fieldtest_report::{Cell, Kind, Mark, Table, Tone, symbols};
use fieldtest_study::selection::ALL;

use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};
use crate::progress::Progress;

pub(crate) fn run(select: &Select, format: Format) -> Result<Outcome> {
    let found = |name: &String| catalog::entry(name).map(|entry| entry.name()).map_err(usage);
    let algorithms = select.algorithms.iter().map(found).collect::<Result<Vec<&str>>>()?;
    let found = |name: &String| catalog::implementation_name(name).map_err(usage);
    let named = select.implementations.iter().filter(|_| !select.implementations.iter().any(|it| it == ALL));
    let implementations = named.map(found).collect::<Result<Vec<&str>>>()?;
    let kats = catalog::prove_all(move |algorithm, implementation| {
        (algorithms.is_empty() || algorithms.contains(&algorithm))
            && (implementations.is_empty() || implementations.contains(&implementation))
    });
    let level = extensions::restriction().map(|level| format!(" restricted to {}", level.word()));
    let title = format!("Known answers reproduced in this process{}", level.unwrap_or_default());
    let mut table = Table::new(title)
        .texts(["algorithm", "implementation", "version", "outcome"])
        .column("vectors", Kind::number("count"))
        .column("origin", Kind::Text);
    let progress = Progress::new();
    let mut failures = 0usize;
    for proven in kats {
        let (algorithm, implementation) = (proven.algorithm, proven.implementation);
        progress.say(&format!("{algorithm} ({implementation})"));
        let (outcome, vectors, origin): (Cell, Cell, String) = match proven.outcome {
            Ok(proof) if proof.vectors > 0 => {
                let is_kept = extensions::is_kept_by(algorithm, implementation);
                let mark = (!is_kept).then_some(symbols::UNRESTRICTED);
                (
                    Cell::from("proven").with_mark(mark),
                    (proof.vectors as f64).into(),
                    proof.origins.join("; "),
                )
            }
            Ok(proof) => ("no official vectors".into(), 0.0.into(), proof.origins.join("; ")),
            Err(error) => {
                failures += 1;
                (Cell::from("FAILED").with_mark(Some(failed())), Cell::default(), error.to_string())
            }
        };
        table.keyed_row(
            algorithm,
            [algorithm.into(), implementation.into(), proven.version.into(), outcome, vectors, origin.into()],
        );
    }
    drop(progress);
    if table.is_empty() {
        return Err(usage(match (&select.algorithms[..], &select.implementations[..]) {
            ([algorithm], [name]) if name != ALL => {
                format!("{name} does not implement {algorithm}; `fieldtest show {algorithm}` lists what does")
            }
            _ => "no implementation fits; `fieldtest list` shows them all".to_owned(),
        }));
    }
    output::table(&table, format)?;
    Ok(if failures == 0 { Outcome::Fine } else { Outcome::ProofFailed })
}

fn failed() -> Mark {
    Mark { symbol: "✗".into(), word: "failed".into(), tone: Tone::Bad }
}
