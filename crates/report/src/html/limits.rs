//! What the figures of a report do not say, as far as it can be told from the records.

use fieldtest_measure::record::Record;

use crate::report::Report;
use crate::summary::ima::APPRAISE;
use crate::summary::is_approximate;

/// The limits, a sentence or two each.
pub(super) fn limits(report: &Report) -> Vec<String> {
    let mut limits = vec![
        "How secure an algorithm is. The status and the remarks are dated; a newer attack is not in them.".to_owned(),
        "Whether an implementation leaks its secrets. Reproduced known answers show that it computes the right thing, \
         not that its time or its memory accesses are independent of the key."
            .to_owned(),
        "How another machine ranks them. The order depends on the processor and its extensions; figures of two \
         machines are not compared here."
            .to_owned(),
    ];
    if report.candidates.iter().any(|it| it.kind == "signature" && it.post_quantum.is_none()) {
        limits.push(
            "Which signature algorithms withstand a quantum computer: the records are of an earlier version of this \
             program, which did not write that down. No algorithm is named at the top for what only those may lead in."
                .to_owned(),
        );
    }
    if report.runs.iter().any(|run| run.host.counter != "cycles") {
        limits.push(counted_cycles(report));
    }
    if report.runs.iter().any(|run| run.verdict != "quiet") {
        limits.push(
            "What a quiet machine would show. See the findings at the top; the intervals hold the noise that was seen, \
             not the bias that a busy machine brings."
                .to_owned(),
        );
    }
    if report.records.iter().any(is_approximate) {
        limits.push(
            "More than was measured, for the figures with a ~: they were estimated, extrapolated from a part, or projected from \
             sizes on counted traffic that is assumed to stay as it is."
                .to_owned(),
        );
    }
    let is_appraisal = |record: &Record| record.study == "ima" && record.operation == APPRAISE;
    if report.records.iter().any(|record| record.estimator == "published" && !is_appraisal(record)) {
        limits.push(
            "How this machine compares with published figures. Those are of another machine and stand beside ours to be \
             looked at."
                .to_owned(),
        );
    }
    if report.records.iter().any(is_appraisal) {
        limits.push(
            "What this machine's kernel takes to verify a file. Those figures are published and of another machine; what \
             is measured here is code in user space."
                .to_owned(),
        );
    }
    if report.records.iter().any(|record| record.study == "ima" && record.operation == "storage") {
        limits.push(storage(report));
    }
    if report.records.iter().any(|record| record.study == "tcp-ao" && record.operation == "segment") {
        limits.push(
            "What a connection costs in a kernel. Segments are worked on in user space, over and over from warm caches, \
             without interrupts, locks and copies."
                .to_owned(),
        );
    }
    let of_git = |operation: &str| {
        report.records.iter().any(|record| record.study == "git" && record.operation == operation)
    };
    if of_git("hash") || of_git("rehash") || of_git("map") {
        limits.push(
            "What Git itself would take. Messages lie in the processor's caches, and the repository is read by this program's own \
             code from memory, with nothing written; Git reads, checks and writes, and hashes one object after the other."
                .to_owned(),
        );
    }
    if of_git("storage") {
        limits.push(
            "By how much a repository grows on disk. Names are counted before compression and before trees are stored as \
             differences from each other."
                .to_owned(),
        );
    }
    if of_git("available") {
        limits.push(
            "Whether your build of a library has a function. Places are told by what their makers publish, and only \
             this host was asked; available does not mean fast."
                .to_owned(),
        );
    }
    let is_of_sectors = |record: &Record| record.study == "disk" && record.operation == "encrypt";
    if report.records.iter().any(is_of_sectors) {
        limits.push(
            "How fast a disk becomes. Sectors are encrypted in user space, over and over from warm caches: a kernel adds its \
             queues, its copies and the disk itself, and may have slower or faster code. Containers are read from the page cache."
                .to_owned(),
        );
    }
    if report.records.iter().any(|record| record.study == "disk" && record.operation == "diffusion") {
        limits.push(
            "That a disk is safe from who can write to it. No cipher here authenticates: an older version of a sector can always be \
             put back unnoticed, whatever a changed bit garbles."
                .to_owned(),
        );
    }
    if report.records.iter().any(|record| record.proof.as_ref().is_some_and(|proof| proof.vectors == 0)) {
        limits.push(
            "That every implementation is the algorithm it is named after: where no official known answers exist, \
             it was only cross-checked, as the table of proofs says."
                .to_owned(),
        );
    }
    if report.records.iter().any(|record| record.operation == "message-size") {
        limits.push(
            "What a resolver sees. Sizes are those of the messages as this program composes them, with the names of \
             this zone; a server may add or leave out records, and links with a smaller MTU exist."
                .to_owned(),
        );
    }
    limits
}

/// What the storage of signatures is told of, and where it is an estimate.
fn storage(report: &Report) -> String {
    let mut estimated: Vec<&str> = Vec::new();
    for record in report.records.iter().filter(|it| it.study == "ima" && it.operation == "storage") {
        if is_approximate(record) && !estimated.contains(&record.subject.as_str()) {
            estimated.push(&record.subject);
        }
    }
    let mut limit = "What signatures take on any file system. Storage is predicted by rules for a file of 6000 bytes without \
                     other attributes, on file systems made by default; an SELinux label, an ACL or EVM's attribute shares \
                     the same room."
        .to_owned();
    if !estimated.is_empty() {
        let names = estimated.join(", ");
        limit.push_str(&format!(" It is estimated for {names}, where files share blocks."));
    }
    limit
}

/// The studies that tell cycles even so, with what people call them.
const BY_CHAIN: [(&str, &str); 3] = [("tcp-ao", "TCP-AO"), ("git", "Git"), ("disk", "disk encryption")];

/// What times are where the machine counts no cycles.
fn counted_cycles(report: &Report) -> String {
    let mut measured = report.records.iter().filter(|record| record.implementation.is_some());
    let is_by_chain = |study: &str| {
        measured.clone().any(|record| record.study == study && record.unit.starts_with("cycles"))
    };
    let by_chain: Vec<&str> =
        BY_CHAIN.iter().filter(|(study, _)| is_by_chain(study)).map(|(_, words)| *words).collect();
    let nanoseconds = measured.any(|record| record.unit == "ns");
    let rest = match (by_chain.is_empty(), nanoseconds) {
        (false, false) => "",
        (false, true) => {
            " All other times are nanoseconds and follow the clock frequency, which may have changed between figures."
        }
        (true, _) => {
            return "Core cycles. This machine shows no cycle counter, so times are nanoseconds and follow the clock \
                    frequency, which may have changed between figures."
                .to_owned();
        }
    };
    format!(
        "Counted core cycles. This machine shows no cycle counter: the cycles of {} are ratios to a chain of dependent \
         additions, one cycle each, in the same rounds.{rest}",
        by_chain.join(" and ")
    )
}
