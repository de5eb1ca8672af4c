//! Figures that others published, beside ours: rows for orientation, never for comparison.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Hash;
use fieldtest_measure::words;
use fieldtest_study::Book;

use crate::words::{Operation, Published};

/// Bytes per message in the first table.
const CHUNKS: [u64; 4] = [256, 1024, 8192, 16384];
/// KiB/s for each of them.
const SPEEDS: [(&str, &str, [f64; 4]); 9] = [
    ("sha-1", "OpenSSL", [513_963.0, 685_966.0, 748_993.0, 754_270.0]),
    ("blake2b-256", "libb2", [488_123.0, 552_839.0, 576_246.0, 579_292.0]),
    ("sha-512-256", "OpenSSL", [181_177.0, 349_002.0, 499_113.0, 495_169.0]),
    ("blake2bp-256", "libb2", [139_891.0, 344_786.0, 488_390.0, 522_575.0]),
    ("sha-256", "OpenSSL", [264_276.0, 333_560.0, 357_830.0, 355_761.0]),
    ("kt128-256", "Keccak code package", [239_305.0, 307_300.0, 355_257.0, 364_261.0]),
    ("shake128-256", "OpenSSL", [154_775.0, 253_344.0, 337_811.0, 346_732.0]),
    ("sha3-256", "OpenSSL", [128_597.0, 185_381.0, 198_931.0, 207_365.0]),
    ("blake2bp-256", "libb2, threaded", [12_223.0, 49_306.0, 132_833.0, 179_616.0]),
];
/// Cycles per byte of long messages, by SUPERCOP: on kizomba (Kaby Lake) and on genji262 (a Ryzen with SHA extensions).
const LONG: [(&str, f64, f64); 7] = [
    ("blake2b-256", 3.07, 2.59),
    ("sha-1", 3.49, 1.54),
    ("kt128-256", 3.86, 3.17),
    ("sha-512-256", 5.05, 4.48),
    ("shake128-256", 6.97, 5.49),
    ("sha-256", 7.59, 1.64),
    ("sha3-256", 8.57, 6.81),
];

const SOURCE: &str = "brian m. carlson, “Hash algorithm analysis”, git mailing list, 9 June 2018";
const LAPTOP: &str =
    "on a laptop with an Intel Core i7-6600U; one buffer of zeros, hot in the cache, hashed over and over";
const TICKS: &str = "SUPERCOP counts ticks of the time-stamp counter, which are fewer than core cycles on a processor that runs \
                     above its nominal frequency: 1.23 times as many fit genji262";

/// Enters what is published of this function.
pub(super) fn enter(book: &mut Book, facts: &Facts<Hash>) {
    let mut figure = |subject: Published<'_>, value: f64, unit: &str, limits: &str| {
        let mut record =
            book.figure(&facts.name, Operation::HashPublished.word(), &subject.to_string(), value, unit);
        record.estimator = words::PUBLISHED.to_owned();
        record.notes = vec![SOURCE.to_owned(), limits.to_owned()];
        book.record(record);
    };
    for (_, library, speeds) in SPEEDS.iter().filter(|(name, ..)| *name == facts.name) {
        for (bytes, speed) in CHUNKS.iter().zip(speeds) {
            figure(Published { bytes: Some(*bytes), by: library }, *speed, "KiB/s", LAPTOP);
        }
    }
    for (_, kizomba, genji262) in LONG.iter().filter(|(name, ..)| *name == facts.name) {
        figure(Published { bytes: None, by: "kizomba" }, *kizomba, "ticks/byte", TICKS);
        figure(Published { bytes: None, by: "genji262" }, *genji262, "ticks/byte", TICKS);
    }
}
