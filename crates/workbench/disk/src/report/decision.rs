//! What whoever encrypts disks decides: which cipher and mode, by whether it hides what it should, by who has it, and by
//! what a page costs.

use fieldtest_report::Report;
use fieldtest_report::advice::{Decision, Demand, Evidence, Held, Property, implemented_by, implementers};

use super::tables::{refusal, sizes};
use crate::NAME;
use crate::words::{Operation, Sectors, Way};

/// The decision.
pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "cipher for a disk",
    own: &[IMPLEMENTED_BY, PROTECTS, MIN_MIXED, MAX_ENCRYPT],
    usual: &[
        ("protects", "yes"),
        ("warnings", "0"),
        ("status", "standard"),
        ("implemented-by", "Linux kernel"),
    ],
    by: &["max-encrypt"],
    told,
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
const PROTECTS: Property = Property {
    id: "protects",
    title: "hides what a disk cipher should",
    demand: Demand::OneOf(&["yes", "no"]),
    of: |report, algorithm| {
        let judged =
            report.of_study(NAME).any(|it| it.algorithm == algorithm && it.operation == Operation::DmCrypt);
        let refusal = refusal(report, report.of_study(NAME), algorithm);
        let word = if refusal.is_none() { "yes" } else { "no" };
        judged.then(|| Held::words([word], Evidence::fact(refusal.unwrap_or_default())))
    },
};
const MIN_MIXED: Property = Property {
    id: "min-mixed",
    title: "bytes that one bit changes",
    demand: Demand::AtLeast("bytes"),
    of: |report, algorithm| {
        report
            .of_study(NAME)
            .find(|it| it.algorithm == algorithm && it.operation == Operation::Diffusion)
            .map(Held::figure)
    },
};
const MAX_ENCRYPT: Property = Property {
    id: "max-encrypt",
    title: "encrypting a page",
    demand: Demand::AtMost("cycles"),
    of: |report, algorithm| {
        let size = *sizes(report.of_study(NAME)).last()?;
        let subject = Sectors { size, way: Way::Page }.to_string();
        Held::quickest(report.of_study(NAME), algorithm, Operation::Encrypt.word(), &subject)
    },
};

fn told(report: &Report, algorithm: &str) -> Vec<String> {
    let size = sizes(report.of_study(NAME)).last().copied().unwrap_or_default();
    [
        MAX_ENCRYPT.said(report, algorithm, &format!("for a page in sectors of {size}")),
        MIN_MIXED.said(report, algorithm, "of plaintext garbled by one changed bit"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use fieldtest_testing::advice::{advice, lacks, report, survivors};

    use crate::{DiskChapter, DiskPart};

    #[test]
    fn a_mode_that_discloses_is_no_choice_and_lea_is_not_in_linux() {
        let measured = [
            ("aes-128-xts", "encrypt", "4096 page", 970.0, "cycles"),
            ("aes-256-xts", "encrypt", "4096 page", 1200.0, "cycles"),
            ("aes-128-ecb", "encrypt", "4096 page", 800.0, "cycles"),
            ("lea-128-xts", "encrypt", "4096 page", 2900.0, "cycles"),
        ];
        let report = report(&[&DiskChapter], &DiskPart::default(), &measured);
        let found = advice(&report, &DiskChapter, &[], None);
        assert_eq!(survivors(&found)[..2], [(1, "aes-128-xts"), (2, "aes-256-xts")]);
        assert!(lacks(&found, "aes-128-ecb").contains(&"protects"));
        assert!(lacks(&found, "lea-128-xts").contains(&"implemented-by"));
        // Its maker asks what would have to change.
        let found = advice(&report, &DiskChapter, &[("implemented-by", "any")], None);
        assert!(survivors(&found).iter().any(|(_, name)| *name == "lea-128-xts"));
    }
}
