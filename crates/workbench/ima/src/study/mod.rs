//! The study of the carrier `ima`: one tree of files, every algorithm: its signatures, what signing and verifying the
//! tree takes, and what the signatures cost on file systems.

mod part;
mod sample;
mod storage;
mod tree_work;
pub(crate) mod xattr;

use std::path::{Path, PathBuf};

use fieldtest_catalog::places::Stated;
use fieldtest_catalog::signature::{Algorithm, Ima};
use fieldtest_ima::HashAlgorithm;
use fieldtest_ima::digest::Digest;
use fieldtest_ima::file_id::FileDigest;
use fieldtest_measure::record::Input;
use fieldtest_study::operations::Operation;
use fieldtest_study::speed::measure_operations;
use fieldtest_study::whole_job::Cost;
use fieldtest_study::{
    Bench, Choice, RecordWriter, StudyError, Subject, availability, quickest_signers, selection,
};
pub use part::ImaPart;

use crate::NAME;
use crate::algorithms;

/// The share of the budget for single operations; the rest is for the tree.
const OPERATIONS: f64 = 0.4;
/// Messages that single operations are timed on.
const MESSAGES: u64 = 256;

/// Makes the study and enters its records. The tree is read, and nothing of it is written to.
pub(crate) fn run(
    bench: &mut Bench<'_>,
    writer: &mut RecordWriter,
    part: &ImaPart,
) -> Result<(), StudyError> {
    writer.open(NAME);
    let algorithms: Vec<&'static Algorithm> = selection::of_study(&part.algorithms)?;
    let tree = Tree::of(part, bench)?;
    for algorithm in &algorithms {
        writer.candidate(algorithm.facts);
        let since = |ima: &Ima| Stated::from([("Linux".to_owned(), format!("since {}", ima.releases()))]);
        let stated = algorithm.facts.kind.ima.as_ref().map(since);
        availability::enter(writer, algorithm.facts, NAME, stated.as_ref(), []);
        writer.publish(&algorithm.facts.name, include_str!("published.txt"));
    }
    (bench.say)("predicting what signatures cost on file systems");
    storage::enter(writer, &algorithms, &tree)?;

    if bench.exact {
        return Ok(());
    }
    let implemented: Vec<&'static Algorithm> =
        algorithms.into_iter().filter(|algorithm| !algorithm.implementations.is_empty()).collect();
    if implemented.is_empty() || bench.interrupted() {
        return Ok(());
    }
    let choice = Choice::in_study(&[], bench.thorough);
    let subjects = bench.prove(&implemented, &choice)?;
    // What is signed: the identity of a file, 34 bytes with SHA-256.
    let messages: Vec<Vec<u8>> = (0..MESSAGES)
        .map(|number| {
            let digest = Digest::of(HashAlgorithm::Sha256, &number.to_be_bytes());
            FileDigest::of_content(digest).file_id()
        })
        .collect();
    // Found once for each algorithm: signers are tried out, with a fresh key and two signatures.
    let default_signers: Vec<_> = implemented
        .iter()
        .filter_map(|algorithm| algorithms::signer(algorithm, None, None, HashAlgorithm::Sha256).ok())
        .collect();
    let signs_the_tree = |subject: &Subject| {
        default_signers.iter().any(|signer| std::ptr::eq(*signer, subject.implementation))
    };
    let operations = [Operation::Sign, Operation::Verify];
    let deciding = (messages[0].as_slice(), &operations[..]);
    let subjects = quickest_signers(bench, &choice, subjects, deciding, &signs_the_tree)?;
    let budget = bench.left();
    let for_operations = budget.mul_f64(OPERATIONS);
    measure_operations(
        bench,
        writer,
        &subjects,
        &messages,
        &part.baseline,
        &tree.input,
        (&operations, for_operations),
    )?;

    // The implementation that would sign the tree stands for its algorithm.
    let signers: Vec<_> = subjects.iter().filter(|subject| signs_the_tree(subject)).collect();
    tree_work::run(bench, writer, &tree, &signers, budget.mul_f64(1.0 - OPERATIONS))
}

struct Tree {
    root: PathBuf,
    input: Input,
    reading: Cost,
    /// Held while the study runs, where the tree was generated.
    _generated: Option<sample::Generated>,
}

impl Tree {
    fn of(part: &ImaPart, bench: &mut Bench<'_>) -> Result<Tree, StudyError> {
        match &part.tree {
            Some(root) => {
                if root.is_file() {
                    let shown = root.display();
                    return Err(fault(format!("cannot use {shown}: it is a file; give a directory")));
                }
                (bench.say)(&format!("looking at {}", root.display()));
                let name = root.display().to_string();
                let (input, reading) = tree_work::describe(root, &name, bench.interrupt)?;
                Ok(Tree { root: root.clone(), input, reading, _generated: None })
            }
            None => {
                (bench.say)("generating a tree");
                let generated = sample::Generated::new(part.files, bench.seed)?;
                let name = format!("a generated tree of {} files, seed {}", part.files, bench.seed);
                let (input, reading) = tree_work::describe(generated.root(), &name, bench.interrupt)?;
                let root = generated.root().to_path_buf();
                Ok(Tree { root, input, reading, _generated: Some(generated) })
            }
        }
    }

    fn root(&self) -> &Path {
        &self.root
    }
}

fn fault(error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, error)
}
