//! Affine maps of bytes, of which the S-boxes and their shortcuts are made, evaluated while compiling.

/// The map that takes a byte to the sum of the columns at which the byte has a one, plus a constant. All sums are
/// over GF(2), bit 0 is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) columns: [u8; 8],
    pub(crate) constant: u8,
}

impl Affine {
    /// What stays when the constant is left out. Takes the same time for every byte.
    pub(crate) const fn linear(&self, byte: u8) -> u8 {
        let (mut sum, mut bit) = (0, 0);
        while bit < 8 {
            sum ^= self.columns[bit] & ((byte >> bit) & 1).wrapping_neg();
            bit += 1;
        }
        sum
    }

    pub(crate) const fn apply(&self, byte: u8) -> u8 {
        self.linear(byte) ^ self.constant
    }

    pub(crate) const fn then(&self, next: &Self) -> Self {
        let (mut columns, mut bit) = ([0; 8], 0);
        while bit < 8 {
            columns[bit] = next.linear(self.columns[bit]);
            bit += 1;
        }
        Self { columns, constant: next.apply(self.constant) }
    }

    /// The map that undoes this one.
    ///
    /// # Panics
    /// If there is none, which ends the compilation.
    pub(crate) const fn inverse(&self) -> Self {
        let constant = self.solve(0);
        let (mut columns, mut bit) = ([0; 8], 0);
        while bit < 8 {
            columns[bit] = self.solve(1 << bit) ^ constant;
            bit += 1;
        }
        Self { columns, constant }
    }

    const fn solve(&self, value: u8) -> u8 {
        let mut byte = 0;
        while self.apply(byte) != value {
            assert!(byte < 255, "the affine map has no inverse");
            byte += 1;
        }
        byte
    }

    /// The values for the sixteen low halves of a byte, and what the sixteen high halves add to them.
    pub(crate) const fn nibble_tables(&self) -> [[u8; 16]; 2] {
        let (mut tables, mut nibble) = ([[0; 16]; 2], 0);
        while nibble < 16 {
            tables[0][nibble as usize] = self.apply(nibble);
            tables[1][nibble as usize] = self.linear(nibble << 4);
            nibble += 1;
        }
        tables
    }

    /// The linear part as GF2P8AFFINEQB takes it: eight rows, that of bit 0 in the most significant byte.
    pub(crate) const fn rows(&self) -> u64 {
        let (mut rows, mut bit) = (0, 0);
        while bit < 64 {
            let (row, column) = (bit / 8, bit % 8);
            rows |= ((self.columns[column] as u64 >> row) & 1) << (8 * (7 - row) + column);
            bit += 1;
        }
        rows
    }
}
