//! What signatures would cost on a tree of files.

use std::collections::HashSet;
use std::path::PathBuf;

use super::gathered::Gathered;
use super::{
    Candidate, Cost, FileSystem, MeasurementMemory, Refusal, TreeFile, btrfs_tree, erofs_image, ext4_sharing,
    measurement_memory, rpm_files_max, squashfs,
};
use crate::files::report::{FIRST_PATHS, Tally};

/// Files that the file system refuses for one and the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub refusal: Refusal,
    /// How many, and those that came first.
    pub files: Tally,
}

/// What one candidate costs a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The candidate.
    pub candidate: Candidate,
    /// Files that take the signature.
    pub files: u64,
    /// Further names of files that were counted already.
    pub links: u64,
    /// What the files that take the signature cost together.
    pub total: Cost,
    /// Of that, what it takes to copy files up on an overlay ([`super::Unseen::predict`]): their data, and the directories that
    /// lead to them.
    pub copy_up: Cost,
    /// Files that do not take it, by reason.
    pub refused: Vec<Refused>,
    /// The change that makes the file system take all of them, and the total then; `None` where nothing is
    /// refused or nothing helps.
    pub remedy: Option<(String, Cost)>,
    /// The most files that one RPM package may have with this signature.
    pub rpm_files_max: u64,
    /// What the measurement list takes for each measured file.
    pub measurement: MeasurementMemory,
}

impl Prediction {
    /// Bytes per file that takes the signature.
    pub fn bytes_per_file(&self) -> f64 {
        if self.files == 0 { 0.0 } else { self.total.bytes as f64 / self.files as f64 }
    }

    /// How many files do not take it.
    pub fn refused_files(&self) -> u64 {
        self.refused.iter().map(|refused| refused.files.count).sum()
    }
}

/// Predicts for every candidate what it costs on the tree. Directories, links and devices are not signed and should
/// not be among the files.
///
/// On btrfs the most is what a tree takes of which a snapshot shares all leaves, with data in as many extents as it has
/// storage for; it and the least presuppose leaves that are half full.
pub fn predict(
    file_system: &FileSystem,
    files: impl IntoIterator<Item = TreeFile>,
    candidates: &[Candidate],
) -> Vec<Prediction> {
    let with_evm = candidates.iter().any(|candidate| candidate.evm.is_some());
    let mut gathered = Gathered::new(file_system, with_evm);
    let mut seen = HashSet::new();
    let mut links = 0;
    for file in files {
        if file.id.is_some_and(|id| !seen.insert(id)) {
            links += 1;
            continue;
        }
        gathered.add(file_system, file);
    }
    candidates.iter().map(|candidate| of(file_system, &gathered, candidate, links)).collect()
}

fn of(file_system: &FileSystem, gathered: &Gathered, candidate: &Candidate, links: u64) -> Prediction {
    let mut sum = Sum::of(file_system, gathered, candidate);
    if candidate.shorter != [0; 2] {
        let (ima, evm) =
            (candidate.ima - candidate.shorter[0], candidate.evm.map(|own| own - candidate.shorter[1]));
        let short = Sum::of(file_system, gathered, &Candidate { ima, evm, ..candidate.clone() }).total;
        sum.total.least = sum.total.least.min(short.least);
        sum.total.most = sum.total.most.max(short.most);
    }
    let remedy = if sum.refused.is_empty() { None } else { remedy(file_system, gathered, candidate) };
    Prediction {
        candidate: candidate.clone(),
        files: sum.files,
        links,
        total: sum.total,
        copy_up: Cost::default(),
        refused: sum.refused,
        remedy,
        rpm_files_max: rpm_files_max(candidate.ima),
        measurement: measurement_memory(candidate.ima),
    }
}

/// The change that lets all files take the candidate, and the total then.
fn remedy(file_system: &FileSystem, gathered: &Gathered, candidate: &Candidate) -> Option<(String, Cost)> {
    let (remedied, how) = file_system.remedy(candidate.ima + candidate.evm.unwrap_or(0))?;
    let sum = Sum::of(&remedied, gathered, candidate);
    sum.refused.is_empty().then_some((how, sum.total))
}

/// Files that are refused for one reason: how many, and of each combination those that came first.
type Group<'a> = (Refusal, u64, Vec<&'a (u64, PathBuf)>);

struct Sum {
    files: u64,
    total: Cost,
    refused: Vec<Refused>,
}

impl Sum {
    fn of(file_system: &FileSystem, gathered: &Gathered, candidate: &Candidate) -> Sum {
        let mut sum = Sum { files: 0, total: Cost::default(), refused: Vec::new() };
        let mut refused: Vec<Group<'_>> = Vec::new();
        for own in &gathered.combinations {
            let after = candidate.applied_to(&own.attributes);
            match file_system.cost(&own.shape, own.before(), &after) {
                Ok(cost) => {
                    sum.files += own.files;
                    sum.total += cost.times(own.files);
                }
                Err(refusal) => match refused.iter_mut().find(|(known, _, _)| *known == refusal) {
                    Some((_, files, first)) => {
                        *files += own.files;
                        first.extend(&own.first);
                    }
                    None => refused.push((refusal, own.files, own.first.iter().collect())),
                },
            }
        }
        // Nothing is shared where values were not looked at, and refusals know nothing of sharing.
        match file_system {
            FileSystem::Ext4(model) if model.shares => {
                sum.total = ext4_sharing::cost(model, gathered, candidate)
            }
            FileSystem::Btrfs(model) if !sum.total.is_exact() => {
                sum.total = btrfs_tree::bounded(model, gathered, candidate, sum.total);
            }
            FileSystem::Squashfs(_) => sum.total = squashfs::image(gathered, candidate),
            FileSystem::Erofs(model) => sum.total = erofs_image::cost(model, gathered, candidate),
            _ => {}
        }
        for (refusal, count, mut first) in refused {
            first.sort_unstable_by_key(|(number, _)| *number);
            let first = first.into_iter().take(FIRST_PATHS).map(|(_, path)| path.clone()).collect();
            sum.refused.push(Refused { refusal, files: Tally { count, first } });
        }
        sum
    }
}
