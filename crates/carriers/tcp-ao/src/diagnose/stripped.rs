//! Options that a device on the way took out of a segment.

use std::fmt;

use crate::tcp::{MAX_OPTIONS, kind};

/// An option that a device on the way took out of a segment or overwrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    /// The option with its kind and length.
    pub option: Vec<u8>,
    /// How it is put back: see [`Stripped::restored`].
    pub(super) form: usize,
}

impl Stripped {
    /// The ways to put an option of this length back.
    pub(super) fn forms(options: &[u8], option: &[u8]) -> usize {
        let gaps = options.len().saturating_sub(option.len() - 1);
        gaps + 3 * (options.len() + 1)
    }

    /// The options with this one among them, if they can have been so: in place of no-operations, or between two
    /// others, with the padding behind as it is, of no-operations, or of zeros.
    pub(super) fn restored(&self, options: &[u8]) -> Option<Vec<u8>> {
        let length = self.option.len();
        let gaps = options.len().saturating_sub(length - 1);
        if self.form < gaps {
            let mut restored = options.to_vec();
            let gap = restored.get_mut(self.form..self.form + length)?;
            if gap.iter().any(|byte| *byte != kind::NOP) {
                return None;
            }
            gap.copy_from_slice(&self.option);
            return Some(restored);
        }
        let (place, padding) = ((self.form - gaps) / 3, (self.form - gaps) % 3);
        let (front, back) = options.split_at_checked(place)?;
        let mut restored = [front, &self.option, back].concat();
        if padding > 0 {
            while restored.last().is_some_and(|byte| matches!(*byte, kind::NOP | kind::END)) {
                restored.pop();
            }
            let filling = if padding == 1 { kind::NOP } else { kind::END };
            restored.resize(restored.len().next_multiple_of(4), filling);
        }
        (restored.len() <= MAX_OPTIONS && restored.len().is_multiple_of(4)).then_some(restored)
    }
}

impl fmt::Display for Stripped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.option.first() {
            Some(&kind::SACK_PERMITTED) => write!(f, "the option 'SACK permitted'"),
            Some(&kind::WINDOW_SCALE) => {
                write!(f, "the option 'window scale' ({})", self.option.last().copied().unwrap_or_default())
            }
            other => write!(f, "an option of kind {}", other.copied().unwrap_or_default()),
        }
    }
}
