//! What a distribution decides: which signature algorithm its files are signed with, by what the xattr takes of a file
//! system, and by what the kernel takes at a file's first use.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{AVAILABLE, KeyOperation};
use fieldtest_report::Report;
use fieldtest_report::advice::{Decision, Demand, Held, Property, implemented_by, implementers};

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
    told,
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

fn told(report: &Report, algorithm: &str) -> Vec<String> {
    let said = [
        (MAX_STORAGE, "for a file on ext4"),
        (MAX_STORAGE_XFS, "on XFS"),
        (MAX_APPRAISAL, "to verify in the kernel"),
        (MAX_VERIFY, "to verify on this machine"),
    ];
    // Which kernel it takes; the source stands behind that in the note.
    let is_there = |it: &&Record| it.algorithm == algorithm && it.operation == AVAILABLE && it.value > 0.0;
    let since =
        report.of_study(NAME).find(is_there).and_then(|record| record.notes.first()?.split(" [").next());
    let since = since.map(|since| format!("in Linux {}", since.replace("(version", "(signature version")));
    Property::told(report, algorithm, &said).into_iter().chain(since).collect()
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
        assert!(found.sentence.contains("ML-DSA-44: 4096 bytes"), "{}", found.sentence);
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
