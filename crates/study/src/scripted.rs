//! For tests: algorithms whose implementations are made up, and workers that find typed-in windows.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Kind;
use fieldtest_catalog::{Algorithm, Facts, Implementation, KatError, KatResult, Prove};
use fieldtest_measure::Estimator;
use fieldtest_measure::record::{Host, Line, Record, Run};
use fieldtest_measure::worker::{Known, Seen, Window, WorkerResult, WorkerTask};

use crate::group::Order;
use crate::whole_job::Surroundings;
use crate::{Bench, Launcher, RecordWriter, StudyError, Subject};

/// An order of nothing but a stage, with a task of two numbers.
pub(crate) fn order(stage: &str) -> Order {
    let window = Duration::from_micros(30);
    Order {
        stage: stage.to_owned(),
        operation: "hash".to_owned(),
        subject: "64".to_owned(),
        subjects: Vec::new(),
        input: postcard::to_stdvec(&[7_u16, 9]).expect("a form"),
        worker: WorkerTask { time: Duration::ZERO, window, known: Vec::new(), first: 0, seed: 1 },
        processor: None,
        elapsed: false,
    }
}

/// An algorithm with implementations of these names, all with the code and facts of one that the catalog has. Their proofs
/// fail where its name begins with `broken`.
pub(crate) fn algorithm<K: Kind + Clone>(
    like: &str,
    name: &'static str,
    implementations: &[&'static str],
) -> &'static Algorithm<K> {
    let like = fieldtest_catalog::find::<K>(like).expect("in the catalog");
    let facts: Facts<K> = Facts { name: name.to_owned(), ..like.facts.clone() };
    let proof = move || match name.starts_with("broken") {
        true => Err(KatError { origin: "made up".into(), case: "1".into(), what: name.into() }),
        false => Ok(KatResult { vectors: 3, origins: vec!["made up".into()] }),
    };
    let implementation = |name: &&'static str| Implementation {
        name,
        version: "1.0".to_owned(),
        code: Arc::clone(&like.implementations[0].code),
        prove: Prove::Attached(Box::new(proof)),
    };
    let implementations = implementations.iter().map(implementation).collect();
    Box::leak(Box::new(Algorithm { facts: Box::leak(Box::new(facts)), implementations }))
}

/// All implementations of these algorithms.
pub(crate) fn subjects<K: Kind>(algorithms: &[&'static Algorithm<K>]) -> Vec<Subject<K>> {
    let of = |algorithm: &&'static Algorithm<K>| {
        let algorithm = *algorithm;
        let proof = || KatResult { vectors: 3, origins: vec!["made up".into()] };
        algorithm.implementations.iter().map(move |it| Subject {
            algorithm,
            implementation: it,
            proof: proof(),
        })
    };
    algorithms.iter().flat_map(of).collect()
}

/// Answers orders by a function of each order and of how many came before it, and keeps them.
pub(crate) struct Scripted<'a> {
    pub(crate) is_fresh: bool,
    pub(crate) answer: &'a dyn Fn(&Order, usize) -> Result<WorkerResult, StudyError>,
    pub(crate) orders: RefCell<Vec<Order>>,
}

impl<'a> Scripted<'a> {
    pub(crate) fn new(answer: &'a dyn Fn(&Order, usize) -> Result<WorkerResult, StudyError>) -> Self {
        Scripted { is_fresh: true, answer, orders: RefCell::default() }
    }
}

impl Launcher for Scripted<'_> {
    fn run_worker(&self, order: &Order) -> Result<WorkerResult, StudyError> {
        let before = self.orders.borrow().len();
        self.orders.borrow_mut().push(order.clone());
        (self.answer)(order, before)
    }

    fn is_fresh(&self) -> bool {
        self.is_fresh
    }
}

/// A window of two operations of this cost on an uncontended core.
pub(crate) fn window(cost: u64) -> Window {
    Window { at: 1, length: 2 * cost, rulers: [8192; 2], chain: 8192, switched: false }
}

/// One turn of a millisecond, with these windows.
pub(crate) fn seen(estimator: Estimator, windows: Vec<Window>) -> Seen {
    Seen {
        name: "made up".to_owned(),
        estimator,
        known: Known { batch: 2, window: Duration::from_micros(30), in_a_block: 10 },
        blocks: 1,
        spent: Duration::from_millis(1),
        windows,
    }
}

/// Ten windows of each benchmark, which cost so much.
pub(crate) fn result_of(costs: &[u64]) -> WorkerResult {
    let seen = costs.iter().map(|&cost| seen(Estimator::Median, vec![window(cost); 10]));
    // So long that a worker takes no time beside it, however busy the machine is.
    let rulers = vec![[8192; 2]; 50];
    WorkerResult { elapsed: Duration::from_secs(36_000), seen: seen.collect(), rulers, per_ns: 1.0 }
}

/// Hands over a bench with this launcher, whose time is not over before the test's.
pub(crate) fn with_bench<T>(
    launcher: &dyn Launcher,
    interrupt: &AtomicBool,
    work: impl FnOnce(&mut Bench<'_>) -> T,
) -> (T, Vec<String>) {
    let mut said = Vec::new();
    let mut say = |text: &str| {
        said.push(text.to_owned());
        assert!(said.len() < 500, "work without an end");
    };
    let mut bench = Bench {
        launcher,
        interrupt,
        seed: 7,
        target: 0.005,
        exact: false,
        thorough: false,
        surroundings: Surroundings::new(1.0),
        budget: Duration::from_secs(36_000),
        begun: Instant::now(),
        say: &mut say,
        failed: Vec::new(),
    };
    let found = work(&mut bench);
    (found, said)
}

/// A book without records.
pub(crate) fn writer() -> RecordWriter {
    let host = Host {
        id: String::new(),
        cpu: String::new(),
        cores: 1,
        features: Vec::new(),
        kernel: String::new(),
        system: String::new(),
        compiler: String::new(),
        counter: String::new(),
        extensions: None,
    };
    let mut writer = RecordWriter::new(Run {
        schema: String::new(),
        version: String::new(),
        started: String::new(),
        command: String::new(),
        seed: 7,
        host,
        verdict: String::new(),
        findings: Vec::new(),
        calibration: None,
    });
    writer.open("made-up");
    writer
}

pub(crate) fn records(writer: &RecordWriter) -> Vec<&Record> {
    let records = writer.lines().iter().filter_map(|line| match line {
        Line::Record(record) => Some(record),
        _ => None,
    });
    records.collect()
}

/// Equal but for rounding.
#[track_caller]
pub(crate) fn same(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} and not {expected}");
}
