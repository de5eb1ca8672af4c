//! What became of the queries.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

pub use hdrhistogram::Histogram;

/// The bins of answer sizes, in octets, as RSSAC002 has them.
pub const SIZE_BIN: usize = 16;
/// Response codes of the header (RFC 6895, section 2.3), by number.
pub const RCODES: usize = 16;

/// When the generator's own lag at the 99th percentile makes the latencies its own, in nanoseconds.
pub const LARGEST_LAG: u64 = 1_000_000;

/// Durations in nanoseconds, to so many significant digits.
#[derive(Debug, Clone)]
pub struct Durations<const DIGITS: u8>(Histogram<u64>);

impl<const DIGITS: u8> Default for Durations<DIGITS> {
    fn default() -> Durations<DIGITS> {
        #[expect(clippy::expect_used, reason = "it refuses more than 5 digits, which are never requested")]
        Durations(Histogram::new(DIGITS).expect("a histogram that grows with its values"))
    }
}

impl<const DIGITS: u8> Deref for Durations<DIGITS> {
    type Target = Histogram<u64>;

    fn deref(&self) -> &Histogram<u64> {
        &self.0
    }
}

impl<const DIGITS: u8> DerefMut for Durations<DIGITS> {
    fn deref_mut(&mut self) -> &mut Histogram<u64> {
        &mut self.0
    }
}

/// A second of a run, by the moments at which its queries were due.
#[derive(Debug, Clone, Default)]
pub struct Second {
    /// Queries that were due.
    pub due: u64,
    /// Of these, how many were answered.
    pub answered: u64,
    /// Of these, how many were not before their timeout.
    pub timed_out: u64,
    /// Of these, how many lost their connection or never had one.
    pub connection_failed: u64,
    /// Latency of the answered, in nanoseconds from the scheduled moment.
    pub latency: Durations<2>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Udp,
    Tcp,
    Tls,
    Fallback,
}

/// Counts and histograms; durations are nanoseconds, and latency is from the scheduled moment but where it says otherwise.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Queries that were sent.
    pub sent: u64,
    /// Queries that were due and could not be sent: all IDs of their client's socket waited for answers, or the system refused.
    pub unsent: u64,
    /// Queries that the generator itself was so late with that whoever asks would have given up; they were not sent either.
    pub too_late: u64,
    /// Queries that got their answer in time; of those that were asked again over TCP, that which came there.
    pub answered: u64,
    /// Queries that got none in time.
    pub timed_out: u64,
    /// Queries whose connection could not be made or ended before the answer.
    pub connection_failed: u64,
    /// Of these, those for which this machine had no file or no port left: no server can do anything about them.
    pub refused_here: u64,
    /// Queries that waited when the run was ended.
    pub unfinished: u64,
    /// Answers by response code.
    pub rcodes: [u64; RCODES],
    /// Answers with the AD bit.
    pub authentic: u64,
    /// Answers over UDP with the TC bit.
    pub truncated: u64,
    /// Queries that were asked again over TCP for it.
    pub asked_again: u64,
    /// Answers that came after their query's timeout.
    pub late: u64,
    /// Answers to a query that was answered already.
    pub duplicates: u64,
    /// Answers with the ID of a query and another question.
    pub mismatched: u64,
    /// Messages that are no answer to any query of their socket, by their ID.
    pub unexpected: u64,
    /// How often the system said that nobody listens at the server's UDP port.
    pub unreachable: u64,
    /// TCP connections that were made, those with TLS once their handshake was over.
    pub connections: u64,
    /// Of these, those that resumed a session of TLS.
    pub resumed: u64,
    /// Queries that a kept connection lost with its end, and that were sent again over a new one.
    pub resent: u64,
    /// Connections that were not made or broke, by the system's words.
    pub connection_errors: BTreeMap<String, u64>,
    /// Octets of DNS messages that were sent over UDP and over TCP, there with their lengths; and those of TLS, with its handshakes and
    /// records.
    pub up: [u64; 3],
    /// The same of what was received.
    pub down: [u64; 3],
    /// Answers that were counted and truncated ones, by size in bins of [`SIZE_BIN`] octets.
    pub sizes: Vec<u64>,
    /// Latency over UDP alone.
    pub udp: Durations<3>,
    /// Latency of queries that went over TCP from the beginning, connection included.
    pub tcp: Durations<3>,
    /// The same over TLS, the handshake included.
    pub tls: Durations<3>,
    /// Latency of queries that were asked again over TCP: both together.
    pub fallback: Durations<3>,
    /// How long those that got no answer in time had waited, from the moment at which they were due. A failed
    /// connection counts with the whole timeout: else a server that refuses at once would look quicker than
    /// one that is silent.
    pub given_up: Durations<3>,
    /// From the moment a query was really sent to its answer: what other generators call latency.
    pub service: Durations<3>,
    /// From the moment a query was due to that when it was sent: the generator's own part of latency.
    pub lag: Durations<3>,
    /// From the beginning of a connection until it was there, with TLS its handshake.
    pub connect: Durations<3>,
    /// By the second in which queries were due.
    pub seconds: Vec<Second>,
    /// From the beginning to the last answer or timeout.
    pub took: u64,
    /// Processor time of the threads that sent.
    pub processor: u64,
    /// Whether the run was ended before the schedule's end.
    pub interrupted: bool,
}

impl Outcome {
    /// Whether the generator itself was late so often that its lag stands in the latencies: at the 99th percentile by more
    /// than [`LARGEST_LAG`].
    pub fn is_late(&self) -> bool {
        self.lag.value_at_quantile(0.99) > LARGEST_LAG
    }

    /// Latency of all that were answered, whichever way.
    pub fn latency(&self) -> Histogram<u64> {
        let mut all = self.udp.0.clone();
        add(&mut all, &self.tcp);
        add(&mut all, &self.tls);
        add(&mut all, &self.fallback);
        all
    }

    /// How long clients waited: for the answer, or until the timeout. Without timeouts, a server that answers
    /// only what is quick would look quicker.
    pub fn waiting(&self) -> Histogram<u64> {
        let mut all = self.latency();
        add(&mut all, &self.given_up);
        all
    }

    pub(crate) fn second(&mut self, at: u64) -> &mut Second {
        let second = (at / 1_000_000_000) as usize;
        self.seconds.resize_with(self.seconds.len().max(second + 1), Second::default);
        &mut self.seconds[second]
    }

    /// An answer: which way it came, when its query was due and sent, and when it came.
    pub(crate) fn answer(&mut self, way: Way, due: u64, sent: u64, now: u64) {
        self.answered += 1;
        let latency = now.saturating_sub(due);
        let of_way = match way {
            Way::Udp => &mut self.udp,
            Way::Tcp => &mut self.tcp,
            Way::Tls => &mut self.tls,
            Way::Fallback => &mut self.fallback,
        };
        record(of_way, latency);
        record(&mut self.service, now.saturating_sub(sent));
        let second = self.second(due);
        second.answered += 1;
        record(&mut second.latency, latency);
    }

    pub(crate) fn give_up(&mut self, due: u64, now: u64) {
        self.timed_out += 1;
        record(&mut self.given_up, now.saturating_sub(due));
        self.second(due).timed_out += 1;
    }

    /// A query whose connection failed, and that would have been given up at `until`.
    pub(crate) fn fail(&mut self, due: u64, until: u64) {
        self.connection_failed += 1;
        record(&mut self.given_up, until.saturating_sub(due));
        self.second(due).connection_failed += 1;
    }

    pub(crate) fn size(&mut self, octets: usize) {
        let bin = octets / SIZE_BIN;
        self.sizes.resize(self.sizes.len().max(bin + 1), 0);
        self.sizes[bin] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Outcome) {
        for (own, more) in [
            (&mut self.sent, other.sent),
            (&mut self.unsent, other.unsent),
            (&mut self.too_late, other.too_late),
            (&mut self.answered, other.answered),
            (&mut self.timed_out, other.timed_out),
            (&mut self.connection_failed, other.connection_failed),
            (&mut self.refused_here, other.refused_here),
            (&mut self.unfinished, other.unfinished),
            (&mut self.authentic, other.authentic),
            (&mut self.truncated, other.truncated),
            (&mut self.asked_again, other.asked_again),
            (&mut self.late, other.late),
            (&mut self.duplicates, other.duplicates),
            (&mut self.mismatched, other.mismatched),
            (&mut self.unexpected, other.unexpected),
            (&mut self.unreachable, other.unreachable),
            (&mut self.connections, other.connections),
            (&mut self.resumed, other.resumed),
            (&mut self.resent, other.resent),
            (&mut self.processor, other.processor),
        ] {
            *own += more;
        }
        self.sizes.resize(self.sizes.len().max(other.sizes.len()), 0);
        let lists = [
            (&mut self.rcodes[..], &other.rcodes[..]),
            (&mut self.up, &other.up),
            (&mut self.down, &other.down),
            (&mut self.sizes, &other.sizes),
        ];
        for (own, more) in lists {
            for (own, more) in own.iter_mut().zip(more) {
                *own += more;
            }
        }
        for (error, count) in &other.connection_errors {
            *self.connection_errors.entry(error.clone()).or_default() += count;
        }
        for (own, more) in [
            (&mut self.udp, &other.udp),
            (&mut self.tcp, &other.tcp),
            (&mut self.tls, &other.tls),
            (&mut self.fallback, &other.fallback),
            (&mut self.given_up, &other.given_up),
            (&mut self.service, &other.service),
            (&mut self.lag, &other.lag),
            (&mut self.connect, &other.connect),
        ] {
            add(own, more);
        }
        for (number, more) in other.seconds.iter().enumerate() {
            let own = self.second(number as u64 * 1_000_000_000);
            own.due += more.due;
            own.answered += more.answered;
            own.timed_out += more.timed_out;
            own.connection_failed += more.connection_failed;
            add(&mut own.latency, &more.latency);
        }
        self.took = self.took.max(other.took);
        self.interrupted |= other.interrupted;
    }
}

pub(crate) fn record(histogram: &mut Histogram<u64>, nanoseconds: u64) {
    // Grows, so it cannot fail. `saturating_record` would cut off the longest waits, which are what
    // matters.
    let _ = histogram.record(nanoseconds);
}

fn add(own: &mut Histogram<u64>, more: &Histogram<u64>) {
    // It cannot fail: histograms that grow take every value of another of the same digits.
    let _ = own.add(more);
}
