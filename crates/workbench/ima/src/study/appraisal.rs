//! What the kernel takes to verify a file's signature at its first use: figures of the lab, beside ours.

use fieldtest_catalog::Facts;
use fieldtest_measure::words;
use fieldtest_study::Book;

use crate::words::Operation;

/// Algorithm and nanoseconds for one appraisal, reading and hashing the file left out.
const KERNEL: [(&str, f64); 6] = [
    ("rsa-2048", 85_000.0),
    ("ecdsa-p256", 1_175_000.0),
    ("ecdsa-p384", 2_630_000.0),
    ("ml-dsa-44", 60_000.0),
    ("ml-dsa-65", 97_000.0),
    ("ml-dsa-87", 160_000.0),
];

/// Where they come from.
const SOURCE: &str = "lab/ima.sh on an Intel Xeon of 2023: Linux 7.3.4 in user mode with IMA appraisal enforcing, first open \
                      of a signed file less that of a file with a digest";
const LIMITS: &str = "generic C, built for size; x86 kernels have no other code for these algorithms";

/// Enters what is known of this algorithm.
pub(super) fn enter(book: &mut Book, facts: &Facts) {
    let Some((name, ns)) = KERNEL.iter().find(|(name, _)| *name == facts.name) else { return };
    let mut record = book.figure(name, Operation::Appraise.word(), "Linux 7.3.4", *ns, "ns");
    record.estimator = words::PUBLISHED.to_owned();
    record.notes = vec![SOURCE.to_owned(), LIMITS.to_owned()];
    book.record(record);
}
