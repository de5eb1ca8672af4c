//! What signatures would cost on a tree of files.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::{
    Attribute, Cost, FileShape, FileSystem, MeasurementMemory, Refusal, measurement_memory, rpm_files_max,
};
use crate::tree::Tally;

/// A file to be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path, for reports.
    pub path: PathBuf,
    /// Device and inode, by which further names of the same file are not counted again; `None` to count always.
    pub id: Option<(u64, u64)>,
    /// Its data.
    pub shape: FileShape,
    /// The attributes that it has, in the order of `listxattr`.
    pub attributes: Vec<Attribute>,
}

/// A signature to be judged by what it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name in reports.
    pub name: String,
    /// Bytes of `security.ima`: the signature and its header of 9.
    pub ima: u64,
    /// Bytes of `security.evm`, if an EVM signature goes with it.
    pub evm: Option<u64>,
    /// Bytes of a `security.selinux` that files without one are to be given, for trees that are labelled later.
    pub label: Option<u64>,
}

impl Candidate {
    /// A candidate that sets `security.ima` alone.
    pub fn new(name: impl Into<String>, ima: u64) -> Candidate {
        Candidate { name: name.into(), ima, evm: None, label: None }
    }

    /// A file's attributes when it is signed: label, signature, EVM, in the order in which they must be set.
    pub fn applied_to(&self, before: &[Attribute]) -> Vec<Attribute> {
        let mut after = before.to_vec();
        let labelled = after.iter().any(|attribute| attribute.name == "security.selinux");
        after.retain(|attribute| attribute.name != "security.ima");
        after.retain(|attribute| self.evm.is_none() || attribute.name != "security.evm");
        let label = self.label.filter(|_| !labelled).map(|length| Attribute::new("security.selinux", length));
        after.extend(label);
        after.push(Attribute::new("security.ima", self.ima));
        after.extend(self.evm.map(|length| Attribute::new("security.evm", length)));
        after
    }
}

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
pub fn predict(
    file_system: &FileSystem,
    files: impl IntoIterator<Item = TreeFile>,
    candidates: &[Candidate],
) -> Vec<Prediction> {
    let mut sums: Vec<Sum<'_>> =
        candidates.iter().map(|candidate| Sum::new(file_system, candidate)).collect();
    let mut seen = HashSet::new();
    let mut links = 0;
    for file in files {
        if file.id.is_some_and(|id| !seen.insert(id)) {
            links += 1;
            continue;
        }
        sums.iter_mut().for_each(|sum| sum.add(&file));
    }
    sums.into_iter().map(|sum| sum.finish(links)).collect()
}

/// Files with the same shape and attributes cost the same, and trees have few combinations.
type Known = HashMap<(FileShape, Vec<Attribute>), Result<Cost, Refusal>>;

/// What one candidate has cost so far, as the file system is and as it would be after the remedy.
struct Sum<'a> {
    file_system: &'a FileSystem,
    candidate: &'a Candidate,
    files: u64,
    total: Cost,
    refused: Vec<Refused>,
    known: Known,
    remedy: Option<(FileSystem, String)>,
    remedied: Option<Cost>,
    known_remedied: Known,
}

impl<'a> Sum<'a> {
    fn new(file_system: &'a FileSystem, candidate: &'a Candidate) -> Sum<'a> {
        let remedy = file_system.remedy(candidate.ima + candidate.evm.unwrap_or(0));
        Sum {
            file_system,
            candidate,
            files: 0,
            total: Cost::default(),
            refused: Vec::new(),
            known: Known::new(),
            remedied: remedy.as_ref().map(|_| Cost::default()),
            remedy,
            known_remedied: Known::new(),
        }
    }

    fn add(&mut self, file: &TreeFile) {
        match known(&mut self.known, self.file_system, self.candidate, file) {
            Ok(cost) => {
                self.files += 1;
                self.total += cost;
            }
            Err(refusal) => match self.refused.iter_mut().find(|refused| refused.refusal == refusal) {
                Some(refused) => refused.files.add(&file.path),
                None => {
                    let mut files = Tally::default();
                    files.add(&file.path);
                    self.refused.push(Refused { refusal, files });
                }
            },
        }
        if let (Some((file_system, _)), Some(total)) = (&self.remedy, &mut self.remedied) {
            match known(&mut self.known_remedied, file_system, self.candidate, file) {
                Ok(cost) => *total += cost,
                Err(_) => self.remedied = None,
            }
        }
    }

    fn finish(self, links: u64) -> Prediction {
        let remedy = self.remedy.zip(self.remedied).map(|((_, how), total)| (how, total));
        Prediction {
            candidate: self.candidate.clone(),
            files: self.files,
            links,
            total: self.total,
            remedy: remedy.filter(|_| !self.refused.is_empty()),
            refused: self.refused,
            rpm_files_max: rpm_files_max(self.candidate.ima),
            measurement: measurement_memory(self.candidate.ima),
        }
    }
}

fn known(
    known: &mut Known,
    file_system: &FileSystem,
    candidate: &Candidate,
    file: &TreeFile,
) -> Result<Cost, Refusal> {
    let shape = file_system.relevant(&file.shape);
    let cost =
        |attributes: &[Attribute]| file_system.cost(&shape, attributes, &candidate.applied_to(attributes));
    known.entry((shape, file.attributes.clone())).or_insert_with(|| cost(&file.attributes)).clone()
}
