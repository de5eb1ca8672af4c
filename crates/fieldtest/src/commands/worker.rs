//! `fieldtest worker`: times what another process of this program asks for on standard input.

use std::io;

use anyhow::Result;
use fieldtest_frame::interrupt;
use fieldtest_study::Signing;
use fieldtest_study::calibration::CalibrationStage;
use fieldtest_study::group::Stage;
use fieldtest_study::launcher::serve;
use fieldtest_study::speed::messages::MessageStage;

use crate::carriers::CARRIERS;
use crate::outcome::Outcome;

pub(crate) fn run() -> Result<Outcome> {
    // The process that starts it has run the known-answer tests of all that it times.
    fieldtest_engine::trust();
    // Whatever a part measures, its stage is the same.
    let parts = CARRIERS.iter().map(|carrier| carrier.study.part("")).collect::<Result<Vec<_>, _>>()?;
    let own = parts.iter().filter_map(|part| part.stage());
    let stages: Vec<&dyn Stage> =
        own.chain([&Signing as &dyn Stage, &MessageStage, &CalibrationStage]).collect();
    serve(&stages, interrupt::flag(), io::stdin().lock(), io::stdout().lock())?;
    Ok(Outcome::Fine)
}
