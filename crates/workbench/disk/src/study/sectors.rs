//! One implementation at work on sectors that stay where they are: what a round times.

use std::sync::Arc;

use fieldtest_catalog::kind::Cipher;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher as Code, CipherKey, Tweaks};
use fieldtest_measure::{Benchmark, Estimator, Failure, Operation};
use fieldtest_study::group::{Act, Order, Stage};
use fieldtest_study::{StudyError, Subject};

use super::data::{self, Data, KEY_SEED};
use super::source::Task;
use super::{BULK, PAGE, authenticated};
use crate::NAME;
use crate::words::{self, Direction, Sealing, Way};

impl Direction {
    pub(super) fn apply(
        self,
        key: &dyn CipherKey,
        tweaks: Tweaks,
        sector: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        match self {
            Direction::Encrypt => key.encrypt(tweaks, sector, data),
            Direction::Decrypt => key.decrypt(tweaks, sector, data),
        }
    }
}

impl Way {
    /// Bytes of one call.
    pub(super) fn bytes(self) -> usize {
        match self {
            Way::Page => PAGE,
            Way::Bulk => BULK,
        }
    }
}

/// Sets up ciphers at work on sectors.
#[derive(Debug)]
pub(crate) struct SectorStage;

impl Stage for SectorStage {
    fn name(&self) -> &'static str {
        NAME
    }

    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
        if let Some(sealing) = Sealing::BOTH.into_iter().find(|it| it.word() == order.operation) {
            return authenticated::set_up(order, sealing, act);
        }
        let direction = Direction::BOTH.into_iter().find(|it| it.word() == order.operation);
        let (Some(direction), Some(sectors)) = (direction, words::Sectors::read(&order.subject)) else {
            return Err(order.unknown());
        };
        let data = order.task::<Task>()?.data(sectors.way.bytes(), sectors.size as usize)?;
        let benchmarks = order
            .subjects_of()?
            .into_iter()
            .map(|subject| Ok(Sectors::new(&subject, &data, direction)?.benchmark(&subject)));
        act(&mut benchmarks.collect::<Result<Vec<_>, StudyError>>()?)
    }
}

/// A key prepared by an implementation for studies.
pub(super) fn prepared(subject: &Subject<Cipher>) -> Result<Box<dyn CipherKey>, StudyError> {
    key_of(&subject.implementation.code).map_err(|e| subject.failed("preparing a key", e))
}

/// The same of code.
pub(super) fn key_of(code: &Arc<dyn Code>) -> Result<Box<dyn CipherKey>, Error> {
    code.prepare(&data::key(code.key_len(), KEY_SEED))
}

/// Sectors that are encrypted (or decrypted) again and again where they lie, as a disk's pages are that stay in a
/// core's caches. The algorithm's first implementation follows outside the timed window, and both have to agree
/// whenever it has caught up.
pub(super) struct Sectors {
    key: Box<dyn CipherKey>,
    first: Box<dyn CipherKey>,
    direction: Direction,
    tweaks: Tweaks,
    sector: usize,
    data: Vec<u8>,
    /// What the first implementation has made of the same data.
    followed: Vec<u8>,
    /// How many runs it is behind.
    behind: usize,
}

impl Sectors {
    pub(super) fn new(
        subject: &Subject<Cipher>,
        data: &Data,
        direction: Direction,
    ) -> Result<Sectors, StudyError> {
        let key = prepared(subject)?;
        let first = subject.judge();
        let first = key_of(&first.code).map_err(|e| subject.failed("preparing a key", e))?;
        Ok(Sectors {
            key,
            first,
            direction,
            tweaks: data.tweaks(0),
            sector: data.sector,
            data: data.bytes.clone(),
            followed: data.bytes.clone(),
            behind: 0,
        })
    }

    pub(super) fn benchmark<'a>(self, subject: &Subject<Cipher>) -> Benchmark<'a> {
        Benchmark::new(subject.name(), Estimator::Median, self)
    }
}

impl Operation for Sectors {
    type Input = ();
    type Output = Result<(), Error>;

    fn prepare(&mut self, _: u64) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&mut self, (): &mut ()) -> Self::Output {
        self.behind += 1;
        self.direction.apply(self.key.as_ref(), self.tweaks, self.sector, &mut self.data)
    }

    fn check(&mut self, (): (), output: Self::Output) -> Result<(), Failure> {
        output?;
        self.direction.apply(self.first.as_ref(), self.tweaks, self.sector, &mut self.followed)?;
        self.behind -= 1;
        match self.behind > 0 || self.data == self.followed {
            true => Ok(()),
            false => Err("other sectors than the algorithm's first implementation makes".into()),
        }
    }
}
