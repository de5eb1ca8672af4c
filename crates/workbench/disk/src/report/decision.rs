//! What whoever encrypts disks decides: which cipher and mode, by whether it hides what it should, by who has it, and by
//! what a page costs.

use fieldtest_measure::record::{Record, Run};
use fieldtest_report::Report;
use fieldtest_report::advice::{Decision, Evidence, Fact, Held, Property, implemented_by, implementers};

use super::asked::{refusal, sizes};
use crate::NAME;
use crate::words::{BESIDE_A_SECTOR, Operation, Sectors, Way};

pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "cipher for a disk",
    own: &[
        IMPLEMENTED_BY,
        PROTECTS,
        AUTHENTICATES,
        MIN_MIXED,
        MAX_ENCRYPT,
        MAX_SEAL,
        MAX_ENCRYPT_WITHOUT_AES,
    ],
    usual: &[
        ("protects", "yes"),
        ("warnings", "0"),
        ("status", "standard"),
        ("implemented-by", "Linux kernel"),
    ],
    by: &["max-encrypt"],
    must: &[],
    made: &[(MAX_ENCRYPT_WITHOUT_AES.id, HOW_WITHOUT_AES)],
    facts,
    caveats: |report, algorithm| specification(report, algorithm).map_or(Vec::new(), |it| it.notes.clone()),
    next,
    today: |report| {
        in_use(report).into_iter().chain(["aes-256-xts", "aes-128-xts"]).map(str::to_owned).collect()
    },
    cost: "max-encrypt",
    meanings: &[
        ("protects", "`yes`: only ciphers that protect a disk (see `fieldtest disk check-spec`)"),
        ("authenticates", "`yes`: only ciphers that detect a changed sector"),
        ("min-mixed", "Minimum bytes of plaintext that change with one bit of ciphertext"),
        ("max-encrypt", "Maximum time to encrypt a page"),
        ("max-seal", "Maximum time to encrypt and authenticate a page"),
        ("max-encrypt-without-aes", "Maximum time to encrypt a page without AES instructions"),
    ],
    example: None,
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
const PROTECTS: Property = Property::one_of(
    fieldtest_report::advice::PROTECTS,
    "hides what a disk cipher should",
    &["yes", "no"],
    |report, algorithm| {
        let judged = specification(report, algorithm).is_some();
        let refusal = refusal(report, report.of_study(NAME), algorithm);
        let word = if refusal.is_none() { "yes" } else { "no" };
        judged.then(|| Held::words([word], Evidence::fact(refusal.unwrap_or_default())))
    },
);
const AUTHENTICATES: Property = Property::one_of(
    fieldtest_report::advice::AUTHENTICATES,
    "notices a changed sector",
    &["yes", "no"],
    |report, algorithm| {
        let of = |operation: Operation| {
            report.of_study(NAME).filter(move |it| it.algorithm == algorithm && it.operation == operation)
        };
        // Its tag is what shows it.
        match of(Operation::Overhead).find(|it| it.subject == BESIDE_A_SECTOR) {
            Some(tagged) => {
                let why = format!("{} bytes of tag and nonce for each sector", tagged.value);
                Some(Held::words(["yes"], Evidence::fact(why)))
            }
            None => of(Operation::DmCrypt).next().map(|_| Held::words(["no"], Evidence::fact("no tag"))),
        }
    },
);
const MIN_MIXED: Property =
    Property::at_least("min-mixed", "bytes that one bit changes", "bytes", |report, algorithm| {
        report
            .of_study(NAME)
            .find(|it| it.algorithm == algorithm && it.operation == Operation::Diffusion)
            .map(Held::result)
    });
const MAX_ENCRYPT: Property =
    Property::at_most("max-encrypt", "encrypting a page", "cycles", |report, algorithm| {
        page(report, algorithm, Operation::Encrypt)
    });
const MAX_SEAL: Property = Property::at_most("max-seal", "sealing a page", "cycles", |report, algorithm| {
    page(report, algorithm, Operation::Seal)
});

/// The result of a page in the largest sectors.
fn page(report: &Report, algorithm: &str, operation: Operation) -> Option<Held> {
    let size = *sizes(report.of_study(NAME)).last()?;
    let subject = Sectors { size, way: Way::Page }.to_string();
    Held::quickest(report.of_study(NAME), algorithm, operation.word(), &subject)
}

// Portable code is no substitute: the crate `aes`, which ours is there, takes the instructions where it finds them.
const MAX_ENCRYPT_WITHOUT_AES: Property = Property::at_most(
    "max-encrypt-without-aes",
    "encrypting a page without AES instructions",
    "cycles",
    |report, algorithm| {
        // Nothing is known of a machine that names no instructions at all.
        let has_none =
            |run: &Run| !run.host.features.is_empty() && run.host.features.iter().all(|it| it != AES);
        report.runs().iter().all(has_none).then(|| (MAX_ENCRYPT.of)(report, algorithm))?
    },
);
/// How a run calls these instructions.
const AES: &str = "aes";
/// How there come to be results without them.
const HOW_WITHOUT_AES: &str = "no record is from a host without AES instructions: give records of `fieldtest disk study` on a processor \
                               that has none, or in a virtual machine that hides them (`qemu-system-x86_64 -cpu host,-aes`)";

fn facts(report: &Report, algorithm: &str) -> Vec<Fact> {
    let size = sizes(report.of_study(NAME)).last().copied().unwrap_or_default();
    let rate = |property: Property| {
        let held = (property.of)(report, algorithm)?;
        let cycles = held.record().filter(|it| it.unit == "cycles" && it.value > 0.0)?.value;
        Some(format!("{:.1} GB/s per core at 3 GHz", crate::study::PAGE as f64 * 3.0 / cycles).into())
    };
    let page = |property: Property, how: &str| {
        let fact = property.fact(report, algorithm, &format!("per page in sectors of {size}{how}"))?;
        Some(fact.and(", ", rate(property)))
    };
    let in_use = in_use(report).map(|it| match it == algorithm {
        true => "Your disk has it".to_owned().into(),
        false => {
            let own = MAX_ENCRYPT.fact(report, it, "per page");
            Fact::from(format!("Your disk has {}", report.title(it))).and(": ", own)
        }
    });
    let all = [
        page(MAX_ENCRYPT, ""),
        page(MAX_SEAL, " with their tags"),
        in_use,
        MIN_MIXED.fact(report, algorithm, "of plaintext changed by one bit of ciphertext"),
    ];
    all.into_iter().flatten().collect()
}

/// How dm-crypt calls it, with what is to be known of that.
fn specification<'r>(report: &'r Report, algorithm: &str) -> Option<&'r Record> {
    report.of_study(NAME).find(|it| it.algorithm == algorithm && it.operation == Operation::DmCrypt)
}

fn next(report: &Report, algorithm: &str) -> String {
    let is_plain = |it: &&str| it.chars().all(|c| c.is_ascii_alphanumeric() || "-,:()".contains(c));
    let name = specification(report, algorithm).map(|it| it.subject.as_str()).filter(is_plain);
    let key = report.size(algorithm, "key").map(|bytes| format!(" --key-size {}", bytes * 8));
    let key = key.unwrap_or_default();
    match (name, in_use(report)) {
        (Some(name), None) => format!("fieldtest disk format VOLUME --size 1G --cipher '{name}'{key}"),
        (Some(name), Some(own)) if own != algorithm => {
            format!("fieldtest disk reencrypt VOLUME --cipher '{name}'{key}")
        }
        _ => String::new(),
    }
}

/// The cipher of the user's own disk, where one was given.
fn in_use(report: &Report) -> Option<&str> {
    report.of_study(NAME).find(|it| it.operation == Operation::InUse).map(|it| it.algorithm.as_str())
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::record::Line;
    use fieldtest_report::Report;
    use fieldtest_report::advice::Request;
    use fieldtest_testing::advice::{advice, lacks, report, survivors};

    use super::{DECISION, MAX_ENCRYPT_WITHOUT_AES, MAX_SEAL};
    use crate::{DiskPart, STUDY_SECTION};

    #[test]
    fn a_mode_that_discloses_is_no_choice_and_lea_is_not_in_linux() {
        let measured = [
            ("aes-128-xts", "encrypt", "4096 page", 970.0, "cycles"),
            ("aes-256-xts", "encrypt", "4096 page", 1200.0, "cycles"),
            ("aes-128-ecb", "encrypt", "4096 page", 800.0, "cycles"),
            ("lea-128-xts", "encrypt", "4096 page", 2900.0, "cycles"),
        ];
        let report = report(&[&STUDY_SECTION], &DiskPart::default(), &measured);
        let found = advice(&report, &STUDY_SECTION, &[], None);
        assert_eq!(survivors(&found)[..2], [(1, "aes-128-xts"), (2, "aes-256-xts")]);
        assert!(lacks(&found, "aes-128-ecb").contains(&"protects"));
        assert!(lacks(&found, "lea-128-xts").contains(&"implemented-by"));
        // Its maker asks what would have to change.
        let found = advice(&report, &STUDY_SECTION, &[("implemented-by", "any")], None);
        assert!(survivors(&found).iter().any(|(_, name)| *name == "lea-128-xts"));
    }

    #[test]
    fn who_wants_tags_is_told_which_cipher_makes_them() {
        let measured = [
            ("aes-256-xts", "encrypt", "4096 page", 1200.0, "cycles"),
            ("aes-256-gcm", "seal", "4096 page", 1300.0, "cycles"),
            ("aria-256-gcm", "seal", "4096 page", 4500.0, "cycles"),
            ("lea-256-gcm", "seal", "4096 page", 4300.0, "cycles"),
        ];
        let report = report(&[&STUDY_SECTION], &DiskPart::default(), &measured);
        let wanted = [("authenticates", "yes"), ("warnings", "any"), ("implemented-by", "any")];
        let typed = wanted.map(|(id, value)| (id.to_owned(), value.to_owned())).to_vec();
        let request = Request { typed, by: Some(MAX_SEAL.id.to_owned()), replaces: None };
        let found = DECISION.decide(&report, &request).unwrap().unwrap();
        let measured = [(1, "aes-256-gcm"), (2, "lea-256-gcm"), (3, "aria-256-gcm")];
        assert_eq!(survivors(&found)[..3], measured);
        assert!(lacks(&found, "aes-256-xts").contains(&"authenticates"));
        // A nonce used twice gives the key of its hash away.
        let found = advice(&report, &STUDY_SECTION, &[("authenticates", "yes")], None);
        assert_eq!(lacks(&found, "aes-256-gcm"), ["warnings"]);
    }

    /// Nobody says so of results with them, be they of portable code.
    #[test]
    fn without_aes_instructions_a_host_without_them_decides() {
        let measured = [
            ("aes-128-xts", "encrypt", "4096 page", 37_000.0, "cycles"),
            ("lea-128-xts", "encrypt", "4096 page", 2900.0, "cycles"),
        ];
        let part = DiskPart {
            algorithms: ["aes-128-xts", "lea-128-xts"].map(str::to_owned).into(),
            ..DiskPart::default()
        };
        let by = MAX_ENCRYPT_WITHOUT_AES.id;
        let request = |typed: &[(&str, &str)], by: Option<&str>| Request {
            typed: typed.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect(),
            by: by.map(str::to_owned),
            replaces: None,
        };
        let any = ("implemented-by", "any");
        let both = [request(&[any], Some(by)), request(&[any, (by, "30000")], None)];
        let made = report(&[&STUDY_SECTION], &part, &measured);
        let on = |features: &[&str]| {
            let candidates = made.candidates().iter().cloned().map(Line::Candidate);
            let records = made.records().iter().cloned().map(Line::Record);
            let runs = made.runs().iter().cloned().map(|mut run| {
                run.host.features = features.iter().map(|it| (*it).to_owned()).collect();
                Line::Run(run)
            });
            Report::from_lines(runs.chain(candidates).chain(records), &[&STUDY_SECTION]).unwrap()
        };
        for features in [&["sse2", "aes"][..], &[]] {
            for request in &both {
                let error = DECISION.decide(&on(features), request).unwrap_err().to_string();
                assert!(error.contains(by) || error.contains(MAX_ENCRYPT_WITHOUT_AES.title), "{error}");
                assert!(error.contains("-cpu host,-aes"), "{error}");
            }
        }
        let found = both.map(|request| DECISION.decide(&on(&["sse2"]), &request).unwrap().unwrap());
        let order: Vec<&str> = found[0].survivors.iter().map(|it| it.algorithm.as_str()).collect();
        assert_eq!(order, ["lea-128-xts", "aes-128-xts"]);
        assert_eq!(lacks(&found[1], "aes-128-xts"), [by]);
    }
}
