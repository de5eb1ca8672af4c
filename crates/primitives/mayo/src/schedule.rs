//! Whipping schedules: which power of z stands before which pair of copies of the map.

/// i and j; which comes first does not matter.
pub(crate) type Position = (u8, u8);

/// Round 2: row by row, each from the right (MAYO.Verify).
const fn rows<const POSITIONS: usize>(k: u8) -> [Position; POSITIONS] {
    let mut positions = [(0, 0); POSITIONS];
    let (mut label, mut i) = (0, 0);
    while i < k {
        let mut j = k;
        while j > i {
            j -= 1;
            positions[label] = (i, j);
            label += 1;
        }
        i += 1;
    }
    positions
}

pub(crate) static ROWS_4: [Position; 10] = rows(4);
pub(crate) static ROWS_10: [Position; 55] = rows(10);
pub(crate) static ROWS_11: [Position; 66] = rows(11);
pub(crate) static ROWS_12: [Position; 78] = rows(12);

/// Round 3: symmetric matrices of powers, whose lower triangles these are (the authors' `mayo_constants.h`).
const fn whipped<const POSITIONS: usize>(powers: [u8; POSITIONS]) -> [Position; POSITIONS] {
    let mut positions = [(u8::MAX, u8::MAX); POSITIONS];
    let (mut at, mut i, mut j) = (0, 0, 0);
    while at < POSITIONS {
        assert!(positions[powers[at] as usize].0 == u8::MAX, "each power stands once");
        positions[powers[at] as usize] = (i, j);
        at += 1;
        j += 1;
        if j > i {
            (i, j) = (i + 1, 0);
        }
    }
    positions
}

#[rustfmt::skip]
pub(crate) static WHIPPED_5: [Position; 15] = whipped([
    11,
    13,  0,
     3, 14,  8,
     4, 10,  1, 12,
     6,  2,  5,  9,  7,
]);

#[rustfmt::skip]
pub(crate) static WHIPPED_10: [Position; 55] = whipped([
    10,
    25,  6,
     7, 45, 51,
    44, 50, 16, 15,
    40, 19, 42, 39, 22,
    24,  0, 30, 26, 33, 13,
    12, 11, 53, 48,  1, 46, 36,
    32, 14,  8, 54, 35, 17, 20, 38,
     5, 37, 21, 23, 41,  2, 49, 29,  3,
    27, 52,  4, 34, 18, 47, 43,  9, 31, 28,
]);

#[rustfmt::skip]
pub(crate) static WHIPPED_11: [Position; 66] = whipped([
    35,
    13, 55,
    39, 42,  6,
    32, 11, 15, 18,
     4, 63, 57,  5, 38,
     7, 19, 47, 21,  0, 22,
    40, 58, 16, 28, 56, 27, 37,
    14, 49, 34, 10, 29, 61, 45, 26,
    43, 36, 44, 51, 54,  3, 30, 52, 25,
    62, 12, 46, 24, 60, 48,  1, 59,  9, 53,
    64, 20, 50, 31, 23,  8, 17, 41,  2, 65, 33,
]);

#[rustfmt::skip]
pub(crate) static WHIPPED_12: [Position; 78] = whipped([
    62,
    30,  7,
    52, 37, 64,
    53, 55, 26, 61,
    24, 43, 76, 16, 41,
     0, 70, 45, 60, 27, 63,
    25, 31, 54,  5,  6, 22, 14,
    12, 47, 10, 18,  2, 49, 29, 58,
    71, 35, 40, 42,  4, 23, 44, 67, 33,
    20,  9, 34, 17, 51,  1, 65, 59, 73, 28,
    57, 69, 11,  8, 68, 21, 77, 39, 36, 46, 50,
    32, 15, 19, 75, 38, 48, 72, 56, 74,  3, 13, 66,
]);
