//! Why a study has no result.

use std::path::PathBuf;

use fieldtest_catalog::is_attached;

/// Why a study could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum StudyError {
    #[error(transparent)]
    UnknownName(#[from] fieldtest_catalog::UnknownName),
    #[error("cannot read the study {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot use the study {}: {text}", path.display())]
    Plan { path: PathBuf, text: String },
    #[error("none of the requested algorithms is implemented; `fieldtest list` shows those that are")]
    Nothing,
    /// An implementation did not do what its proof asks; nothing of it is timed.
    #[error(
        "{algorithm}, {implementation} {}{source}; select others with --implementation",
        if source.case.is_empty() { "is not available: " } else { "fails its known-answer tests: " }
    )]
    Proof { algorithm: String, implementation: &'static str, source: fieldtest_catalog::KatError },
    /// An engine did wrong after its proof, and whatever was measured with it is of no use.
    #[error("{source}")]
    Engine { algorithm: String, source: Box<StudyError> },
    /// An implementation failed outside of the timed windows.
    #[error("{algorithm}, {implementation}, {what}: {source}")]
    Implementation {
        algorithm: String,
        implementation: &'static str,
        what: &'static str,
        source: fieldtest_kinds::Error,
    },
    /// The rounds could not be run.
    #[error(transparent)]
    Measure(#[from] fieldtest_measure::Error),
    #[error("cannot measure in a worker process: {0}")]
    WorkerTask(String),
    #[error("{carrier}: {text}")]
    Carrier { carrier: &'static str, text: String },
}

impl StudyError {
    /// What a carrier of this name refused.
    pub fn of(carrier: &'static str, error: impl std::fmt::Display) -> StudyError {
        StudyError::Carrier { carrier, text: error.to_string() }
    }

    /// The algorithm whose engine takes no part because of this.
    pub fn engine(&self) -> Option<&str> {
        match self {
            StudyError::Proof { algorithm, implementation, .. } if is_attached(implementation) => {
                Some(algorithm)
            }
            StudyError::Engine { algorithm, .. } => Some(algorithm),
            _ => None,
        }
    }

    /// The algorithm whose engine this is the fault of, among the names of those that are attached. Most of what goes wrong is told in
    /// words, by carriers and by processes that measure, and all of them name whom they speak of.
    pub fn blames<'a>(&self, attached: &[&'a str]) -> Option<&'a str> {
        let said = self.to_string();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let is_named = |name: &&&str| {
            said.match_indices(**name).any(|(at, name)| {
                !said[..at].ends_with(is_part) && !said[at + name.len()..].starts_with(is_part)
            })
        };
        attached.iter().find(is_named).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whom_an_error_blames() {
        let attached = ["toy", "toy-mac"];
        let blamed = |text: &str| StudyError::of("carrier", text).blames(&attached);
        assert_eq!(blamed("the engine of toy (python3 toy.py): it ended"), Some("toy"));
        assert_eq!(blamed("toy-mac (engine-pipe), tag: it ended"), Some("toy-mac"));
        assert_eq!(blamed("a-toy, toys, toy: it ended"), Some("toy"));
        assert_eq!(blamed("toys, a-toy, toy-hash, ed25519"), None);
    }

    #[test]
    fn whose_engine_failed() {
        let proof = |implementation| StudyError::Proof {
            algorithm: "toy".to_owned(),
            implementation,
            source: fieldtest_catalog::KatError { origin: "o".into(), case: "1".into(), what: "w".into() },
        };
        assert_eq!(proof(fieldtest_catalog::ENGINE_PIPE).engine(), Some("toy"));
        assert_eq!(proof("fieldtest").engine(), None);
        let later = |source| StudyError::Engine { algorithm: "toy".to_owned(), source: Box::new(source) };
        assert_eq!(later(StudyError::Nothing).engine(), Some("toy"));
        assert_eq!(StudyError::Nothing.engine(), None);
    }
}
