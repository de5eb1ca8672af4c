//! What a MAC leaves of the option space: 40 bytes for everything.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Mac;
use fieldtest_study::Book;
use fieldtest_tcp_ao::{md5, space};

/// The path that segment sizes are counted for.
const MTU: usize = 1500;

/// Enters what follows from the length of the tag alone.
pub(super) fn enter(book: &mut Book, facts: &Facts<Mac>) {
    // TCP-MD5's option is two bytes shorter and is aligned to the same length as one of TCP-AO with as long a tag.
    let tag = if facts.kind.is_tcp_md5() { md5::DIGEST } else { facts.kind.tag };
    let mut figure = |operation, subject, value: usize, unit| {
        let record = book.figure(&facts.name, operation, subject, value as f64, unit);
        book.record(record);
    };
    figure("option", "", space::ao_len(tag), "bytes");
    figure("options-of-full-syn", "", space::full_syn_len(tag), "bytes");
    for (subject, timestamps) in [("with timestamps", true), ("without timestamps", false)] {
        if let Some(blocks) = space::sack_blocks(tag, timestamps) {
            figure("sack-blocks", subject, blocks, "count");
        }
    }
    if let Some(mss) = space::effective_mss(MTU, false, tag, true) {
        figure("payload", "MTU 1500, IPv4, timestamps", mss, "bytes");
    }
}
