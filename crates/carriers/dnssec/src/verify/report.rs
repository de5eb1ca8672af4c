//! What a validation found.

use std::fmt;

use crate::name::Name;
use crate::rtype::Rtype;

/// Something that is wrong with a signed zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name it is wrong at.
    pub owner: Name,
    /// The type it is wrong with.
    pub rtype: Rtype,
    /// What is wrong, as the end of a sentence that begins with name and type.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.owner, self.rtype, self.what)
    }
}

/// The outcome of validating a zone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Signatures that were verified and are good.
    pub signatures: u64,
    /// RRsets that had to be signed.
    pub rrsets: u64,
    /// Signatures by keys that the zone does not publish. Validators ignore them, and key rolls leave them behind.
    pub foreign_signatures: u64,
    /// Signatures of algorithms without an implementation here; nothing is known of them.
    pub unchecked_signatures: u64,
    /// What is wrong, in the zone's order.
    pub findings: Vec<Finding>,
}

const SHOWN: usize = 20;

impl Report {
    /// Whether the zone is secure: nothing is wrong with it, and every signature could be checked.
    pub fn is_secure(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Report {
    /// The counts, and the first findings with the number of those that are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} good signatures over {} RRsets", self.signatures, self.rrsets)?;
        if self.foreign_signatures > 0 {
            write!(f, "; {} by keys that are not published", self.foreign_signatures)?;
        }
        if self.unchecked_signatures > 0 {
            write!(f, "; {} that were not checked", self.unchecked_signatures)?;
        }
        match self.findings.len() {
            0 => write!(f, "; no faults"),
            count => {
                write!(f, "; {count} finding{}", if count == 1 { "" } else { "s" })?;
                for finding in self.findings.iter().take(SHOWN) {
                    write!(f, "\n{finding}")?;
                }
                match count.saturating_sub(SHOWN) {
                    0 => Ok(()),
                    more => write!(f, "\n… and {more} more"),
                }
            }
        }
    }
}
