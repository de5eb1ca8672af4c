//! From repetitions to records: a result of each repetition, and their mean with an interval over the repetitions.

use std::time::Duration;

use fieldtest_dns_internet::Level;
use fieldtest_dns_internet::ask::Said;
use fieldtest_dns_internet::internet::Verifications;
use fieldtest_dns_internet::wire::{Direction, Hop};
use fieldtest_dns_internet::zones::Files;
use fieldtest_dns_load::query::Transport;
use fieldtest_measure::record::{Input, Record};
use fieldtest_study::selection::Subject;
use fieldtest_study::whole_job::enter_unmeasured;
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::{Bench, RecordWriter};

use super::ResolverPart;
use super::fill::is_steady;
use super::load::Asking;
use super::repetition::{Loaded, Repetition};
use crate::words::{Counted, Flow, NOT_HELD, Operation, PerQuery, Phase, Quantile, note};

type Count = fn(&Loaded) -> u64;

type Verified = fn(&Verifications) -> u64;

pub(super) struct Of<'a> {
    pub(super) subject: &'a Subject,
    pub(super) files: &'a Files,
    pub(super) input: &'a Input,
    pub(super) part: &'a ResolverPart,
}

impl Of<'_> {
    pub(super) fn record(
        &self,
        writer: &RecordWriter,
        operation: Operation,
        subject: &str,
        unit: &str,
    ) -> Record {
        let name = &self.subject.algorithm.facts.name;
        let mut notes = vec![format!(
            "name servers: {}; zones signed with {}, which reproduced {} known answers: {} signatures in {} bytes",
            self.part.versions.servers,
            self.subject.name(),
            self.subject.proof_record().vectors,
            self.files.signatures,
            self.files.octets
        )];
        let by = if self.part.world.is_usual(name) { note::BY_ITS_OWN } else { note::BY_WHAT_WAS_ADDED };
        notes.push(by.to_owned());
        if let Some(asked) = self.part.load.asking.told() {
            notes.push(format!("{}{asked}", note::ASKED));
        }
        if self.part.load.time < Duration::from_secs(1) {
            notes.push("loaded for less than a second".to_owned());
        }
        Record {
            implementation: Some(self.part.versions.resolver.clone()),
            input: Some(self.input.clone()),
            notes,
            ..writer.result(name, operation.word(), subject, 0.0, unit)
        }
    }
}

pub(super) fn enter(bench: &Bench<'_>, writer: &mut RecordWriter, of: &Of<'_>, repetitions: &[Repetition]) {
    if repetitions.is_empty() {
        if !bench.interrupted() {
            let record = of.record(writer, Operation::ResolverLatency, "", "ns");
            enter_unmeasured(writer, record, "too little time for a repetition");
        }
        return;
    }
    let steady = is_steady(repetitions.iter().map(|repetition| repetition.phases.get(1)?.halves));
    let late =
        repetitions.iter().flat_map(|repetition| &repetition.phases).any(|loaded| loaded.outcome.is_late());
    let mut tell = |operation: Operation,
                    subject: &str,
                    unit: &str,
                    each: &dyn Fn(&Repetition) -> Option<f64>,
                    most: f64| {
        let values: Option<Vec<f64>> = repetitions.iter().map(each).collect();
        // What did not work at all, as name servers that nobody asks, has no time.
        let values = values.filter(|values| unit != "ns" || values.iter().any(|value| *value > 0.0));
        // Arithmetic, for times too: projections multiply by queries, and only this mean times queries is
        // the sum.
        if let Some(mean) = values.and_then(|values| Mean::of(&values, bench.surroundings)) {
            let mut record = of.record(writer, operation, subject, unit);
            if steady == Some(true) && subject.starts_with(Phase::Steady.word()) {
                record.notes.push(note::STEADY.to_owned());
            }
            if operation == Operation::HeldRate {
                let held = || repetitions.iter().filter_map(|repetition| repetition.held);
                if held().any(|held| held.is_limited) {
                    record.notes.push(note::GENERATOR_LIMITED.to_owned());
                }
                if held().any(|held| held.not.is_none() && !held.is_limited) {
                    record.notes.push(note::HELD_TO_THE_END.to_owned());
                }
            }
            if late {
                record
                    .notes
                    .push("the load generator was late itself: latencies are partly its own".to_owned());
            }
            writer.record(mean.told_in(record, [0.0, most]));
        }
    };
    let any = f64::INFINITY;
    for (at, phase) in Phase::LOADS.into_iter().enumerate() {
        let of_phase = |each: &dyn Fn(&Loaded) -> Option<f64>, repetition: &Repetition| {
            each(repetition.phases.get(at).filter(|loaded| loaded.phase == phase)?)
        };
        let phase = if phase == Phase::Steady && steady == Some(false) { Phase::Warming } else { phase };
        for quantile in Quantile::ALL.into_iter().filter(|it| it.is_of(phase)) {
            let each = |it: &Loaded| latency(it, quantile);
            tell(
                Operation::ResolverLatency,
                &format!("{phase} {quantile}"),
                "ns",
                &|repetition| of_phase(&each, repetition),
                any,
            );
        }
        let taken: [(Operation, Count); 2] = [
            (Operation::ResolverProcessor, |it| it.resolver),
            (Operation::AuthorityProcessor, |it| it.servers.iter().sum()),
        ];
        for (operation, of_loaded) in taken {
            let each = |it: &Loaded| Some(of_loaded(it) as f64 / it.outcome.sent as f64);
            tell(operation, phase.word(), "ns", &|repetition| of_phase(&each, repetition), any);
        }
        let verified: [(Operation, &str, Verified); 2] = [
            (Operation::Verifications, "count", |it| it.number),
            (Operation::Verifying, "ns", |it| it.processor),
        ];
        for (operation, unit, count) in verified {
            let each = |it: &Loaded| Some(count(&it.verified?) as f64 / it.outcome.sent as f64);
            tell(operation, phase.word(), unit, &|repetition| of_phase(&each, repetition), any);
        }
        let share = |it: &Loaded| Some(it.verified?.processor as f64 / it.resolver as f64);
        tell(
            Operation::VerifyingShare,
            phase.word(),
            "share",
            &|repetition| of_phase(&share, repetition),
            1.0,
        );
        let made = |it: &Loaded| Some(it.outcome.connections as f64 / it.outcome.sent as f64);
        let resumed = |it: &Loaded| Some(it.outcome.resumed as f64 / it.outcome.connections as f64);
        let Asking { transport, resume_sessions, .. } = of.part.load.asking;
        if transport != Transport::Udp {
            tell(
                Operation::Connections,
                phase.word(),
                "count",
                &|repetition| of_phase(&made, repetition),
                any,
            );
            let share = |repetition: &Repetition| {
                let made = |it: &Loaded| Some(it.outcome.connections as f64 / it.resolver as f64);
                Some((of_phase(&made, repetition)? * repetition.connection?).clamp(0.0, 1.0))
            };
            tell(Operation::ConnectionShare, phase.word(), "share", &share, 1.0);
        }
        if resume_sessions {
            tell(
                Operation::ResumedShare,
                phase.word(),
                "share",
                &|repetition| of_phase(&resumed, repetition),
                1.0,
            );
        }
        for flow in Flow::ALL {
            for counted in Counted::ALL {
                let each = |it: &Loaded| wire(it, flow, counted);
                let (unit, most) = counted.unit();
                let subject = format!("{phase} {counted}");
                tell(flow.operation(), &subject, unit, &|repetition| of_phase(&each, repetition), most);
            }
        }
        let overflowed = |it: &Loaded| Some(it.overflowed? as f64 / asked(it) as f64);
        tell(
            Operation::Overflowed,
            phase.word(),
            "count",
            &|repetition| of_phase(&overflowed, repetition),
            any,
        );
        let shares: [(Operation, Count); 3] = [
            (Operation::SecureShare, |it| it.outcome.authentic),
            (Operation::FailedShare, |it| it.outcome.rcodes[usize::from(Said::SERVFAIL)]),
            (Operation::LostShare, |it| asked(it) - it.outcome.answered),
        ];
        for (operation, count) in shares {
            let each = |it: &Loaded| Some(count(it) as f64 / asked(it) as f64);
            tell(operation, phase.word(), "share", &|repetition| of_phase(&each, repetition), 1.0);
        }
    }
    for level in Level::ALL {
        for told in PerQuery::ALL {
            let subject = format!("{level} {told}");
            let each = |repetition: &Repetition| of_level(repetition, level, told);
            tell(Operation::AuthorityQuery, &subject, told.unit(), &each, any);
        }
    }
    tell(Operation::ConnectionProcessor, "", "ns", &|repetition| repetition.connection, any);
    tell(Operation::HeldRate, "", "per-second", &|repetition| repetition.held.map(|held| held.rate), any);
    tell(Operation::HeldRate, NOT_HELD, "per-second", &|repetition| repetition.held?.not, any);
    tell(Operation::ResolverMemory, "", "bytes", &|repetition| Some(repetition.memory as f64), any);
}

/// The queries that clients would have asked, those that could not be sent among them.
pub(super) fn asked(Loaded { outcome, .. }: &Loaded) -> u64 {
    outcome.sent + outcome.unsent + outcome.too_late
}

/// How long clients waited, those too that got no answer in time.
pub(super) fn latency(loaded: &Loaded, quantile: Quantile) -> Option<f64> {
    let all = loaded.outcome.waiting();
    (!all.is_empty()).then(|| all.value_at_quantile(quantile.share()) as f64)
}

/// What a query to a level's name servers costs, over all loads of a repetition, so that those of the root are enough to count.
fn of_level(repetition: &Repetition, level: Level, told: PerQuery) -> Option<f64> {
    let at = level as usize;
    let (mut queries, mut whole) = (0, 0);
    for loaded in &repetition.phases {
        let hop = loaded.wire.filter(|wire| wire.lost == 0)?.levels[at];
        queries += hop.up.datagrams;
        whole += match told {
            PerQuery::Processor => loaded.servers[at],
            PerQuery::Packets => hop.both().packets,
            PerQuery::Bytes => hop.both().octets,
            PerQuery::Connections => hop.both().connections,
        };
    }
    (queries > 0).then(|| whole as f64 / queries as f64)
}

/// A count for each query of a client; the truncated as a share of the answers over UDP.
pub(super) fn wire(loaded: &Loaded, flow: Flow, counted: Counted) -> Option<f64> {
    let wire = loaded.wire.filter(|wire| wire.lost == 0)?;
    let Hop { up, down } = match flow {
        Flow::Upstream => wire.servers(),
        Flow::Downstream => wire.clients,
    };
    let both = |count: fn(&Direction) -> u64| (count(&up) + count(&down)) as f64 / loaded.outcome.sent as f64;
    Some(match counted {
        Counted::Queries => up.datagrams as f64 / loaded.outcome.sent as f64,
        Counted::Packets => both(|it| it.packets),
        Counted::Bytes => both(|it| it.octets),
        Counted::Connections => both(|it| it.connections),
        Counted::Truncated => down.truncated as f64 / down.datagrams.max(1) as f64,
    })
}
