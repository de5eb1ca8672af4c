//! What the kernel takes to verify a file's signature at its first use: figures of the lab, beside ours.

use fieldtest_catalog::Facts;

use crate::Book;

/// Algorithm and nanoseconds for one appraisal, reading and hashing the file left out.
const KERNEL: [(&str, f64); 6] = [
    ("rsa-2048", 168_000.0),
    ("ecdsa-p256", 1_666_000.0),
    ("ecdsa-p384", 3_686_000.0),
    ("ml-dsa-44", 164_000.0),
    ("ml-dsa-65", 221_000.0),
    ("ml-dsa-87", 308_000.0),
];

/// Where they come from.
const SOURCE: &str = "user-mode Linux 7.3.4 with IMA appraisal enforcing on an AMD Zen 3 core, first open of a signed file less \
                      that of an unsigned one; docs/ima.md";
const LIMITS: &str = "generic C, built for size, which x86 kernels use for these algorithms as well";

/// Enters what is known of this algorithm.
pub(super) fn enter(book: &mut Book, facts: &Facts) {
    let Some((name, ns)) = KERNEL.iter().find(|(name, _)| *name == facts.name) else { return };
    let mut record = book.figure(name, "appraise", "Linux 7.3.4", *ns, "ns");
    record.estimator = "published".to_owned();
    record.notes = vec![SOURCE.to_owned(), LIMITS.to_owned()];
    book.record(record);
}
