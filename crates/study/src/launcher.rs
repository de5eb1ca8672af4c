//! Who carries out an order: this process, or a fresh one of the same program.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use fieldtest_catalog as catalog;
use fieldtest_measure::worker::WorkerResult;

use crate::StudyError;
use crate::group::{Order, Stage, obey};

/// Carries out orders, one at a time.
pub trait Launcher {
    /// What the benchmarks of the order took.
    ///
    /// # Errors
    /// Whatever went wrong where it was carried out.
    fn run_worker(&self, order: &Order) -> Result<WorkerResult, StudyError>;

    /// Whether each order has a process of its own.
    fn is_fresh(&self) -> bool;
}

/// This process. Layout, pages and the allocator's state are then those of one process, which intervals do not know.
pub struct Here<'a> {
    /// Those that can set something up.
    pub stages: &'a [&'a dyn Stage],
    /// Set by the user to end it.
    pub interrupt: &'a AtomicBool,
}

impl Launcher for Here<'_> {
    fn run_worker(&self, order: &Order) -> Result<WorkerResult, StudyError> {
        obey(order, self.stages, self.interrupt)
    }

    fn is_fresh(&self) -> bool {
        false
    }
}

/// Fresh processes of a program that reads an order from its standard input and answers on its standard output, as
/// [`serve`] does.
pub struct Processes {
    /// The program.
    pub program: PathBuf,
    /// What makes it do so.
    pub arguments: Vec<String>,
}

impl Launcher for Processes {
    fn run_worker(&self, order: &Order) -> Result<WorkerResult, StudyError> {
        let failed = |error: &dyn std::fmt::Display| {
            StudyError::WorkerTask(format!("cannot run {}: {error}", self.program.display()))
        };
        let order = postcard::to_stdvec(order).map_err(|error| failed(&error))?;
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        // It reads all before it writes anything. Where it ended early, its own words say more than a broken pipe.
        let told = child.stdin.take().map(|mut input| input.write_all(&order));
        let output = child.wait_with_output().map_err(|error| failed(&error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(StudyError::WorkerTask(format!(
                "a worker ended with {}: {}",
                output.status,
                said.trim()
            )));
        }
        told.transpose().map_err(|error| failed(&error))?;
        postcard::from_bytes(&output.stdout).map_err(|error| failed(&error))
    }

    fn is_fresh(&self) -> bool {
        true
    }
}

/// Reads an order, carries it out on the processor that it names, and writes what was seen.
///
/// # Errors
/// An order that is none, and what [`obey`] refuses.
pub fn serve(
    stages: &[&dyn Stage],
    interrupt: &AtomicBool,
    mut orders: impl Read,
    mut answers: impl Write,
) -> Result<(), StudyError> {
    let broken = |error: &dyn std::fmt::Display| {
        let internal = "this command is internal: studies start their workers with it; use `fieldtest study`";
        StudyError::WorkerTask(format!("{internal}: {error}"))
    };
    let mut bytes = Vec::new();
    orders.read_to_end(&mut bytes).map_err(|error| broken(&error))?;
    let order: Order = postcard::from_bytes(&bytes).map_err(|error| broken(&error))?;
    // Every worker begins anew, and would load all libraries of the host for the one that it may time.
    catalog::host::look_only_for(order.subjects.iter().map(|it| it.implementation.as_str()));
    if let Some(processor) = order.processor {
        // A processor that has gone since is no reason not to measure on another.
        let _ = fieldtest_measure::affinity::stay_on(processor);
    }
    let result = obey(&order, stages, interrupt)?;
    let bytes = postcard::to_stdvec(&result).map_err(|error| broken(&error))?;
    answers.write_all(&bytes).and_then(|()| answers.flush()).map_err(|error| broken(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::CalibrationStage;
    use crate::scripted::{order, result_of};

    #[test]
    fn an_order_is_served_as_it_is_obeyed() {
        let interrupt = AtomicBool::new(false);
        let stages: [&dyn Stage; 1] = [&CalibrationStage];
        let name = CalibrationStage.name();
        let here = Here { stages: &stages, interrupt: &interrupt };
        let benchmarks = here.run_worker(&order(name)).expect("no failure").seen.len();
        assert!(benchmarks > 0 && !here.is_fresh() && here.run_worker(&order("none")).is_err());
        let mut answer = Vec::new();
        let bytes = postcard::to_stdvec(&order(name)).expect("a form");
        serve(&stages, &interrupt, &bytes[..], &mut answer).expect("no failure");
        let result: WorkerResult = postcard::from_bytes(&answer).expect("an answer");
        assert_eq!(result.seen.len(), benchmarks);
        assert!(serve(&stages, &interrupt, &bytes[..3], Vec::new()).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_order_is_served_on_its_processor() {
        use fieldtest_measure::affinity::allowed;
        let last = allowed().expect("told").pop().expect("one");
        let order = Order { processor: Some(last), ..order(CalibrationStage.name()) };
        let bytes = postcard::to_stdvec(&order).expect("a form");
        // A thread of its own, so that no other test stays there.
        let served = std::thread::spawn(move || {
            serve(&[&CalibrationStage], &AtomicBool::new(false), &bytes[..], Vec::new()).expect("no failure");
            allowed().expect("told")
        });
        assert_eq!(served.join().expect("no panic"), [last]);
    }

    #[cfg(unix)]
    #[test]
    fn a_process_has_its_order_from_its_input_and_answers_on_its_output() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
        let (asked, answer) = (path("asked"), path("answer"));
        let expected = result_of(&[7, 9]);
        std::fs::write(&answer, postcard::to_stdvec(&expected).expect("a form")).expect("written");
        let script = r#"cat > "$1"; cat "$2"; exit "$3""#;
        let with = |code: &str, answer: &str| Processes {
            program: "sh".into(),
            arguments: ["-c", script, "sh", &asked, answer, code].map(String::from).to_vec(),
        };
        let order = order("stage");
        assert_eq!(with("0", &answer).run_worker(&order).expect("an answer"), expected);
        assert_eq!(std::fs::read(&asked).expect("written"), postcard::to_stdvec(&order).expect("a form"));
        assert!(with("0", &answer).is_fresh());
        for other in [with("3", &answer), with("0", "/dev/null")] {
            assert!(matches!(other.run_worker(&order), Err(StudyError::WorkerTask(_))));
        }
        let missing = Processes { program: path("none").into(), arguments: Vec::new() };
        assert!(matches!(missing.run_worker(&order), Err(StudyError::WorkerTask(_))));
    }
}
