//! What a study measures of this carrier.

use std::path::{Path, PathBuf};

use fieldtest_catalog::kind::{Kind, Signature};
use fieldtest_dnssec::Name;
use fieldtest_study::part::{BASELINE, known_implementations, settle_with_baseline, within};
use fieldtest_study::{About, Bench, Part, RecordWriter, StudyError};
use serde::Deserialize;

use crate::NAME;

/// The table `[dnssec]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DnssecPart {
    /// A zone file, relative to the study's file; a generated zone where there is none.
    pub zone: Option<PathBuf>,
    /// Completes relative names in the zone file.
    pub origin: Option<String>,
    /// Delegations of the generated zone.
    pub delegations: u32,
    /// The algorithms; empty for all but those that take part only where they are named.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
    /// The algorithm that ratios refer to.
    pub baseline: String,
    /// BIND's `dnssec-signzone`, by its path or by its name, to sign the zone as well; none where there is none.
    pub signer: Option<PathBuf>,
}

impl Default for DnssecPart {
    fn default() -> Self {
        DnssecPart {
            zone: None,
            origin: None,
            delegations: 1438,
            algorithms: Vec::new(),
            implementations: Vec::new(),
            baseline: BASELINE.to_owned(),
            signer: None,
        }
    }
}

// Whole zones take longest.
const ABOUT: About =
    About { weight: 3.0, either: ("zone", "delegations"), ..About::of(NAME, &[Signature::WORD]) };

impl Part for DnssecPart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        Some(&mut self.zone)
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn locate(&mut self, directory: &Path) {
        if let Some(zone) = &mut self.zone {
            *zone = directory.join(&zone);
        }
        if let Some(signer) = self.signer.as_mut().filter(|signer| signer.components().count() > 1) {
            *signer = directory.join(&signer);
        }
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        known_implementations(self.implementations.iter().map(String::as_str))?;
        if self.origin.is_some() && self.zone.is_none() {
            return Err(StudyError::of(
                NAME,
                "'origin' has no effect without 'zone'; remove it, or name a zone",
            ));
        }
        if let Some(Err(error)) = self.origin.as_deref().map(str::parse::<Name>) {
            let said = error.to_string().replacen("invalid name", "invalid origin", 1);
            return Err(StudyError::of(NAME, said));
        }
        within(NAME, "delegations", self.delegations, 1..=10_000_000)?;
        settle_with_baseline::<Signature>(NAME, &mut self.baseline, &mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        super::run(bench, writer, self)
    }
}
