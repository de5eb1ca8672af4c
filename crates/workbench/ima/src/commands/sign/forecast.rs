//! Whether the file system will take every xattr, asked before the first is written.

use anyhow::{Result, bail};
use fieldtest_ima::space::{
    Candidate, Detected, FileSystem, Prediction, Refused, Unseen, detect, inodes_short,
};
use fieldtest_ima::store::attribute;
use fieldtest_ima::tree::Job;
use fieldtest_ima::{Digest, FileDigest, HashAlgorithm};

use super::super::shown;
use super::super::survey::survey;
use crate::args::ImaSign;
use crate::interrupt;
use crate::output;

/// Refuses to begin what cannot be completed, and warns of what may not be. Files on other file systems that are mounted in the tree are not
/// looked at. Contents are compared only where the answer depends on which are equal.
pub(super) fn check(args: &ImaSign, job: &Job, algorithm: &str, length: u64) -> Result<()> {
    let detected = match detect(&args.tree) {
        Ok(detected) => detected,
        // Where the tree itself is missing, signing says so.
        Err(_) if !args.tree.exists() => return Ok(()),
        Err(error) => {
            output::message(&format!("whether every xattr will fit cannot be predicted: {error}"));
            return Ok(());
        }
    };
    let unseen = Unseen::of(&args.tree, &detected);
    let look = |hedged: bool| -> Result<Option<Prediction>> {
        let candidate =
            Candidate { evm: args.evm.then_some(length), hedged, ..Candidate::new(algorithm, length) };
        let compare = !hedged && detected.file_system.shares();
        let looked = survey(&args.tree, &args.walk.attribute, false, compare)?;
        // What was not looked at is not signed either.
        if interrupt::asked() {
            return Ok(None);
        }
        Ok(unseen.predict(&detected, looked.files, &[candidate]).pop())
    };
    let Some(mut prediction) = look(true)? else { return Ok(()) };
    let alike = detected.file_system.shares() && is_deterministic(job);
    let objection = |prediction: &Prediction| objection(args, &detected, &unseen, prediction);
    if alike && prediction.refused.is_empty() && objection(&prediction).is_some() {
        let Some(with_equal) = look(false)? else { return Ok(()) };
        prediction = with_equal;
    }
    let Some((objection, remedy)) = objection(&prediction) else {
        let bytes = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
        if let Some(overlay) = unseen.overlay()
            && bytes(prediction.copy_up.most) > overlay.free()
        {
            output::message(&format!(
                "warning: files of the overlay's lower layers are copied up first, which needs up to {} bytes, but {} are free \
                 in the upper layer, so files may be left unsigned",
                prediction.copy_up.most,
                overlay.free()
            ));
        }
        let most = bytes(prediction.total.most - prediction.copy_up.most);
        if matches!(detected.file_system, FileSystem::Btrfs(_)) && most > detected.free_bytes {
            output::message(&format!(
                "warning: the xattrs need up to {most} bytes of metadata, but {} are free for it, so files may be left \
                 unsigned ({})",
                detected.free_bytes,
                more_metadata(&detected)
            ));
        }
        return Ok(());
    };
    if args.force {
        output::message(&format!("{objection}; signing the rest because of --force"));
        return Ok(());
    }
    bail!("{objection}; nothing was written. {remedy}, use --store manifest, or add --force to sign the rest")
}

/// Whether equal files are given equal signatures.
fn is_deterministic(job: &Job) -> bool {
    let file = FileDigest::of_content(Digest::of(HashAlgorithm::Sha256, b"twice"));
    job.sign(&file).is_ok_and(|first| job.sign(&file).is_ok_and(|again| again == first))
}

/// How data's room becomes metadata's.
fn more_metadata(detected: &Detected) -> String {
    let place = shown::path(&detected.mount_point);
    format!("btrfs balance start -dusage=50 {place} gives it unused data space")
}

/// What stands against signing, and what helps.
fn objection(
    args: &ImaSign,
    detected: &Detected,
    unseen: &Unseen,
    prediction: &Prediction,
) -> Option<(String, &'static str)> {
    const SHORTER: &str = "Sign with a shorter signature";
    const ROOM: &str = "Make room";
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
        let text = format!("{refused} of {all} files would be rejected ({first}): {refusal}; {remedy}");
        return Some((text, SHORTER));
    }
    let total = prediction.total;
    if let Some((needed, free)) = inodes_short(detected, prediction) {
        return Some((format!("the xattrs need {needed} inodes, but {free} are free"), SHORTER));
    }
    let bytes = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
    let copied = prediction.copy_up.least;
    // On btrfs and tmpfs attributes take other room than data.
    let apart = matches!(detected.file_system, FileSystem::Btrfs(_) | FileSystem::Tmpfs(_));
    let data = bytes(if apart { copied } else { total.least });
    if let Some(overlay) = unseen.overlay().filter(|overlay| copied > 0 && data > overlay.free()) {
        let text = format!(
            "files of the overlay's lower layers are copied up first: that and the xattrs need {data} bytes, but {} are free \
             in the upper layer",
            overlay.free()
        );
        return Some((text, "Free some space there, or sign the lower layers before they are mounted"));
    }
    let least = bytes(total.least - copied);
    let free = detected.free_bytes;
    let text = match detected.file_system {
        FileSystem::Tmpfs(_) => return None,
        _ if least <= free => return None,
        FileSystem::Btrfs(_) => format!(
            "the xattrs need {least} bytes of metadata at least, and {free} are free for it ({})",
            more_metadata(detected)
        ),
        _ => format!("the xattrs need {least} bytes, but {free} are free"),
    };
    Some((text, ROOM))
}
