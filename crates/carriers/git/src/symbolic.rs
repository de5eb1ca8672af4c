//! Where references lead to, through others, as far as Git follows them.

use std::collections::HashMap;

use crate::refs::has_valid_form;
use crate::{ObjectId, Reference, Target};

/// References that Git reads one after the other before it gives up, the first one included (`SYMREF_MAXDEPTH`).
const DEEPEST: usize = 5;

/// All references of a repository, to be found by their names.
pub(crate) struct ByName<'r>(HashMap<&'r [u8], &'r Reference>);

pub(crate) enum End<'r> {
    /// An object, which this reference holds.
    Id {
        /// The last one, or the first if it leads to no other.
        holder: &'r Reference,
        id: ObjectId,
    },
    /// A name that nothing has: a branch without commits.
    Nothing { from: &'r Reference, name: &'r [u8] },
    /// A name that Git allows no reference.
    NoName(&'r [u8]),
    /// One of those that it came through.
    Circle,
    /// More references than Git reads.
    TooFar,
}

impl<'r> ByName<'r> {
    pub(crate) fn new(references: impl IntoIterator<Item = &'r Reference>) -> ByName<'r> {
        ByName(references.into_iter().map(|reference| (reference.name.as_slice(), reference)).collect())
    }

    pub(crate) fn end(&self, reference: &'r Reference) -> End<'r> {
        let mut met = [reference; DEEPEST];
        for at in 0..DEEPEST {
            let last = met.get(at).copied().unwrap_or(reference);
            let name = match &last.target {
                Target::Id(id) => return End::Id { holder: last, id: *id },
                Target::Symbolic(name) => name.as_slice(),
            };
            if !has_valid_form(name) {
                return End::NoName(name);
            }
            if met.iter().take(at + 1).any(|reference| reference.name == name) {
                return End::Circle;
            }
            match (met.get_mut(at + 1), self.0.get(name)) {
                (None, _) => break,
                (Some(_), None) => return End::Nothing { from: last, name },
                (Some(next), Some(found)) => *next = found,
            }
        }
        End::TooFar
    }
}

impl End<'_> {
    /// What is wrong where Git does not follow; none of what does not exist yet.
    pub(crate) fn problem(&self) -> Option<String> {
        match self {
            End::Id { .. } | End::Nothing { .. } => None,
            End::NoName(name) => Some(format!(
                "it points to {:?}, which is not a valid name of a ref",
                String::from_utf8_lossy(name)
            )),
            End::Circle => Some("it points from ref to ref without an end".to_owned()),
            End::TooFar => Some(format!("it passes through more than {DEEPEST} refs, the limit in Git")),
        }
    }
}
