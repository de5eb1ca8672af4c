//! What a study measures of this carrier.

use fieldtest_catalog::kind::{Kind, Mac};
use fieldtest_study::contest::Stage;
use fieldtest_study::part::settle;
use fieldtest_study::{Bench, Book, Part, StudyError};
use serde::Deserialize;

use crate::NAME;

/// The table `[tcp-ao]` of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TcpAoPart {
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
            // A BGP KEEPALIVE, the case of the kernel's own figures, a full segment.
            ipv4: vec![83, 144, 1496],
            // The second over IPv6.
            ipv6: vec![172],
            batch: 64,
            algorithms: Vec::new(),
            implementations: Vec::new(),
        }
    }
}

impl Part for TcpAoPart {
    fn carrier(&self) -> &'static str {
        NAME
    }

    fn kind(&self) -> &'static str {
        Mac::WORD
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        super::check(self)?;
        settle::<Mac>(&mut self.algorithms)
    }

    fn stage(&self) -> Option<&'static dyn Stage> {
        Some(&super::SegmentStage)
    }

    fn run(&self, bench: &mut Bench<'_>, book: &mut Book) -> Result<(), StudyError> {
        super::run(bench, book, self)
    }
}
