//! What a distribution decides: which signature algorithm its files are signed with, by what the xattr takes of a file
//! system, and by what the kernel takes at a file's first use.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{AVAILABLE, KeyOperation};
use fieldtest_report::Report;
use fieldtest_report::advice::{Decision, Demand, Fact, Held, Property, implemented_by, implementers};

use super::tables::{Storage, appraisal, storage};
use crate::NAME;
use crate::words::FileSystem;

pub(super) const DECISION: Decision = Decision {
    study: NAME,
    wanted: "signature for IMA",
    own: &[
        IMPLEMENTED_BY,
        MAX_STORAGE,
        MAX_STORAGE_EA_INODE,
        MAX_STORAGE_XFS,
        MAX_STORAGE_BTRFS,
        MAX_STORAGE_F2FS,
        MAX_STORAGE_HERE,
        MAX_APPRAISAL,
        MAX_VERIFY,
    ],
    usual: &[
        ("post-quantum", "yes"),
        ("warnings", "0"),
        ("status", "standard"),
        ("implemented-by", "Linux"),
        ("max-storage", "4096"),
    ],
    by: &["max-storage", "max-appraisal", "max-verify"],
    must: &[],
    made: &[],
    facts,
    caveats,
    next: |_, algorithm| format!("fieldtest ima plan TREE --algorithm {algorithm}"),
    today: |_| ["rsa-4096", "rsa-3072", "rsa-2048", "ecdsa-p256", "ecdsa-p384"].map(str::to_owned).to_vec(),
    cost: "max-verify",
    meanings: &[
        ("max-verify", "Maximum time to verify a signature"),
        ("max-storage", "Maximum storage for a file's signature on ext4"),
        ("max-storage-ea-inode", "Maximum storage for a file's signature on ext4 with ea_inode"),
        ("max-storage-xfs", "Maximum storage for a file's signature on XFS"),
        ("max-storage-btrfs", "Maximum storage for a file's signature on btrfs"),
        ("max-storage-f2fs", "Maximum storage for a file's signature on f2fs"),
        ("max-storage-here", "Maximum storage for a file's signature where the measured tree is"),
        ("max-appraisal", "Maximum time to verify a file's signature in the kernel"),
    ],
    example: Some((
        "Replace an algorithm, based on measurements",
        "fieldtest advise records.jsonl --carrier ima --replaces ecdsa-p384",
    )),
};

const IMPLEMENTED_BY: Property = implemented_by(|report, algorithm| implementers(report, NAME, algorithm));
const MAX_STORAGE: Property = storage_on("max-storage", "storage for a file on ext4", |report, algorithm| {
    stored(report, algorithm, FileSystem::Ext4)
});
// Who does not use ext4 as it is made by default lifts that constraint, and asks for one of these.
const MAX_STORAGE_EA_INODE: Property =
    storage_on("max-storage-ea-inode", "storage for a file on ext4 with ea_inode", |report, algorithm| {
        stored(report, algorithm, FileSystem::Ext4EaInode)
    });
const MAX_STORAGE_XFS: Property =
    storage_on("max-storage-xfs", "storage for a file on XFS", |report, algorithm| {
        stored(report, algorithm, FileSystem::Xfs)
    });
const MAX_STORAGE_BTRFS: Property =
    storage_on("max-storage-btrfs", "storage for a file on btrfs", |report, algorithm| {
        stored(report, algorithm, FileSystem::Btrfs)
    });
const MAX_STORAGE_F2FS: Property =
    storage_on("max-storage-f2fs", "storage for a file on f2fs", |report, algorithm| {
        stored(report, algorithm, FileSystem::F2fs)
    });
const MAX_STORAGE_HERE: Property =
    storage_on("max-storage-here", "storage for a file where the tree is", |report, algorithm| {
        stored(report, algorithm, FileSystem::Here)
    });
const MAX_APPRAISAL: Property =
    Property::at_most("max-appraisal", "verifying in the kernel", "ns", |report, algorithm| {
        appraisal(report.of_study(NAME), algorithm).map(Held::result)
    });
const MAX_VERIFY: Property = Property::at_most("max-verify", "verifying", "cycles", |report, algorithm| {
    Held::quickest(report.of_study(NAME), algorithm, KeyOperation::Verify.word(), "")
});

/// A bound on what [`stored`] tells of one file system.
const fn storage_on(
    id: &'static str,
    title: &'static str,
    of: fn(&Report, &str) -> Option<Held>,
) -> Property {
    Property { id, title, demand: Demand::AtMost("bytes"), of }
}

/// What a file's signature takes of a file system, or that it is refused.
fn stored(report: &Report, algorithm: &str, file_system: FileSystem) -> Option<Held> {
    Some(match storage(report.of_study(NAME), algorithm, file_system.word())? {
        Storage::Takes(record) => Held::result(record),
        Storage::Refused(record) => {
            let (name, limit) = (file_system.word(), MAX_STORAGE.write_bound(record.value));
            Held::refused(record, format!("too large: {name} accepts at most {limit}"))
        }
    })
}

fn facts(report: &Report, algorithm: &str) -> Vec<Fact> {
    let fact = |property: Property, words: &str| property.fact(report, algorithm, words);
    let xfs = fact(MAX_STORAGE_XFS, "on XFS");
    [
        fact(MAX_STORAGE, "per file on ext4").map(|it| it.and(", ", xfs)),
        fact(MAX_APPRAISAL, "to verify in the kernel"),
        fact(MAX_VERIFY, "to verify on this machine"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Which kernel it takes, and whether this is one; the source stands in the record's note.
fn caveats(report: &Report, algorithm: &str) -> Vec<String> {
    let is_there = |it: &&Record| it.algorithm == algorithm && it.operation == AVAILABLE && it.value > 0.0;
    let note =
        report.of_study(NAME).find(is_there).and_then(|record| record.notes.first()?.split(" [").next());
    let Some(since) = note.map(|it| it.trim_start_matches("since ")) else { return Vec::new() };
    let needs = format!("Needs Linux {}", since.replace("(version", "(signature version"));
    let hosts = report.runs().iter().map(|run| run.host.kernel.as_str());
    vec![match hosts.clone().find(|kernel| version(kernel) < version(since)) {
        Some(kernel) => format!("{needs}; this host runs {kernel}"),
        None => needs,
    }]
}

/// The numbers that a version begins with: `[6, 18]` of `6.18.44-1`.
fn version(text: &str) -> Vec<u32> {
    let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.').find(|it| !it.is_empty());
    numbers.into_iter().flat_map(|it| it.split('.')).filter_map(|it| it.parse().ok()).take(2).collect()
}

#[cfg(test)]
mod tests {
    use fieldtest_testing::advice::{advice, lacks, report, survivors};

    use crate::{ImaPart, STUDY_SECTION};

    #[test]
    fn what_costs_no_more_than_today_and_what_the_file_system_refuses() {
        let part = ImaPart { files: 20, ..ImaPart::default() };
        let report = report(&[&STUDY_SECTION], &part, &[]);
        let found = advice(&report, &STUDY_SECTION, &[], None);
        // A block for the xattr, whatever its length; the kernel is quicker with the shorter.
        assert_eq!(survivors(&found), [(1, "ml-dsa-44"), (2, "ml-dsa-65")]);
        assert_eq!(lacks(&found, "ml-dsa-87"), ["max-storage"]);
        let refused = found.excluded.iter().find(|it| it.algorithm == "ml-dsa-87").unwrap();
        assert!(
            refused.lacks[0].text.starts_with("too large: ext4 accepts at most 4040 bytes"),
            "{refused:?}"
        );
        assert!(found.facts[0].starts_with("4096 bytes"), "{:?}", found.facts);
        assert!(found.caveats.iter().any(|it| it.contains("Linux 7.2")), "{:?}", found.caveats);
    }

    #[test]
    fn another_file_system_is_asked_for_in_ext4_s_place() {
        let part = ImaPart { files: 20, ..ImaPart::default() };
        let report = report(&[&STUDY_SECTION], &part, &[]);
        for id in ["max-storage-ea-inode", "max-storage-xfs", "max-storage-f2fs"] {
            let found = advice(&report, &STUDY_SECTION, &[("max-storage", "any"), (id, "16384")], None);
            let has = |name| found.survivors.iter().any(|it| it.algorithm == name);
            // One block of nodes is all that f2fs has for attributes.
            assert!(has("ml-dsa-44") && has("ml-dsa-87") == (id != "max-storage-f2fs"), "{id}");
        }
    }
}
