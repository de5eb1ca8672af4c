//! How often resolvers were measured: all alike, in whole rounds, so that a disturbance meets all of them.

use fieldtest_measure::record::Record;
use fieldtest_report::tables::ledger::Ledger;
use fieldtest_study::whole_job::estimate::FEWEST_ROUNDS;
use fieldtest_study::whole_job::rounds::MOST_ROUNDS;

/// What is to be said of the repetitions behind these results, where they are not as many as there can be.
pub(super) fn remark(ledger: &Ledger<'_>, is_meant: impl Fn(&Record) -> bool) -> Option<String> {
    let repetitions = || {
        ledger
            .all()
            .filter(|it| is_meant(it))
            .map(|it| it.samples as usize)
            .filter(|repetitions| *repetitions > 0)
    };
    let (least, most) = (repetitions().min()?, repetitions().max()?);
    // Records of other versions may be of unequal numbers.
    let told = match least == most {
        true => format!("Whole rounds of workers within the time budget: {least}."),
        false => format!("Workers: {least} for some, and up to {most} for others."),
    };
    let few = match least < FEWEST_ROUNDS {
        true => " Results of fewer than three have no interval, and are neither compared nor ranked.",
        false => "",
    };
    (least < MOST_ROUNDS).then(|| told + few)
}
