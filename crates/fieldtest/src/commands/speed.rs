//! `fieldtest speed`: the operations of an algorithm without a carrier.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use fieldtest_catalog::kind::{Aead, Cipher, Hash, Kind, Mac, Signature};
use fieldtest_catalog::{self as catalog, Algorithm};
use fieldtest_frame::measuring::{Session, known_implementation, refused};
use fieldtest_report::Report;
use fieldtest_study::part::BASELINE;
use fieldtest_study::speed::messages::{self, MessageStage};
use fieldtest_study::{Bench, Choice, RecordWriter, StudyError, Subject, selection, speed};

use crate::args::{AlgorithmKind, Speed};
use crate::carriers::study_sections;
use crate::commands::records::RECORDS;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

/// The algorithms that are timed, kind by kind.
struct Chosen {
    signatures: Vec<&'static Algorithm<Signature>>,
    macs: Vec<&'static Algorithm<Mac>>,
    hashes: Vec<&'static Algorithm<Hash>>,
    ciphers: Vec<&'static Algorithm<Cipher>>,
    aeads: Vec<&'static Algorithm<Aead>>,
}

impl Chosen {
    fn new(names: &[String], kind: Option<AlgorithmKind>) -> Result<Chosen> {
        if let Some(kind) = kind {
            names.iter().try_for_each(|name| kind.check(name)).map_err(usage)?;
        }
        let kind = kind.map_or(Signature::WORD, AlgorithmKind::word);
        let named = names.iter().map(|name| Ok((name, catalog::entry(name)?.kind())));
        let named = named.collect::<Result<Vec<_>, catalog::UnknownName>>().map_err(usage)?;
        fn of<K: Kind>(named: &[(&String, &str)], kind: &str) -> Result<Vec<&'static Algorithm<K>>> {
            let of_kind = named.iter().filter(|(_, kind)| *kind == K::WORD);
            let names: Vec<String> = of_kind.map(|(name, _)| (*name).clone()).collect();
            if names.is_empty() && !(named.is_empty() && kind == K::WORD) {
                return Ok(Vec::new());
            }
            selection::algorithms(&names).map_err(refused)
        }
        Ok(Chosen {
            signatures: of(&named, kind)?,
            macs: of(&named, kind)?,
            hashes: of(&named, kind)?,
            ciphers: of(&named, kind)?,
            aeads: of(&named, kind)?,
        })
    }

    fn names(&self) -> Vec<&'static str> {
        fn of<K: Kind>(all: &[&'static Algorithm<K>]) -> impl Iterator<Item = &'static str> {
            all.iter().map(|algorithm| algorithm.facts.name.as_str())
        }
        let keys = of(&self.signatures).chain(of(&self.macs)).chain(of(&self.hashes));
        keys.chain(of(&self.ciphers)).chain(of(&self.aeads)).collect()
    }
}

type Check<'a, K> = dyn Fn(&[Subject<K>]) -> Result<(), StudyError> + 'a;
type Measure<'a, K> = dyn Fn(&mut Bench<'_>, &mut RecordWriter, &[Subject<K>]) -> Result<(), StudyError> + 'a;

/// Why nothing is proven. Of one algorithm, the catalog says which implementations it has.
fn nothing<K: Kind>(algorithms: &[&'static Algorithm<K>], choice: &Choice) -> anyhow::Error {
    let lacking = match (algorithms, choice) {
        ([one], Choice::Named(names)) => names.iter().find_map(|name| one.implementation(name).err()),
        _ => None,
    };
    match lacking {
        Some(unknown) => coded("nothing", usage(unknown)),
        None => refused(StudyError::Nothing),
    }
}

/// Proves and times the algorithms of one kind in their share of the time.
fn time<K: Kind>(
    session: &mut Session,
    choice: &Choice,
    (algorithms, share, is_named): (&[&'static Algorithm<K>], f64, bool),
    (check, measure): (&Check<'_, K>, &Measure<'_, K>),
) -> Result<bool> {
    if algorithms.is_empty() {
        return Ok(false);
    }
    let mut say = |text: &str| session.progress.say(text);
    let proven = selection::prove(algorithms, choice, session.interrupt, &mut say, &mut session.failed);
    let mut subjects = match proven {
        // An implementation that was named may be one of another kind.
        Err(StudyError::Nothing) if share < 1.0 => return Ok(false),
        Err(StudyError::Nothing) => return Err(nothing(algorithms, choice)),
        proven => proven.map_err(refused)?,
    };
    // Of a whole kind, what takes no message of these sizes is left out; what was named is not.
    let mut refused_by = Vec::new();
    if is_named {
        check(&subjects).map_err(|error| match error {
            StudyError::Implementation { algorithm, source, .. } => {
                let source = source.to_string();
                let why = source.trim_start_matches("the library failed: ");
                usage(format!("invalid --size: {algorithm} cannot process {why}"))
            }
            other => usage(format!("invalid --size: {other}")),
        })?;
    } else {
        subjects.retain(|subject| {
            let checked = check(std::slice::from_ref(subject));
            refused_by.extend(checked.as_ref().err().map(ToString::to_string));
            checked.is_ok()
        });
    }
    if let (true, Some(why)) = (subjects.is_empty(), refused_by.first()) {
        return Err(usage(format!("invalid --size: {why}")));
    }
    refused_by.iter().for_each(|why| output::message(&format!("not measured: {why}")));
    session.run(session.budget.mul_f64(share), |bench, writer| {
        selection::leave_out(&mut subjects, &mut bench.failed)?;
        measure(bench, writer, &subjects)
    })?;
    Ok(true)
}

pub(crate) fn run(args: &Speed, format: Format) -> Result<Outcome> {
    let chosen = Chosen::new(&args.select.algorithms, args.kind)?;
    for place in [&args.output, &args.windows].into_iter().flatten() {
        output::check_place(place)?;
    }
    if let Some(records) = &args.output {
        output::check_extension(records, RECORDS, &["jsonl", "json"])?;
    }
    if let Some(windows) = &args.windows {
        output::check_extension(windows, "compressed CSV", &["csv.gz", "gz"])?;
    }
    if let Some((records, windows)) = args.output.as_deref().zip(args.windows.as_deref()) {
        output::check_apart(records, windows)?;
    }
    let names = chosen.names();
    let sizes: Vec<usize> =
        args.sizes.iter().map(|&size| size as usize).collect::<BTreeSet<_>>().into_iter().collect();
    if !sizes.is_empty() && names.len() == chosen.signatures.len() {
        return Err(usage(
            "cannot use --size with signatures only; remove it, or name a hash function, MAC, cipher or AEAD",
        ));
    }
    let baseline = match &args.baseline {
        None => BASELINE,
        Some(name) => catalog::entry(name).map_err(usage)?.name(),
    };
    if args.baseline.is_some() && !names.contains(&baseline) {
        return Err(usage(format!("the baseline {baseline} is not among the algorithms to measure; add it")));
    }
    known_implementation(args.select.implementations.iter().map(String::as_str))?;
    let choice = Choice::in_study(&args.select.implementations, args.measure.thorough);
    let mut session = Session::begin(&args.measure, &Default::default(), vec![&MessageStage])?;
    let share = |algorithms: usize| algorithms as f64 / names.len() as f64;
    macro_rules! time {
        ($algorithms:ident, $check:expr, $measure:expr) => {{
            let named = !args.select.algorithms.is_empty();
            let part = (chosen.$algorithms.as_slice(), share(chosen.$algorithms.len()), named);
            time(&mut session, &choice, part, (&$check, &$measure))?
        }};
    }
    macro_rules! time_messages {
        ($algorithms:ident) => {
            time!($algorithms, |subjects| messages::check(subjects, &sizes), |bench, writer, subjects| {
                messages::run(bench, writer, subjects, &sizes, baseline)
            })
        };
    }
    let timed = [
        time!(signatures, |_| Ok(()), |bench, writer, subjects| speed::run(
            bench, writer, subjects, baseline
        )),
        time_messages!(macs),
        time_messages!(hashes),
        time_messages!(ciphers),
        time_messages!(aeads),
    ];
    if !timed.contains(&true) {
        return Err(refused(StudyError::Nothing));
    }
    let (lines, windows, outcome) = session.end();
    let windows = args.windows.as_deref().zip(windows.into_bytes());
    let save = || {
        args.output.as_ref().map_or(Ok(()), |path| output::records(path, &lines))?;
        windows.as_ref().map_or(Ok(()), |(path, bytes)| output::file(path, bytes))
    };
    // Whatever cannot be written, the rest is.
    let saved = save();
    // Where the records go to standard output, they have it for themselves.
    if args.output.as_deref() != Some(Path::new(output::STDOUT)) {
        output::rendered(&Report::from_lines(lines, study_sections())?.render(format.for_stdout()), format)?;
    }
    saved?;
    Ok(outcome)
}
