//! One implementation at work on sectors that stay where they are: what a round times.

use std::sync::Arc;

use fieldtest_catalog::kind::Cipher;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher as Code, CipherKey, Tweaks};
use fieldtest_measure::{Benchmark, Estimator};
use fieldtest_study::group::{Act, Order, Stage};
use fieldtest_study::speed::InPlace;
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
        let subjects = order.subjects_of()?;
        let benchmarks = subjects.iter().map(|subject| benchmark(subject, &data, direction));
        act(&mut benchmarks.collect::<Result<Vec<_>, _>>()?)
    }
}

/// A key prepared by an implementation for studies.
pub(super) fn prepared(subject: &Subject<Cipher>) -> Result<Box<dyn CipherKey>, StudyError> {
    key_of(&subject.implementation.code).map_err(|e| subject.failed("preparing a key", e))
}

pub(super) fn key_of(code: &Arc<dyn Code>) -> Result<Box<dyn CipherKey>, Error> {
    code.prepare(&data::key(code.key_len(), KEY_SEED))
}

/// Sectors of `data` that are encrypted or decrypted again and again where they lie.
fn benchmark<'a>(
    subject: &Subject<Cipher>,
    data: &Data,
    direction: Direction,
) -> Result<Benchmark<'a>, StudyError> {
    let key = prepared(subject)?;
    let first = key_of(&subject.judge().code).map_err(|e| subject.failed("preparing a key", e))?;
    let (tweaks, sector) = (data.tweaks(0), data.sector);
    let run = move |data: &mut [u8]| direction.apply(key.as_ref(), tweaks, sector, data);
    let follow = move |data: &mut [u8]| direction.apply(first.as_ref(), tweaks, sector, data);
    Ok(Benchmark::new(subject.name(), Estimator::Median, InPlace::new(&data.bytes, run, follow)))
}
