//! The set of this processor.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::{Extensions, Level};

/// Bit 31 is never one of a set, so that a processor that has none of them differs from one that was not asked.
const ASKED: u32 = 1 << 31;
/// Above it, in three bits, stands one more than the level that the set was restricted to.
const RESTRICTED: u32 = 28;

impl Extensions {
    /// Those of this processor, as far as they were not [restricted](Self::restrict). It is asked once, since in a virtual
    /// machine that takes long.
    #[inline]
    #[must_use]
    pub fn of_this_processor() -> Self {
        match FOUND.load(Ordering::Relaxed) {
            0 => keep(),
            found => Self(found),
        }
    }

    /// Leaves no more than the level of this name, for the whole process and until it ends. It comes before everything
    /// that chooses a path: keys keep theirs, and results of one process would be of two machines.
    ///
    /// # Errors
    /// [`Refused`] where it is too late, or there is no such level here.
    pub fn restrict(level: &str) -> Result<Level, Refused> {
        let level = Level::ALL.into_iter().find(|it| it.word() == level).ok_or(Refused::NotHere)?;
        settle(&FOUND, ask(), level).map(|()| level)
    }

    /// What they were restricted to.
    #[must_use]
    pub fn restriction() -> Option<Level> {
        let number = FOUND.load(Ordering::Relaxed) & !ASKED;
        Level::ALL.get((number >> RESTRICTED).checked_sub(1)? as usize).copied()
    }
}

static FOUND: AtomicU32 = AtomicU32::new(0);

#[cold]
fn keep() -> Extensions {
    let found = ask();
    // A restriction that came between counts.
    match FOUND.compare_exchange(0, found.0 | ASKED, Ordering::Relaxed, Ordering::Relaxed) {
        Err(restricted) => Extensions(restricted),
        Ok(_) => found,
    }
}

fn settle(place: &AtomicU32, there: Extensions, level: Level) -> Result<(), Refused> {
    if !level.is_in(there) {
        return Err(Refused::NotHere);
    }
    let wanted = there.0 & level.extensions().0 | ASKED | (level as u32 + 1) << RESTRICTED;
    match place.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed) {
        Err(found) if found != wanted => Err(Refused::Late),
        _ => Ok(()),
    }
}

/// What the processor says, whatever was restricted.
pub(crate) fn ask() -> Extensions {
    #[cfg(target_arch = "x86_64")]
    let found = crate::x86_64::ask();
    #[cfg(not(target_arch = "x86_64"))]
    let found = Extensions::NONE;
    found
}

/// Why extensions could not be restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such level, or this processor is below it.
    NotHere,
    /// Code chose by the extensions before, or they were restricted to another level.
    Late,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::Late {
            return f.write_str("the extensions of this processor were asked for already");
        }
        f.write_str("this processor has")?;
        let there = ask();
        Level::ALL
            .into_iter()
            .filter(|level| level.is_in(there))
            .try_for_each(|it| write!(f, " {}", it.word()))
    }
}

impl core::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_restricted_once_and_first() {
        let all = Level::Avx512.extensions();
        let settled = |before: u32, there, level| {
            let place = AtomicU32::new(before);
            settle(&place, there, level).map(|()| place.into_inner())
        };
        let set = settled(0, all, Level::Sse).expect("nobody asked");
        assert!(Extensions(set).has(Level::Sse.extensions()) && !Extensions(set).has(Extensions::AVX));
        assert_eq!(settled(set, all, Level::Sse), Ok(set));
        assert_eq!(settled(set, all, Level::None), Err(Refused::Late));
        assert_eq!(settled(all.0 | ASKED, all, Level::Avx512), Err(Refused::Late));
        assert_eq!(settled(0, Level::Avx2.extensions(), Level::Avx512), Err(Refused::NotHere));
    }
}
