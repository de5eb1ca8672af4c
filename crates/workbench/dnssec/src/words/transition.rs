//! Words of zones that change: what was stripped of one, and the steps of a roll.

use std::fmt;

use fieldtest_dns_internet::downgrade::{Attack, Verdict};
use fieldtest_dns_internet::rekey::roll::{Phase as RollPhase, Procedure};

use super::Denial;

/// Reads a subject of a downgrade: `strong-ds bogus`.
pub fn downgraded(subject: &str) -> Option<(Attack, Verdict)> {
    let (attack, verdict) = subject.split_once(' ')?;
    Some((Attack::from_word(attack)?, Verdict::from_word(verdict)?))
}

/// A step of a roll, or a second of it: `zsk-pre-publication 1 new-dnskey`; `zsk-pre-publication/hasty 2 new-rrsigs 5.1`; where the zone does not
/// deny by NSEC, how it does: `zsk-pre-publication 1 new-dnskey nsec3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// What is done.
    pub procedure: Procedure,
    /// The step's number, from 0.
    pub step: usize,
    /// What the step does.
    pub phase: RollPhase,
    /// How the zone denies existence.
    pub denial: Denial,
    /// Seconds since the beginning, where it is of one second.
    pub at: Option<f64>,
}

impl Stage {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<Stage> {
        let mut words = subject.split(' ').peekable();
        let stage = Stage {
            procedure: Procedure::read(words.next()?)?,
            step: words.next()?.parse().ok()?,
            phase: RollPhase::from_word(words.next()?)?,
            denial: match words.peek().and_then(|word| Denial::from_word(word)) {
                Some(denial) => {
                    words.next();
                    denial
                }
                None => Denial::Nsec,
            },
            at: match words.next() {
                Some(at) => Some(at.parse().ok().filter(|at: &f64| at.is_finite() && *at >= 0.0)?),
                None => None,
            },
        };
        words.next().is_none().then_some(stage)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.procedure, self.step, self.phase.word())?;
        if self.denial != Denial::Nsec {
            write!(f, " {}", self.denial)?;
        }
        self.at.map_or(Ok(()), |at| write!(f, " {at}"))
    }
}
