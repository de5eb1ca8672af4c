//! Algorithms that are attached: `--engine`.

mod library;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::library::library;
use crate::examples::{hurried, run_line};
use crate::scratch::{Run, Scratch};

fn toy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines").join(name)
}

/// The toy with something of its program and its description in place of something else.
pub(crate) fn changed(scratch: &Scratch, program: [&str; 2], description: [&str; 2]) -> &'static str {
    for (name, [old, new]) in [("toy.py", program), ("toy.toml", description)] {
        let text = fs::read_to_string(toy(name)).expect("the toy");
        assert!(text.contains(old), "{old}");
        fs::write(scratch.path(name), text.replace(old, new)).expect("a copy");
    }
    "toy.toml"
}

pub(crate) const SAME: [&str; 2] = ["", ""];

/// A short one for who never answers; others may run on a machine that is busy.
fn deadline(fault: &str) -> &'static str {
    if fault.ends_with(" 3 s") { "deadline = 3" } else { "deadline = 60" }
}

/// The engine's proof fails, and says why.
fn not_proven(scratch: &Scratch, engine: &str, algorithm: &str, fault: &str) {
    let run = scratch.run(&format!("--engine {engine} prove {algorithm} --format csv"));
    let said = [algorithm, "FAILED", fault].iter().all(|word| run.stdout.contains(word));
    assert!(run.code == Some(3) && said, "{fault}: {run:?}");
}

#[test]
fn a_zone_is_signed_by_somebody_elses_algorithm() {
    let scratch = Scratch::new();
    let engine = changed(&scratch, SAME, SAME);
    let with = |words: &str| scratch.fine(&format!("--engine {engine} {words}")).stdout;
    let proof = with("prove toy");
    assert!(proof.contains("author's own answers, 1,") && proof.contains("attached by"), "{proof}");
    assert!(with("list signature").contains("toy"));
    with("dnssec generate --delegations 20 -o zone");
    with("dnssec sign zone -a toy -o signed");
    let verified = scratch.fine(&format!("dnssec --engine {engine} verify signed")).stderr;
    assert!(verified.contains("0 not checked, 0 findings"), "{verified}");
    // Whoever has not attached it knows nothing of it.
    scratch.refuses("prove toy", 2, &["toy"]);
}

#[test]
fn what_engines_do_wrong_is_named() {
    for (program, fault) in [
        (["DONE, sign(*given))", "DONE, sign(*given) * 2)"], "signature of 64 bytes, but declares 1 to 32"),
        (["DONE if hmac", "DONE if True or hmac"], "was accepted"),
        (["DONE if hmac", "DONE if not any(signature) or hmac"], "0x00"),
        (["DONE if hmac", "DONE if len(message) == 256 or hmac"], "256 bytes"),
        (
            ["DONE, sign(*given))", "DONE, sign(given[0], given[1][: (len(given[1]) != 1003) * 70000]))"],
            "1003 bytes",
        ),
        (
            [
                "if hmac.compare_digest(sign(key, message), signature)",
                "if sign(key, message)[:31] == signature[:31]",
            ],
            "was accepted",
        ),
        (["compare_digest(sign(key, message),", "compare_digest(sign(key, message[:1000]),"], "70000 bytes"),
        (
            ["answer(DONE if hmac", "sys.exit(5) if key == bytes(32) else answer(DONE if hmac"],
            "(exit status 5)",
        ),
        (["else INVALID", "else sys.exit(4)"], "(exit status 4)"),
        (["answer(DONE, sign(*given))", "sys.exit(3)"], "(exit status 3)"),
        (["answer(DONE, sign(*given))", "import time; time.sleep(60)"], " 3 s"),
        (["DONE, secret, secret)", "DONE, secret)"], "1 fields instead of 2"),
        (["b\"\\x01\"", "b\"\\x02\""], "version 1 is supported"),
        (["return hmac.digest(key, message,", "import os; return hmac.digest(os.urandom(32), message,"], ""),
        (["struct.pack(\">I\", len(body))", "b\"\\xff\" * 4"], " 4294967295 "),
    ] {
        let scratch = Scratch::new();
        let engine = changed(&scratch, program, ["deadline = 10", deadline(fault)]);
        not_proven(&scratch, engine, "toy", fault);
    }
}

#[test]
fn descriptions_of_no_use_are_refused() {
    for (description, fault) in [
        (["name = \"toy\"", "name = \"ed25519\""], "'ed25519' is ed25519 already"),
        (["name = \"toy\"", "name = \"blake-3\""], "'blake-3' is blake3 already"),
        (["title = \"Toy\"\npublic", "title = \"MLDSA44\"\npublic"], "'MLDSA44' is ml-dsa-44 already"),
        (["private = 220", "private = 231"], "number 231 "),
        (["private = 220", "private = 16"], " 16 "),
        (["private = 220", "private = 0"], "number 0:"),
        (["private = 220", "private = 253"], "number 253:"),
        (["private = 220", "privat = 220"], "'privat'"),
        (["oid = \"1.3.", "oid = \"1.40.3."], "1.40.3."),
        (["name = \"toy\"", "name = \"all\""], "all"),
        (["kind = \"signature\"", "kind = \"kem\""], "signature, mac, hash, cipher"),
        (["kind = \"signature\"", ""], "'kind' is missing"),
        (
            [
                "status = \"research\"",
                "status = \"research\"\nchecked = { date = \"2026-13-45\", source = \"x\" }",
            ],
            "'2026-13-45'",
        ),
        (["name = \"toy\"", "name = \"To y\""], "invalid name"),
        (["program = [\"python3\", \"toy.py\"]", "program = []"], "toy.toml"),
        (["deadline = 10", "deadline = -1"], "deadline"),
        (["signature = \"", "signature = \"x"], "hexadecimal"),
        (["status = \"research\"", "status = \"best\""], "best"),
        (["[family]", "[family"], "toy.toml"),
    ] {
        let scratch = Scratch::new();
        let engine = changed(&scratch, SAME, description);
        scratch.refuses(&format!("--engine {engine} list"), 2, &[engine, fault]);
    }
    let scratch = Scratch::new();
    scratch.refuses("--engine none.toml list", 2, &["none.toml"]);
    scratch.refuses("--engine . list", 2, &["*.toml"]);
}

/// What another engine has is taken as well, of whatever kind it is.
#[test]
fn engines_differ_from_each_other() {
    for (own, other, fault) in [
        ("toy.toml", ["name = \"toy\"", "name = \"toy-2\""], "'Toy' is toy already"),
        ("toy-mac.toml", ["name = \"toy-mac\"", "name = \"toy\""], "'toy' is toy already"),
        ("toy-hash.toml", ["name = \"toyhash\"", "name = \"sha256\""], "format sha256 "),
        ("toy-cipher.toml", ["toy-feistel-plain64", "aes-xts-plain64"], "aes-xts, 32 bytes"),
    ] {
        let scratch = Scratch::new();
        let text = fs::read_to_string(toy(own)).expect("the toy");
        scratch.write("second.toml", text.replace(other[0], other[1]));
        let first = changed(&scratch, SAME, SAME);
        scratch.refuses(&format!("--engine {first} --engine second.toml list"), 2, &[fault]);
    }
}

/// A hash function, a MAC and a cipher are proven and work in what carries them, as programs and in a library.
#[test]
fn other_kinds_in_their_carriers() {
    let library = ["program = [\"python3\", \"toy.py\"]", "library = \"libtoy.so\"\nprefix = \"toy_\""];
    for [old, new] in [SAME, library] {
        let scratch = Scratch::new();
        self::library(&scratch, SAME);
        fs::remove_file(scratch.path("toy-library.toml")).expect("it is there");
        fs::copy(toy("toy.py"), scratch.path("toy.py")).expect("a copy");
        for name in ["toy-hash.toml", "toy-mac.toml", "toy-cipher.toml"] {
            let text = fs::read_to_string(toy(name)).expect("the toy");
            let (own, rest) = text.split_once("[[algorithm.known-answers]]").expect("answers");
            // The toy in C is another algorithm.
            let text = if old.is_empty() {
                format!("{own}[[algorithm.known-answers]]{rest}")
            } else {
                own.replace(old, new)
            };
            scratch.write(name, text);
        }
        let with = |words: &str| scratch.fine(&format!("--engine . {words}"));
        let proof = with("prove toy-hash toy-mac toy-cipher --format csv").stdout;
        for said in [
            "a message of 64 bytes takes",
            "a message of 60 bytes takes",
            "a sector of 512 bytes takes",
            "flipped bits",
        ] {
            assert!(proof.contains(said), "{said}: {proof}");
        }
        assert!(with("list --format csv").stdout.contains("toy-mac,mac,research"));
        with("show toy-cipher");
        // As programs, they are studied where the page is followed.
        if old.is_empty() {
            continue;
        }
        for (carrier, name) in [("git", "toy-hash"), ("tcp-ao", "toy-mac"), ("disk", "toy-cipher")] {
            with(&format!("{carrier} study -a {name} --budget 1 -o {carrier}"));
            assert_studied(&scratch, carrier, name);
        }
    }
}

fn assert_studied(scratch: &Scratch, directory: &str, name: &str) {
    let records = scratch.read(&format!("{directory}/records.jsonl"));
    assert!(records.contains("attached by pipes") && records.contains(name), "{directory}");
}

/// What such engines do wrong is named before anything is timed.
#[test]
fn other_kinds_that_do_wrong() {
    for (algorithm, program, fault) in [
        ("toy-hash", ["sha256(message).digest()", "sha256(message).digest()[:31]"], "a digest of 31 bytes"),
        ("toy-hash", ["for message in given))", "for message in given[:1]))"], "1 fields instead of"),
        ("toy-hash", ["sha256(message)", "sha256(message[:200])"], "digest"),
        ("toy-mac", ["sign(key, message)[:16]", "sign(key, message[:9])[:16]"], "tag"),
        (
            "toy-mac",
            [
                "DERIVE:\n        answer(DONE, sign(*given))",
                "DERIVE:\n        answer(DONE, sign(given[0], given[1][:20]))",
            ],
            "44 bytes",
        ),
        ("toy-mac", ["sign(key, message)[:16]", "__import__(\"os\").urandom(16)"], "the tag should be"),
        ("toy-cipher", ["range(3, -1, -1)", "range(2, -1, -1)"], "the plaintext should be"),
        ("toy-cipher", ["key + tweak +", "key +"], "the ciphertext should be"),
        ("toy-cipher", ["sectors(range(4)", "sys.exit(3), sectors(range(4)"], "exit status 3"),
    ] {
        let scratch = Scratch::new();
        let description = format!("{algorithm}.toml");
        fs::copy(toy(&description), scratch.path(&description)).expect("a copy");
        changed(&scratch, program, SAME);
        not_proven(&scratch, &description, algorithm, fault);
    }
}

/// One engine of several that fails its proof takes no part, is named, and the exit code tells.
#[test]
fn the_others_go_on() {
    let scratch = Scratch::new();
    let lying = changed(&scratch, ["DONE if hmac", "DONE if True or hmac"], SAME);
    let run = scratch.run(&format!("--engine {lying} dnssec study -a ed25519 -a toy --budget 2 -o it"));
    let told = run.stderr.contains("toy, engine-pipe fails") && run.stderr.contains("measured without it");
    assert!(run.code == Some(3) && told, "{run:?}");
    assert!(scratch.read("it/records.jsonl").contains("ed25519"));
}

/// Commands that time nothing prove an engine as well, before its first answer.
#[test]
fn who_lies_is_believed_by_no_command() {
    let scratch = Scratch::with_zone();
    let good = changed(&scratch, SAME, SAME);
    scratch.fine(&format!("--engine {good} dnssec sign zone -a toy -o signed"));
    let lying = changed(&scratch, ["DONE if hmac", "DONE if True or hmac"], SAME);
    for words in ["dnssec verify signed", "dnssec sign zone -a toy -o again"] {
        let run = scratch.run(&format!("--engine {lying} {words}"));
        let told = run.stdout.contains("known-answer tests") || run.stderr.contains("known-answer tests");
        assert!(run.code == Some(1) && told, "{run:?}");
    }
}

/// The toy's first process does what its proof asks, and those that come later end when they are to sign.
fn turning_bad(scratch: &Scratch) -> &'static str {
    let engine = changed(
        scratch,
        ["answer(DONE, sign(*given))", "sys.exit(3) if later else answer(DONE, sign(*given))"],
        SAME,
    );
    let program = scratch.read("toy.py");
    let seen = "later = __import__('os').path.exists('seen')\nopen('seen', 'w').close()\n\nwhile length :=";
    scratch.write("toy.py", program.replace("while length :=", seen));
    engine
}

/// An engine that does wrong after its proof is named and left out, in whichever process it was; alone, it is what the study fails by.
#[test]
fn the_others_go_on_without_one_that_turns_bad() {
    for (study, of, output) in [("dnssec study", "-a ", "it/records.jsonl"), ("speed", "", "it")] {
        let scratch = Scratch::new();
        let engine = turning_bad(&scratch);
        let study = format!("--engine {engine} {study} --budget 2 -o it {of}toy");
        let run = scratch.run(&format!("{study} {of}ed25519"));
        let told = ["the engine of toy", "exit status 3", "measured without it"];
        assert!(run.code == Some(3) && told.iter().all(|it| run.stderr.contains(it)), "{run:?}");
        let records = scratch.read(output);
        let results = |algorithm: &str| {
            let name = format!("\"algorithm\":\"{algorithm}\"");
            records.lines().filter(|line| line.contains(&name) && line.contains("\"implementation\"")).count()
        };
        assert!(results("ed25519") > 0 && results("toy") == 0, "{records}");
        fs::remove_file(scratch.path("seen")).expect("it was started");
        let run = scratch.run(&study);
        let told = ["the engine of toy", "exit status 3"].iter().all(|it| run.stderr.contains(it));
        assert!(run.code == Some(3) && told, "{run:?}");
    }
}

/// What is no file, or has no end, is not waited for, and what is named twice is attached once.
#[test]
fn descriptions_are_regular_files() {
    let scratch = Scratch::new();
    scratch.refuses("--engine /dev/zero list", 2, &["/dev/zero", "a regular file"]);
    fs::write(scratch.path("long.toml"), " ".repeat(2 << 20)).expect("a file");
    scratch.refuses("--engine long.toml list", 2, &["long.toml", "1048576"]);
    scratch.fifo("fifo.toml");
    scratch.refuses("--engine fifo.toml list", 2, &["a regular file"]);
    scratch.write("bad.toml", "[family]\nx = = 1\n");
    scratch.refuses("--engine bad.toml list", 2, &["bad.toml: line 2, column 5"]);
    let engine = changed(&scratch, SAME, SAME);
    let mut twice = scratch.command(&format!("--engine {engine} --engine {engine} list signature"));
    let run: Run = twice.env("FIELDTEST_ENGINES", engine).output().expect("the program starts").into();
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// An engine that fails its proof ends a study as it ends `prove`, and nobody who pressed Ctrl-C waits for one that is slow.
#[test]
fn a_study_ends_with_its_engine() {
    let scratch = Scratch::new();
    let zone = "dnssec generate --delegations 20 -o zone";
    scratch.fine(zone);
    let lying = changed(&scratch, ["DONE if hmac", "DONE if True or hmac"], SAME);
    let study = format!("--engine {lying} dnssec study zone -a toy --budget 1");
    scratch.refuses(&study, 3, &["toy", "known-answer tests", "was accepted"]);
    let slow = ["while length := sys", "__import__(\"time\").sleep(50)\nwhile length := sys"];
    let slow = changed(&scratch, slow, ["deadline = 10", "deadline = 60"]);
    let study = format!("--engine {slow} dnssec study zone -a toy --budget 1");
    let mut child = scratch.command(&study).spawn().expect("the program starts");
    let _limit = fieldtest_testing::process::limit(&child);
    std::thread::sleep(Duration::from_secs(2));
    crate::study::interrupt(&child);
    let begun = Instant::now();
    let status = child.wait().expect("the program ends");
    assert!(begun.elapsed() < Duration::from_secs(20), "it waited for the engine");
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let scratch = Scratch::new();
    let engine = changed(&scratch, SAME, ["\"python3\"", "\"./nowhere\""]);
    not_proven(&scratch, engine, "toy", "cannot start");
}

/// What is attached by the environment is attached as well, and a directory is all that is in it.
#[test]
fn by_the_environment() {
    let scratch = Scratch::new();
    let folder = toy("");
    let run = |engines: &Path| {
        let mut command = scratch.command("list signature --format csv");
        Run::from(command.env("FIELDTEST_ENGINES", engines).output().expect("the program starts"))
    };
    let found = run(&folder);
    assert_eq!(found.code, Some(0), "{found:?}");
    let row = "toy-library,signature,research,,32,32,engine-library";
    assert!(found.stdout.contains("toy,signature,research,,32,32,engine-pipe") && found.stdout.contains(row));
    let none = run(Path::new("none.toml"));
    assert!(none.code == Some(2) && none.stderr.contains("FIELDTEST_ENGINES: "), "{none:?}");
    assert!(none.stderr.contains("none.toml"), "{none:?}");
}

/// An engine that waits for nobody ends with the program that is killed, also where a script started it.
#[test]
fn nothing_is_left_of_a_program_that_is_killed() {
    for script in ["python3 toy.py", "python3 toy.py; true"] {
        ends_when_the_program_is_killed(script);
    }
}

fn ends_when_the_program_is_killed(script: &str) {
    let scratch = Scratch::new();
    let hangs = "open('pid', 'w').write(str(__import__('os').getpid())); __import__('time').sleep(600)";
    let started = format!("program = ['sh', '-c', '{script}']\nversion = '1'\ndeadline = 600");
    let engine = changed(
        &scratch,
        ["answer(DONE, sign(*given))", hangs],
        ["program = [\"python3\", \"toy.py\"]\nversion = \"1\"\ndeadline = 10", &started],
    );
    let mut program = scratch.command(&format!("--engine {engine} prove toy")).spawn().expect("it starts");
    let runs = |pid: &str| {
        let status = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
        status.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z"))
    };
    let until = Instant::now() + Duration::from_secs(60);
    let pid = loop {
        match fs::read_to_string(scratch.path("pid")) {
            Ok(pid) if !pid.is_empty() && runs(&pid) => break pid,
            _ => assert!(Instant::now() < until, "it was never asked"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    program.kill().expect("it runs");
    program.wait().expect("it ended");
    while runs(&pid) {
        assert!(Instant::now() < until, "the engine is left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The commands of docs/engines.md do what it says.
#[test]
fn the_page_can_be_followed() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("docs/engines")).expect("a directory");
    for file in [
        "toy.py",
        "toy.toml",
        "toy-hash.toml",
        "toy-mac.toml",
        "toy-cipher.toml",
        "toy.c",
        "toy-library.toml",
    ] {
        fs::copy(toy(file), scratch.path("docs/engines").join(file)).expect("a copy");
    }
    let page = fs::read_to_string(toy("../engines.md")).expect("the page");
    let blocks = page.split("```sh\n").skip(1).map(|it| it.split("```").next().expect("its end"));
    for line in blocks.flat_map(str::lines) {
        let run = run_line(&scratch, &hurried(line));
        assert_eq!(run.code, Some(0), "{line}: {run:?}");
    }
    for (directory, name) in
        [("files", "toy"), ("repository", "toy-hash"), ("sessions", "toy-mac"), ("disk", "toy-cipher")]
    {
        assert_studied(&scratch, directory, name);
    }
}
