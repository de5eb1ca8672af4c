//! Who asks: clients by number, each with properties that it keeps.

use thiserror::Error;

use crate::query::{Edns, Flags};
use crate::random::Random;

/// The most clients of one run.
pub const MOST_CLIENTS: u32 = 10_000_000;

/// Clients that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClientsError {
    /// None, or too many.
    #[error("invalid number of clients '{0}': expected 1 to {MOST_CLIENTS}")]
    Number(u32),
    /// Not `SIZE` or `SIZE:WEIGHT,…`.
    #[error(
        "invalid EDNS size '{0}': expected 512 to 65535 or none, each with a weight, such as 1232:70,4096:20,none:10"
    )]
    Size(String),
    /// A share above all of them.
    #[error("invalid percentage '{0}': expected 0 to 100")]
    Share(String),
}

/// A number of clients and what they are like. What one of them is follows from its number and the seed alone.
#[derive(Debug, Clone)]
pub struct Clients {
    number: u32,
    seed: u64,
    /// Sizes with the sum of weights up to each; none where nobody said any.
    sizes: Vec<(Option<u16>, u64)>,
    /// The share with DO, if somebody said one.
    dnssec_ok: Option<f64>,
    flags: Flags,
}

/// The size that the DNS flag day of 2020 asked for.
const FLAG_DAY: u16 = 1232;

impl Clients {
    /// Clients that all have an EDNS size of 1,232 octets and set DO, and no flag.
    ///
    /// # Errors
    /// No clients, or more than [`MOST_CLIENTS`].
    pub fn new(number: u32, seed: u64) -> Result<Clients, ClientsError> {
        if !(1..=MOST_CLIENTS).contains(&number) {
            return Err(ClientsError::Number(number));
        }
        Ok(Clients { number, seed, sizes: Vec::new(), dnssec_ok: None, flags: Flags::default() })
    }

    /// With EDNS sizes as they are written: `1232:70,4096:20,none:10`, or one size. The weights are of clients.
    ///
    /// # Errors
    /// Anything else.
    pub fn with_edns(mut self, written: &str) -> Result<Clients, ClientsError> {
        let refused = || ClientsError::Size(written.to_owned());
        let (mut sizes, mut sum) = (Vec::new(), 0_u64);
        for part in written.split(',') {
            let (size, weight) = part.split_once(':').unwrap_or((part, "1"));
            let size = match size {
                "none" => None,
                size => Some(size.parse().ok().filter(|size| *size >= 512).ok_or_else(refused)?),
            };
            sum += u64::from(weight.parse::<u32>().map_err(|_| refused())?);
            sizes.push((size, sum));
        }
        if sum == 0 {
            return Err(refused());
        }
        self.sizes = sizes;
        Ok(self)
    }

    /// With DO set by so many percent of those that have EDNS.
    ///
    /// # Errors
    /// Not from 0 to 100.
    pub fn with_dnssec_ok(mut self, percent: f64) -> Result<Clients, ClientsError> {
        self.dnssec_ok = Some(share(percent)?);
        Ok(self)
    }

    /// With these flags in every query.
    #[must_use]
    pub fn with_flags(mut self, flags: Flags) -> Clients {
        self.flags = flags;
        self
    }

    /// How many there are.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What this client's queries have.
    pub fn profile(&self, client: u32) -> (Option<Edns>, Flags) {
        self.change(client, Some(Edns::new(FLAG_DAY, true)), Flags::default())
    }

    /// What a captured query of this client is sent with: an EDNS size and DO are replaced where they were said, and flags are added. A capture
    /// may have more clients than there are numbers.
    pub fn change(&self, client: u32, captured: Option<Edns>, flags: Flags) -> (Option<Edns>, Flags) {
        let mut random = Random::new(self.seed, u64::from(client) << 8 | 2);
        let drawn = random.below(self.sizes.last().map_or(1, |(_, sum)| *sum));
        let mut edns = match self.sizes.iter().find(|(_, until)| drawn < *until) {
            None => captured,
            Some((size, _)) => {
                size.map(|size| Edns { size, ..captured.unwrap_or_else(|| Edns::new(size, false)) })
            }
        };
        if let (Some(share), Some(edns)) = (self.dnssec_ok, &mut edns) {
            edns.dnssec_ok = random.share() < share;
        }
        let flags = Flags {
            recursion_desired: flags.recursion_desired || self.flags.recursion_desired,
            authentic_data: flags.authentic_data || self.flags.authentic_data,
            checking_disabled: flags.checking_disabled || self.flags.checking_disabled,
        };
        (edns, flags)
    }
}

pub(crate) fn share(percent: f64) -> Result<f64, ClientsError> {
    if (0.0..=100.0).contains(&percent) {
        Ok(percent / 100.0)
    } else {
        Err(ClientsError::Share(percent.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_of_clients() -> Result<(), ClientsError> {
        let clients = Clients::new(10_000, 1)?.with_edns("1232:70,4096:20,none:10")?.with_dnssec_ok(80.0)?;
        let mut counts = [0; 3];
        let mut wanted = 0;
        for client in 0..10_000 {
            let (edns, _) = clients.profile(client);
            assert_eq!(clients.profile(client).0, edns, "a client stays what it is");
            counts[match edns.as_ref().map(|edns| edns.size) {
                Some(1232) => 0,
                Some(4096) => 1,
                _ => 2,
            }] += 1;
            wanted += i32::from(edns.is_some_and(|edns| edns.dnssec_ok));
        }
        for (count, expected) in counts.into_iter().chain([wanted]).zip([7_000, 2_000, 1_000, 7_200]) {
            assert!((count - expected).abs() < 200, "{counts:?} {wanted}");
        }
        Ok(())
    }

    #[test]
    fn a_captured_query_keeps_what_nobody_said() -> Result<(), ClientsError> {
        let captured = Edns { options: Box::new([0, 3, 0, 0]), ..Edns::new(4096, false) };
        let change = |clients: Clients| clients.change(7, Some(captured.clone()), Flags::default());
        let rd = Flags { recursion_desired: true, ..Flags::default() };
        assert_eq!(change(Clients::new(1, 1)?), (Some(captured.clone()), Flags::default()));
        assert_eq!(
            change(Clients::new(1, 1)?.with_edns("512")?.with_flags(rd)),
            (Some(Edns { size: 512, ..captured.clone() }), rd)
        );
        let wanted = Clients::new(1, 1)?.with_dnssec_ok(100.0)?;
        assert_eq!(wanted.change(7, None, rd), (None, rd));
        assert_eq!(change(wanted).0, Some(Edns { dnssec_ok: true, ..captured.clone() }));
        assert_eq!(change(Clients::new(1, 1)?.with_edns("none")?).0, None);
        Ok(())
    }

    #[test]
    fn what_is_refused() -> Result<(), ClientsError> {
        let some = Clients::new(1, 1)?;
        for written in ["", "511", "65536", "1232:", "1232:x", "1232:0", "1232,,512", "none:-1"] {
            assert_eq!(some.clone().with_edns(written).err(), Some(ClientsError::Size(written.to_owned())));
        }
        assert!(some.clone().with_dnssec_ok(100.1).is_err());
        assert!(some.with_dnssec_ok(f64::NAN).is_err());
        assert!(Clients::new(0, 1).is_err());
        Ok(())
    }
}
