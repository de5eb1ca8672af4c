//! What a MAC leaves of the option space: 40 bytes for everything.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Mac;
use fieldtest_study::RecordWriter;
use fieldtest_tcp_ao::{md5, space};

use crate::words::{Operation, PAYLOAD, Timestamps};

/// The path that segment sizes are counted for.
const MTU: usize = 1500;

/// Enters what follows from the length of the tag alone.
pub(super) fn enter(writer: &mut RecordWriter, facts: &Facts<Mac>) {
    // TCP-MD5's option is two bytes shorter and is aligned to the same length as one of TCP-AO with as long a tag.
    let tag = if facts.kind.is_tcp_md5() { md5::DIGEST } else { facts.kind.tag };
    let mut result = |operation: Operation, subject, value: usize, unit| {
        let record = writer.result(&facts.name, operation.word(), subject, value as f64, unit);
        writer.record(record);
    };
    result(Operation::Option, "", space::ao_len(tag), "bytes");
    result(Operation::OptionsOfFullSyn, "", space::full_syn_len(tag), "bytes");
    for timestamps in Timestamps::ALL {
        if let Some(blocks) = space::sack_blocks(tag, timestamps == Timestamps::With) {
            result(Operation::SackBlocks, timestamps.word(), blocks, "count");
        }
    }
    if let Some(mss) = space::effective_mss(MTU, false, tag, true) {
        result(Operation::Payload, PAYLOAD, mss, "bytes");
    }
}
