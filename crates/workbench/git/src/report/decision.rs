//! What a forge decides: which hash function names its objects, by who has it, by how far collisions are, and by what a
//! repository's messages cost.

use fieldtest_measure::words::Time;
use fieldtest_report::Report;
use fieldtest_report::advice::{
    Decision, Fact, Held, Property, Value, implemented_by, implementers, looked_at, written,
};
use fieldtest_report::tables::ledger::least;

use super::tables::sizes;
use crate::NAME;
use crate::words::{Messages, Operation, Storage, Way};

pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "hash function for Git",
    own: &[IMPLEMENTED_BY, MIN_COLLISION, MAX_HASH],
    usual: &[("warnings", "0"), ("status", "standard"), ("min-collision", "112"), ("implemented-by", "Git")],
    by: &["max-hash"],
    must: &[],
    made: &[],
    facts,
    caveats: |_, _| Vec::new(),
    next: |_, algorithm| format!("fieldtest git map REPOSITORY --to {algorithm} -o map.tsv"),
    today: |_| TODAY.map(str::to_owned).to_vec(),
    cost: "max-hash",
    meanings: &[
        ("min-collision", "Minimum strength against collisions"),
        ("max-hash", "Maximum cost of hashing"),
    ],
    example: None,
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
/// What names objects today: Git's own SHA-1 looks for collisions.
const TODAY: [&str; 2] = ["sha-1dc", "sha-1"];
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

fn facts(report: &Report, algorithm: &str) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    if let Some(Held { value: Value::Words(places), .. }) = (IMPLEMENTED_BY.of)(report, algorithm) {
        let takes = |name: &&&str| places.iter().any(|it| it == **name);
        // Of a place that nobody looked at nothing is known.
        let known = looked_at(report, NAME);
        let asked = REPOSITORIES.iter().filter(|name| known.iter().any(|it| it == **name));
        let (with, without): (Vec<&str>, Vec<&str>) = asked.partition(takes);
        let refused = without.join(", ");
        match (with.is_empty(), without.is_empty()) {
            (true, true) => {}
            (true, false) => facts.push(format!("Repositories are accepted by none of {refused}").into()),
            (false, true) => facts.push(format!("Repositories are accepted by {}", with.join(", ")).into()),
            (false, false) => {
                facts.push(
                    format!("Repositories are accepted by {}; not by {refused}", with.join(", ")).into(),
                );
            }
        }
    }
    let of = |operation: Operation, subject: &str| {
        let own = report.of_study(NAME).filter(|it| it.algorithm == algorithm && it.operation == operation);
        least(own.filter(|it| it.subject == subject)).map(Held::result)
    };
    let more = of(Operation::Storage, Storage::MoreForEachObject.word());
    let more = more.and_then(|it| it.number()).map(|it| format!("{it:+.0} bytes per object").into());
    if let Some(map) = of(Operation::Map, Time::Wall.word()) {
        let took = written("s", map.number().unwrap_or_default());
        facts.push(map.fact(format!("Converting the IDs of this repository takes {took}")).and(", ", more));
    }
    let mut in_use = TODAY.into_iter().filter(|name| *name != algorithm);
    let today = in_use.find_map(|name| MAX_HASH.fact(report, name, &format!("for {}", report.title(name))));
    facts.extend(MAX_HASH.fact(report, algorithm, "to hash").map(|it| it.and(", ", today)));
    facts
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
        // Where nobody has what is asked for, Git still has to.
        let asked = advice(&report, &STUDY_SECTION, &[("implemented-by", "GitHub")], None);
        assert_eq!(
            (asked.named, &asked.alternatives[0].usual[..]),
            (vec!["sha-256".to_owned()], &["implemented by Git".to_owned()][..])
        );
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
