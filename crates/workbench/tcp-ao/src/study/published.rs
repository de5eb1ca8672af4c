//! Figures that others published, beside ours: rows for orientation, never for comparison.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Mac;
use fieldtest_measure::words;
use fieldtest_study::Book;

use crate::words::{Operation, Published};

/// Algorithm, cycles before the change, cycles after it.
const LINUX: [(&str, f64, f64); 3] = [
    ("hmac-sha1-96", 3319.0, 1256.0),
    ("hmac-sha256-linux", 3311.0, 1344.0),
    ("aes-128-cmac-96", 2720.0, 1107.0),
];

/// Bytes of MAC input that they are for.
const LENGTH: u32 = 144;

/// Where they come from.
const SOURCE: &str = "E. Biggers, “[PATCH net-next v2 0/5] Reimplement TCP-AO using crypto library”, netdev, 27 April 2026: \
                      average cycles of tcp_ao_hash_skb() with skb->len 128, thus 144 bytes of MAC input over IPv4";
const LIMITS: &str = "another machine of unknown processor, in the kernel; what the cycles count is not said";

/// Enters what is published of this algorithm.
pub(super) fn enter(book: &mut Book, facts: &Facts<Mac>) {
    let Some((name, before, after)) = LINUX.iter().find(|(name, ..)| *name == facts.name) else { return };
    for (code, cycles) in [("Linux before 7.2", before), ("Linux 7.2", after)] {
        let subject = Published { length: LENGTH, code }.to_string();
        let mut record = book.figure(name, Operation::SegmentPublished.word(), &subject, *cycles, "cycles");
        record.estimator = words::PUBLISHED.to_owned();
        record.notes = vec![SOURCE.to_owned(), LIMITS.to_owned()];
        book.record(record);
    }
}
