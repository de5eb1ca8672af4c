//! A chain of keys: identifiers, secrets and the times in which each is used.

use std::io;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use zeroize::Zeroizing;

/// A MAC, by the names that systems have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm<'a> {
    /// The caller's name, which stands in this project's own forms.
    pub name: &'a str,
    /// Bytes of its usual MAC.
    pub tag: usize,
    /// How traffic keys are derived, in words.
    pub derivation: &'a str,
    /// Linux's name in `struct tcp_ao_add`.
    pub linux: Option<&'a str>,
    /// The identity in the model `ietf-key-chain` (RFC 8177, section 4), without its prefix.
    pub rfc8177: Option<&'a str>,
}

/// Why there are no such keys.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum ChainError {
    #[error(
        "{} from identifier {first} would end with {last}, but the largest identifier is 255; begin with {} or lower",
        counted(usize::from(*count)),
        256 - u16::from(*count)
    )]
    Identifiers { count: u8, first: u8, last: u16 },
    /// A time that cannot be written.
    #[error("the chain reaches beyond the year 9999; choose fewer keys or a shorter lifetime")]
    TooFar,
    #[error("cannot generate keys: the system provides no random bytes; allow getrandom(2) or /dev/urandom")]
    Random(#[source] io::Error),
}

fn counted(keys: usize) -> String {
    format!("{keys} {}", if keys == 1 { "key" } else { "keys" })
}

/// Keys that follow each other. Each has one identifier, which both ends send and receive, so that both ends have the
/// same chain.
pub struct Chain<'a> {
    /// Its name, for systems that name them: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The MAC.
    pub algorithm: Algorithm<'a>,
    /// Bytes of the MAC in a segment.
    pub mac_length: usize,
    /// Whether the MAC leaves the other TCP options out.
    pub exclude_options: bool,
    /// The other end; `None` is any.
    pub peer: Option<IpAddr>,
    /// At least one, in the order of their use.
    pub keys: Vec<Key>,
}

/// One master key.
pub struct Key {
    /// Its identifier, for SendID and RecvID.
    pub id: u8,
    /// The master key.
    pub secret: Zeroizing<Vec<u8>>,
    /// When both ends sign with it.
    pub send: Span,
    /// When both ends accept it.
    pub accept: Span,
}

/// From one time until before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first moment.
    pub from: Timestamp,
    /// The first moment that is no more in it.
    pub until: Timestamp,
}

/// When keys are used.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// When the first key is sent from.
    pub start: Timestamp,
    /// How long each key is sent.
    pub lifetime: SignedDuration,
    /// How much earlier and later each key is accepted.
    pub overlap: SignedDuration,
}

/// Overwrites a secret with random bytes.
pub type Fill<'a> = &'a mut dyn FnMut(&mut [u8]) -> io::Result<()>;

/// `count` keys of so many bytes, with identifiers from `first_id`, each sent where the one before it ends.
///
/// # Errors
/// An identifier or a time out of range, and what `fill` says.
pub fn keys(
    first_id: u8,
    count: u8,
    bytes: usize,
    schedule: Schedule,
    fill: Fill<'_>,
) -> Result<Vec<Key>, ChainError> {
    let last = u16::from(first_id) + u16::from(count.saturating_sub(1));
    if last > u16::from(u8::MAX) {
        return Err(ChainError::Identifiers { count, first: first_id, last });
    }
    (first_id..=u8::MAX)
        .zip(0..i32::from(count))
        .map(|(id, number)| {
            let from = schedule
                .lifetime
                .checked_mul(number)
                .and_then(|after| schedule.start.checked_add(after).ok());
            let from = from.ok_or(ChainError::TooFar)?;
            let until = from.checked_add(schedule.lifetime).map_err(|_| ChainError::TooFar)?;
            let accept = Span {
                from: from.checked_sub(schedule.overlap).map_err(|_| ChainError::TooFar)?,
                until: until.checked_add(schedule.overlap).map_err(|_| ChainError::TooFar)?,
            };
            let mut secret = Zeroizing::new(vec![0; bytes]);
            fill(&mut secret).map_err(ChainError::Random)?;
            Ok(Key { id, secret, send: Span { from, until }, accept })
        })
        .collect()
}

impl Chain<'_> {
    /// What a reader of the configuration should know, in lines, whatever the system.
    pub fn heading(&self) -> Vec<String> {
        vec![
            format!(
                "TCP-AO keys by fieldtest: {}, {}, MACs of {} bytes, the other TCP options {}.",
                counted(self.keys.len()),
                self.algorithm.name,
                self.mac_length,
                if self.exclude_options { "not covered" } else { "covered" },
            ),
            "Secret: anyone with a key can forge segments. The other end gets the same keys with the same"
                .to_owned(),
            "identifiers, since SendID and RecvID are equal; only the peer's address differs.".to_owned(),
        ]
    }
}

impl Key {
    /// When it is used, in words.
    pub fn times(&self) -> String {
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

    fn nothing(_: &mut [u8]) -> io::Result<()> {
        Ok(())
    }

    #[test]
    fn a_key_begins_where_the_one_before_it_ends() -> Result<(), ChainError> {
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
    fn identifiers_do_not_wrap() -> Result<(), ChainError> {
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
        assert!(keys(1, 1, 32, schedule(), &mut |_| Err(io::Error::other("none"))).is_err());
    }
}
