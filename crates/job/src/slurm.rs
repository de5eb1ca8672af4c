//! A job on a cluster: each wave is an array of Slurm, of which each task does one item.
//!
//! Slurm decides where and when, starts anew what was on a node that failed, and ends what takes too much. What is known
//! afterwards is what the ledger says: an item whose task ended without a word is entered as failed, with what Slurm says of
//! it, and handed in again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::job::failed;
use crate::threads::Summary;
use crate::{Item, Job, JobError};

/// Tasks of one array; Slurm takes up to `MaxArraySize`, which is 1001 where nobody set it.
const LARGEST_ARRAY: usize = 1_000;
/// Between two looks at the ledger.
const BETWEEN: Duration = Duration::from_millis(500);

/// How a cluster is asked for its nodes, a TOML file. What is absent is left to the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// `--partition`.
    pub partition: Option<String>,
    /// `--account`.
    pub account: Option<String>,
    /// `--time`, the longest that an item may take, as sbatch(1) has it.
    pub time: Option<String>,
    /// `--mem` for each item, as sbatch(1) has it.
    pub memory: Option<String>,
    /// `--cpus-per-task`.
    pub cpus: Option<u32>,
    /// `--exclusive`: an item has its node to itself.
    pub exclusive: bool,
    /// The most items that run at once.
    pub at_once: Option<u32>,
    /// How often an item is handed in before it counts as failed for good; 3 if absent.
    pub attempts: Option<u32>,
    /// Further options of sbatch, as they are.
    pub options: Vec<String>,
    /// Lines of shell that run before each item: `module load …`.
    pub before: Vec<String>,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    ///
    /// [`JobError::Profile`]; the file cannot be read.
    pub fn read(path: &Path) -> Result<Profile, JobError> {
        let wrong = |what: String| JobError::Profile { path: path.to_path_buf(), what };
        let text = fs::read_to_string(path).map_err(|source| failed("read", path, source))?;
        let profile: Profile = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let named = [&profile.partition, &profile.account, &profile.time, &profile.memory];
        let unfit = |value: &&String| value.chars().any(char::is_control) || value.is_empty();
        let found = named.into_iter().flatten().chain(&profile.options).find(unfit).cloned();
        match found {
            Some(value) => Err(wrong(format!("{value:?} is no option of sbatch; it stands in one line"))),
            None if profile.attempts == Some(0) => {
                Err(wrong("attempts = 0 tries nothing; give 1 or more".into()))
            }
            None => Ok(profile),
        }
    }

    fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(3)
    }
}

/// The scripts that do these items, one for each array. `command` is what does the item whose name for machines is added to
/// it.
pub fn scripts(job: &Job, profile: &Profile, command: &[String], items: &[&Item]) -> Vec<String> {
    items.chunks(LARGEST_ARRAY).map(|chunk| script(job, profile, command, chunk)).collect()
}

fn script(job: &Job, profile: &Profile, command: &[String], items: &[&Item]) -> String {
    let wave = items.first().map_or(0, |item| item.wave);
    let at_once = profile.at_once.map_or(String::new(), |most| format!("%{most}"));
    let mut options = vec![
        format!("--job-name=fieldtest-{wave}"),
        format!("--array=0-{}{at_once}", items.len().saturating_sub(1)),
        // What was on a node that failed is started anew, and adds to its log.
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        format!("--output={}", job.folder().join("logs").join("%A-%a").display()),
    ];
    let mut value = |option: &str, value: Option<String>| {
        options.extend(value.map(|value| format!("--{option}={value}")));
    };
    value("partition", profile.partition.clone());
    value("account", profile.account.clone());
    value("time", profile.time.clone());
    value("mem", profile.memory.clone());
    value("cpus-per-task", profile.cpus.map(|cpus| cpus.to_string()));
    options.extend(profile.exclusive.then(|| "--exclusive".to_owned()));
    options.extend(profile.options.iter().cloned());

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
    for line in &profile.before {
        let _ = writeln!(script, "{line}");
    }
    let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
    let _ = writeln!(script, "exec {} \"${{items[$SLURM_ARRAY_TASK_ID]}}\"", words.join(" "));
    script
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

/// Hands the waves of a job to Slurm, one after another, and waits for each.
///
/// # Errors
///
/// [`JobError::Failed`] once an item was handed in as often as the profile allows; [`JobError::Running`]; Slurm takes no
/// job; the folder cannot be read or written.
pub fn run(
    job: &Job,
    profile: &Profile,
    command: &[String],
    progress: impl Fn(&Summary),
) -> Result<Summary, JobError> {
    let _held = job.hold()?;
    let items = job.plan().items.len();
    if job.is_whole()? {
        return Ok(Summary { done: items, items, ..Summary::default() });
    }
    for folder in ["logs", "scripts"].map(|name| job.folder().join(name)) {
        fs::create_dir_all(&folder).map_err(|source| failed("make", &folder, source))?;
    }
    let before = count(job)?;
    let tell = || -> Result<Summary, JobError> {
        let done = count(job)?;
        let summary = Summary { done, items, now: done - before.min(done), stopped: false };
        progress(&summary);
        Ok(summary)
    };
    for wave in job.plan().waves() {
        for attempt in 1.. {
            let open = job.open_items(wave)?;
            if open.is_empty() {
                break;
            }
            if attempt > profile.attempts() {
                return Err(JobError::Failed(reasons(job, &open)?));
            }
            for (at, (script, items)) in
                scripts(job, profile, command, &open).iter().zip(open.chunks(LARGEST_ARRAY)).enumerate()
            {
                let path = job.folder().join("scripts").join(format!("wave-{}-{at}", items[0].wave));
                fs::write(&path, script).map_err(|source| failed("write", &path, source))?;
                hand_in(job, &path, items, || tell().map(|_| ()))?;
            }
        }
    }
    tell()
}

fn count(job: &Job) -> Result<usize, JobError> {
    let state = job.state()?;
    Ok(job.plan().items.iter().filter(|item| state.is_done(&item.id)).count())
}

/// Hands in one array and waits for its end.
fn hand_in(
    job: &Job,
    script: &Path,
    items: &[&Item],
    tell: impl Fn() -> Result<(), JobError>,
) -> Result<(), JobError> {
    let begun = Instant::now();
    let lines = job.state()?;
    let words: Vec<_> = items.iter().map(|item| lines.of(&item.id).map(|entry| entry.at)).collect();
    let slurm = |why: String| JobError::Slurm { program: "sbatch", why };
    // It ends when all tasks have, with the largest of their exit codes.
    let mut sbatch = Command::new("sbatch")
        .args(["--wait", "--parsable"])
        .arg(script)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| slurm(format!("cannot be started: {error}; is Slurm installed here?")))?;
    while sbatch.try_wait().map_err(|error| slurm(format!("is lost: {error}")))?.is_none() {
        thread::sleep(BETWEEN);
        tell()?;
    }
    let told = sbatch.wait_with_output().map_err(|error| slurm(format!("is lost: {error}")))?;
    let text = String::from_utf8_lossy(&told.stdout);
    // A cluster's name may stand behind the number.
    let number = text.lines().next().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if number.is_empty() {
        return Err(slurm(format!("took no job: {}", String::from_utf8_lossy(&told.stderr).trim())));
    }
    let state = job.state()?;
    for ((at, item), word) in items.iter().enumerate().zip(words) {
        let heard = state.of(&item.id).map(|entry| entry.at) != word;
        if !heard && !state.is_done(&item.id) {
            let why = format!("the worker ended without a word; Slurm says {}", task_state(number, at));
            job.enter_failure(item, why, begun.elapsed().as_secs_f64())?;
        }
    }
    Ok(())
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
