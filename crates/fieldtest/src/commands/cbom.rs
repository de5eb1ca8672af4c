//! `fieldtest cbom`: the catalog, or the algorithms of records, as an inventory in CycloneDX.

use std::path::PathBuf;

use anyhow::Result;
use fieldtest_cyclonedx::write;

use crate::args;
use crate::commands::records;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &args::Cbom, format: Format) -> Result<Outcome> {
    format.one_of(&[Format::Human, Format::Json], "a CBOM is CycloneDX in JSON")?;
    if let Some(path) = &args.output {
        records::check_keeps(path, &args.records)?;
        output::check_extension(path, "an inventory in JSON", &["json"])?;
    }
    let document = match args.records.as_slice() {
        [] => write::of_catalog(),
        paths => {
            records::check_once(paths.iter().map(PathBuf::as_path))?;
            write::of_records(&records::load_all(paths)?)
        }
    };
    match &args.output {
        Some(path) => output::file(path, document.as_bytes())?,
        None => output::data(&fieldtest_frame::text::json(&document))?,
    }
    Ok(Outcome::Fine)
}
