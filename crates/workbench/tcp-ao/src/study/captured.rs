//! The traffic of a capture: read once, of which it is kept what is worked on, and counted what each option does to it.

use std::collections::{BTreeMap, HashMap};
use std::io::BufReader;
use std::path::Path;

use fieldtest_frame::input;
use fieldtest_measure::Rng;
use fieldtest_measure::record::Input;
use fieldtest_study::speed::hex;
use fieldtest_study::{Bench, StudyError};
use fieldtest_tcp_ao::capture::{Captured, Item, Problem, Reader, uncompressed};
use fieldtest_tcp_ao::flows::{Side, Tracker};
use fieldtest_tcp_ao::layers::{Content, Layers};
use fieldtest_tcp_ao::tcp::kind;
use fieldtest_tcp_ao::{Context, Packet, Segment, option};
use sha2::{Digest as _, Sha256};

use super::effects::{Effects, Limit};
use super::fault;
use super::lengths::Lengths;
use crate::output;

/// Segments that are kept to be worked on, and their bytes.
const MOST_SEGMENTS: usize = 500_000;
const MOST_BYTES: usize = 256 << 20;
/// Sets the randomness of which segments are kept apart from all other.
const KEPT: u64 = 0x6361_7074;

pub(super) struct Capture {
    /// The segments that are worked on, in the capture's order, without authentication options.
    pub(super) segments: Vec<Kept>,
    /// What the traffic keys of all its connections are derived from.
    pub(super) contexts: Vec<Context>,
    pub(super) lengths: Lengths,
    pub(super) effects: Vec<Effects>,
    pub(super) input: Input,
    /// What is to be known of it besides.
    pub(super) notes: Vec<String>,
}

pub(super) struct Kept {
    pub(super) packet: Vec<u8>,
    pub(super) key: u32,
    pub(super) sne: u32,
}

/// Finds out whether there is something that can be read as a capture, without opening it.
fn check(path: &Path) -> Result<(), StudyError> {
    use std::os::unix::fs::FileTypeExt as _;
    let shown = path.display();
    let found = std::fs::metadata(path);
    let found =
        found.map_err(|error| fault(format!("cannot read the capture {shown}: {error}")))?.file_type();
    if found.is_file() || found.is_fifo() {
        return Ok(());
    }
    let what = if found.is_dir() { "a directory" } else { "a device or socket" };
    Err(fault(format!("cannot read the capture {shown}: it is {what}; give a pcap or pcapng file")))
}

impl Capture {
    /// Reads a capture and counts what MACs of these lengths do to it. `None` where the user ended it.
    pub(super) fn read(
        path: &Path,
        mac_lens: &[usize],
        bench: &mut Bench<'_>,
    ) -> Result<Option<Capture>, StudyError> {
        check(path)?;
        let shown = path.display();
        (bench.say)(&format!("reading {shown}"));
        let unreadable = |error: &dyn std::error::Error| {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            fault(format!("{shown}: {error}{cause}"))
        };
        let file = input::open(path).map_err(|error| unreadable(&error))?;
        let source =
            uncompressed(BufReader::with_capacity(1 << 16, file)).map_err(|error| unreadable(&error))?;
        let mut reader = Reader::new(source).map_err(|error| unreadable(&error))?;
        let mut reading = Reading::new(mac_lens, bench.seed);
        while let Some(item) = reader.next().map_err(|error| unreadable(&error))? {
            match item {
                Item::Packet(captured) => reading.packet(&captured)?,
                Item::Problem(problem) if !problem.fault.is_warning() => reading.problem(problem),
                Item::Problem(_) | Item::Other(_) => {}
            }
            if bench.interrupted() {
                return Ok(None);
            }
        }
        let problem = reading.problem;
        let capture = reading.finish(path)?;
        if let Some(problem) = problem {
            output::message(&format!(
                "warning: cannot read all of {shown} ({problem}); the rest is measured"
            ));
        }
        Ok(Some(capture))
    }
}

struct Reading {
    layers: Layers,
    tracker: Tracker,
    /// The place of the context of a connection's end, and whether it is that of its SYN.
    keys: HashMap<(usize, Side, bool), u32>,
    /// The sequence number of each first SYN, and how each context comes about.
    contexts: Vec<(usize, Side, Option<u32>)>,
    /// The maximum segment sizes that ends announced.
    mss: HashMap<(usize, Side), u16>,
    kept: Vec<(u64, Kept)>,
    kept_bytes: usize,
    /// Segments are kept whose draw is below.
    threshold: u64,
    draw: Rng,
    lengths: Lengths,
    effects: Vec<Effects>,
    digest: Sha256,
    segments: u64,
    bytes: u64,
    /// Packets that were passed over, by why.
    passed: BTreeMap<&'static str, u64>,
    problems: u64,
    problem: Option<Problem>,
    stripped: Vec<u8>,
}

impl Reading {
    fn new(mac_lens: &[usize], seed: u64) -> Reading {
        Reading {
            layers: Layers::default(),
            tracker: Tracker::default(),
            keys: HashMap::new(),
            contexts: Vec::new(),
            mss: HashMap::new(),
            kept: Vec::new(),
            kept_bytes: 0,
            threshold: u64::MAX,
            draw: Rng::for_purpose(seed, KEPT),
            lengths: Lengths::default(),
            effects: mac_lens.iter().map(|mac_len| Effects::new(*mac_len)).collect(),
            digest: Sha256::new(),
            segments: 0,
            bytes: 0,
            passed: BTreeMap::new(),
            problems: 0,
            problem: None,
            stripped: Vec::new(),
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems += 1;
        self.problem.get_or_insert(problem);
    }

    fn packet(&mut self, captured: &Captured<'_>) -> Result<(), StudyError> {
        let why = match self.layers.open(captured) {
            Content::Tcp(bytes) => return self.segment(&bytes),
            Content::Fragment => return Ok(()),
            Content::Other | Content::Repeated => "not TCP",
            Content::Snapped => "cut off by the capture",
            Content::Overlap | Content::Damaged => "damaged",
            Content::UnknownLink(_) => "of an unknown link type",
            Content::Opaque(_) => "inside unreadable packets",
            _ => "of another kind",
        };
        *self.passed.entry(why).or_default() += 1;
        Ok(())
    }

    fn segment(&mut self, bytes: &[u8]) -> Result<(), StudyError> {
        let mut stripped = std::mem::take(&mut self.stripped);
        // As it would have been sent without authentication; damaged options stay, and are counted as such.
        let plain = match Packet::parse(bytes) {
            Ok(Some(packet)) if packet.segment().options().flatten().any(|it| it.kind == kind::AO) => {
                option::strip(&packet, &mut stripped).map(|()| &stripped[..])
            }
            Ok(Some(packet)) => option::strip_md5(&packet, &mut stripped).map(|()| &stripped[..]),
            _ => return Ok(()),
        };
        if let Ok(plain) = plain
            && let Ok(Some(packet)) = Packet::parse(plain)
        {
            self.plain(&packet)?;
        } else {
            *self.passed.entry("damaged").or_default() += 1;
        }
        self.stripped = stripped;
        Ok(())
    }

    fn plain(&mut self, packet: &Packet<'_>) -> Result<(), StudyError> {
        let place = self.tracker.observe(packet);
        let flags = packet.segment().flags();
        let of = (place.connection, place.sender);
        if flags.syn()
            && let Some(mss) = announced(packet.segment())
        {
            self.mss.insert(of, mss);
        }
        let first = flags.syn() && !flags.ack();
        let next = self.contexts.len() as u32;
        let key = *self.keys.entry((place.connection, place.sender, first)).or_insert(next);
        if key == next {
            self.contexts.push((of.0, of.1, first.then_some(packet.segment().sequence())));
        }
        let limit = Limit::of(packet, self.mss.get(&(of.0, of.1.other())).copied());
        self.effects.iter_mut().for_each(|effects| effects.add(packet, limit));
        self.lengths.add(packet);
        self.digest.update(packet.bytes());
        self.segments += 1;
        self.bytes += packet.bytes().len() as u64;

        let draw = self.draw.next_u64();
        if draw < self.threshold {
            let kept = Kept { packet: packet.bytes().to_vec(), key, sne: place.sne };
            self.kept_bytes += kept.packet.len();
            self.kept.push((draw, kept));
            while self.kept.len() > MOST_SEGMENTS || self.kept_bytes > MOST_BYTES {
                self.threshold /= 2;
                self.kept.retain(|(draw, _)| *draw < self.threshold);
                self.kept_bytes = self.kept.iter().map(|(_, kept)| kept.packet.len()).sum();
            }
        }
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<Capture, StudyError> {
        let name = path.display().to_string();
        self.layers.give_up();
        let lost = self.layers.lost().iter().filter(|lost| lost.matters).count() as u64;
        if lost > 0 {
            self.passed.insert("fragments without the others", lost);
        }
        let passed: Vec<String> = self.passed.iter().map(|(why, count)| format!("{count} {why}")).collect();
        let problem = self.problem.map(|problem| format!("; {problem}")).unwrap_or_default();
        if self.segments == 0 {
            let passed = if passed.is_empty() { "no packets at all".to_owned() } else { passed.join(", ") };
            return Err(fault(format!(
                "{name} has no whole TCP segment to measure on: {passed}{problem}; capture whole packets, as 'tcpdump -s 0' \
                 does, where they are not encrypted"
            )));
        }
        let connections = self.tracker.connections();
        let mut unknown = 0;
        let context = |&(connection, sender, syn): &(usize, Side, Option<u32>)| {
            let connection = connections.get(connection).ok_or_else(|| fault("a connection was lost"))?;
            let isns = syn.map(|sequence| (sequence, 0)).or_else(|| connection.isns_from(sender));
            unknown += u64::from(isns.is_none());
            let (own, peer) = isns.unwrap_or_default();
            Ok(Context::new(&connection.pair_from(sender), own, peer))
        };
        let contexts = self.contexts.iter().map(context).collect::<Result<Vec<_>, StudyError>>()?;

        let mut notes = vec![
            format!(
                "{} of {}",
                count(self.segments, "segment"),
                count(connections.len() as u64, "connection")
            ),
            format!("MAC input with a tag of 12 bytes: {}", self.lengths),
        ];
        if !passed.is_empty() {
            notes.push(format!("left out: {}", passed.join(", ")));
        }
        if unknown > 0 {
            notes.push(format!(
                "{unknown} of {} traffic keys use initial sequence numbers 0, since the capture lacks the real ones: the cost is the same",
                contexts.len()
            ));
        }
        if self.problems > 0 {
            notes.push(format!("{} faults of the file{problem}", self.problems));
        }
        let input =
            Input { name, sha256: hex(&self.digest.finalize()), bytes: self.bytes, items: self.segments };
        let mut kept: Vec<(usize, Kept)> = self.kept.into_iter().map(|(_, kept)| kept).enumerate().collect();
        if (kept.len() as u64) < input.items {
            // The smaller number of two that a result is drawn from are the first ones: of the whole capture, too.
            kept.sort_by_key(|(at, _)| at % 4 != 0);
            notes.push(format!("MACs of {} segments drawn at random", kept.len()));
        }
        let segments = kept.into_iter().map(|(_, kept)| kept).collect();
        Ok(Capture { segments, contexts, lengths: self.lengths, effects: self.effects, input, notes })
    }
}

fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The maximum segment size that a SYN announces (RFC 9293, section 3.7.1).
fn announced(segment: &Segment<'_>) -> Option<u16> {
    let option = segment.options().flatten().find(|option| option.kind == kind::MSS)?;
    match option.bytes {
        [_, _, high, low] => Some(u16::from_be_bytes([*high, *low])),
        _ => None,
    }
}
