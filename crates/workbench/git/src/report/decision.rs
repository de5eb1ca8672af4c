//! What a forge decides: which hash function names its objects, by who has it, by how far collisions are, and by what a
//! repository's messages cost.

use fieldtest_report::Report;
use fieldtest_report::advice::{Decision, Held, Property, Value, implemented_by, implementers};

use super::tables::sizes;
use crate::NAME;
use crate::words::{Messages, Operation, Way};

pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "hash function for Git",
    own: &[IMPLEMENTED_BY, MIN_COLLISION, MAX_HASH],
    usual: &[("warnings", "0"), ("status", "standard"), ("min-collision", "112"), ("implemented-by", "Git")],
    by: &["max-hash"],
    must: &[],
    made: &[],
    told,
    example: None,
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
/// What stores repositories, of the places where hash functions were looked for.
const REPOSITORIES: [&str; 7] = ["Git", "GitLab", "Gitea", "libgit2", "go-git", "GitHub", "JGit"];
const MIN_COLLISION: Property =
    Property::at_least("min-collision", "security against collisions", "bits", |report, algorithm| {
        Held::first(report.of_study(NAME), algorithm, Operation::Collision.word(), "")
    });
const MAX_HASH: Property = Property::at_most("max-hash", "hashing", "cycles/byte", |report, algorithm| {
    let size = sizes(report.of_study(NAME)).last().copied()?;
    let subject = Messages { size, way: Way::Single }.to_string();
    Held::quickest(report.of_study(NAME), algorithm, Operation::Hash.word(), &subject)
});

fn told(report: &Report, algorithm: &str) -> Vec<String> {
    let said = [(MAX_HASH, "one message at a time"), (MIN_COLLISION, "against collisions")];
    let mut told = Property::told(report, algorithm, &said);
    if let Some(Held { value: Value::Words(places), .. }) = (IMPLEMENTED_BY.of)(report, algorithm) {
        let takes = |name: &&&str| places.iter().any(|it| it == **name);
        let (with, without): (Vec<&str>, Vec<&str>) = REPOSITORIES.iter().partition(takes);
        if !with.is_empty() && !without.is_empty() {
            told.push(format!("repositories accepted by {}, not by {}", with.join(", "), without.join(", ")));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use fieldtest_testing::advice::{advice, lacks, report, survivors};

    use crate::{GitPart, STUDY_SECTION};

    #[test]
    fn git_takes_what_it_has() {
        let measured = [
            ("sha-1", "hash", "repository single", 2.0, "cycles/byte"),
            ("sha-256", "hash", "repository single", 2.2, "cycles/byte"),
            ("blake3", "hash", "repository single", 1.1, "cycles/byte"),
        ];
        let report = report(&[&STUDY_SECTION], &GitPart::default(), &measured);
        let found = advice(&report, &STUDY_SECTION, &[], None);
        assert_eq!(survivors(&found), [(1, "sha-256")]);
        assert_eq!(lacks(&found, "blake3"), ["status", "implemented-by"]);
        assert!(lacks(&found, "sha-1").contains(&"min-collision"));
    }

    #[test]
    fn what_git_has_not_is_judged_alone_too() {
        let measured = [("blake3", "hash", "repository single", 1.1, "cycles/byte")];
        let report = report(
            &[&STUDY_SECTION],
            &GitPart { algorithms: vec!["blake3".to_owned()], ..GitPart::default() },
            &measured,
        );
        let found = advice(&report, &STUDY_SECTION, &[], None);
        assert_eq!(survivors(&found), []);
        assert_eq!(lacks(&found, "blake3"), ["status", "implemented-by"]);
        // Somebody looked at the servers that Git is run on, though none of them has the only one that was measured.
        let asked = advice(&report, &STUDY_SECTION, &[("implemented-by", "git")], None);
        assert_eq!(survivors(&asked), []);
    }
}
