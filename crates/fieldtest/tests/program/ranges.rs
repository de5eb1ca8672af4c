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
        assert_eq!(left, 3, "job.json, ledger.jsonl, locks");
        // A result that is gone is made again.
        std::fs::remove_file(scratch.path(&parts)).expect("it was there");
        scratch.fine(&sign(&key, &parts, &by_ranges));
        assert!(read(&whole) == read(&parts), "{options:?}");
    }
}

/// By ranges the verdict on a zone is that of one run, and so is the word on each fault.
#[test]
fn a_job_validates_as_one_run_does() {
    let (scratch, key) = begun();
    for (at, options) in [&["--nsec"][..], &["--nsec3", "--opt-out"], &["--nsec3", "--zonemd", "compute"]]
        .into_iter()
        .enumerate()
    {
        let signed = format!("signed-{at}");
        scratch.fine(&sign(&key, &signed, options));
        let text = scratch.read(&signed);
        // The last address gets another one: its signature fails, and the digest where there is one.
        let (before, after) = text.rsplit_once("192.0.2.").expect("an address");
        scratch.write("broken", format!("{before}198.51.100.{after}"));
        for (file, code) in [(signed.as_str(), 0), ("broken", 1)] {
            let typed = ["dnssec", "verify", file, "--at", "20260601000000", "--format", "json"];
            let whole = scratch.run(&typed);
            assert_eq!(whole.code, Some(code), "{whole:?}");
            let job = format!("job-{at}-{file}");
            let by_ranges = [&typed[..], &["--job", &job, "--ranges", "3", "--workers", "2"]].concat();
            for turn in ["first", "from the ledger"] {
                let parts = scratch.run(&by_ranges);
                assert_eq!((parts.code, &parts.stdout), (whole.code, &whole.stdout), "{turn}: {parts:?}");
                assert_eq!(parts.stderr, whole.stderr, "{turn}");
            }
        }
    }
    let refused = ["dnssec", "verify", "-", "--job", "job", "--ranges", "2"];
    scratch.refuses(&refused, 2, &["a job reads a file"]);
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
    scratch.refuses(
        &["dnssec", "sign", "-", "-k", &key, "-o", "out", "--job", "job"],
        2,
        &["a job reads a file"],
    );
    scratch.refuses(&sign(&key, "-", &job), 2, &["a job writes a file"]);
    scratch.fine(&sign(&key, "out", &job));
    scratch.refuses(&sign(&key, "out", &["--job", "job", "--ranges", "3"]), 1, &["holds another job"]);
    scratch.write("torn", "zone");
    let torn = ["dnssec", "sign", "torn", "-k", &key, "-o", "out2", "--job", "other"];
    let run = scratch.run(&torn);
    assert_eq!(run.code, Some(1), "{run:?}");
    for word in ["sort and cut failed", "torn, line 1", "ledger.jsonl"] {
        assert!(run.stderr.contains(word), "{run:?}");
    }
    assert!(!scratch.path("out2").exists());
    scratch.write("profile", "partitoin = 'x'");
    let slurm = ["--job", "third", "--on", "slurm", "--profile", "profile"];
    scratch.refuses(&sign(&key, "out", &slurm), 1, &["profile", "partitoin"]);
}
