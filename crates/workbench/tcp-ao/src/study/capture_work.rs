//! A whole capture: every segment gets its MAC, with the traffic keys of its connection.

use std::time::Duration;

use fieldtest_catalog::kind::Mac;
use fieldtest_kinds::mac::{Mac as Code, MacKey};
use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_study::whole_job::estimate::{Estimate, Reading};
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::whole_job::{self, Cost, cores, in_both_orders, sizes};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};
use fieldtest_tcp_ao::{Coverage, Packet, md5, message, option};
use rayon::prelude::*;

use super::captured::{Capture, Kept};
use super::effects::mac_len;
use super::fault;
use super::segments::{IDS, MASTER_KEY};
use crate::words::Operation;

/// Segments of a turn at least: few of them are gone through several times, as clocks have their limits.
const FEWEST_SEGMENTS: usize = 100_000;
/// Segments that a core takes at a time.
const CHUNK: usize = 256;
/// Segments that another implementation has to agree on.
const AGREED: usize = 64;

/// Gives every segment its MAC with each of these subjects in turn.
pub(super) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    capture: &Capture,
    subjects: &[&Subject<Mac>],
    budget: Duration,
) -> Result<(), StudyError> {
    if bench.interrupted() {
        return Ok(());
    }
    let mut jobs: Vec<Job<'_, Reading>> = Vec::with_capacity(subjects.len());
    for &subject in subjects {
        agrees(capture, subject)?;
        let turn = move |round| read(capture, subject, round);
        let doing = format!("tcp-ao, the capture's MACs with {}", subject.name());
        jobs.push(Job { doing, fits: true, turn: Box::new(turn) });
    }
    let found = rounds::run(bench, &mut jobs, budget)?;
    drop(jobs);
    let of = capture.input.items;
    for (subject, readings) in subjects.iter().zip(&found) {
        whole_job::enter(bench, writer, (subject, Operation::Capture.word()), &capture.input, (readings, of));
        for time in Time::ALL {
            let Ok(result) = Estimate::of(readings, time, of, bench.surroundings) else { continue };
            let operation = (Operation::CaptureSegment.word(), time.word());
            let record = result.told_in(writer.measured(subject, operation, (0.0, "ns"), &capture.input));
            let each = |seconds: f64| seconds * 1e9 / of as f64;
            let interval = record.interval.map(|bounds| bounds.map(each));
            writer.record(Record { value: each(record.value), interval, ..record });
        }
    }
    Ok(())
}

/// What one turn shows: all of the capture, or the keys of all of it and two numbers of segments.
fn read(capture: &Capture, subject: &Subject<Mac>, round: usize) -> Result<Reading, StudyError> {
    let (of, all) = (capture.input.items, &capture.segments[..]);
    if all.len() as u64 == of {
        let passes = FEWEST_SEGMENTS.div_ceil(all.len());
        let work = || {
            let keys = keys(capture, subject, passes)?;
            seal_all(subject, &keys, all, passes)
        };
        let ((), cost) = Cost::of(work)?;
        let each = |seconds: f64| seconds / passes as f64;
        return Ok(Reading::Whole(Cost { wall: each(cost.wall), cpu: each(cost.cpu) }));
    }
    let (keys, beside) = Cost::of(|| keys(capture, subject, 1))?;
    let few = sizes(all.len() as f64, of).ok_or_else(|| fault("the capture has too few segments"))?;
    let work = |count: u64| seal_all(subject, &keys, &all[..count as usize], 1);
    Ok(Reading::Part { beside, sizes: in_both_orders(few, round, work)? })
}

/// The traffic keys of all connections, ready to compute MACs, made so often.
fn keys(
    capture: &Capture,
    subject: &Subject<Mac>,
    passes: usize,
) -> Result<Vec<Box<dyn MacKey>>, StudyError> {
    let code = subject.implementation.code.as_ref();
    let count = capture.contexts.len();
    let made = (0..count * passes).into_par_iter().map_init(Vec::new, |traffic_key, at| {
        code.derive(MASTER_KEY, capture.contexts[at % count].as_bytes(), traffic_key)?;
        code.prepare(traffic_key).map(|key| (at < count).then_some(key))
    });
    // Those of the first pass are kept.
    let keys: Result<Vec<_>, _> = made.filter_map(Result::transpose).collect();
    keys.map_err(|error| subject.failed("preparing a connection's keys", error))
}

/// Goes through the segments so often, on all cores.
fn seal_all(
    subject: &Subject<Mac>,
    keys: &[Box<dyn MacKey>],
    segments: &[Kept],
    passes: usize,
) -> Result<(), StudyError> {
    let chunk = segments.len().div_ceil(cores() as usize).clamp(1, CHUNK);
    let chunks = segments.len().div_ceil(chunk);
    let buffers = || (Vec::new(), Vec::new());
    (0..chunks * passes)
        .into_par_iter()
        .map_init(buffers, |(message, out), at| {
            let start = (at % chunks) * chunk;
            for kept in &segments[start..segments.len().min(start + chunk)] {
                seal(subject, keys[kept.key as usize].as_ref(), kept, message, out)?;
            }
            Ok(())
        })
        .collect()
}

/// Writes a segment with its option and MAC into `out`, which is empty where there is no room for them.
fn seal(
    subject: &Subject<Mac>,
    key: &dyn MacKey,
    kept: &Kept,
    message: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), StudyError> {
    let failed = |error| subject.failed("the MAC of a captured segment", error);
    out.clear();
    let Ok(Some(packet)) = Packet::parse(&kept.packet) else { return Ok(()) };
    let mac_len = mac_len(subject.algorithm.facts);
    let Ok(inserted) = option::append_unsummed(&packet, IDS.0, IDS.1, mac_len, out) else { return Ok(()) };
    message.clear();
    if subject.algorithm.facts.kind.is_tcp_md5() {
        // The option takes as much room with two no-operations behind it.
        let start = inserted.mac.start - option::HEAD;
        if let Some(place) = out.get_mut(start..start + 2 + md5::OPTION) {
            place.fill(1);
            place[..2].copy_from_slice(&[19, md5::OPTION as u8]);
        }
        md5::seal(out, key, message).map_err(fault)?;
    } else {
        let whole = Packet::parse(out).map_err(fault)?.ok_or_else(|| fault("no segment any more"))?;
        let ao = option::find(whole.segment()).map_err(fault)?.ok_or_else(|| fault("no option any more"))?;
        message::append(&whole, &ao, kept.sne, Coverage::AllOptions, message);
        key.tag(message, &mut out[inserted.mac]).map_err(failed)?;
    }
    option::write_tcp_checksum(out, packet.network_header().len());
    Ok(())
}

/// Holds the first segments by this implementation against those by the algorithm's first.
fn agrees(capture: &Capture, subject: &Subject<Mac>) -> Result<(), StudyError> {
    let first = subject.judge();
    let (mut message, mut sealed) = (Vec::new(), [Vec::new(), Vec::new()]);
    for kept in capture.segments.iter().take(AGREED) {
        for (code, out) in [&subject.implementation.code, &first.code].into_iter().zip(&mut sealed) {
            let key = key(code.as_ref(), capture, kept).map_err(|e| subject.failed("preparing a key", e))?;
            seal(subject, key.as_ref(), kept, &mut message, out)?;
        }
        if sealed[0] != sealed[1] {
            return Err(fault(format!("{} and {} give a segment other MACs", subject.name(), first.name)));
        }
    }
    Ok(())
}

fn key(code: &dyn Code, capture: &Capture, kept: &Kept) -> Result<Box<dyn MacKey>, fieldtest_kinds::Error> {
    let mut traffic_key = Vec::new();
    code.derive(MASTER_KEY, capture.contexts[kept.key as usize].as_bytes(), &mut traffic_key)?;
    code.prepare(&traffic_key)
}
