//! A chain of keys: identifiers, secrets and the times in which each is used.

use std::net::IpAddr;

use anyhow::Result;
use fieldtest_catalog::Facts;
use fieldtest_catalog::kind;
use jiff::{SignedDuration, Timestamp};
use zeroize::Zeroizing;

use crate::outcome::usage;
use crate::output;

/// Bytes of a key where the algorithm does not suggest more: 256 bits of entropy.
const KEY_BYTES: usize = 32;

/// Keys that follow each other. Each has one identifier, which both ends send and receive, so that both ends have the
/// same chain.
pub(super) struct Chain {
    pub(super) name: String,
    pub(super) facts: &'static Facts<kind::Mac>,
    /// Bytes of the MAC in a segment.
    pub(super) mac_length: usize,
    /// Whether the MAC leaves the other TCP options out.
    pub(super) exclude_options: bool,
    /// The other end; `None` is any.
    pub(super) peer: Option<IpAddr>,
    /// At least one, in the order of their use.
    pub(super) keys: Vec<Key>,
}

/// One master key.
pub(super) struct Key {
    pub(super) id: u8,
    pub(super) secret: Zeroizing<Vec<u8>>,
    /// When both ends sign with it.
    pub(super) send: Span,
    /// When both ends accept it.
    pub(super) accept: Span,
}

/// From one time until before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
}

/// When keys are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    /// When the first key is sent from.
    pub(super) start: Timestamp,
    /// How long each key is sent.
    pub(super) lifetime: SignedDuration,
    /// How much earlier and later each key is accepted.
    pub(super) overlap: SignedDuration,
}

/// Overwrites a secret with random bytes.
pub(super) type Fill<'a> = &'a mut dyn FnMut(&mut [u8]) -> Result<()>;

/// The bytes of a key that suit the algorithm: as many as its traffic keys have, or 32 where these are shorter.
pub(super) fn suitable_key_bytes(facts: &Facts<kind::Mac>) -> usize {
    facts.kind.traffic_key.map_or(KEY_BYTES, |bytes| bytes.max(KEY_BYTES))
}

/// `count` keys of so many bytes, with identifiers from `first_id`, each sent where the one before it ends.
///
/// # Errors
/// A usage error if an identifier or a time would be out of range, and what `fill` says.
pub(super) fn keys(
    first_id: u8,
    count: u8,
    bytes: usize,
    schedule: Schedule,
    fill: Fill<'_>,
) -> Result<Vec<Key>> {
    let last = u16::from(first_id) + u16::from(count.saturating_sub(1));
    if last > u16::from(u8::MAX) {
        return Err(usage(format!(
            "{} from identifier {first_id} would end with {last}, and identifiers end with 255; begin with {} or lower",
            output::count(count.into(), "key"),
            256 - u16::from(count)
        )));
    }
    let too_far =
        |_| usage("the chain reaches beyond the year 9999; choose fewer keys or a shorter lifetime");
    (first_id..=u8::MAX)
        .zip(0..i32::from(count))
        .map(|(id, number)| {
            let from = schedule
                .lifetime
                .checked_mul(number)
                .and_then(|after| schedule.start.checked_add(after).ok());
            let from = from.ok_or(()).map_err(too_far)?;
            let until = from.checked_add(schedule.lifetime).map_err(|_| too_far(()))?;
            let accept = Span {
                from: from.checked_sub(schedule.overlap).map_err(|_| too_far(()))?,
                until: until.checked_add(schedule.overlap).map_err(|_| too_far(()))?,
            };
            let mut secret = Zeroizing::new(vec![0; bytes]);
            fill(&mut secret)?;
            Ok(Key { id, secret, send: Span { from, until }, accept })
        })
        .collect()
}

impl Chain {
    /// What a reader of the configuration should know, in lines, whatever the system.
    pub(super) fn heading(&self) -> Vec<String> {
        vec![
            format!(
                "TCP-AO keys by fieldtest: {}, {}, MACs of {} bytes, the other TCP options {}.",
                output::count(self.keys.len(), "key"),
                self.facts.name,
                self.mac_length,
                if self.exclude_options { "not covered" } else { "covered" },
            ),
            "Secret: who has a key can forge segments. The other end gets the same keys with the same"
                .to_owned(),
            "identifiers, for SendID and RecvID are the same; only the peer's address is another there."
                .to_owned(),
        ]
    }
}

impl Key {
    /// When it is used, in words.
    pub(super) fn times(&self) -> String {
        format!(
            "sent from {} until {}, accepted from {} until {}",
            self.send.from, self.send.until, self.accept.from, self.accept.until
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule {
            start: "2027-01-01T00:00:00Z".parse().unwrap_or_default(),
            lifetime: SignedDuration::from_hours(24 * 90),
            overlap: SignedDuration::from_hours(24),
        }
    }

    fn nothing(_: &mut [u8]) -> Result<()> {
        Ok(())
    }

    #[test]
    fn a_key_begins_where_the_one_before_it_ends() -> Result<()> {
        let keys = keys(7, 3, 32, schedule(), &mut nothing)?;
        assert_eq!(keys.iter().map(|key| key.id).collect::<Vec<_>>(), [7, 8, 9]);
        for pair in keys.windows(2) {
            assert_eq!(pair[0].send.until, pair[1].send.from);
            assert!(pair[1].accept.from < pair[0].send.until && pair[0].accept.until > pair[1].send.from);
        }
        assert_eq!(
            keys[1].times(),
            "sent from 2027-04-01T00:00:00Z until 2027-06-30T00:00:00Z, \
             accepted from 2027-03-31T00:00:00Z until 2027-07-01T00:00:00Z"
        );
        Ok(())
    }

    #[test]
    fn identifiers_do_not_wrap() -> Result<()> {
        assert_eq!(keys(253, 3, 32, schedule(), &mut nothing)?.last().map(|key| key.id), Some(255));
        let error = keys(254, 3, 32, schedule(), &mut nothing).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("256") && error.contains("253 or lower")));
        Ok(())
    }

    #[test]
    fn times_do_not_overflow() {
        let far = Schedule { lifetime: SignedDuration::from_hours(24 * i64::from(u32::MAX)), ..schedule() };
        assert!(keys(1, 64, 32, far, &mut nothing).is_err());
    }

    #[test]
    fn without_randomness_there_are_no_keys() {
        assert!(keys(1, 1, 32, schedule(), &mut |_| anyhow::bail!("none")).is_err());
    }
}
