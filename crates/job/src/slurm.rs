//! A job on a cluster: each wave is an array of Slurm, of which each task does one item.
//!
//! Slurm decides where and when, starts anew what was on a node that failed, and ends what takes too much. What is known
//! afterwards is what the ledger says: an item whose task ended without a word is entered as failed, with what Slurm says of
//! it, and handed in again.

mod options;
mod profile;

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use fieldtest_text as text;
pub use profile::{Class, Profile};

use crate::error::failed;
use crate::summary::Summary;
use crate::{Item, Job, JobError, files};

/// Between two looks at the ledger.
const BETWEEN: Duration = Duration::from_millis(500);
/// How long pieces may wait before Slurm is asked why, and how often it is asked then.
const FIRST_ASKED: Duration = Duration::from_secs(3);
const ASKING: Duration = Duration::from_secs(30);

/// The scripts that do these items, one for each array. `command` is what does the item whose name for machines is added to
/// it.
///
/// # Errors
///
/// [`JobError::NoClass`].
pub fn scripts(
    job: &Job,
    profile: &Profile,
    command: &[String],
    items: &[&Item],
) -> Result<Vec<String>, JobError> {
    arrays(items, profile.largest_array())
        .into_iter()
        .map(|array| script(job, profile, command, &array))
        .collect()
}

/// Items that are handed in together: of those that need the same, as many as an array takes.
fn arrays<'i>(items: &[&'i Item], largest: usize) -> Vec<Vec<&'i Item>> {
    let mut alike: Vec<Vec<&Item>> = Vec::new();
    for item in items {
        match alike.iter_mut().find(|others| others[0].needs == item.needs) {
            Some(others) => others.push(item),
            None => alike.push(vec![item]),
        }
    }
    alike.iter().flat_map(|items| items.chunks(largest)).map(<[_]>::to_vec).collect()
}

fn script(job: &Job, profile: &Profile, command: &[String], items: &[&Item]) -> Result<String, JobError> {
    let needs = items.first().map(|item| item.needs.clone()).unwrap_or_default();
    let class = needs.class.as_ref().map(|name| match profile.classes.get(name) {
        Some(class) => Ok(class),
        None => Err(JobError::NoClass { name: name.clone() }),
    });
    let class = class.transpose()?;
    let wave = items.first().map_or(0, |item| item.wave);
    let logs = job.folder().join("logs").display().to_string();
    if logs.contains(char::is_control) {
        return Err(sbatch(format!(
            "reads line by line, and {logs:?} is more than one; name another folder"
        )));
    }
    // Where sbatch(1) puts numbers in, `%` stands for itself if there are two.
    let logs = logs.replace('%', "%%");
    let at_once = profile.at_once.map_or(String::new(), |most| format!("%{most}"));
    let mut options = vec![
        format!("--job-name=fieldtest-{wave}"),
        format!("--array=0-{}{at_once}", items.len().saturating_sub(1)),
        // What was on a node that failed is started anew, and adds to its log.
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        format!("--output={logs}/%A-%a"),
    ];
    let mut value = |option: &str, value: Option<String>| {
        options.extend(value.map(|value| format!("--{option}={value}")));
    };
    value("partition", profile.partition.clone());
    value("account", profile.account.clone());
    value("time", profile.time.clone());
    value("mem", profile.memory.clone());
    value("cpus-per-task", profile.cpus.map(|cpus| cpus.to_string()));
    options.extend((profile.exclusive || needs.alone).then(|| "--exclusive".to_owned()));
    options.extend(profile.options.iter().chain(class.into_iter().flat_map(|it| &it.options)).cloned());

    let mut script = String::from("#!/bin/bash\n");
    for option in options {
        let _ = writeln!(script, "#SBATCH {}", sbatch_word(&option));
    }
    script.push_str("items=(\n");
    for item in items {
        let name: String = item.name.chars().filter(|letter| !letter.is_control()).collect();
        let _ = writeln!(script, "    {} # {name}", item.id);
    }
    script.push_str(")\n");
    if !profile.before.is_empty() {
        // In another environment than was meant nothing is done.
        let _ = writeln!(script, "set -e\n{}", profile.before.join("\n"));
    }
    let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
    let _ = writeln!(script, "exec {} \"${{items[$SLURM_ARRAY_TASK_ID]}}\"", words.join(" "));
    Ok(script)
}

/// A word as sbatch reads it in a script.
fn sbatch_word(word: &str) -> String {
    match word.contains(|letter: char| letter.is_whitespace() || "\"'\\".contains(letter)) {
        true => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")),
        false => word.to_owned(),
    }
}

/// A word as a shell reads it.
fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Hands the waves of a job to Slurm, one after another, and waits for each. Once `stop` is set nothing more is handed in or
/// waited for; what was goes on. `say` is told what Slurm lets the job wait for: what sbatch says while it does not get a job in, and why
/// pieces do not begin.
///
/// # Errors
///
/// [`JobError::Failed`] once an item was handed in as often as the profile allows; [`JobError::Refused`] unless each item is
/// wanted for itself; [`JobError::Running`]; Slurm takes no
/// job; the folder cannot be read or written.
pub fn run(
    job: &Job,
    profile: &Profile,
    command: &[String],
    stop: &AtomicBool,
    progress: impl Fn(&Summary),
    say: impl Fn(&str),
) -> Result<Summary, JobError> {
    let _held = job.hold()?;
    let items = job.plan().items.len();
    if job.is_whole()? {
        return Ok(Summary { done: items, items, ..Summary::default() });
    }
    for folder in ["logs", "scripts"].map(|name| job.folder().join(name)) {
        files::make_folder(&folder).map_err(|source| failed("make", &folder, source))?;
    }
    let lines = job.begin()?;
    let before = job.summary(0, lines)?.done;
    let tell = || -> Result<Summary, JobError> {
        let summary = job.summary(before, lines)?;
        progress(&summary);
        Ok(summary)
    };
    let mut failed_for_good = Vec::new();
    let mut waits = Waits::default();
    for wave in job.plan().waves() {
        let mut attempts = 0;
        // How many were open when Slurm did not take all of them.
        let mut refused_of = None;
        loop {
            let open = job.open_items(wave, lines)?;
            if open.is_empty() {
                break;
            }
            // What Slurm had no room for was no attempt, as long as that makes room.
            attempts += u32::from(refused_of.is_some_and(|before| open.len() >= before));
            if attempts >= profile.attempts() {
                failed_for_good.extend(reasons(job, &open)?);
                break;
            }
            // A failing class of hosts keeps no other from its work.
            let mut handed_in = Vec::new();
            for (at, items) in arrays(&open, profile.largest_array()).into_iter().enumerate() {
                let script = script(job, profile, command, &items)?;
                let path = job.folder().join("scripts").join(format!("wave-{}-{at}", items[0].wave));
                fs::write(&path, script).map_err(|source| failed("write", &path, source))?;
                handed_in.push(Array::hand_in(job, &path, items)?);
            }
            while handed_in.iter_mut().map(Array::is_over).collect::<Result<Vec<_>, _>>()?.contains(&false) {
                thread::sleep(BETWEEN);
                let summary = tell()?;
                if stop.load(Ordering::Relaxed) {
                    return Ok(Summary { stopped: true, ..summary });
                }
                waits.tell(&mut handed_in, &say)?;
            }
            let taken =
                handed_in.into_iter().map(|array| array.settle(job)).collect::<Result<Vec<_>, _>>()?;
            let refused = taken.iter().find_map(|taken| taken.as_ref().err());
            refused_of = refused.map(|_| open.len());
            match refused {
                Some(why) if taken.iter().all(Result::is_err) => {
                    return Err(sbatch(format!("took no job: {why}")));
                }
                Some(_) => {}
                None => attempts += 1,
            }
        }
        if job.plan().each {
            continue;
        }
        if !failed_for_good.is_empty() {
            break;
        }
        let refused = job.refused(wave, lines)?;
        if !refused.is_empty() {
            return Err(JobError::Refused(reasons(job, &refused)?));
        }
    }
    match failed_for_good.is_empty() {
        true => tell(),
        false => Err(JobError::Failed(failed_for_good)),
    }
}

/// An array that was handed in.
struct Array<'i> {
    items: Vec<&'i Item>,
    /// Lines of the ledger when it was.
    lines: usize,
    /// It ends when all tasks have, with the largest of their exit codes.
    sbatch: Child,
    begun: Instant,
    /// Lines of its two outputs as they come.
    numbers: Receiver<String>,
    words: Receiver<String>,
    /// What Slurm calls it, once it is taken.
    number: Option<String>,
    /// What sbatch said.
    said: Vec<String>,
}

impl<'i> Array<'i> {
    fn hand_in(job: &Job, script: &Path, items: Vec<&'i Item>) -> Result<Array<'i>, JobError> {
        let lines = job.lines()?;
        let mut sbatch = Command::new("sbatch")
            .args(["--wait", "--parsable"])
            .arg(script)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| sbatch(format!("cannot be started: {error}; is Slurm installed here?")))?;
        let heard =
            lines_of(sbatch.stdout.take()).and_then(|numbers| Ok((numbers, lines_of(sbatch.stderr.take())?)));
        let (numbers, words) = heard.map_err(|error| {
            let _ = sbatch.kill().and_then(|()| sbatch.wait());
            JobError::Worker(error)
        })?;
        let (begun, number, said) = (Instant::now(), None, Vec::new());
        Ok(Array { items, lines, sbatch, begun, numbers, words, number, said })
    }

    fn is_over(&mut self) -> Result<bool, JobError> {
        Ok(self.sbatch.try_wait().map_err(|error| sbatch(format!("is lost: {error}")))?.is_some())
    }

    /// Takes what sbatch has said since, which is returned.
    fn hear(&mut self) -> Vec<String> {
        // A cluster's name may stand behind the number.
        let number = |line: String| line.split(';').next().unwrap_or_default().trim().to_owned();
        let mut numbers = self.numbers.try_iter().map(number).filter(|number| !number.is_empty());
        self.number = self.number.take().or_else(|| numbers.next());
        let new: Vec<String> = self.words.try_iter().filter(|line| !self.said.contains(line)).collect();
        self.said.extend(new.iter().cloned());
        new
    }

    /// Enters what its tasks could not say themselves. Why Slurm took none of them is in the result.
    fn settle(mut self, job: &Job) -> Result<Result<(), String>, JobError> {
        self.sbatch.wait().map_err(|error| sbatch(format!("is lost: {error}")))?;
        // Both outputs have ended with it.
        self.said.extend(self.words.iter());
        let mut numbers: Vec<String> = self.number.take().into_iter().collect();
        numbers.extend(self.numbers.iter());
        let number = numbers.first().and_then(|line| line.split(';').next()).unwrap_or_default().trim();
        if number.is_empty() {
            return Ok(Err(self.said.join("; ")));
        }
        let state = job.state()?;
        for (at, item) in self.items.iter().enumerate() {
            if !job.is_heard_of(&state, &item.id, self.lines) {
                let why = format!("the worker ended without a word; Slurm says {}", task_state(number, at));
                job.enter_failure(item, why, self.begun.elapsed().as_secs_f64())?;
            }
        }
        Ok(Ok(()))
    }
}

/// The lines of an output as they come, until it ends.
fn lines_of(output: Option<impl Read + Send + 'static>) -> io::Result<Receiver<String>> {
    let (sender, lines) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let lines = output.into_iter().flat_map(|output| BufReader::new(output).split(b'\n'));
        // Whoever stops listening has ended.
        let _ = lines.map_while(Result::ok).try_for_each(|line| sender.send(told(&line)));
    })?;
    Ok(lines)
}

/// A line of Slurm's programs, which name themselves first.
fn told(line: &[u8]) -> String {
    let line = text::bytes(line);
    let rest = line.strip_prefix("sbatch:").map(str::trim_start).unwrap_or(&line);
    rest.strip_prefix("error:").map(str::trim_start).unwrap_or(rest).trim_end().to_owned()
}

/// What a job waits for, as far as that was told.
#[derive(Default)]
struct Waits {
    asked: Option<Instant>,
    reasons: String,
    told: BTreeSet<String>,
}

impl Waits {
    /// Says what is new.
    fn tell(&mut self, arrays: &mut [Array<'_>], say: &impl Fn(&str)) -> Result<(), JobError> {
        let mut words = Vec::new();
        for array in arrays.iter_mut() {
            let (is_over, new) = (array.is_over()?, array.hear());
            match is_over {
                false => words.extend(new.iter().map(|line| format!("sbatch waits: {line}"))),
                true if array.number.is_none() => words.push(format!(
                    "sbatch took not all: {}; the rest is handed in when what it took has ended",
                    array.said.join("; ")
                )),
                true => {}
            }
        }
        // Where it took none at all, that is an error of its own.
        let is_any_taken = arrays.iter().any(|array| array.number.is_some());
        for words in words.into_iter().filter(|words| is_any_taken || words.starts_with("sbatch waits")) {
            if self.told.insert(words.clone()) {
                say(&words);
            }
        }
        let begun = arrays.iter().map(|array| array.begun).min();
        let is_due = match self.asked.or(begun) {
            Some(last) => last.elapsed() >= if self.asked.is_some() { ASKING } else { FIRST_ASKED },
            None => false,
        };
        if is_due {
            self.asked = Some(Instant::now());
            let numbers: Vec<&str> = arrays.iter().filter_map(|array| array.number.as_deref()).collect();
            let reasons = pending(&numbers);
            if !reasons.is_empty() && reasons != self.reasons {
                say(&format!("pieces wait in Slurm's queue: {reasons}"));
            }
            self.reasons = reasons;
        }
        Ok(())
    }
}

/// Why tasks of these jobs do not begin yet, in Slurm's words; nothing where they do, or where it does not tell.
fn pending(numbers: &[&str]) -> String {
    /// Not yet looked at, and what the profile's `at_once` asks for.
    const OWN: [&str; 2] = ["None", "JobArrayTaskLimit"];
    if numbers.is_empty() {
        return String::new();
    }
    let asked = Command::new("squeue")
        .args(["--noheader", "--states=PENDING", "--format=%r", "--jobs", &numbers.join(",")])
        .stdin(Stdio::null())
        .output();
    let told = asked.map(|told| text::lines(&String::from_utf8_lossy(&told.stdout)).into_owned());
    let told = told.unwrap_or_default();
    let reasons: BTreeSet<&str> = told.lines().map(str::trim).collect();
    let reasons = reasons.into_iter().filter(|reason| !reason.is_empty() && !OWN.contains(reason));
    reasons.collect::<Vec<_>>().join(", ")
}

fn sbatch(why: String) -> JobError {
    JobError::Slurm { program: "sbatch", why }
}

/// Whether this task has its node to itself, as far as Slurm knows; nothing is asked where this is none.
///
/// # Errors
///
/// [`JobError::NotAlone`]; Slurm does not answer.
pub fn check_alone() -> Result<(), JobError> {
    let [Ok(node), Ok(own)] = ["SLURMD_NODENAME", "SLURM_JOB_ID"].map(env::var) else { return Ok(()) };
    let squeue = |why: String| JobError::Slurm { program: "squeue", why };
    let told = Command::new("squeue")
        .args(["--noheader", "--states=RUNNING,COMPLETING,SUSPENDED", "--format=%A", "--nodelist", &node])
        .output()
        .map_err(|error| squeue(format!("cannot be started: {error}")))?;
    if !told.status.success() {
        let why = String::from_utf8_lossy(&told.stderr).trim().to_owned();
        return Err(squeue(format!("does not say what else is on {node}: {why}")));
    }
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let others: Vec<&str> = told.split_whitespace().filter(|number| *number != own).collect();
    match others.is_empty() {
        true => Ok(()),
        false => Err(JobError::NotAlone { node, others: others.join(", ") }),
    }
}

/// What Slurm says became of a task.
fn task_state(number: &str, task: usize) -> String {
    let asked =
        Command::new("scontrol").args(["--oneliner", "show", "job", &format!("{number}_{task}")]).output();
    let told = asked.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default();
    let of = |name: &str| told.split_whitespace().find_map(|word| word.strip_prefix(name)).map(str::to_owned);
    match (of("JobState="), of("Reason=").filter(|reason| reason != "None")) {
        (Some(state), Some(reason)) => format!("{state} ({reason})"),
        (Some(state), None) => state,
        (None, _) => "nothing any more".to_owned(),
    }
}

fn reasons(job: &Job, open: &[&Item]) -> Result<Vec<(String, String)>, JobError> {
    let state = job.state()?;
    let reason = |item: &Item| state.of(&item.id).and_then(|entry| entry.reason.clone());
    let why =
        |item: &&Item| (item.name.clone(), reason(item).unwrap_or_else(|| "its outputs are gone".to_owned()));
    Ok(open.iter().map(why).collect())
}

/// Where the logs of tasks are.
pub fn logs(job: &Job) -> PathBuf {
    job.folder().join("logs")
}
