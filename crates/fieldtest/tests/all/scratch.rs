//! A directory for one test, and the program run in it.

use std::fmt::Debug;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fieldtest_testing::process;
use serde_json::Value;
use tempfile::TempDir;

/// A zone of five records; its name servers and its mail server are in it.
pub(crate) const ZONE: &str = "\
$ORIGIN example.
$TTL 3600
@    IN SOA ns hostmaster 1 1800 900 604800 3600
     IN NS  ns
     IN MX  10 mail
mail IN A   192.0.2.25
ns   IN A   192.0.2.53
";

/// What is typed behind the program's name: all of it in one text, or its words.
pub(crate) trait Typed: Debug {
    fn words(&self) -> Vec<&str>;
}

impl Typed for str {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl<T: Typed + ?Sized> Typed for &T {
    fn words(&self) -> Vec<&str> {
        (**self).words()
    }
}

impl Typed for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl<W: AsRef<str> + Debug> Typed for [W] {
    fn words(&self) -> Vec<&str> {
        self.iter().map(AsRef::as_ref).collect()
    }
}

impl<W: AsRef<str> + Debug, const N: usize> Typed for [W; N] {
    fn words(&self) -> Vec<&str> {
        self.as_slice().words()
    }
}

impl<W: AsRef<str> + Debug> Typed for Vec<W> {
    fn words(&self) -> Vec<&str> {
        self.as_slice().words()
    }
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Of a program that was started, and shall end soon.
    pub(crate) fn of(child: Child) -> Run {
        process::ended(child).into()
    }

    /// Ends with this exit code, and names these values among its messages.
    #[track_caller]
    pub(crate) fn tells(&self, code: i32, values: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        for value in values {
            assert!(self.stderr.contains(value), "should name '{value}': {self:?}");
        }
    }
}

/// Waits for what a process of this test brings about, and no longer than one that hangs deserves.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(120), "never: {what}");
        sleep(Duration::from_millis(1));
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// Whether a program is there. One that is missing is named; with `FIELDTEST_PEERS=required` in the environment its
/// absence is a failure.
pub(crate) fn installed(tool: &str) -> bool {
    let run = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if run.is_err() {
        missing(&format!("{tool} is not installed"));
    }
    run.is_ok()
}

/// Says that a test is skipped for want of something.
pub(crate) fn missing(what: &str) {
    assert!(
        std::env::var_os("FIELDTEST_PEERS").is_none_or(|wanted| wanted != "required"),
        "{what}, and FIELDTEST_PEERS=required demands it"
    );
    // Past the harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

/// A directory that vanishes with the test.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch(TempDir::new().expect("a directory for the test"))
    }

    /// With [`ZONE`] in the file `zone`.
    pub(crate) fn with_zone() -> Scratch {
        let scratch = Scratch::new();
        scratch.write("zone", ZONE);
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file for the test");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file that the program wrote")
    }

    /// The lines of a file of JSON Lines, such as records.
    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        self.read(name).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    pub(crate) fn fifo(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.expect("mkfifo starts").success());
    }

    /// Every file and directory, sorted, with the sizes of files.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut directories = vec![self.0.path().to_path_buf()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).expect("a directory") {
                let entry = entry.expect("an entry");
                // A program that runs may have removed it since.
                let Ok(meta) = entry.metadata() else { continue };
                let path = entry.path();
                let name = path.strip_prefix(self.0.path()).expect("inside").display().to_string();
                if meta.is_dir() {
                    found.push(format!("{name}/"));
                    directories.push(path);
                } else {
                    found.push(format!("{name} {}", meta.len()));
                }
            }
        }
        found.sort();
        found
    }

    /// The program with these arguments in this directory; both of its streams are pipes, and it ignores no signal.
    pub(crate) fn command(&self, arguments: &(impl Typed + ?Sized)) -> Command {
        let mut command = process::program(env!("CARGO_BIN_EXE_fieldtest"));
        self.prepare(&mut command);
        command.args(arguments.words());
        command
    }

    /// As [`command`](Self::command), started by a shell that does `before` in the same process.
    pub(crate) fn command_after(&self, before: &str, arguments: &(impl Typed + ?Sized)) -> Command {
        let mut command = process::program("sh");
        self.prepare(&mut command);
        command.args(["-c", &format!("{before}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_fieldtest")]);
        command.args(arguments.words());
        command
    }

    fn prepare(&self, command: &mut Command) {
        command.current_dir(self.0.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE", "FIELDTEST_ENGINES"] {
            command.env_remove(variable);
        }
        // Nobody's defaults.
        command.env("FIELDTEST_CONFIG", "");
    }

    pub(crate) fn run(&self, arguments: &(impl Typed + ?Sized)) -> Run {
        self.command(arguments).output().expect("the program starts").into()
    }

    /// Runs it with a file of this directory on its standard input.
    pub(crate) fn run_on(&self, input: &str, arguments: &(impl Typed + ?Sized)) -> Run {
        let input = fs::File::open(self.path(input)).expect("a file for the test");
        self.command(arguments).stdin(input).output().expect("the program starts").into()
    }

    /// Runs what [`command_after`](Self::command_after) makes.
    pub(crate) fn run_after(&self, before: &str, arguments: &(impl Typed + ?Sized)) -> Run {
        self.command_after(before, arguments).output().expect("the program starts").into()
    }

    /// Runs what must succeed.
    pub(crate) fn fine(&self, arguments: &(impl Typed + ?Sized)) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {run:?}");
        run
    }

    /// What a command that ends with this exit code says as JSON.
    pub(crate) fn json(&self, arguments: &(impl Typed + ?Sized), code: i32) -> Value {
        let run = self.run(&[&arguments.words()[..], &["--format", "json"]].concat());
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
        run.json()
    }

    /// Runs what must be refused, see [`refused`](Self::refused).
    #[track_caller]
    pub(crate) fn refuses(&self, arguments: &(impl Typed + ?Sized), end: impl Into<End>, values: &[&str]) {
        self.refused(&mut self.command(arguments), end, values);
    }

    /// Arguments that are refused before anything else happens, in one line.
    pub(crate) fn refuses_by_clap(&self, arguments: &(impl Typed + ?Sized), words: &[&str]) {
        let run = self.run(arguments);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{arguments:?}: {run:?}");
        let said = &run.stderr;
        assert!(said.starts_with("fieldtest: ") && said.lines().count() == 1, "{arguments:?}: {run:?}");
        for word in words {
            assert!(said.contains(word), "{arguments:?} should say '{word}': {run:?}");
        }
    }

    /// A command that must end so, with one line that names these values and says nothing twice, and leave nothing behind.
    #[track_caller]
    pub(crate) fn refused(&self, command: &mut Command, end: impl Into<End>, values: &[&str]) {
        let before = self.listing();
        let end = end.into();
        if end.error.is_some() {
            command.args(["--format", "json"]);
        }
        let run = Run::from(command.output().expect("the program starts"));
        assert_eq!(run.code, Some(end.code), "{command:?}: {run:?}");
        assert_eq!(run.stdout, "", "{command:?}: {run:?}");
        let line = run.stderr.strip_suffix('\n').unwrap_or_else(|| panic!("{command:?}: {run:?}"));
        assert!(!line.contains('\n'), "{command:?}: {line}");
        let message = match line.strip_prefix("fieldtest: ") {
            Some(words) if end.error.is_none() => words.to_owned(),
            _ => {
                let found: Value =
                    serde_json::from_str(line).unwrap_or_else(|_| panic!("{command:?}: {line}"));
                let code = found["error"]["code"].as_str().expect("a code");
                assert_eq!(code, end.error.unwrap_or(code), "{command:?}: {line}");
                found["error"]["message"].as_str().expect("a message").to_owned()
            }
        };
        for value in values {
            assert!(message.contains(value), "{command:?} should name '{value}': {message}");
        }
        let parts: Vec<&str> = message.split(": ").collect();
        for (at, part) in parts.iter().enumerate() {
            assert!(!parts[..at].contains(part), "{command:?} says '{part}' twice: {message}");
        }
        assert_eq!(self.listing(), before, "{command:?} left something behind");
    }
}

/// How a command ends that does not do what was asked: its exit code, and the code of its error where the command knows JSON.
pub(crate) struct End {
    code: i32,
    error: Option<&'static str>,
}

impl From<i32> for End {
    fn from(code: i32) -> End {
        End { code, error: None }
    }
}

impl From<(i32, &'static str)> for End {
    fn from((code, error): (i32, &'static str)) -> End {
        End { code, error: Some(error) }
    }
}
