//! What a study measures of this carrier.

use std::path::{Path, PathBuf};

use fieldtest_catalog::kind::{Aead, Cipher, Kind};
use fieldtest_disk::shared;
use fieldtest_study::part::{known_implementations, settle};
use fieldtest_study::{About, Bench, Part, RecordWriter, StudyError};
use serde::Deserialize;

use super::authenticated;
use crate::NAME;

/// The table `[disk]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DiskPart {
    /// A LUKS2 container, an image or a block device, relative to the study's file, which is only read; random data where there
    /// is none.
    #[serde(alias = "image")]
    pub disk: Option<PathBuf>,
    /// Bytes per sector; those of the container where one is named.
    pub sector_sizes: Vec<usize>,
    /// Mebibytes of the sample, which containers are filled with.
    pub mebibytes: u32,
    /// The algorithms, ciphers and ciphers that authenticate; empty for all of the former and some of the latter.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

impl Default for DiskPart {
    fn default() -> Self {
        DiskPart {
            disk: None,
            sector_sizes: vec![512, 4096],
            mebibytes: 64,
            algorithms: Vec::new(),
            implementations: Vec::new(),
        }
    }
}

const ABOUT: About =
    About { stage: Some(&super::SectorStage), ..About::of(NAME, &[Cipher::WORD, Aead::WORD]) };

impl Part for DiskPart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        Some(&mut self.disk)
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn check_outputs(&self, places: &[&Path]) -> Result<(), StudyError> {
        let Some(disk) = &self.disk else { return Ok(()) };
        match places.iter().find(|place| shared(disk, place)) {
            Some(place) => Err(StudyError::of(
                NAME,
                format!(
                    "cannot write the results to {}: it is being measured; write them elsewhere",
                    place.display()
                ),
            )),
            None => Ok(()),
        }
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        known_implementations(self.implementations.iter().map(String::as_str))?;
        super::check(self)?;
        for name in &mut self.algorithms {
            match authenticated::is_one(name) {
                true => settle::<Aead>(std::slice::from_mut(name))?,
                false => settle::<Cipher>(std::slice::from_mut(name))?,
            }
        }
        Ok(())
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        super::run(bench, writer, self)
    }
}
