//! Figures that others published, beside ours: rows for orientation, never for comparison.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Cipher;
use fieldtest_measure::words;
use fieldtest_study::Book;

use crate::words::{Direction, Published};

/// Who published figures, and of what.
struct Source {
    citation: &'static str,
    /// The machine, as rows name it.
    machine: &'static str,
    limits: &'static str,
    rows: &'static [Row],
}

/// The catalog's name, the kernel's implementation, ticks to encrypt 4096 bytes and, where it is told, to decrypt them.
type Row = (&'static str, &'static str, f64, Option<f64>);

const MAIL: &str =
    "D. Lee, “Re: [PATCH 0/3] crypto: LEA block cipher implementation”, linux-crypto, 16 May 2023";
const PATCH: &str =
    "D. Lee, “[PATCH 0/5] crypto: LEA block cipher implementation” (v5), linux-crypto, 4 December 2023";

const TICKS: &str = "tcrypt counts ticks of the time-stamp counter, not core cycles";
const TICKS_OF_RYZEN: &str = "tcrypt counts ticks of the time-stamp counter, not core cycles: at 3.4 GHz nominal and about 4.9 GHz of boost one \
     is about 1.44 core cycles (inference)";

const SOURCES: [Source; 4] = [
    Source {
        citation: MAIL,
        machine: "Ryzen 9 5950X, May 2023",
        limits: TICKS_OF_RYZEN,
        rows: &[
            ("aes-256-ecb", "aes-aesni", 1_637.0, Some(1_608.0)),
            ("aes-256-ctr", "aes-aesni", 1_649.0, None),
            ("aria-256-ecb", "aria-generic", 235_293.0, Some(237_949.0)),
            ("aria-256-ctr", "aria-generic", 240_754.0, None),
            ("lea-256-ecb", "lea-generic", 31_945.0, Some(50_511.0)),
            ("lea-256-ctr", "lea-generic", 33_942.0, None),
            ("aria-256-ecb", "aria-avx2", 9_807.0, Some(10_203.0)),
            ("aria-256-ctr", "aria-avx2", 10_038.0, None),
            ("lea-256-ecb", "lea-avx2", 5_784.0, Some(7_423.0)),
            ("lea-256-ctr", "lea-avx2", 6_136.0, None),
        ],
    },
    Source {
        citation: PATCH,
        machine: "Ryzen 9 5950X (virtual), v5",
        limits: TICKS_OF_RYZEN,
        rows: &[
            ("aes-256-ecb", "aesni", 2_086.0, Some(2_098.0)),
            ("lea-256-ecb", "lea-x86_64", 6_702.0, Some(7_444.0)),
            ("aria-256-ecb", "aria-avx2", 10_539.0, Some(10_550.0)),
            ("aes-256-cbc", "aesni", 10_660.0, Some(2_071.0)),
            ("lea-256-cbc", "lea-x86_64", 28_125.0, Some(7_592.0)),
            ("aes-256-ctr", "aesni", 1_884.0, Some(1_867.0)),
            ("lea-256-ctr", "lea-x86_64", 6_958.0, Some(6_951.0)),
            ("aria-256-ctr", "aria-avx2", 11_101.0, Some(10_636.0)),
            ("adiantum-xchacha12-aes", "xchacha12-simd", 8_390.0, Some(8_427.0)),
            ("adiantum-xchacha20-aes", "xchacha20-simd", 9_698.0, Some(9_732.0)),
            ("aes-128-xts", "aesni", 2_177.0, Some(2_165.0)),
            ("aes-256-xts", "aesni", 2_589.0, Some(2_527.0)),
            ("lea-128-xts", "lea-x86_64", 6_488.0, Some(6_745.0)),
            ("lea-256-xts", "lea-x86_64", 7_484.0, Some(8_083.0)),
            ("aes-256-ecb", "aes-generic", 35_785.0, Some(35_237.0)),
            ("lea-256-ecb", "lea-generic", 35_373.0, Some(46_941.0)),
            ("aria-256-ecb", "aria-generic", 247_919.0, Some(245_527.0)),
        ],
    },
    Source {
        citation: PATCH,
        machine: "i5-12600K with AVX-512, v5",
        limits: TICKS,
        rows: &[
            ("aes-256-ecb", "aesni", 1_984.0, Some(1_987.0)),
            ("lea-256-ecb", "lea-x86_64", 6_209.0, Some(7_071.0)),
            ("aria-256-ecb", "aria-avx512", 5_988.0, Some(5_989.0)),
            ("aes-256-cbc", "aesni", 11_803.0, Some(1_995.0)),
            ("lea-256-cbc", "lea-x86_64", 39_117.0, Some(7_173.0)),
            ("aes-256-ctr", "aesni", 2_588.0, Some(2_595.0)),
            ("lea-256-ctr", "lea-x86_64", 5_217.0, Some(5_196.0)),
            ("aria-256-ctr", "aria-avx512", 7_469.0, Some(7_473.0)),
            ("adiantum-xchacha12-aes", "xchacha12-simd", 7_526.0, Some(7_453.0)),
            ("adiantum-xchacha20-aes", "xchacha20-simd", 8_983.0, Some(8_892.0)),
            ("aes-128-xts", "aesni", 2_234.0, Some(2_241.0)),
            ("aes-256-xts", "aesni", 2_525.0, Some(2_538.0)),
            ("lea-128-xts", "lea-x86_64", 6_687.0, Some(7_333.0)),
            ("lea-256-xts", "lea-x86_64", 7_626.0, Some(8_457.0)),
        ],
    },
    Source {
        citation: PATCH,
        machine: "Xeon Gold 6254 (virtual), v5",
        limits: TICKS,
        rows: &[
            ("aes-256-ecb", "aesni", 4_533.0, Some(4_549.0)),
            ("lea-256-ecb", "lea-x86_64", 6_506.0, Some(7_467.0)),
            ("aria-256-ecb", "aria-avx2", 17_605.0, Some(16_955.0)),
            ("aes-256-cbc", "aesni", 17_150.0, Some(4_681.0)),
            ("lea-256-cbc", "lea-x86_64", 41_024.0, Some(6_948.0)),
            ("aes-256-ctr", "aesni", 4_126.0, Some(4_124.0)),
            ("lea-256-ctr", "lea-x86_64", 5_795.0, Some(5_797.0)),
            ("aria-256-ctr", "aria-avx2", 17_325.0, Some(16_731.0)),
            ("adiantum-xchacha12-aes", "xchacha12-simd", 9_064.0, Some(9_006.0)),
            ("adiantum-xchacha20-aes", "xchacha20-simd", 10_702.0, Some(10_628.0)),
            ("aes-128-xts", "aesni", 3_886.0, Some(3_857.0)),
            ("aes-256-xts", "aesni", 4_949.0, Some(5_008.0)),
            ("lea-128-xts", "lea-x86_64", 6_457.0, Some(7_409.0)),
            ("lea-256-xts", "lea-x86_64", 7_438.0, Some(8_510.0)),
        ],
    },
];

/// Enters what is published of this cipher: `4096 lea-avx2, Ryzen 9 5950X, May 2023`.
pub(super) fn enter(book: &mut Book, facts: &Facts<Cipher>) {
    for Source { citation, machine, limits, rows } in &SOURCES {
        for (_, code, encrypt, decrypt) in rows.iter().filter(|(name, ..)| *name == facts.name) {
            let by = format!("{code}, {machine}");
            let subject = Published { bytes: 4096, by: &by }.to_string();
            let figures = [(Direction::Encrypt, Some(*encrypt)), (Direction::Decrypt, *decrypt)];
            for (direction, ticks) in figures.into_iter().filter_map(|(of, ticks)| Some((of, ticks?))) {
                let mut record =
                    book.figure(&facts.name, direction.published().word(), &subject, ticks, "ticks");
                record.estimator = words::PUBLISHED.to_owned();
                record.notes = vec![(*citation).to_owned(), (*limits).to_owned()];
                book.record(record);
            }
        }
    }
}
