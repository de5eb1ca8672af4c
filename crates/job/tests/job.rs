//! Jobs that are interrupted, killed, and gone on with.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fieldtest_job::slurm::{self, Profile};
use fieldtest_job::{Fault, Item, Job, JobError, Made, Needs, Plan, Ran, Status, threads};
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn plan(items: usize) -> Plan {
    let first = (0..items).map(|at| (0, format!("part {at}")));
    Plan::new("a test".into(), first.chain([(1, "whole".to_owned())]))
}

fn output(folder: &Path, item: &Item) -> PathBuf {
    folder.join(item.name.replace(' ', "-"))
}

fn write(folder: &Path, item: &Item) -> Result<Made, std::io::Error> {
    let path = output(folder, item);
    fs::write(&path, &item.name)?;
    Ok(Made { outputs: vec![path], facts: item.name.len().into() })
}

#[test]
fn waves_failures_and_going_on() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let job = Job::open(folder.path(), plan(5)).unwrap();
    let begun = AtomicUsize::new(0);
    let failing = |item: &Item| {
        begun.fetch_add(1, Ordering::Relaxed);
        match item.name.as_str() {
            "part 3" => Err(std::io::Error::other("no luck")),
            _ => write(folder.path(), item),
        }
    };
    let failed = threads::run(&job, 3, &stop, |_| {}, failing).unwrap_err();
    assert!(failed.to_string().starts_with("part 3 failed: no luck"), "{failed}");
    assert_eq!((begun.load(Ordering::Relaxed), job.state().unwrap().done()), (5, 4));
    assert!(!folder.path().join("whole").exists());

    // An output that is gone is made again.
    fs::remove_file(folder.path().join("part-1")).unwrap();
    let job = Job::open(folder.path(), plan(5)).unwrap();
    let again = threads::run(&job, 3, &stop, |_| {}, |item| write(folder.path(), item)).unwrap();
    assert_eq!((again.done, again.now, again.stopped), (6, 3, false));
    let last = threads::run(&job, 1, &stop, |_| {}, |_| Err::<Made, _>("not again")).unwrap();
    assert_eq!((last.done, last.now), (6, 0));
    let state = job.state().unwrap();
    assert_eq!((state.lines, state.of(&job.plan().items[0].id).unwrap().bytes), (8, 6));
    assert_eq!(state.of(&job.plan().items[0].id).unwrap().facts, 6);
}

#[test]
fn an_output_that_was_written_to_or_is_something_else_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let job_folder = folder.path().join("job");
    let job = Job::open(&job_folder, Plan::new("a test".into(), [(0, "part".to_owned())])).unwrap();
    let (item, path) = (&job.plan().items[0], folder.path().join("part"));
    let run = || job.run_item(item, |item| write(folder.path(), item)).unwrap();
    assert_eq!((run(), run()), (Ran::Now, Ran::Before));
    let ledger = fs::read_to_string(job.ledger()).unwrap();

    // As many octets.
    let file = fs::File::options().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut &file, b"trap").unwrap();
    file.set_modified(
        file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_nanos(1 << 20),
    )
    .unwrap();
    assert_eq!((run(), run()), (Ran::Now, Ran::Before));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(!job.state().unwrap().is_done(&item.id));
    // What is elsewhere now is there as long as a link leads to it.
    fs::remove_dir(&path).unwrap();
    assert_eq!(run(), Ran::Now);
    fs::rename(&path, folder.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", &path).unwrap();
    assert_eq!(run(), Ran::Before);
    fs::remove_file(&path).unwrap();

    // A ledger of an earlier version tells lengths alone.
    let (before, time) = ledger.trim_end().split_once(",\"modified\":").unwrap();
    let old = format!("{before}{}\n", time.trim_start_matches(|octet: char| octet.is_ascii_digit()));
    fs::write(job.ledger(), old).unwrap();
    let job = Job::open(&job_folder, job.plan().clone()).unwrap();
    let is_done = || job.state().unwrap().is_done(&item.id);
    fs::write(&path, "trap").unwrap();
    assert!(is_done());
    fs::write(&path, "longer").unwrap();
    assert!(!is_done());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(!is_done());
}

#[test]
fn one_runner_and_one_job_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::open(folder.path(), plan(1)).unwrap();
    let stop = AtomicBool::new(false);
    let inner = |item: &Item| {
        let other = Job::open(folder.path(), plan(1)).unwrap();
        let refused = threads::run(&other, 1, &stop, |_| {}, |_| Err::<Made, _>("never")).unwrap_err();
        assert!(matches!(refused, JobError::Running(_)), "{refused}");
        write(folder.path(), item)
    };
    threads::run(&job, 1, &stop, |_| {}, inner).unwrap();
    let refused = Job::open(folder.path(), plan(2)).unwrap_err();
    assert!(matches!(refused, JobError::Other { .. }), "{refused}");
    assert!(refused.to_string().contains("differs in its items;"), "{refused}");
    assert!(job.item("0123456789abcdef").is_err());
    fs::write(folder.path().join("job.json"), "{").unwrap();
    assert!(Job::open(folder.path(), plan(1)).unwrap_err().to_string().contains("job.json, line 1"));
}

#[test]
fn two_workers_of_one_item_do_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::open(folder.path(), plan(1)).unwrap();
    let begun = AtomicUsize::new(0);
    let slow = |item: &Item| {
        begun.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(50));
        write(folder.path(), item)
    };
    let ran = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| job.run_item(&job.plan().items[0], slow).unwrap())).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).filter(|ran| *ran == Ran::Now).count()
    });
    assert_eq!((ran, begun.load(Ordering::Relaxed), job.state().unwrap().lines), (1, 1, 1));
}

/// Names of files are octets.
#[test]
fn outputs_that_are_not_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let job = Job::open(folder.path(), plan(1)).unwrap();
    let odd = |item: &Item| {
        let path = folder.path().join(OsStr::from_bytes(&[item.name.as_bytes(), b"\xff"].concat()));
        fs::write(&path, &item.name)?;
        Ok::<_, std::io::Error>(Made { outputs: vec![path], ..Made::default() })
    };
    threads::run(&job, 1, &stop, |_| {}, odd).unwrap();
    let again = threads::run(&job, 1, &stop, |_| {}, odd).unwrap();
    assert_eq!((again.done, again.now), (2, 0));
}

/// What a killed writer left of a line counts for nothing and is gone with the next one.
#[test]
fn a_torn_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::open(folder.path(), plan(2)).unwrap();
    let [first, second, _] = &job.plan().items[..] else { panic!() };
    job.run_item(first, |item| write(folder.path(), item)).unwrap();
    let whole = fs::read_to_string(job.ledger()).unwrap();
    for length in [1, whole.len() / 2, whole.len() - 1] {
        fs::write(job.ledger(), format!("{whole}{}", &whole[..length])).unwrap();
        assert_eq!(job.state().unwrap().lines, 1);
    }
    job.run_item(second, |item| write(folder.path(), item)).unwrap();
    assert_eq!(job.state().unwrap().lines, 2);
    assert!(fs::read_to_string(job.ledger()).unwrap().starts_with(&whole));
    fs::write(job.ledger(), format!("{whole}what is this\n")).unwrap();
    let refused = job.state().unwrap_err().to_string();
    assert!(refused.contains("ledger.jsonl, line 2"), "{refused}");
}

#[test]
fn stops_between_items() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::open(folder.path(), plan(9)).unwrap();
    let stop = AtomicBool::new(false);
    let work = |item: &Item| {
        stop.store(item.name == "part 4", Ordering::Relaxed);
        write(folder.path(), item)
    };
    let summary = threads::run(&job, 1, &stop, |_| {}, work).unwrap();
    assert_eq!((summary.done, summary.items, summary.stopped), (5, 10, true));
}

#[test]
fn scripts_for_slurm() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::open(&folder.path().join("it's here"), plan(1_002)).unwrap();
    let profile = folder.path().join("profile.toml");
    fs::write(
        &profile,
        "partition = 'long'\nmemory = '600M'\nexclusive = true\nat_once = 7\noptions = ['--comment=a \"b\"']\nbefore = ['module load x']\n",
    )
    .unwrap();
    let profile = Profile::read(&profile).unwrap();
    let command = ["/usr/bin/field test", "--item"].map(str::to_owned);
    let items: Vec<&Item> = job.plan().waves().next().unwrap().iter().collect();
    let scripts = slurm::scripts(&job, &profile, &command, &items).unwrap();
    assert_eq!(scripts.len(), 2);
    for line in [
        "#SBATCH --array=0-1%7",
        "#SBATCH --partition=long",
        "#SBATCH --mem=600M",
        "#SBATCH --exclusive",
        "#SBATCH \"--comment=a \\\"b\\\"\"",
        "module load x",
        "exec '/usr/bin/field test' --item \"${items[$SLURM_ARRAY_TASK_ID]}\"",
    ] {
        assert!(scripts[1].lines().any(|other| other == line), "{line}\n{}", scripts[1]);
    }
    for (text, why) in [
        ("[classes.a]\noptions = ['']", "stands in one line"),
        ("[classes.a]\nconstraint = 'b'", "unknown field"),
        ("partitoin = 'x'", "unknown field"),
        ("time = \"a\\nb\"", "stands in one line"),
        ("attempts = 0", "attempts = 0 does nothing"),
        ("at_once = 0", "at_once = 0 does nothing"),
        ("cpus = 0", "cpus = 0 does nothing"),
        ("array = 0", "line 1, column 9: "),
        ("# x\nmemory = 7", "line 2, column 10: invalid type"),
        ("memory = \n", "line 1, column 10: "),
        ("options = ['--nice=1', '--array=0-3']", "\"--array=0-3\" is --array, which the job sets itself"),
        ("[classes.a]\noptions = ['-o /tmp/x']", "is --output, which the job sets itself"),
    ] {
        let path = folder.path().join("wrong.toml");
        fs::write(&path, text).unwrap();
        let refused = Profile::read(&path).unwrap_err().to_string();
        let is_line = !refused.contains(['\n', '^']);
        assert!(refused.contains("wrong.toml") && refused.contains(why) && is_line, "{refused}");
    }
}

#[test]
fn classes_of_hosts_are_arrays_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let on = |class: &str| Needs { class: Some(class.to_owned()), alone: true };
    let items = ["old", "new", "old"].into_iter().enumerate();
    let items = items.map(|(at, class)| (0, format!("{at} on {class}"), on(class)));
    let plan = Plan::needing("hosts".into(), items);
    let job = Job::open(&folder.path().join("job"), plan.clone()).unwrap();
    assert_eq!(Job::planned(job.folder()).unwrap(), Some(plan), "needs are kept");
    let path = folder.path().join("profile.toml");
    let profile = |text: &str| {
        fs::write(&path, text).unwrap();
        Profile::read(&path).unwrap()
    };
    let whole = profile("[classes.old]\noptions = ['--constraint=old']\n[classes.new]\n");
    let all: Vec<&Item> = job.plan().items.iter().collect();
    let scripts = slurm::scripts(&job, &whole, &["work".to_owned()], &all).unwrap();
    let has = |at: usize, line: &str| scripts[at].lines().any(|other| other == line);
    assert_eq!(scripts.len(), 2);
    assert!(scripts.iter().all(|script| script.contains("#SBATCH --exclusive\n")), "{scripts:?}");
    assert!(has(0, "#SBATCH --array=0-1") && has(0, "#SBATCH --constraint=old"), "{}", scripts[0]);
    assert!(has(1, "#SBATCH --array=0-0") && !has(1, "#SBATCH --constraint=old"), "{}", scripts[1]);
    let refused = slurm::scripts(&job, &profile("[classes.old]\n"), &[], &all).unwrap_err().to_string();
    assert!(refused.contains("no class “new”") && refused.contains("[classes.new]"), "{refused}");
}

/// What others left in a folder is in no danger, and how another job differs is said.
#[test]
fn folders_of_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("zone")).unwrap();
    let refused = Job::open(folder.path(), plan(1)).unwrap_err();
    assert!(matches!(refused, JobError::Taken { .. }) && refused.to_string().contains("zone"), "{refused}");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["zone"]);

    // Whoever was killed before the plan was there begins again.
    let begun = tempfile::tempdir().unwrap();
    Job::claim(begun.path()).unwrap();
    fs::write(begun.path().join("job.json.new"), "{").unwrap();
    let of = |bytes: u64, file: &str| {
        let what = serde_json::json!({ "zone": { "bytes": bytes, "file": file }, "ranges": 2 });
        Job::open(begun.path(), Plan::new(what, [(0, "a")]))
    };
    of(1, "b").unwrap();
    let refused = of(2, "c").unwrap_err();
    assert!(refused.to_string().contains("differs in zone.bytes, zone.file;"), "{refused}");
}

/// Neither is a FIFO waited for, nor is a link followed, wherever in the folder somebody put it.
#[test]
fn what_no_job_makes_is_refused_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, mine) = (scratch.path().join("job"), scratch.path().join("mine"));
    fs::write(&mine, "mine").unwrap();
    let stop = AtomicBool::new(false);
    let run = |job: &Job| threads::run(job, 1, &stop, |_| {}, |item| write(&folder, item));
    run(&Job::open(&folder, plan(1)).unwrap()).unwrap();
    fs::create_dir(folder.join("maps")).unwrap();
    let stops_it = |name: &str, what: &str| {
        let run = Job::open(&folder, plan(1)).and_then(|job| run(&job));
        let planned = Job::check_what(&folder, &"a test".into());
        for refused in [run.map(drop), planned].map(Result::unwrap_err) {
            let told = refused.to_string();
            assert!(told.contains(&format!("{name} is {what}")) && told.contains("move it away"), "{told}");
        }
    };
    for name in
        ["job.json", "job.json.new", "ledger.jsonl", "locks/runner", "locks/plan", "part-0", "maps/a", "b"]
    {
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
    let again = run(&Job::open(&folder, plan(1)).unwrap()).unwrap();
    assert_eq!((again.done, again.now), (2, 0));
    fs::remove_dir_all(folder.join("locks")).unwrap();
    std::os::unix::fs::symlink(scratch.path(), folder.join("locks")).unwrap();
    stops_it("locks", "a symbolic link");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    let refused = Profile::read(Path::new("/dev/null")).unwrap_err().to_string();
    assert!(refused.contains("/dev/null: it is a device") && refused.contains("name a file"), "{refused}");
}

/// What is done is done for whoever stands elsewhere, too.
#[test]
fn outputs_are_absolute() {
    let folder = tempfile::tempdir().unwrap();
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let relative = up.join(folder.path().strip_prefix("/").unwrap());
    let job = Job::open(&relative.join("job"), plan(1)).unwrap();
    threads::run(&job, 1, &AtomicBool::new(false), |_| {}, |item| write(&relative, item)).unwrap();
    let state = job.state().unwrap();
    assert!(state.entries().flat_map(|entry| &entry.outputs).all(|output| output.path.is_absolute()));
    assert!(job.folder().is_absolute() && job.is_whole().unwrap());
}

/// Nothing is made by who only wants to know; a piece that begins when all is over finds it done.
#[test]
fn sketches_and_late_pieces() {
    let folder = tempfile::tempdir().unwrap();
    Job::sketch(&folder.path().join("job"), plan(1)).unwrap();
    assert!(!folder.path().join("job").exists());
    let job = Job::open(folder.path(), plan(1)).unwrap();
    threads::run(&job, 1, &AtomicBool::new(false), |_| {}, |item| write(folder.path(), item)).unwrap();
    fs::remove_file(folder.path().join("part-0")).unwrap();
    let late = job.run_item(&job.plan().items[0], |_| Err::<Made, _>("its inputs are gone")).unwrap();
    assert_eq!((late, job.state().unwrap().lines), (Ran::Before, 2));
    assert!(matches!(Job::sketch(folder.path(), plan(2)), Err(JobError::Other { .. })));
}

/// What cannot be done for a reason that lies in it keeps what needs it from being begun, and is not advised to be tried again.
#[test]
fn refusals_that_others_wait_for() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::open(folder.path(), plan(2)).unwrap();
    let work = |item: &Item| match item.name.as_str() {
        "part 1" => Err(Fault::Refused("line 6 is no record".to_owned())),
        _ => write(folder.path(), item).map_err(Fault::from),
    };
    let refused = threads::run(&job, 1, &AtomicBool::new(false), |_| {}, work).unwrap_err().to_string();
    assert!(refused.starts_with("part 1 refused: line 6 is no record; correct that"), "{refused}");
    assert!(!folder.path().join("whole").exists() && !job.is_whole().unwrap());
}

fn states(items: &[(u32, &str, &str)]) -> Plan {
    Plan::of_states("states".into(), items.iter().map(|&(wave, name, state)| (wave, name, state.to_owned())))
}

/// The second run has other items: what is as it was stays done, also in another wave, and no failure holds up a later wave.
#[test]
fn other_items_and_each_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let work = |item: &Item| match item.name.as_str() {
        "b" => Err(Fault::Refused("it is not to be had".to_owned())),
        "c" => Err(Fault::from("no luck")),
        _ => write(folder.path(), item).map_err(Fault::from),
    };
    let first = states(&[(0, "a", "1"), (0, "b", "1"), (0, "c", "1"), (1, "d", "1")]);
    let job = Job::renew(folder.path(), first.clone()).unwrap();
    let failed = threads::run(&job, 2, &stop, |_| {}, work).unwrap_err();
    assert!(failed.to_string().starts_with("c failed: no luck"), "{failed}");
    let state = job.state().unwrap();
    assert_eq!((state.lines, state.done()), (4, 2));
    let refused = state.entries().find(|entry| entry.status == Status::Refused).unwrap();
    assert_eq!((refused.name.as_str(), refused.reason.as_deref()), ("b", Some("it is not to be had")));

    let second = states(&[(0, "b", "1"), (3, "a", "1"), (4, "d", "2"), (4, "e", "1")]);
    assert!(matches!(Job::open(folder.path(), second.clone()), Err(JobError::Other { .. })));
    // Locks of items that are no more go, unless somebody holds them; what others called otherwise stays.
    let locks = || -> HashSet<String> {
        let names = fs::read_dir(folder.path().join("locks")).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let id = |at: usize| first.items[at].id.to_string();
    fs::write(folder.path().join("locks/mine.repeated"), "").unwrap();
    let held = fs::File::open(folder.path().join("locks").join(id(2))).unwrap();
    held.lock().unwrap();
    let job = Job::renew(folder.path(), second.clone()).unwrap();
    let kept = [0, 2, 3].map(|at| locks().contains(&id(at)));
    assert_eq!(kept, [true, true, false], "{:?}", locks());
    drop(held);
    let job = Job::renew(job.folder(), second.clone()).unwrap();
    let summary = threads::run(&job, 2, &stop, |_| {}, work).unwrap();
    assert!(!locks().contains(&id(2)) && locks().contains("mine.repeated"), "{:?}", locks());
    assert_eq!((summary.done, summary.items, summary.now, summary.refused), (3, 4, 2, 1));
    assert!(!summary.stopped);
    assert_eq!(
        job.state().unwrap().lines,
        6,
        "what was refused is tried again, and the same word on it is not entered"
    );
    let other = |item: &Item| match item.name.as_str() {
        "b" => Err(Fault::Refused("for another reason".to_owned())),
        _ => work(item),
    };
    for _ in 0..2 {
        let summary = threads::run(&job, 2, &stop, |_| {}, other).unwrap();
        assert_eq!((summary.done, summary.now, summary.refused), (3, 0, 1));
        assert_eq!(job.state().unwrap().lines, 7, "another reason is entered, once");
    }

    let other = Plan::new("another".into(), [(0, "a")]);
    assert!(matches!(Job::renew(folder.path(), other), Err(JobError::Other { .. })));
    let inner = |item: &Item| {
        assert!(matches!(Job::renew(folder.path(), first.clone()), Err(JobError::Running(_))));
        write(folder.path(), item)
    };
    fs::remove_file(folder.path().join("e")).unwrap();
    let job = Job::renew(folder.path(), second).unwrap();
    threads::run(&job, 1, &stop, |_| {}, inner).unwrap();
}
