//! Algorithms of others, attached for a run: their facts in a file of the form that those under `facts/` have, and their code an
//! engine.
//!
//! Such a file is one of facts with a word for the kind, and two keys more in each `[[algorithm]]`: `engine`, which says what is
//! started, and `known-answers` of its author's own.

mod cipher;
mod conflicts;
mod description;
mod hash;
mod kat;
mod mac;
mod signature;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fieldtest_engine::Connection;
use fieldtest_engine::library::Interface;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::facts::FactsError;
use crate::kind::{Cipher, Hash, Kind, Mac, Signature};
use crate::waiting::Awaited;
use crate::{KatError, KatResult};
use conflicts::Taken;
pub use conflicts::free_number;

/// The environment variable that names descriptions, and directories of them, with colons between.
pub const ENGINES: &str = "FIELDTEST_ENGINES";
/// The one by which a program that uses libfieldtest allows shared objects, with the value `yes`.
pub const ENGINE_LIBRARIES: &str = "FIELDTEST_ENGINE_LIBRARIES";

/// What the code of an attached program is called.
pub const ENGINE_PIPE: &str = "engine-pipe";
/// What the code of an attached shared object is called.
pub const ENGINE_LIBRARY: &str = "engine-library";

/// Whether an implementation of this name is attached: an engine, whose work is another process's.
#[must_use]
pub fn is_attached(implementation: &str) -> bool {
    [ENGINE_PIPE, ENGINE_LIBRARY].contains(&implementation)
}

const LONGEST_DESCRIPTION: u64 = 1 << 20;
/// The largest key, signature, digest or tag, in bytes.
const LARGEST: usize = 16 << 20;

/// Why an algorithm cannot be attached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum AttachError {
    /// The file or directory cannot be read.
    #[error("cannot use the description {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// A directory without descriptions.
    #[error("cannot use {}: it contains no file *.toml; add descriptions, or name another directory", .0.display())]
    Empty(PathBuf),
    /// The catalog's own facts are none, which is a defect of the build.
    #[error(transparent)]
    Facts(#[from] FactsError),
    #[error("cannot use the description {}: {what}", path.display())]
    Description { path: PathBuf, what: String },
    /// The catalog was asked for already.
    #[error("algorithms have to be attached before any is looked for; attach them first")]
    TooLate,
}

/// A kind of which algorithms can be attached: what of it is an engine's.
trait Attach: Awaited {
    /// An answer that its author vouches for.
    type Answer: DeserializeOwned + Send + Sync + 'static;

    /// Whether such an engine can be asked at all.
    fn check(facts: &Self::Facts) -> Result<(), String>;

    /// What a shared object has to implement.
    fn interface(facts: &Self::Facts) -> Interface;

    /// What no two algorithms may both have, in words: what it is, and which.
    fn claims(facts: &Self::Facts) -> Vec<(&'static str, String)>;

    /// The tables in which it has numbers for DNSSEC.
    fn tables(_: &Self::Facts) -> Vec<&str> {
        Vec::new()
    }

    /// The code of an engine, of which the facts may say something else than of what it is made of.
    fn code(
        facts: &mut Self::Facts,
        connection: Connection,
        answers: Vec<Self::Answer>,
        is_library: bool,
    ) -> Code<Self>;
}

struct Code<K: Kind> {
    code: Arc<K::Code>,
    prove: Arc<dyn Fn() -> Result<KatResult, KatError> + Send + Sync>,
}

/// Whether bytes are so many that an engine can have them.
fn sized(what: &str, bytes: usize) -> Result<(), String> {
    match (1..=LARGEST).contains(&bytes) {
        true => Ok(()),
        false => Err(format!("invalid {what} '{bytes}': expected 1 to {LARGEST} bytes")),
    }
}

/// The descriptions that are attached, by what they really are: as they were named, and absolute.
static READ: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());

/// The descriptions that are attached, as absolute paths, for programs that are to attach them too.
#[must_use]
pub fn descriptions() -> Vec<PathBuf> {
    READ.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
}

/// Adds what these files describe, and all files `.toml` of directories, to the algorithms of their kinds. To be called before anything looks
/// for one; nothing is started yet. `own` is a program that serves libraries, if there is one: given
/// [`library::COMMAND`](fieldtest_engine::library::COMMAND) and words, it calls [`library::serve`](fieldtest_engine::library::serve) with these.
///
/// # Errors
/// The first file that is of no use, and a name or a number that is taken.
pub fn attach(paths: &[PathBuf], own: Option<&Path>) -> Result<(), AttachError> {
    if paths.is_empty() {
        return Ok(());
    }
    // A file that is named twice, or in a directory too, is attached once.
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let mut taken = Taken::of_all()?;
    for path in paths {
        for path in files(path)? {
            let failed = |source| AttachError::File { path: path.clone(), source };
            let file = fs::canonicalize(&path).map_err(failed)?;
            if read.contains_key(&file) {
                continue;
            }
            let text = text_of(&file).map_err(failed)?;
            let refused = |what| AttachError::Description {
                path: path.clone(),
                what: description::located(&text, what),
            };
            let mut table = description::table(&text).map_err(refused)?;
            let add = match table.remove("kind") {
                Some(Value::String(kind)) if kind == Signature::WORD => add::<Signature>,
                Some(Value::String(kind)) if kind == Mac::WORD => add::<Mac>,
                Some(Value::String(kind)) if kind == Hash::WORD => add::<Hash>,
                Some(Value::String(kind)) if kind == Cipher::WORD => add::<Cipher>,
                other => {
                    let kinds = [Signature::WORD, Mac::WORD, Hash::WORD, Cipher::WORD].join(", ");
                    return Err(refused(match other {
                        Some(Value::String(kind)) => {
                            format!("unknown kind '{kind}'; expected one of {kinds}")
                        }
                        Some(_) => format!("'kind' is not text in quotes: expected one of {kinds}"),
                        None => format!("line 1: 'kind' is missing: expected one of {kinds}"),
                    }));
                }
            };
            add(&path, table, own, &mut taken).map_err(refused)??;
            read.insert(file, std::path::absolute(&path).map_err(failed)?);
        }
    }
    Ok(())
}

fn add<K: Attach>(
    path: &Path,
    table: Table,
    own: Option<&Path>,
    taken: &mut Taken,
) -> Result<Result<(), AttachError>, String> {
    let described = description::described::<K>(path, table, own)?;
    for algorithm in &described {
        taken.refuse(algorithm.facts)?;
        taken.add(algorithm.facts);
    }
    let mut waiting = K::waiting().attached();
    Ok(waiting.as_mut().ok_or(AttachError::TooLate).map(|waiting| waiting.extend(described)))
}

/// A description's text. What is no regular file may have no end, or may not begin.
fn text_of(file: &Path) -> std::io::Result<String> {
    let found = fs::metadata(file)?;
    let refused = |what: String| Err(std::io::Error::other(what));
    match found.len() {
        _ if !found.is_file() => refused("it is not a regular file; give a TOML file".to_owned()),
        long if long > LONGEST_DESCRIPTION => refused(format!(
            "it has {long} bytes, and a description at most {LONGEST_DESCRIPTION}; give a TOML file"
        )),
        _ => match fieldtest_text::decoded(&fs::read(file)?) {
            Ok(text) => Ok(text.to_owned()),
            Err(why) => refused(why.to_owned()),
        },
    }
}

/// The file itself, or those in a directory, by name.
fn files(path: &Path) -> Result<Vec<PathBuf>, AttachError> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let refused = |source| AttachError::File { path: path.to_path_buf(), source };
    let entries = fs::read_dir(path).map_err(refused)?.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    let mut found: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|it| it == "toml"));
    found.sort();
    if found.is_empty() { Err(AttachError::Empty(path.to_path_buf())) } else { Ok(found) }
}
