//! Algorithms of others, attached for a run: their facts in a file of the form that those under `facts/` have, and their code an
//! engine.
//!
//! Such a file is one of facts with a word for the kind, and two keys more in each `[[algorithm]]`: `engine`, which says what is
//! started, and `known-answers` of its author's own.

mod proof;
mod taken;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fieldtest_engine::{Engine, Program, Sizes, library};
use serde::Deserialize;
use toml::{Table, Value};

use crate::facts::{self, Facts, FactsError};
use crate::kind::Kind;
use crate::signature::{self, Algorithm, Implementation};
use crate::{Prove, kind, waiting};
use proof::{Answer, prove};
use taken::Taken;

/// What the code of an attached program is called.
pub const ENGINE_PIPE: &str = "engine-pipe";
/// What the code of an attached shared object is called.
pub const ENGINE_LIBRARY: &str = "engine-library";

/// Whether an implementation of this name is attached: an engine, whose work is another process's.
#[must_use]
pub fn is_attached(implementation: &str) -> bool {
    [ENGINE_PIPE, ENGINE_LIBRARY].contains(&implementation)
}

/// The longest an engine may be waited for, in seconds.
const LONGEST: f64 = 3_600.0;
/// The longest description, in octets.
const LONGEST_DESCRIPTION: u64 = 1 << 20;
/// The largest key or signature, in octets.
const LARGEST: usize = 16 << 20;

/// Why an algorithm cannot be attached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// The file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A folder without descriptions.
    #[error("{}: there is no file .toml in it", .0.display())]
    Empty(PathBuf),
    /// The catalog's own facts are none, which is a defect of the build.
    #[error(transparent)]
    Facts(#[from] FactsError),
    /// The description is of no use.
    #[error("{}: {what}; docs/engines.md has an example", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The catalog was asked for already.
    #[error("algorithms have to be attached before any is looked for")]
    TooLate,
}

/// How an engine is attached, under `[algorithm.engine]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Attachment {
    /// Its version, as its author counts.
    version: String,
    /// The program and its words.
    program: Option<Vec<String>>,
    /// A shared object instead, with the functions of NIST's calls.
    library: Option<PathBuf>,
    /// What their names begin with.
    #[serde(default)]
    prefix: String,
    /// Seconds that any answer may take.
    #[serde(default = "usual_deadline")]
    deadline: f64,
}

fn usual_deadline() -> f64 {
    10.0
}

/// Adds what these files describe, and all files `.toml` of folders, to the signature algorithms. To be called before anything looks for
/// one; nothing is started yet. `own` is this program, if it serves libraries: given [`library::COMMAND`] and words, it calls
/// [`library::serve`] with these.
///
/// # Errors
/// The first file that is of no use, and a name or a DNSSEC number that is taken.
pub fn attach(paths: &[PathBuf], own: Option<&Path>) -> Result<(), AttachError> {
    if paths.is_empty() {
        return Ok(());
    }
    // A file that is named twice, or in a folder too, is attached once.
    static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let mut taken = Taken::of_the_catalog()?;
    let mut waiting = waiting::attached();
    let all = waiting.as_mut().ok_or(AttachError::TooLate)?;
    for algorithm in &*all {
        taken.add_signature(algorithm.facts);
    }
    for path in paths {
        for path in files(path)? {
            let failed = |source| AttachError::File { path: path.clone(), source };
            let file = fs::canonicalize(&path).map_err(failed)?;
            if !read.insert(file.clone()) {
                continue;
            }
            let text = text_of(&file).map_err(failed)?;
            let refused = |what| AttachError::Description { path: path.clone(), what };
            for algorithm in described(&path, &text, own).map_err(refused)? {
                taken.refuse(algorithm.facts).map_err(refused)?;
                taken.add_signature(algorithm.facts);
                all.push(algorithm);
            }
        }
    }
    Ok(())
}

/// A description's text. What is no regular file may have no end, or may not begin.
fn text_of(file: &Path) -> std::io::Result<String> {
    let found = fs::metadata(file)?;
    let refused = |what: String| Err(std::io::Error::other(what));
    match found.len() {
        _ if !found.is_file() => refused("a description is a regular file".to_owned()),
        long if long > LONGEST_DESCRIPTION => {
            refused(format!("a description has {LONGEST_DESCRIPTION} octets at most, and this one {long}"))
        }
        _ => fs::read_to_string(file),
    }
}

/// The file itself, or those in a folder, by name.
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

fn described(path: &Path, text: &str, own: Option<&Path>) -> Result<Vec<Algorithm>, String> {
    let mut file: Table = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let (line, column) =
            (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
        format!("line {line}, column {column}: {}", error.message())
    })?;
    match file.remove("kind") {
        None => {}
        Some(Value::String(kind)) if kind == kind::Signature::WORD => {}
        Some(other) => {
            return Err(format!("only algorithms of the kind “signature” can be attached, not {other}"));
        }
    }
    let mut engines = Vec::new();
    for entry in entries(&mut file) {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > 60 || !name.chars().all(is_name) {
            let name = name.escape_debug();
            return Err(format!("“{name}” is no name: give small letters, digits and hyphens"));
        }
        let engine = entry.remove("engine").ok_or_else(|| format!("{name} has no engine"))?;
        let engine: Attachment =
            engine.try_into().map_err(|error| format!("the engine of {name}: {error}"))?;
        let answers = entry.remove("known-answers").map_or(Ok(Vec::new()), Value::try_into);
        let answers: Vec<Answer> =
            answers.map_err(|error| format!("the known answers of {name}: {error}"))?;
        engines.push((name, engine, answers));
    }
    let text = toml::to_string(&file).map_err(|error| error.to_string())?;
    let all = facts::read::<kind::Signature>(&[(&path.to_string_lossy(), &text)]);
    let directory = std::path::absolute(path).map_err(|error| error.to_string())?;
    let directory = directory.parent().unwrap_or(Path::new("/"));
    let all = all.map_err(|error| {
        // The file is named by whoever hears of this.
        let (text, file) = (error.to_string(), format!("{}: ", path.display()));
        text.strip_prefix(&file).unwrap_or(&text).to_owned()
    })?;
    all.into_iter()
        .map(|facts| {
            let at = engines.iter().position(|(name, ..)| *name == facts.name);
            let (_, engine, answers) = engines.swap_remove(at.ok_or("two of one name")?);
            algorithm(facts, engine, answers, directory, own)
        })
        .collect()
}

fn entries(file: &mut Table) -> impl Iterator<Item = &mut Table> {
    let entries = file.get_mut("algorithm").and_then(Value::as_array_mut);
    entries.into_iter().flatten().filter_map(Value::as_table_mut)
}

fn algorithm(
    mut facts: Facts,
    engine: Attachment,
    answers: Vec<Answer>,
    directory: &Path,
    own: Option<&Path>,
) -> Result<Algorithm, String> {
    let Attachment { version, program, library, prefix, deadline } = engine;
    let of = &mut facts.kind;
    let sizes = Sizes { public_key: of.public_key, secret_key: of.secret_key, signature: of.signature };
    if [sizes.public_key, sizes.secret_key, sizes.signature].iter().any(|it| !(1..=LARGEST).contains(it)) {
        return Err(format!("{}: keys and signatures have 1 to {LARGEST} octets", facts.name));
    }
    if !(deadline > 0.0 && deadline <= LONGEST) {
        return Err(format!("{} needs a deadline above 0 and up to {LONGEST} seconds", facts.name));
    }
    let (name, title, words, stored) = match (program, library) {
        (Some(words), None) if !words.is_empty() => (ENGINE_PIPE, words.join(" "), words, sizes),
        (None, Some(file)) => {
            let own = own.and_then(Path::to_str).ok_or("this program does not serve libraries")?;
            let path = directory.join(&file);
            let path = path.to_str().ok_or("a library needs a path that is UTF-8")?;
            let words = library::words(own, path, &prefix, sizes);
            (ENGINE_LIBRARY, file.display().to_string(), words, library::stored(sizes))
        }
        _ => return Err(format!("{} needs either a program or a library", facts.name)),
    };
    of.secret_key = stored.secret_key;
    let deterministic = of.randomness == Some(signature::Randomness::Never);
    let deadline = Duration::from_secs_f64(deadline);
    let program = Program { title, words, directory: directory.to_path_buf(), deadline };
    let engine = Engine::new(facts.name.clone(), program, stored, deterministic);
    let code = Arc::new(engine.clone());
    let is_library = name == ENGINE_LIBRARY;
    let prove = Prove::Attached(Box::new(move || prove(&engine, &answers, is_library)));
    // Leaked, as all facts live as long as the program: once for each algorithm that was attached.
    let facts = Box::leak(Box::new(facts));
    Ok(Algorithm { facts, implementations: vec![Implementation { name, version, code, prove }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: &str = r#"
        kind = "signature"
        [family]
        title = "Toy"
        status = "research"
        standard = "a test"
        hardness = "none"
        post-quantum = false
        [[algorithm]]
        name = "toy"
        title = "Toy"
        public-key = 32
        secret-key = 32
        signature = 32
        [algorithm.engine]
        version = "1"
    "#;

    fn read(more: &str, own: Option<&str>) -> Result<Algorithm, String> {
        let described = described(Path::new("toy.toml"), &format!("{TOY}{more}"), own.map(Path::new));
        described.map(|mut all| all.swap_remove(0))
    }

    #[test]
    fn descriptions() {
        let one = read("program = ['toy']", None).expect("whole");
        assert_eq!((one.facts.name.as_str(), one.implementations[0].name), ("toy", ENGINE_PIPE));
        assert!(one.implementations[0].experiment().is_some());
        let one = read("library = './libtoy.so'", Some("/bin/true")).expect("whole");
        assert_eq!((one.facts.kind.secret_key, one.implementations[0].name), (64, ENGINE_LIBRARY));
        for (more, why) in [
            ("", "needs either a program or a library"),
            ("program = []", "needs either a program or a library"),
            ("program = ['x']\nlibrary = 'y'", "needs either a program or a library"),
            ("library = 'x.so'", "this program does not serve libraries"),
            ("program = ['x']\ndeadline = 0", "above 0 and up to 3600 seconds"),
            ("program = ['x']\ncolour = 'red'", "colour"),
            (
                "program = ['x']\n[[algorithm.known-answers]]\npublic-key = '0'\nmessage = ''\nsignature = ''",
                "hexadecimal",
            ),
        ] {
            let found = read(more, None).err().expect("it is of no use");
            assert!(found.contains(why), "{more}: {found}");
        }
    }
}
