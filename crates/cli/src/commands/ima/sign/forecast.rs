//! Whether the file system will take every xattr, asked before the first is written.

use anyhow::{Result, bail};
use fieldtest_ima::space::{Candidate, Detected, FileSystem, Prediction, Refused, detect, predict};
use fieldtest_ima::store::attribute;

use super::super::shown;
use super::super::survey::Survey;
use crate::args::ImaSign;
use crate::interrupt;
use crate::output;

/// Refuses to begin what will not be completed. Files on other file systems that are mounted in the tree are not
/// looked at.
pub(super) fn check(args: &ImaSign, algorithm: &str, length: u64) -> Result<()> {
    let detected = match detect(&args.tree) {
        Ok(detected) => detected,
        // Where the tree itself is missing, signing says so.
        Err(_) if !args.tree.exists() => return Ok(()),
        Err(error) => {
            output::message(&format!("whether every xattr will fit cannot be predicted: {error}"));
            return Ok(());
        }
    };
    let candidate = Candidate { evm: args.evm.then_some(length), ..Candidate::new(algorithm, length) };
    let mut survey = Survey::new(&args.tree, &args.walk.attribute, false);
    let predictions = predict(&detected.file_system, &mut survey, &[candidate]);
    drop(survey);
    // What was not looked at is not signed either.
    if interrupt::asked() {
        return Ok(());
    }
    let Some(objection) = predictions.first().and_then(|prediction| objection(args, &detected, prediction))
    else {
        return Ok(());
    };
    if args.force {
        output::message(&format!("{objection}; signing what can be signed, as --force says"));
        return Ok(());
    }
    bail!(
        "{objection}; nothing was written. Sign with a shorter signature, write --store manifest, or add --force to \
         sign what can be signed"
    )
}

/// What stands against signing.
fn objection(args: &ImaSign, detected: &Detected, prediction: &Prediction) -> Option<String> {
    if let Some(Refused { refusal, .. }) = prediction.refused.first() {
        let (refused, all) = (prediction.refused_files(), prediction.refused_files() + prediction.files);
        let remedy = match &prediction.remedy {
            Some((how, _)) => format!("it would fit after {how}"),
            None => format!("no setting of {} lifts that limit", detected.file_system.name()),
        };
        let mut refusal = refusal.clone();
        if refusal.name == attribute::IMA {
            refusal.name.clone_from(&args.walk.attribute);
        }
        let first = shown::refused(prediction);
        return Some(format!("{refused} of {all} files would be refused ({first}): {refusal}; {remedy}"));
    }
    let total = prediction.total;
    if let Some(free) = detected.free_inodes.filter(|free| total.inodes > *free as f64) {
        return Some(format!("the xattrs need {:.0} inodes, and {free} are free", total.inodes));
    }
    let least = u64::try_from(total.least).unwrap_or(0);
    let counts_bytes = !matches!(detected.file_system, FileSystem::Tmpfs(_));
    (counts_bytes && least > detected.free_bytes).then(|| {
        let (needed, free) = (least >> 20, detected.free_bytes >> 20);
        format!("the xattrs need {needed} MiB, and {free} MiB are free")
    })
}
