//! A cell: a word or a result, with an optional mark whose meaning never rests on its colour alone.

use std::borrow::Cow;

use fieldtest_measure::words;

words! {
    /// What a mark tells about a cell; the medium chooses a colour for it.
    #[non_exhaustive]
    pub enum Tone as name {
        /// As one would wish.
        Good = "good",
        /// Acceptable, or not settled yet.
        Fair = "fair",
        /// With a cost worth a look.
        Poor = "poor",
        /// Ruled out, or over every limit.
        Bad = "bad",
        /// Of no weight.
        Quiet = "quiet",
    }
}

/// A symbol with the word it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// One character; of several marks, one each.
    pub symbol: Cow<'static, str>,
    /// What it means: `fits 1232 bytes`, `candidate`.
    pub word: Cow<'static, str>,
    /// How good that is.
    pub tone: Tone,
}

/// What a cell holds.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Value {
    /// Nothing.
    #[default]
    Empty,
    /// Words.
    Text(String),
    /// A result in its column's unit.
    Number {
        /// The result.
        value: f64,
        /// Its 95 % interval.
        interval: Option<[f64; 2]>,
        /// Whether it was estimated, extrapolated or projected and so gets a `≈`.
        approximate: bool,
    },
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// The word or the result.
    pub value: Value,
    /// A mark beside it.
    pub mark: Option<Mark>,
    /// What a reader who looks closer is told, where the medium has a way to.
    pub detail: String,
    /// It stands for itself: no ratio is made of it.
    pub alone: bool,
}

impl Cell {
    /// Adds the 95 % interval of a result; on a cell without a result nothing happens.
    #[must_use]
    pub fn with_interval(mut self, bounds: Option<[f64; 2]>) -> Cell {
        if let Value::Number { interval, .. } = &mut self.value {
            *interval = bounds;
        }
        self
    }

    /// Says that a result was estimated, extrapolated or projected.
    #[must_use]
    pub fn approximately(mut self, is: bool) -> Cell {
        if let Value::Number { approximate, .. } = &mut self.value {
            *approximate = is;
        }
        self
    }

    /// Says that no ratio is made of it.
    #[must_use]
    pub fn standing_alone(mut self, is: bool) -> Cell {
        self.alone = is;
        self
    }

    /// Adds a mark.
    #[must_use]
    pub fn with_mark(mut self, mark: Option<Mark>) -> Cell {
        self.mark = mark;
        self
    }

    /// Adds what a reader who looks closer is told.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Cell {
        self.detail = detail.into();
        self
    }

    /// The result, if it is one and finite.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number { value, .. } if value.is_finite() => Some(value),
            _ => None,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::from(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        let value = if text.is_empty() { Value::Empty } else { Value::Text(text) };
        Cell { value, ..Cell::default() }
    }
}

/// A result that is not finite becomes an empty cell: no output form has a way to write it.
impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        if !value.is_finite() {
            return Cell::default();
        }
        Cell { value: Value::Number { value, interval: None, approximate: false }, ..Cell::default() }
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::from(value as f64)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell::from(value as f64)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map(Into::into).unwrap_or_default()
    }
}
