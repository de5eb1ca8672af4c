//! A description: the facts of algorithms, what is started for each, and answers of their author's.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fieldtest_engine::library::{self, Names};
use fieldtest_engine::{Connection, Program};
use fieldtest_text::toml as toml_words;
use serde::Deserialize;
use toml::{Table, Value};

use super::{Attach, Code, ENGINE_LIBRARIES, ENGINE_LIBRARY, ENGINE_PIPE};
use crate::facts::{self, Facts, in_words};
use crate::{Algorithm, Implementation, KatError, Prove};

/// The longest an engine may be waited for, in seconds.
const LONGEST: f64 = 3_600.0;
const MOST_PROCESSES: usize = 256;
/// What stands for all algorithms where names are typed.
const ALL: &str = "all";

/// How an engine is attached, under `[algorithm.engine]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Attachment {
    version: String,
    program: Option<Vec<String>>,
    /// A shared object instead, with well-known functions.
    library: Option<PathBuf>,
    /// What their names begin with.
    #[serde(default)]
    prefix: String,
    /// What stands behind the word of the kind in them.
    #[serde(default)]
    suffix: String,
    /// Seconds that any answer may take.
    #[serde(default = "usual_deadline")]
    deadline: f64,
    /// How many of it may run beside each other.
    #[serde(default = "one")]
    processes: usize,
}

fn usual_deadline() -> f64 {
    10.0
}

fn one() -> usize {
    1
}

pub(super) fn table(text: &str) -> Result<Table, String> {
    toml::from_str(text).map_err(|error| toml_words::syntax(text, error.span(), error.message()))
}

/// What is wrong with a description, with the place of the value or of the algorithm that it names.
pub(super) fn located(text: &str, what: String) -> String {
    if what.starts_with("line ") {
        return what;
    }
    let mut quoted = what.split('\'').skip(1).step_by(2);
    let is_there = |name: &&str| text.contains(name.trim());
    let Some(first) = quoted.next().filter(is_there) else { return what };
    // Behind the algorithm's name comes what is wrong with it.
    let bad = what.split("invalid ").nth(1).and_then(|rest| rest.split(' ').next());
    let second = bad.or(quoted.next()).filter(|_| what.starts_with('\'')).filter(is_there);
    toml_words::of_name(text, second.unwrap_or(first), &what)
}

pub(super) fn described<K: Attach>(
    path: &Path,
    mut file: Table,
    own: Option<&Path>,
) -> Result<Vec<Algorithm<K>>, String> {
    let mut engines = Vec::new();
    for entry in entries(&mut file) {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        check_name(&name)?;
        let engine = entry
            .remove("engine")
            .ok_or_else(|| format!("'{name}': 'engine' is missing; add a table [algorithm.engine]"))?;
        let engine: Attachment =
            engine.try_into().map_err(|error| format!("'{name}', engine: {}", in_words("engine", &error)))?;
        let answers = entry.remove("known-answers").map_or(Ok(Vec::new()), Value::try_into);
        let answers: Vec<K::Answer> = answers
            .map_err(|error| format!("'{name}', known-answers: {}", in_words("known-answers", &error)))?;
        engines.push((name, engine, answers));
    }
    let text = toml::to_string(&file).map_err(|error| error.to_string())?;
    let all = facts::read::<K>(&[(&path.to_string_lossy(), &text)]);
    let directory = std::path::absolute(path).map_err(|error| error.to_string())?;
    let directory = directory.parent().unwrap_or(Path::new("/"));
    let all = all.map_err(|error| {
        // The file is named by whoever hears of this.
        let (text, file) = (error.to_string(), format!("{}: ", path.display()));
        text.strip_prefix(&file).unwrap_or(&text).to_owned()
    })?;
    all.into_iter()
        .map(|facts| {
            let dates =
                facts.notes.iter().map(|note| &note.date).chain(facts.checked.iter().map(|it| &it.date));
            if let Some(date) = dates.into_iter().find(|date| !facts::is_date(date)) {
                let name = &facts.name;
                return Err(format!("'{name}': invalid date '{date}': expected a date, such as 2026-11-22"));
            }
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

fn check_name(name: &str) -> Result<(), String> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let shown = name.escape_debug();
    if name.is_empty() || name.len() > 60 || !name.chars().all(is_name) || name.starts_with('-') {
        return Err(format!("invalid name '{shown}': expected lower-case letters, digits and hyphens"));
    }
    match name == ALL {
        true => Err(format!("'{shown}' stands for every algorithm; give this one another name")),
        false => Ok(()),
    }
}

fn algorithm<K: Attach>(
    mut facts: Facts<K>,
    engine: Attachment,
    answers: Vec<K::Answer>,
    directory: &Path,
    own: Option<&Path>,
) -> Result<Algorithm<K>, String> {
    let Attachment { version, program, library, prefix, suffix, deadline, processes } = engine;
    let of = |what: String| format!("'{}': {what}", facts.name);
    K::check(&facts.kind).map_err(of)?;
    if !(deadline > 0.0 && deadline <= LONGEST) {
        return Err(of(format!(
            "invalid deadline '{deadline}': expected seconds above 0, at most {LONGEST}"
        )));
    }
    let invalid = || of(format!("invalid processes '{processes}': expected 1 to {MOST_PROCESSES}"));
    let processes = NonZero::new(processes).filter(|it| it.get() <= MOST_PROCESSES).ok_or_else(invalid)?;
    let (name, title, words) = match (program, library) {
        (Some(words), None) if !words.is_empty() => (ENGINE_PIPE, words.join(" "), words),
        (None, Some(file)) => {
            let refused = || {
                of(format!(
                    "a shared object is attached only on request; set {ENGINE_LIBRARIES}=yes, or call ft_engine_attach() with FT_ENGINE_LIBRARIES"
                ))
            };
            let own = own.and_then(Path::to_str).ok_or_else(refused)?;
            let path = directory.join(&file);
            let path = path.to_str().ok_or("a library needs a path that is UTF-8")?.to_owned();
            let words = library::words(own, Names { file: path, prefix, suffix }, K::interface(&facts.kind));
            (ENGINE_LIBRARY, file.display().to_string(), words)
        }
        _ => return Err(of("give 'program' or 'library' under engine, and not both".to_owned())),
    };
    let deadline = Duration::from_secs_f64(deadline);
    let program = Program { title, words, directory: directory.to_path_buf(), deadline, processes };
    let connection = Connection::new(facts.name.clone(), program);
    let Code { code, prove } = K::code(&mut facts.kind, connection.clone(), answers, name == ENGINE_LIBRARY);
    let engine = connection.clone();
    let prove = Arc::new(move || -> Result<_, KatError> {
        engine.reach().map_err(|why| {
            let (origin, what) = why.split_once(": ").unwrap_or(("the engine", &why));
            let what = fieldtest_text::system(what).into_owned();
            KatError { origin: origin.to_owned(), case: String::new(), what }
        })?;
        prove()
    });
    let judge = Arc::clone(&prove);
    connection.judge_by(move || judge().map(drop).map_err(|error| error.to_string()));
    let prove = Prove::Attached(Box::new(move || connection.prove(|| prove())));
    // Leaked, as all facts live as long as the program: once for each algorithm that was attached.
    let facts = Box::leak(Box::new(facts));
    Ok(Algorithm { facts, implementations: vec![Implementation { name, version, code, prove }] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{Cipher, Hash, Mac, Signature};

    const FAMILY: &str = "[family]\ntitle='Toy'\nstatus='research'\nstandard='a test'\nhardness='none'\n";
    const NAMED: &str = "[[algorithm]]\nname='toy'\ntitle='Toy'\n";
    const SIZES: &str = "post-quantum=false\npublic-key=32\nsecret-key=32\nsignature=32\n";
    const ENGINE: &str = "[algorithm.engine]\nversion='1'\n";

    fn read<K: Attach>(own: &str, more: &str, library: Option<&str>) -> Result<Algorithm<K>, String> {
        let table = table(&format!("{FAMILY}{NAMED}{own}{ENGINE}{more}"))?;
        let described = described(Path::new("toy.toml"), table, library.map(Path::new));
        described.map(|mut all| all.swap_remove(0))
    }

    #[test]
    fn signatures() {
        let read = |more: &str, own| read::<Signature>(SIZES, more, own);
        let one = read("program = ['toy']", None).expect("whole");
        assert_eq!((one.facts.name.as_str(), one.implementations[0].name), ("toy", ENGINE_PIPE));
        assert!(one.implementations[0].experiment().is_some());
        let one = read("library = './libtoy.so'", Some("/bin/true")).expect("whole");
        assert_eq!((one.facts.kind.secret_key, one.implementations[0].name), (64, ENGINE_LIBRARY));
        for (more, why) in [
            ("", "'library'"),
            ("program = []", "'library'"),
            ("program = ['x']\nlibrary = 'y'", "'library'"),
            ("library = 'x.so'", ENGINE_LIBRARIES),
            ("program = ['x']\ndeadline = 0", "invalid deadline '0'"),
            ("program = ['x']\nprocesses = 0", "invalid processes '0'"),
            ("program = ['x']\nversoin = '2'", "did you mean 'version'?"),
            ("program = ['x']\nprocesses = 'two'", "invalid processes 'two'"),
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

    #[test]
    fn other_kinds() {
        let program = "program = ['toy']\n";
        let hash = "digest=32\npreimage=256\noutput='all'\n";
        let mac = "tag=16\ntraffic-key=32\nmaster-key='any'\nderivation='none'\nextracts=false\n";
        let cipher =
            "key=32\ntweak=16\nwidth='wide'\nmode='toy'\nfor-disks=true\ndm-crypt='toy-toy-plain64'\n";
        assert!(read::<Hash>(hash, program, None).is_ok());
        assert!(read::<Mac>(mac, program, None).is_ok());
        assert!(read::<Cipher>(cipher, program, None).is_ok());
        let refused = |found: Result<(), String>, why: &str| {
            let found = found.expect_err("it is of no use");
            assert!(found.contains(why), "{found}");
        };
        let read_hash = |of: &str| read::<Hash>(of, program, None).map(drop);
        refused(read_hash(&hash.replace("=32", "=0")), "invalid digest '0'");
        let read_mac = |of: &str, more: &str| read::<Mac>(of, &format!("{program}{more}"), None).map(drop);
        refused(read_mac(&mac.replace("traffic-key=32", ""), ""), "'traffic-key'");
        refused(read_mac(&format!("{mac}binds-length=true\n"), ""), "binds-length");
        let half = "[[algorithm.known-answers]]\ntraffic-key=''\nmessage=''";
        refused(read_mac(mac, half), "tag");
        let read_cipher = |of: &str| read::<Cipher>(of, program, None).map(drop);
        refused(read_cipher(&cipher.replace("tweak=16", "tweak=17")), " 16");
        refused(read_cipher(&cipher.replace("toy-toy-plain64", "toy")), "cipher-mode-iv");
    }

    #[test]
    fn names() {
        for name in ["", "-a", "a b", "ä", "all", "A"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert_eq!(check_name("toy-1"), Ok(()));
    }
}
