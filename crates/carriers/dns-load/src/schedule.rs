//! What is sent when: an iterator that is asked while queries are sent, so that no schedule has to fit into memory.

use std::time::Duration;

use crate::arrivals::Arrivals;
use crate::clients::Clients;
use crate::query::{Query, Transport};
use crate::random::Random;
use crate::read::ReadError;
use crate::traffic::Questions;

/// Queries in the order of their moments. Every thread that sends goes through one of its own and takes its clients' share.
pub type Schedule = Box<dyn Iterator<Item = Result<Query, ReadError>>>;

/// A schedule at a rate: each query is of a client drawn at random.
#[derive(Debug, Clone)]
pub struct Made {
    arrivals: Arrivals,
    clients: Clients,
    questions: Questions,
    transport: Transport,
    random: Random,
}

impl Made {
    /// Over UDP.
    pub fn new(arrivals: Arrivals, clients: Clients, questions: Questions, seed: u64) -> Made {
        Made { arrivals, clients, questions, transport: Transport::Udp, random: Random::new(seed, 5) }
    }

    /// At these moments.
    #[must_use]
    pub fn due(mut self, arrivals: Arrivals) -> Made {
        self.arrivals = arrivals;
        self
    }

    /// Over this.
    #[must_use]
    pub fn over(mut self, transport: Transport) -> Made {
        self.transport = transport;
        self
    }
}

impl Iterator for Made {
    type Item = Result<Query, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.arrivals.next()?;
        let client = self.random.below(u64::from(self.clients.number())) as u32;
        let (edns, flags) = self.clients.profile(client);
        Some(Ok(Query {
            at,
            client,
            question: self.questions.next(),
            transport: self.transport,
            edns,
            flags,
        }))
    }
}

/// A replayed schedule, so many times as fast and no longer than a time.
#[derive(Debug)]
pub struct Paced<S> {
    queries: S,
    speed: f64,
    until: u64,
}

impl<S> Paced<S> {
    /// `speed` is above 0; 1 keeps the gaps as they were.
    pub fn new(queries: S, speed: f64, until: Duration) -> Paced<S> {
        Paced { queries, speed, until: until.as_nanos() as u64 }
    }
}

impl<S: Iterator<Item = Result<Query, ReadError>>> Iterator for Paced<S> {
    type Item = Result<Query, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut query = match self.queries.next()? {
            Ok(query) => query,
            error => return Some(error),
        };
        query.at = (query.at as f64 / self.speed) as u64;
        (query.at < self.until).then_some(Ok(query))
    }
}

/// What a schedule has in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Survey {
    /// Queries.
    pub queries: u64,
    /// Clients, if they are numbered from 0 in the order in which they appear.
    pub clients: u32,
    /// The last moment, in nanoseconds.
    pub last: u64,
    /// The most queries of one second, which are counted from the beginning.
    pub busiest: u64,
}

/// Goes through a schedule once without sending it.
///
/// # Errors
/// What it cannot be read for.
pub fn survey(schedule: impl Iterator<Item = Result<Query, ReadError>>) -> Result<Survey, ReadError> {
    let (mut found, mut second) = (Survey::default(), (0, 0));
    for query in schedule {
        let query = query?;
        found.queries += 1;
        found.clients = found.clients.max(query.client.saturating_add(1));
        found.last = query.at;
        let now = query.at / 1_000_000_000;
        second = if second.0 == now { (now, second.1 + 1) } else { (now, 1) };
        found.busiest = found.busiest.max(second.1);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::{Rate, Spacing};
    use crate::read::text;

    fn made(seed: u64) -> Result<Vec<Query>, Box<dyn std::error::Error>> {
        let list = text::read("a. A\nb. A\nc. A\n".as_bytes(), "three".as_ref())?;
        let arrivals =
            Arrivals::new(Rate::constant(1_000.0)?, Spacing::Poisson, Duration::from_secs(2), seed);
        Ok(Made::new(arrivals, Clients::new(10, seed)?, list.into(), seed).collect::<Result<_, _>>()?)
    }

    #[test]
    fn in_order_by_all_clients_and_again_with_the_same_seed() -> Result<(), Box<dyn std::error::Error>> {
        let queries = made(1)?;
        assert!(queries.is_sorted_by_key(|query| query.at));
        for client in 0..10 {
            let share = queries.iter().filter(|query| query.client == client).count();
            assert!((130..280).contains(&share), "{share}");
        }
        let found = survey(queries.iter().cloned().map(Ok))?;
        assert_eq!((found.queries, found.clients), (queries.len() as u64, 10));
        assert!((900..1_100).contains(&found.busiest) && found.last < 2_000_000_000, "{found:?}");
        let names: Vec<String> =
            queries.iter().take(4).map(|query| query.question.name().to_string()).collect();
        assert_eq!(names, ["a.", "b.", "c.", "a."]);
        assert_eq!(made(1)?, queries);
        assert_ne!(made(2)?, queries);
        Ok(())
    }

    #[test]
    fn twice_as_fast_and_cut_off() -> Result<(), Box<dyn std::error::Error>> {
        let queries = made(1)?;
        let fast = Paced::new(queries.clone().into_iter().map(Ok), 2.0, Duration::from_millis(500));
        let fast: Vec<Query> = fast.collect::<Result<_, _>>()?;
        assert_eq!(fast.len(), queries.iter().filter(|query| query.at < 1_000_000_000).count());
        assert_eq!(fast[0].at, queries[0].at / 2);
        Ok(())
    }
}
