//! What a study measures of this carrier.

use std::path::PathBuf;

use fieldtest_catalog::kind::{Kind, Signature};
use fieldtest_study::part::{BASELINE, settle_with_baseline, within};
use fieldtest_study::{About, Bench, Part, RecordWriter, StudyError};
use serde::Deserialize;

use crate::NAME;

/// The table `[ima]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ImaPart {
    /// A tree of files, relative to the study's file, which is read and never written to; a generated one where there
    /// is none.
    pub tree: Option<PathBuf>,
    /// Files of the generated tree.
    pub files: u32,
    /// The algorithms; empty for all but those that take part only where they are named.
    pub algorithms: Vec<String>,
    /// The algorithm that ratios refer to.
    pub baseline: String,
}

impl Default for ImaPart {
    fn default() -> Self {
        ImaPart { tree: None, files: 2000, algorithms: Vec::new(), baseline: BASELINE.to_owned() }
    }
}

const ABOUT: About = About { either: ("tree", "files"), ..About::of(NAME, &[Signature::WORD]) };

impl Part for ImaPart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        Some(&mut self.tree)
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        within(NAME, "files", self.files, 1..=1_000_000)?;
        settle_with_baseline::<Signature>(NAME, &mut self.baseline, &mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        super::run(bench, writer, self)
    }
}
