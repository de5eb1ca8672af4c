//! Sentences that follow from predictions: what does not fit and what helps, what is free, what costs twice.

use super::{Detected, FileSystem, Prediction};

/// One piece of advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The candidate that it is about.
    pub candidate: String,
    /// A sentence or two, with the figures it rests on.
    pub text: String,
}

/// What follows from predictions for one tree. Everything is read off the figures; no algorithm is known here.
pub fn advise(detected: &Detected, predictions: &[Prediction]) -> Vec<Advice> {
    let mut by_length: Vec<&Prediction> = predictions.iter().collect();
    by_length.sort_by_key(|prediction| prediction.candidate.ima + prediction.candidate.evm.unwrap_or(0));
    let mut advice = Vec::new();
    for (index, prediction) in by_length.iter().enumerate() {
        let shorter = by_length.get(..index).unwrap_or_default();
        let texts = [
            refused(detected, prediction),
            free_space(detected, prediction),
            comparison(prediction, shorter),
        ];
        let candidate = &prediction.candidate.name;
        advice.extend(texts.into_iter().flatten().map(|text| Advice { candidate: candidate.clone(), text }));
    }
    advice
}

fn refused(detected: &Detected, prediction: &Prediction) -> Option<String> {
    let file_system = &detected.file_system;
    let first = prediction.refused.first()?;
    let (refused, all) = (prediction.refused_files(), prediction.refused_files() + prediction.files);
    let files = if refused == all {
        format!("it fits into none of the {all} files")
    } else {
        format!("it does not fit into {refused} of {all} files")
    };
    let remedy = match &prediction.remedy {
        Some((how, total)) => {
            let inodes =
                if total.inodes > 0.0 { format!(" and {:.0} inodes", total.inodes) } else { String::new() };
            let short = match detected.free_inodes {
                Some(free) if total.inodes > free as f64 => {
                    format!(
                        ", of which only {free} are free; their number is set when the file system is made (`mkfs -N`)"
                    )
                }
                _ => String::new(),
            };
            format!("It fits after {how}, for {} in all{inodes}{short}.", size(total.bytes))
        }
        None => {
            format!("No setting of {} lifts that limit: choose a shorter signature.", file_system.name())
        }
    };
    Some(format!("On this {}, {files} ({}). {remedy}", file_system.name(), first.refusal))
}

/// How many inodes a prediction needs, and how many are free, where those are fewer.
pub fn inodes_short(detected: &Detected, prediction: &Prediction) -> Option<(u64, u64)> {
    // What has a valid signature is not copied up.
    let copied = if prediction.copy_up.least > 0 { 0.0 } else { prediction.copy_up.inodes };
    let needed = (prediction.total.inodes - copied).ceil() as u64;
    detected.free_inodes.filter(|free| needed > *free).map(|free| (needed, free))
}

fn free_space(detected: &Detected, prediction: &Prediction) -> Option<String> {
    if let Some((needed, free)) = inodes_short(detected, prediction) {
        let remedy = match detected.file_system {
            FileSystem::Tmpfs(_) => "mount with a larger nr_inodes",
            _ => "their number is set when the file system is made (`mkfs -N`)",
        };
        return Some(format!("It takes {needed} inodes, and {free} are free: {remedy}."));
    }
    if matches!(detected.file_system, FileSystem::Tmpfs(_)) {
        return None;
    }
    let needed = u64::try_from(prediction.total.most).unwrap_or(0);
    let free = detected.free_bytes;
    (needed > free).then(|| {
        let (needed, free) = (size(prediction.total.most), size(i64::try_from(free).unwrap_or(i64::MAX)));
        let needs = if prediction.total.is_exact() { "needs" } else { "may need up to" };
        format!("It {needs} {needed}, but {free} are free: free some space first.")
    })
}

/// How the cost compares with that of the shorter candidates that fit: the same as the shortest of equals, or how
/// much less the dearest of the cheaper ones takes.
fn comparison(prediction: &Prediction, shorter: &[&Prediction]) -> Option<String> {
    if !prediction.refused.is_empty() || prediction.files == 0 {
        return None;
    }
    let fits = |other: &&&Prediction| other.refused.is_empty() && other.files == prediction.files;
    let own = prediction.total;
    if let Some(equal) = shorter.iter().filter(fits).find(|other| other.total == own) {
        let (bytes, name) = (prediction.bytes_per_file(), &equal.candidate.name);
        return Some(format!(
            "It costs exactly what {name} costs on this file system, {bytes:.0} bytes per file: where {name} is stored, it is free."
        ));
    }
    let cheaper = shorter.iter().filter(fits).rev().find(|other| other.total.most < own.least)?;
    let (bytes, less) = (prediction.bytes_per_file(), cheaper.bytes_per_file());
    let share =
        if own.bytes > 0 { 100.0 * cheaper.total.bytes.max(0) as f64 / own.bytes as f64 } else { 100.0 };
    // Less than a tenth is within what other files on the same file system change every day.
    (share <= 90.0).then(|| {
        format!(
            "{} takes {less:.0} bytes per file where it takes {bytes:.0}: {share:.0}% of the space, {} less in all.",
            cheaper.candidate.name,
            size(own.bytes - cheaper.total.bytes)
        )
    })
}

/// A number of bytes as people read it.
fn size(bytes: i64) -> String {
    const UNITS: [(&str, f64); 3] = [("GiB", 1073741824.0), ("MiB", 1048576.0), ("KiB", 1024.0)];
    let unit = UNITS.iter().find(|(_, unit)| bytes.unsigned_abs() as f64 >= *unit);
    unit.map_or_else(|| format!("{bytes} bytes"), |(name, unit)| format!("{:.1} {name}", bytes as f64 / unit))
}
