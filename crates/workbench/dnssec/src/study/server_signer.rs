//! The server's own signer: BIND's `dnssec-signzone` signs the zone too, with keys of the same algorithms, as a program of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fieldtest_dns_internet::InternetError;
use fieldtest_dns_internet::server::Server;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_measure::CpuTime;
use fieldtest_measure::record::{Implementation, Record};
use fieldtest_measure::words::Time;
use fieldtest_study::whole_job::Cost;
use fieldtest_study::whole_job::enter_unmeasured;
use fieldtest_study::whole_job::estimate::{Estimate, Reading};
use fieldtest_study::whole_job::rounds::{self, Job};
use fieldtest_study::{Bench, RecordWriter, StudyError, Subject};

use super::zone_part::refused;
use super::zone_work::{unsigned, validate_whole};
use super::{Source, fault};
use crate::internet::{Folder, NUMBERS, attached, tool, version};
use crate::words::Operation;

/// What records call it, whatever its file is called.
const SIGNER: &str = "dnssec-signzone";
/// No run is given up before that.
const SHORTEST: Duration = Duration::from_secs(2);

pub(super) struct ServerSigner {
    program: PathBuf,
    version: String,
    /// What has it attach engines.
    attached: Vec<(&'static str, OsString)>,
}

/// What signs with one algorithm.
struct Work<'a> {
    signer: &'a ServerSigner,
    subject: &'a Subject,
    code_point: &'a CodePoint,
    /// Its keys and what it writes.
    folder: PathBuf,
    zone: &'a Path,
    origin: String,
    longest: Duration,
}

/// What a run showed: nothing where it took too long, and why where the program does not sign.
type Run = Result<Option<Reading>, String>;

impl ServerSigner {
    pub(super) fn find(named: &Path) -> Result<ServerSigner, StudyError> {
        let program = tool(named).map_err(fault)?;
        let told = version(&program, "-V");
        let version = told.strip_prefix(SIGNER).map_or(told.as_str(), str::trim_start).to_owned();
        Ok(ServerSigner { program, version, attached: attached().map_err(fault)? })
    }

    /// Has it sign the zone with every algorithm in turn, within `budget`, and enters what that took. Keys are made by the first
    /// implementation of each, and what the first run signs is validated by that.
    pub(super) fn run<'a>(
        &self,
        bench: &mut Bench<'_>,
        writer: &mut RecordWriter,
        source: &Source,
        subjects: &'a [Subject],
        code_point: &dyn Fn(&Subject) -> Result<&'a CodePoint, StudyError>,
        budget: Duration,
    ) -> Result<(), StudyError> {
        let mut first: Vec<&Subject> = Vec::new();
        for subject in subjects {
            if !first.iter().any(|known| known.algorithm.facts.name == subject.algorithm.facts.name) {
                first.push(subject);
            }
        }
        let Some(any) = first.first() else { return Ok(()) };
        let folder = Folder::new().map_err(fault)?;
        let files = folder.within(SIGNER).map_err(fault)?;
        let zone = files.join("zone");
        std::fs::write(&zone, unsigned(source, any, code_point(any)?)?).map_err(fault)?;
        let longest = (budget / first.len() as u32).max(SHORTEST);
        let mut works = Vec::new();
        for subject in first {
            let folder = folder.within(&subject.algorithm.facts.name).map_err(fault)?;
            let origin = source.zone.apex().to_string();
            let code_point = code_point(subject)?;
            let work = Work { signer: self, subject, code_point, folder, zone: &zone, origin, longest };
            work.make_keys(source)?;
            works.push(work);
        }
        let stop = bench.interrupt;
        let job = |work: &'_ Work<'_>| -> String {
            format!("{SIGNER} signing {} with {}", source.input.name, work.subject.algorithm.facts.name)
        };
        let mut jobs: Vec<Job<'_, Run>> = Vec::new();
        for work in &works {
            let turn = move |round| work.sign(round, stop);
            jobs.push(Job { doing: job(work), fits: false, turn: Box::new(turn) });
        }
        let found = rounds::run(bench, &mut jobs, budget)?;
        drop(jobs);
        for (work, runs) in works.iter().zip(&found) {
            if !(runs.is_empty() && bench.interrupted()) {
                work.enter(bench, writer, source, runs);
            }
        }
        // One that signs with some algorithms lacks the others; one that signs with none is no signer.
        let why = |runs: &Vec<Run>| runs.iter().find_map(|run| run.as_ref().err().cloned());
        let whys: Option<Vec<String>> = found.iter().map(why).collect();
        match whys.and_then(|whys| whys.into_iter().next()) {
            Some(why) => {
                let program = self.program.display();
                Err(fault(format!("cannot sign with '{program}': it {why}; give BIND's dnssec-signzone")))
            }
            None => Ok(()),
        }
    }
}

impl Work<'_> {
    /// A key-signing and a zone-signing key, as files.
    fn make_keys(&self, source: &Source) -> Result<(), StudyError> {
        for key_use in [KeyUse::KeySigning, KeyUse::ZoneSigning] {
            let code = self.subject.implementation.code.as_ref();
            let made = ZoneKey::generate(*source.zone.apex(), key_use, self.code_point.clone(), code);
            let key = made.map_err(|error| refused(self.subject, error))?;
            key.write(&self.folder).map_err(|error| refused(self.subject, error))?;
        }
        Ok(())
    }

    fn sign(&self, round: usize, stop: &AtomicBool) -> Result<Run, StudyError> {
        let out = self.folder.join("signed");
        let (begun, before) = (Instant::now(), CpuTime::of_children());
        let started = Server::start(
            SIGNER,
            &self.signer.program,
            |command| {
                let numbers = format!("{}={}", self.code_point, self.subject.algorithm.facts.name);
                command.envs(self.signer.attached.iter().map(|(name, value)| (name, value)));
                // Neither does it verify what it signed (-P), which fieldtest does not do either.
                command.env(NUMBERS, numbers).args(["-P", "-S", "-O", "raw", "-o", &self.origin]);
                let folder = &self.folder;
                command.arg("-K").arg(folder).arg("-d").arg(folder).arg("-f").arg(&out).arg(self.zone)
            },
            self.folder.join("log"),
            "select another one with --signer",
        );
        let ended = started.and_then(|mut signer| signer.finish(begun + self.longest, stop));
        let wall = begun.elapsed().as_secs_f64();
        match ended {
            Ok(true) => {}
            Ok(false) | Err(InternetError::Interrupted) => return Ok(Ok(None)),
            Err(InternetError::Server { what, log, .. }) => {
                return Ok(Err(format!("{what}; its log ends with: {log}")));
            }
            Err(error) => return Err(fault(error)),
        }
        let cpu = match (before, CpuTime::of_children()) {
            (Some(before), Some(after)) => after.since(&before).total().as_secs_f64(),
            _ => wall,
        };
        if round == 0 {
            let signed = std::fs::read(&out).map_err(fault)?;
            validate_whole(
                &signed,
                self.subject,
                self.subject.implementation.code.as_ref(),
                self.code_point,
            )?;
        }
        Ok(Ok(Some(Reading::Whole(Cost { wall, cpu }))))
    }

    fn enter(&self, bench: &Bench<'_>, writer: &mut RecordWriter, source: &Source, runs: &[Run]) {
        let signer = Implementation::new(SIGNER, self.signer.version.clone());
        for time in Time::ALL {
            let name = &self.subject.algorithm.facts.name;
            let record = Record {
                implementation: Some(signer.clone()),
                input: Some(source.input.clone()),
                ..writer.result(name, Operation::ServerSignZone.word(), time.word(), 0.0, "s")
            };
            let whole: Result<Option<Vec<Reading>>, &String> = runs
                .iter()
                .map(|run| run.as_ref().copied().transpose())
                .collect::<Option<Result<_, _>>>()
                .transpose();
            let result = match whole {
                Err(why) => return enter_unmeasured(writer, record, why),
                Ok(readings) => readings.and_then(|all| Estimate::of(&all, time, 0, bench.surroundings).ok()),
            };
            match result {
                None => return enter_unmeasured(writer, record, "too little time for a run of it"),
                Some(result) => {
                    let mut record = result.told_in(record);
                    let by = self.subject.name();
                    record.notes.push(format!("from file to file; what it signed was validated by {by}"));
                    writer.record(record);
                }
            }
        }
    }
}
