//! `fieldtest dnssec generate`: a made-up zone with the shape of a real one.

use anyhow::Result;
use fieldtest_dnssec::sample::{Form, Sample};
use serde_json::json;

use crate::args::{Generate, SampleForm};
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &Generate, format: Format) -> Result<Outcome> {
    super::report_form(format, &args.output, "fieldtest dnssec generate")?;
    let form = match args.form {
        SampleForm::Root => Form::Root,
        SampleForm::Tld => Form::Tld,
    };
    let delegations = args.delegations.unwrap_or(Sample::default().delegations);
    let sample = Sample { form, delegations, seed: args.seed };
    let records = output::whole_file(&args.output, |out| Ok(sample.write_text(out)?))?;
    if format == Format::Json {
        let file = args.output.to_string_lossy();
        super::report(&json!({ "file": file, "delegations": delegations, "records": records }))?;
    }
    output::message(&format!(
        "{}, {} in {}",
        output::count(delegations as usize, "delegation"),
        output::count(records as usize, "record"),
        args.output.display()
    ));
    Ok(Outcome::Fine)
}
