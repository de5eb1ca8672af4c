//! Jobs that are interrupted, killed, and gone on with.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fieldtest_job::{Claim, Fault, Item, Job, JobError, Made, Plan, Status, Summary};
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn plan(items: usize) -> Plan {
    let first = (0..items).map(|at| (0, format!("part {at}"), String::new()));
    Plan::new("a test".into(), first.chain([(1, "whole".to_owned(), String::new())]))
}

fn one(what: serde_json::Value) -> Plan {
    Plan::new(what, [(0, "part", String::new())])
}

fn open(folder: &Path, plan: Plan) -> Result<Job, JobError> {
    Claim::of(folder, &plan.what)?.begin(plan)
}

fn run<E: Into<Fault>>(
    job: &Job,
    workers: usize,
    work: impl Fn(&Item) -> Result<Made, E> + Sync,
) -> Result<Summary, JobError> {
    job.run(workers, &AtomicBool::new(false), |_| {}, work)
}

fn write(folder: &Path, item: &Item) -> Result<Made, std::io::Error> {
    let path = folder.join(item.name.replace(' ', "-"));
    fs::write(&path, &item.name)?;
    Ok(Made { outputs: vec![path], facts: item.name.len().into() })
}

#[test]
fn waves_failures_and_going_on() {
    let folder = tempfile::tempdir().unwrap();
    let job = open(folder.path(), plan(5)).unwrap();
    let begun = AtomicUsize::new(0);
    let failing = |item: &Item| {
        begun.fetch_add(1, Ordering::Relaxed);
        match item.name.as_str() {
            "part 3" => Err(std::io::Error::other("no luck")),
            _ => write(folder.path(), item),
        }
    };
    let failed = run(&job, 3, failing).unwrap_err();
    assert!(failed.to_string().starts_with("cannot finish part 3: no luck"), "{failed}");
    assert_eq!((begun.load(Ordering::Relaxed), job.state().done()), (6, 5));
    drop(job);

    // An output that is gone is made again.
    fs::remove_file(folder.path().join("part-1")).unwrap();
    let job = open(folder.path(), plan(5)).unwrap();
    let again = run(&job, 3, |item| write(folder.path(), item)).unwrap();
    assert_eq!((again.done, again.now, again.stopped), (6, 2, false));
    let last = run(&job, 1, |_| Err::<Made, _>("not again")).unwrap();
    assert_eq!((last.done, last.now), (6, 0));
    let state = Job::look(folder.path()).unwrap();
    let first = state.of(&job.plan().items[0].id).unwrap();
    assert_eq!((state.lines, first.bytes, &first.facts), (8, 6, &6.into()));
}

#[test]
fn an_output_that_was_written_to_or_is_something_else_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let job = open(&folder.path().join("job"), one("a test".into())).unwrap();
    let path = folder.path().join("part");
    let now = || run(&job, 1, |item| write(folder.path(), item)).unwrap().now;
    assert_eq!((now(), now()), (1, 0));
    // As many octets.
    let file = fs::File::options().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut &file, b"trap").unwrap();
    file.set_modified(file.metadata().unwrap().modified().unwrap() + Duration::from_nanos(1 << 20)).unwrap();
    assert_eq!((now(), now()), (1, 0));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(!job.state().is_done(&job.plan().items[0].id));
    // What is elsewhere now is there as long as a link leads to it.
    fs::remove_dir(&path).unwrap();
    assert_eq!(now(), 1);
    fs::rename(&path, folder.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", &path).unwrap();
    assert_eq!(now(), 0);
}

#[test]
fn one_runner_and_one_job_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let job = open(folder.path(), plan(1)).unwrap();
    let refused = open(folder.path(), plan(1)).unwrap_err();
    assert!(matches!(refused, JobError::Running(_)), "{refused}");
    drop(job);
    let items = [(0, "b", String::new()), (1, "b", String::new())];
    let twice = open(&folder.path().join("twice"), Plan::new("a".into(), items));
    assert!(matches!(twice, Err(JobError::Twice(_))));
    fs::write(folder.path().join("job.json"), "{").unwrap();
    assert!(open(folder.path(), plan(1)).unwrap_err().to_string().contains("job.json, line 1"));
}

/// Names of files are octets.
#[test]
fn outputs_that_are_not_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let odd = |item: &Item| {
        let path = folder.path().join(OsStr::from_bytes(&[item.name.as_bytes(), b"\xff"].concat()));
        fs::write(&path, &item.name)?;
        Ok::<_, std::io::Error>(Made { outputs: vec![path], ..Made::default() })
    };
    for now in [2, 0] {
        let summary = run(&open(folder.path(), plan(1)).unwrap(), 1, odd).unwrap();
        assert_eq!((summary.done, summary.now), (2, now));
    }
}

/// What a killed writer left of a line counts for nothing and is gone with the next one.
#[test]
fn a_torn_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.jsonl");
    let begin = || open(folder.path(), plan(1)).unwrap();
    run(&begin(), 1, |item| match item.wave {
        0 => write(folder.path(), item),
        _ => Err(std::io::Error::other("no luck")),
    })
    .unwrap_err();
    let whole = fs::read_to_string(&ledger).unwrap();
    let line = whole.lines().next().unwrap();
    for length in [1, line.len() / 2, line.len()] {
        fs::write(&ledger, format!("{whole}{}", &line[..length])).unwrap();
        assert_eq!(Job::look(folder.path()).unwrap().lines, 2);
    }
    assert_eq!(run(&begin(), 1, |item| write(folder.path(), item)).unwrap().now, 1);
    assert_eq!(Job::look(folder.path()).unwrap().lines, 3);
    assert!(fs::read_to_string(&ledger).unwrap().starts_with(&whole));
    fs::write(&ledger, format!("{whole}what is this\n")).unwrap();
    let refused = open(folder.path(), plan(1)).unwrap_err().to_string();
    assert!(refused.contains("ledger.jsonl, line 3"), "{refused}");
}

#[test]
fn stops_between_items() {
    let folder = tempfile::tempdir().unwrap();
    let job = open(folder.path(), plan(9)).unwrap();
    let stop = AtomicBool::new(false);
    let work = |item: &Item| {
        stop.store(item.name == "part 4", Ordering::Relaxed);
        write(folder.path(), item)
    };
    let summary = job.run(1, &stop, |_| {}, work).unwrap();
    assert_eq!((summary.done, summary.items, summary.stopped), (5, 10, true));
}

/// What others left in a directory is in no danger, and how another job differs is said.
#[test]
fn folders_of_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("zone")).unwrap();
    let refused = open(folder.path(), plan(1)).unwrap_err();
    assert!(matches!(refused, JobError::Taken { .. }) && refused.to_string().contains("zone"), "{refused}");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["zone"]);

    // Whoever was killed before the plan was there begins again.
    let begun = tempfile::tempdir().unwrap();
    drop(Claim::of(begun.path(), &"a test".into()).unwrap());
    fs::write(begun.path().join("job.json.new"), "{").unwrap();
    let of = |bytes: u64, file: &str| {
        let what = serde_json::json!({ "zone": { "bytes": bytes, "file": file }, "ranges": 2 });
        open(begun.path(), one(what))
    };
    of(1, "b").unwrap();
    let refused = of(2, "c").unwrap_err();
    assert!(refused.to_string().contains("differs in zone.bytes, zone.file;"), "{refused}");
}

/// Neither is a FIFO waited for, nor is a link followed, wherever in the directory somebody put it.
#[test]
fn what_no_job_makes_is_refused_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, mine) = (scratch.path().join("job"), scratch.path().join("mine"));
    fs::write(&mine, "mine").unwrap();
    let done = || open(&folder, plan(1)).and_then(|job| run(&job, 1, |item| write(&folder, item)));
    done().unwrap();
    fs::create_dir(folder.join("maps")).unwrap();
    let stops_it = |name: &str, what: &str| {
        let told = done().unwrap_err().to_string();
        assert!(told.contains(&format!("{name} is {what}")) && told.contains("move it away"), "{told}");
    };
    for name in ["job.json", "job.json.new", "ledger.jsonl", "lock", "part-0", "maps/a", "b"] {
        let (path, kept) = (folder.join(name), scratch.path().join("kept"));
        let was_there = fs::rename(&path, &kept).is_ok();
        // A child would hold the locks of other tests for a moment.
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        stops_it(name, "a FIFO");
        fs::remove_file(&path).unwrap();
        for target in [&mine, &scratch.path().join("nothing")] {
            std::os::unix::fs::symlink(target, &path).unwrap();
            stops_it(name, "a symbolic link");
            fs::remove_file(&path).unwrap();
        }
        if was_there {
            fs::rename(&kept, &path).unwrap();
        }
    }
    let again = done().unwrap();
    assert_eq!((again.done, again.now), (2, 0));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
}

/// What is done is done for whoever stands elsewhere, too.
#[test]
fn outputs_are_absolute() {
    let folder = tempfile::tempdir().unwrap();
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let relative = up.join(folder.path().strip_prefix("/").unwrap());
    let job = open(&relative.join("job"), plan(1)).unwrap();
    run(&job, 1, |item| write(&relative, item)).unwrap();
    assert!(job.state().entries().flat_map(|entry| &entry.outputs).all(|output| output.path.is_absolute()));
    assert!(job.folder().is_absolute());
}

/// The second run has other items: what is as it was stays done, also in another wave, and no failure holds up a later wave.
#[test]
fn other_items_and_each_for_itself() {
    let states = |items: &[(u32, &str, &str)]| {
        let items = items.iter().map(|&(wave, name, state)| (wave, name, state.to_owned()));
        Plan::new("states".into(), items)
    };
    let folder = tempfile::tempdir().unwrap();
    let work = |item: &Item| match item.name.as_str() {
        "b" => Err(Fault::Refused("not there".to_owned())),
        "c" => Err(Fault::from("no luck")),
        _ => write(folder.path(), item).map_err(Fault::from),
    };
    let first = states(&[(0, "a", "1"), (0, "b", "1"), (0, "c", "1"), (1, "d", "1")]);
    let job = open(folder.path(), first.clone()).unwrap();
    let failed = run(&job, 2, work).unwrap_err();
    assert!(failed.to_string().starts_with("cannot finish c: no luck"), "{failed}");
    let state = job.state().clone();
    assert_eq!((state.lines, state.done()), (4, 2));
    let refused = state.entries().find(|entry| entry.status == Status::Refused).unwrap();
    assert_eq!((refused.name.as_str(), refused.reason.as_deref()), ("b", Some("not there")));
    drop(job);

    let second = states(&[(0, "b", "1"), (3, "a", "1"), (4, "d", "2"), (4, "e", "1")]);
    let claim = Claim::of(folder.path(), &second.what).unwrap();
    assert_eq!(claim.before(), Some(&first));
    let job = claim.begin(second).unwrap();
    let summary = run(&job, 2, work).unwrap();
    assert_eq!((summary.done, summary.items, summary.now, summary.refused), (3, 4, 2, 1));
    assert!(!summary.stopped);
    let told = "what was refused is tried again, and the same word on it is not entered";
    assert_eq!(job.state().lines, 6, "{told}");
    let other = |item: &Item| match item.name.as_str() {
        "b" => Err(Fault::Refused("for another reason".to_owned())),
        _ => work(item),
    };
    for _ in 0..2 {
        let summary = run(&job, 2, other).unwrap();
        assert_eq!((summary.done, summary.now, summary.refused), (3, 0, 1));
        assert_eq!(job.state().lines, 7, "another reason is entered, once");
    }
    drop(job);
    assert!(matches!(open(folder.path(), one("another".into())), Err(JobError::Other { .. })));
}
