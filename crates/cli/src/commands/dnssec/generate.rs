//! `fieldtest dnssec generate`: a made-up zone with the shape of a real one.

use anyhow::{Context, Result};
use fieldtest_dnssec::sample::{Form, Sample};
use fieldtest_dnssec::write_beside;

use crate::args::{Generate, SampleForm};
use crate::outcome::{Outcome, usage};
use crate::output;

pub(crate) fn run(args: &Generate) -> Result<Outcome> {
    let form = match args.form {
        SampleForm::Root => Form::Root,
        SampleForm::Tld => Form::Tld,
    };
    let delegations = args.delegations.unwrap_or(Sample::default().delegations);
    if delegations == 0 {
        return Err(usage("--delegations 0 leaves no zone worth the name; give at least 1"));
    }
    let sample = Sample { form, delegations, seed: args.seed };
    let records = write_beside(&args.output, |out| sample.write_text(out))
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    output::message(&format!("{delegations} delegations, {records} records in {}", args.output.display()));
    Ok(Outcome::Fine)
}
