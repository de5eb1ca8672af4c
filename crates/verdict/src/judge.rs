//! What all parts of a decision use.

use crate::matrix::{Matrix, Study};

pub(crate) struct Judge<'m> {
    pub(crate) matrix: &'m Matrix,
    pub(crate) study: &'m Study,
    /// The algorithm that another is to replace.
    pub(crate) replaced: Option<usize>,
}
