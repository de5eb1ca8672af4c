//! What a study measures of this carrier.

use std::path::{Path, PathBuf};

use fieldtest_catalog::kind::{Kind, Mac};
use fieldtest_study::part::{known_implementations, settle};
use fieldtest_study::{About, Bench, Part, RecordWriter, StudyError};
use serde::Deserialize;

use crate::NAME;

/// The table `[tcp-ao]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TcpAoPart {
    /// A capture, relative to the study's file, whose traffic is measured instead of the lengths below.
    pub capture: Option<PathBuf>,
    /// Bytes of the MAC's input over IPv4: sequence number extension, pseudo-header, TCP header and payload.
    pub ipv4: Vec<usize>,
    /// The same over IPv6.
    pub ipv6: Vec<usize>,
    /// Segments per batch.
    pub batch: usize,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

impl Default for TcpAoPart {
    fn default() -> Self {
        TcpAoPart {
            capture: None,
            // A BGP KEEPALIVE, the case of the kernel's own results, a full segment.
            ipv4: vec![83, 144, 1496],
            // The second over IPv6.
            ipv6: vec![172],
            batch: 64,
            algorithms: Vec::new(),
            implementations: Vec::new(),
        }
    }
}

const ABOUT: About = About {
    stage: Some(&super::SegmentStage),
    either: ("capture", "ipv4 ipv6"),
    ..About::of(NAME, &[Mac::WORD])
};

impl Part for TcpAoPart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn input(&mut self) -> Option<&mut Option<PathBuf>> {
        Some(&mut self.capture)
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn check_outputs(&self, places: &[&Path]) -> Result<(), StudyError> {
        use std::os::unix::fs::MetadataExt as _;
        let file = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let Some(own) = self.capture.as_deref().and_then(file) else { return Ok(()) };
        match places.iter().find(|place| file(place) == Some(own)) {
            Some(place) => Err(super::fault(format!(
                "cannot write the results to {}: it is being measured; write them elsewhere",
                place.display()
            ))),
            None => Ok(()),
        }
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        known_implementations(self.implementations.iter().map(String::as_str))?;
        super::check(self)?;
        settle::<Mac>(&mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        super::run(bench, writer, self)
    }
}
