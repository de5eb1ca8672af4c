//! `fieldtest gate`: whether a run may take another's place, by a policy.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use fieldtest_frame::{input, text};
use fieldtest_report::compare::Labelled;
use fieldtest_report::gate::{Gate, Policy, State};
use fieldtest_study::plan;

use crate::args;
use crate::commands::{labelled, records};
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

/// Bytes of the largest policy: some ten thousand exceptions.
const LARGEST: u64 = 1 << 20;

pub(crate) fn run(args: &args::Gate, format: Format) -> Result<Outcome> {
    let outputs: [(&Option<PathBuf>, &str, &str, &[&str]); 2] = [
        (&args.junit, "--junit", "JUnit XML", &["xml"]),
        (&args.sarif, "--sarif", "SARIF", &["sarif", "json"]),
    ];
    for (path, option, what, extensions) in outputs {
        let Some(path) = path else { continue };
        output::check_extension(path, what, extensions)?;
        if output::is_standard(path)? {
            let said =
                format!("invalid {option} '-': expected a file, since the summary goes to standard output");
            return Err(coded("one-stream", usage(said)));
        }
        output::check_place(path)?;
    }
    if let (Some(junit), Some(sarif)) = (&args.junit, &args.sarif) {
        output::check_apart(junit, sarif)?;
    }
    let policy = args.policy.as_deref().map(policy).transpose()?.unwrap_or_default();
    let files = labelled::files(&[args.base.clone(), args.new.clone()])?;
    for written in [&args.junit, &args.sarif].into_iter().flatten() {
        let read = files.iter().map(|file| (file.path(), "records, which would be lost"));
        let policy = args.policy.iter().map(|path| (path.as_path(), "the policy, which would be lost"));
        output::check_keeps(written, read.chain(policy))?;
    }
    let labels = labelled::labels(&files);
    let [base, new] = [0, 1].map(|at: usize| files[at].report());
    let (base, new) = (base?, new?);
    base.check_other(&new)?;
    let gate = Gate::of(
        Labelled { label: &labels[0], report: &base },
        Labelled { label: &labels[1], report: &new },
        &policy,
    )?;
    if let Some(path) = &args.junit {
        output::file(path, gate.junit().as_bytes())?;
    }
    if let Some(path) = &args.sarif {
        let of = records::name(files[1].path());
        output::file(path, gate.sarif(&of, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    let shown = args.policy.as_deref().map(text::path).unwrap_or_default();
    for reason in &gate.unused {
        output::message(&format!(
            "{shown}: the exception with the reason '{reason}' matches no result; correct or remove it"
        ));
    }
    output::rendered(&gate.render(format.for_stdout()), format)?;
    Ok(match gate.state() {
        State::Open => Outcome::Fine,
        State::Worse => Outcome::TooSlow,
        State::Undecided => Outcome::Undecided,
    })
}

fn policy(path: &Path) -> Result<Policy> {
    let shown = text::path(path);
    let content = input::read(path, LARGEST).with_context(|| format!("cannot read the policy {shown}"))?;
    let policy = text::decoded(&content).map_err(str::to_owned).and_then(plan::from_toml);
    policy.map_err(|fault| {
        let fault = text::remedied(&fault, "docs/gate.md describes all keys");
        coded("policy", usage(format!("cannot read the policy {shown}: {fault}")))
    })
}
