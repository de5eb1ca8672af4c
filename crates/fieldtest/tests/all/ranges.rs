//! Zones that are signed as a job.

use crate::scratch::Scratch;

const TIMES: [&str; 4] = ["--inception", "20260101000000", "--expiration", "20270101000000"];

/// A folder with a zone and a key of it, and the words that sign it into `output`.
fn begun() -> (Scratch, String) {
    let scratch = Scratch::with_zone();
    scratch.fine(&["dnssec", "keygen", "example.", "-a", "ed25519", "--ksk"]);
    let names = std::fs::read_dir(scratch.path(".")).expect("the folder");
    let names = names.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let key = names.into_iter().find(|name| name.ends_with(".key")).expect("a key");
    (scratch, key)
}

fn sign<'a>(key: &'a str, output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["dnssec", "sign", "zone", "-k", key, "-o", output], &TIMES[..], more].concat()
}

#[test]
fn a_job_writes_what_one_run_does() {
    let (scratch, key) = begun();
    let read = |name: &str| std::fs::read(scratch.path(name)).expect("a signed zone");
    for (at, options) in [
        &["--nsec"][..],
        &["--nsec3", "--opt-out"],
        &["--nsec3", "--zonemd", "compute", "--output-format", "raw"],
    ]
    .into_iter()
    .enumerate()
    {
        let (whole, parts, job) = (format!("whole-{at}"), format!("parts-{at}"), format!("job-{at}"));
        scratch.fine(&sign(&key, &whole, options));
        let by_ranges = [options, &["--job", &job, "--ranges", "3", "--workers", "2"]].concat();
        scratch.fine(&sign(&key, &parts, &by_ranges));
        assert!(read(&whole) == read(&parts), "{options:?}");
        // All of it is done, and what was made on the way is gone.
        scratch.fine(&sign(&key, &parts, &by_ranges));
        let left = std::fs::read_dir(scratch.path(&job)).expect("the job").count();
        assert_eq!(left, 3, "job.json, ledger.jsonl, lock");
        // A result that is gone is made again.
        std::fs::remove_file(scratch.path(&parts)).expect("it was there");
        scratch.fine(&sign(&key, &parts, &by_ranges));
        assert!(read(&whole) == read(&parts), "{options:?}");
    }
}

/// Killed behind any of its items, a job is gone on with, and its zone is the same.
#[test]
fn a_job_that_is_killed() {
    let (scratch, key) = begun();
    scratch.fine(&sign(&key, "whole", &[]));
    let job = sign(&key, "parts", &["--job", "job", "--ranges", "4"]);
    let lines =
        || std::fs::read_to_string(scratch.path("job/ledger.jsonl")).map_or(0, |it| it.lines().count());
    for items in [0, 1, 3, 6] {
        let mut run = scratch.command(&job).spawn().expect("the program starts");
        while lines() <= items && run.try_wait().expect("its state").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let _ = run.kill();
        run.wait().expect("its end");
    }
    scratch.fine(&job);
    assert!(scratch.read("whole") == scratch.read("parts"));
    let told = scratch.fine(&["ledger", "job", "--format", "csv"]).stdout;
    assert!(told.lines().skip(1).all(|line| line.contains(",done,")), "{told}");
}

/// What each range costs is told before anything is made.
#[test]
fn no_more_ranges_than_names() {
    let (scratch, key) = begun();
    let ranges = |number: &'static str| sign(&key, "out", &["--job", "job", "--ranges", number]);
    let most = (scratch.read("zone").len() / 7 + 1).to_string();
    let remedy = format!("give --ranges {most} or fewer");
    scratch.refuses(&ranges("4096"), 2, &["4096 ranges", "zone", &remedy]);
    scratch.refuses_by_clap(&ranges("4097"), &["4097 is not in 1..=4096"]);
    // How many others these lines stand for is not known.
    scratch.write("zone", format!("{}$generate 1-60 host-$ A 192.0.2.$\n", scratch.read("zone")));
    scratch.fine(&ranges("40"));
    scratch.fine(&sign(&key, "whole", &[]));
    assert!(scratch.read("whole") == scratch.read("out"));
    // Nothing is read of a zone that needs too many; it is a hole.
    let large = std::fs::File::create(scratch.path("zone")).expect("a file");
    large.set_len(1 << 40).expect("a hole");
    let small = ["--job", "large", "--memory", "64"];
    scratch.refuses(&sign(&key, "out", &small), 2, &["needs about 196608 ranges", "give --memory 1568"]);
}

#[test]
fn what_is_no_job() {
    let (scratch, key) = begun();
    let job = ["--job", "job", "--ranges", "2"];
    scratch.refuses(
        &["dnssec", "sign", "zone", "-a", "ed25519", "-o", "out", "--job", "job"],
        2,
        &["keygen"],
    );
    scratch.refuses(&["dnssec", "sign", "-", "-k", &key, "-o", "out", "--job", "job"], 2, &["a file"]);
    scratch.refuses(&sign(&key, "-", &job), 2, &["a file"]);
    scratch.fine(&sign(&key, "out", &job));
    scratch.refuses(
        &sign(&key, "out", &["--job", "job", "--ranges", "3"]),
        1,
        &["holds another job", "differs in ranges;"],
    );
    scratch.write("torn", "zone");
    let torn = ["dnssec", "sign", "torn", "-k", &key, "-o", "out2", "--job", "other"];
    scratch.run(&torn).tells(1, &["refused", "torn, line 1"]);
    assert!(!scratch.path("out2").exists());
}

/// A job removes nothing that it did not make, and lies in nothing's way.
#[test]
fn what_lies_in_a_folder_is_in_no_danger() {
    let (scratch, key) = begun();
    std::fs::create_dir(scratch.path("mine")).expect("a folder");
    std::fs::create_dir(scratch.path("mine/zone")).expect("a folder");
    scratch.write("mine/zone/other", "kept");
    scratch.refuses(&sign(&key, "out", &["--job", "mine"]), (1, "taken"), &["mine is", " zone"]);
    scratch.refuses(
        &sign(&key, "out", &["--job", "."]),
        (2, "nested-places"),
        &["the zone zone", "folder ."],
    );
    std::fs::create_dir(scratch.path("job")).expect("a folder");
    scratch.refuses(&sign(&key, "job/out", &["--job", "job"]), (2, "nested-places"), &["job/out"]);
    let inside = ["dnssec", "sign", "mine/zone/other", "-k", &key, "-o", "out", "--job", "mine"];
    scratch.refuses(&inside, (2, "nested-places"), &["mine/zone/other"]);
    assert_eq!(scratch.read("mine/zone/other"), "kept");
}

/// As [`begun`], and the zone includes the file `included`.
fn begun_with_include() -> (Scratch, String) {
    let (scratch, key) = begun();
    scratch.write("included", "more 300 IN A 192.0.2.77\n");
    let zone = scratch.read("zone");
    scratch.write("zone", format!("{zone}\n$INCLUDE included\n"));
    (scratch, key)
}

/// What a job's result depends on is told from what had the same name before.
#[test]
fn another_key_and_another_included_file_are_another_job() {
    let (scratch, key) = begun_with_include();
    let job = ["--job", "job", "--ranges", "2"];
    scratch.fine(&sign(&key, "out", &job));
    let told = scratch.fine(&["ledger", "job"]);
    assert!(told.stdout.contains("of 6 items done") || told.stdout.contains("of 4 items done"), "{told:?}");
    scratch.write("included", "more 300 IN A 192.0.2.78\n");
    scratch.refuses(&sign(&key, "out", &job), 1, &["included, "]);
    scratch.refuses(&sign("Knone.key", "out", &["--job", "next"]), 1, &["Knone.key"]);
    assert!(!scratch.path("next").exists(), "keys are looked at first");

    let private = |name: &str| name.replace(".key", ".private");
    scratch.fine(&["dnssec", "keygen", "example.", "-a", "ed25519", "--ksk"]);
    let names = std::fs::read_dir(scratch.path(".")).expect("the folder");
    let names = names.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let other = names.into_iter().find(|name| name.ends_with(".key") && *name != key).expect("a second key");
    for (from, to) in [(other.clone(), key.clone()), (private(&other), private(&key))] {
        std::fs::rename(scratch.path(&from), scratch.path(&to)).expect("a file");
    }
    scratch.refuses(&sign(&key, "out", &job), 1, &["holds another job", "keys"]);
}

/// As if nobody had written there: with as many octets, and with the time set back.
fn write_in_place(scratch: &Scratch, name: &str, octets: impl AsRef<[u8]>) {
    use std::io::Write as _;

    let modified = std::fs::metadata(scratch.path(name)).and_then(|found| found.modified()).expect("a time");
    // Clocks of file systems may be coarse.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let mut file = std::fs::File::options().write(true).open(scratch.path(name)).expect("a file");
    file.write_all(octets.as_ref()).expect("written");
    file.set_modified(modified).expect("the time");
}

/// What is included is a source as the zone is, by whatever name it is written to, and by whatever command.
#[test]
fn an_output_is_no_file_that_the_zone_includes() {
    let (scratch, key) = begun_with_include();
    std::os::unix::fs::symlink("included", scratch.path("soft")).expect("a link");
    std::fs::hard_link(scratch.path("included"), scratch.path("hard")).expect("a link");
    for output in ["included", "soft", "hard"] {
        scratch.refuses(&sign(&key, output, &[]), 1, &[output, "would be lost"]);
        let job = format!("job-{output}");
        let run = scratch.run(&sign(&key, output, &["--job", &job, "--ranges", "2"]));
        assert!(run.code == Some(1) && run.stderr.contains("would be lost"), "{run:?}");
        let load = ["dnssec", "load", "127.0.0.1:5300", "--zone", "zone", "-o", output];
        scratch.refuses(&load, 1, &[output, "would be lost"]);
        assert_eq!(scratch.read("included"), "more 300 IN A 192.0.2.77\n");
    }
    // It may become one once the zone is cut.
    scratch.fine(&sign(&key, "out", &["--job", "job", "--ranges", "2"]));
    std::fs::remove_file(scratch.path("out")).expect("it was there");
    std::fs::rename(scratch.path("soft"), scratch.path("out")).expect("a link");
    scratch.run(&sign(&key, "out", &["--job", "job", "--ranges", "2"])).tells(1, &["would be lost"]);
    assert_eq!(scratch.read("included"), "more 300 IN A 192.0.2.77\n");
}

/// What others wrote or did in the place of a signed zone is kept.
#[test]
fn what_this_job_did_not_leave_is_kept() {
    let (scratch, key) = begun();
    let job = sign(&key, "out", &["--job", "job", "--ranges", "2", "--nsec"]);
    scratch.write("out", "mine");
    scratch.fine(&job).tells(0, &["out.1\n"]);
    assert_eq!(scratch.read("out.1"), "mine");
    let signed = scratch.read("out");
    let run = scratch.fine(&job);
    assert!(run.stderr.contains("done already") && !run.stderr.contains("kept"), "{run:?}");
    // Of another length, and of the same one.
    let edits = [format!("{signed}; mine\n"), signed.replace("192.0.2.", "192.0.3.")];
    for (edit, kept) in edits.iter().zip(["out.2", "out.3"]) {
        std::thread::sleep(std::time::Duration::from_millis(20));
        scratch.write("out", edit);
        let run = scratch.fine(&job);
        assert!(run.stderr.contains("out is not as"), "{run:?}");
        assert!(run.stderr.contains(&format!("{kept}\n")), "{run:?}");
        assert_eq!((scratch.read(kept).as_str(), scratch.read("out") == signed), (edit.as_str(), true));
    }
    // Another job's is nobody else's to replace.
    scratch.fine(&sign(&key, "out", &["--job", "other", "--ranges", "2", "--nsec3"]));
    assert!(scratch.read("out.4") == signed && scratch.read("out") != signed);
    // The zone itself, in its place.
    let zone = scratch.read("zone");
    scratch.fine(&sign(&key, "zone", &["--job", "in-place", "--ranges", "2"]));
    assert_eq!(scratch.read("zone.1"), zone);
}

/// Who sets a file's time back deceives nobody.
#[test]
fn what_is_written_in_place_is_another_job() {
    let (scratch, key) = begun();
    scratch.write("first", "more 300 IN A 192.0.2.77\n");
    scratch.write("second", "more 300 IN A 192.0.2.78\n");
    std::os::unix::fs::symlink("first", scratch.path("included")).expect("a link");
    let zone = format!("{}\n$INCLUDE included\n", scratch.read("zone"));
    scratch.write("zone", &zone);
    let job = sign(&key, "out", &["--job", "job", "--ranges", "2"]);
    scratch.fine(&job);

    let changed = "includes, has changed";
    std::fs::remove_file(scratch.path("included")).expect("a link");
    std::os::unix::fs::symlink("second", scratch.path("included")).expect("a link");
    scratch.refuses(&job, 1, &[changed]);
    std::fs::remove_file(scratch.path("included")).expect("a link");
    std::os::unix::fs::symlink("first", scratch.path("included")).expect("a link");
    scratch.fine(&job);
    write_in_place(&scratch, "first", "more 300 IN A 192.0.2.79\n");
    scratch.refuses(&job, 1, &[changed]);
    write_in_place(&scratch, "zone", zone.replace("192.0.2.", "192.0.3."));
    scratch.refuses(&job, (1, "other"), &[" zone.changed;"]);

    // What may never end is no file.
    scratch.fifo("fifo");
    scratch.refuses(&["dnssec", "sign", "fifo", "-k", &key, "-o", "new", "--job", "job-2"], 2, &["a file"]);
}

/// Leaves a job behind its first wave: what an item of the second would write to is a folder, so that it fails.
fn cut(scratch: &Scratch, job: &[&str], folder: &str) {
    let in_the_way = format!("{folder}/signed-0");
    std::fs::create_dir(scratch.path(folder)).expect("a folder");
    // A folder with this file is a job's.
    scratch.write(&format!("{folder}/lock"), "");
    std::fs::create_dir(scratch.path(&in_the_way)).expect("a folder");
    scratch.run(job).tells(1, &["range 0 failed: "]);
    std::fs::remove_dir(scratch.path(&in_the_way)).expect("it was there");
}

/// A range that is damaged is not tried again as it is, and what others put beside it is not removed.
#[test]
fn among_the_ranges() {
    let (scratch, key) = begun();
    let job = sign(&key, "out", &["--job", "job", "--ranges", "2"]);
    cut(&scratch, &job, "job");
    write_in_place(&scratch, "job/zone/range-0", [0xff; 12]);
    let remedy = "job/zone/range-0 is damaged";
    for _ in 0..2 {
        scratch.run(&job).tells(1, &[remedy]);
    }
    std::fs::remove_file(scratch.path("job/zone/range-0")).expect("it was there");
    scratch.write("job/zone/mine", "kept");
    scratch.run(&job).tells(1, &["cannot write job/zone"]);
    std::fs::rename(scratch.path("job/zone/mine"), scratch.path("mine")).expect("it was there");
    scratch.fine(&job);
    scratch.fine(&sign(&key, "whole", &[]));
    assert!(scratch.read("whole") == scratch.read("out") && !scratch.path("job/zone").exists());

    let other = sign(&key, "other", &["--job", "other-job", "--ranges", "2"]);
    cut(&scratch, &other, "other-job");
    scratch.write("other-job/zone/mine", "kept");
    scratch.fine(&other);
    let left = scratch.listing().into_iter().filter(|name| name.starts_with("other-job/zone/"));
    assert_eq!(left.collect::<Vec<_>>(), ["other-job/zone/", "other-job/zone/mine 4"]);
}
