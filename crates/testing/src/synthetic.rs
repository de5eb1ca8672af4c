//! Records of algorithms that do not exist, made up by formulas, as many as a real run has. What each carrier measures of
//! such stands with the tests of its workbench.

use fieldtest_measure::record::{
    Candidate, Host, Implementation, Input, KatResult, Line, Record, Run, SCHEMA, SecurityNote,
};

/// Name, public key and signature bytes, status, problem, and the logarithms of made-up cycle counts of key
/// generation, signing and verifying.
pub type Row<'a> = (&'a str, u64, u64, &'a str, &'a str, [f64; 3]);

/// The made-up algorithms; three are named as if classic.
pub const ALGORITHMS: [Row<'static>; 16] = [
    ("elder-2048", 260, 256, "standard", "factoring", [8.1, 5.9, 4.4]),
    ("elder-p256", 64, 64, "standard", "elliptic-curve discrete logarithm", [4.6, 4.8, 5.1]),
    ("elder-25519", 32, 64, "standard", "elliptic-curve discrete logarithm", [4.7, 4.8, 5.3]),
    ("larch-44", 1312, 2420, "standard", "module lattice", [4.9, 5.4, 4.9]),
    ("larch-65", 1952, 3309, "standard", "module lattice", [5.1, 5.6, 5.1]),
    ("fir-512", 897, 666, "provisional", "NTRU lattice", [7.0, 5.8, 4.8]),
    ("fir-1024", 1793, 1280, "provisional", "NTRU lattice", [7.5, 6.1, 5.1]),
    ("hazel-256", 450, 249, "research", "lattice isomorphism", [6.2, 4.5, 4.6]),
    ("hazel-512", 1024, 555, "candidate", "lattice isomorphism", [6.6, 4.88, 4.95]),
    ("hazel-1024", 2440, 1221, "candidate", "lattice isomorphism", [7.5, 5.2, 5.3]),
    ("maple-1", 1420, 454, "candidate", "multivariate", [5.3, 5.8, 5.4]),
    ("maple-2", 4912, 186, "broken", "multivariate", [5.1, 5.5, 4.8]),
    ("maple-1-old", 1168, 321, "superseded", "multivariate", [5.2, 5.75, 5.3]),
    ("spruce-i", 65, 148, "candidate", "isogeny", [7.8, 8.2, 7.0]),
    ("alder-512", 768, 592, "research", "NTRU lattice", [7.2, 5.85, 4.85]),
    ("oak-128s", 32, 7856, "standard", "hash function", [8.0, 8.9, 5.8]),
];

pub fn run() -> Run {
    Run {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        started: "2030-01-02T03:04:05Z".to_owned(),
        command: "fieldtest study --seed 7".to_owned(),
        seed: 7,
        host: Host {
            id: "0123456789ab".to_owned(),
            cpu: "Made-up Processor 9000 @ 1.00 GHz".to_owned(),
            cores: 6,
            features: ["adx", "aes", "avx2", "bmi2", "sha", "vaes"].map(str::to_owned).to_vec(),
            kernel: "Made-up 1.2.3".to_owned(),
            system: "Made-up Linux 4".to_owned(),
            compiler: "rustc 0.0.0".to_owned(),
            counter: "cycles".to_owned(),
            extensions: None,
        },
        verdict: "noisy".to_owned(),
        findings: vec![
            "The load average is 3.1 on 6 processors: stop what else runs, then measure again.".to_owned(),
            "The frequency governor is `powersave`: choose `performance` for the time of the run.".to_owned(),
        ],
        calibration: None,
    }
}

pub fn candidate(row: &Row<'_>) -> Candidate {
    let (name, public_key, signature, status, hardness, _) = *row;
    Candidate {
        algorithm: name.to_owned(),
        title: name.split('-').map(capital).collect::<Vec<_>>().join("-"),
        kind: "signature".to_owned(),
        level: (!name.starts_with("elder")).then_some(1),
        strength: None,
        post_quantum: Some(!name.starts_with("elder")),
        hardness: hardness.to_owned(),
        standard: "Made-up Standard 1".to_owned(),
        status: status.to_owned(),
        standings: Vec::new(),
        sizes: vec![("public-key".to_owned(), public_key), ("signature".to_owned(), signature)],
        notes: match status {
            "broken" => vec![
                remark("2029-06", "broken", "A made-up attack forges in about 2^80 steps."),
                remark("2028-01-15", "warning", "A made-up attack takes 2^20 off the claimed security."),
            ],
            "candidate" => vec![remark("2029-05-14", "info", "In the third made-up round.")],
            "superseded" => vec![remark("2029-03", "warning", "Its authors changed the parameters.")],
            _ => Vec::new(),
        },
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub fn record(
    study: &str,
    algorithm: &str,
    operation: &str,
    subject: &str,
    value: f64,
    unit: &str,
) -> Record {
    Record {
        study: study.to_owned(),
        algorithm: algorithm.to_owned(),
        operation: operation.to_owned(),
        subject: subject.to_owned(),
        value,
        unit: unit.to_owned(),
        estimator: "exact".to_owned(),
        ..Record::default()
    }
}

/// A result as if it had been measured: with an interval, an implementation, and what proved it.
pub fn timed(mut record: Record, implementation: &str, estimator: &str) -> Record {
    let half = record.value * 0.002 * (1.0 + (record.algorithm.len() % 4) as f64);
    record.interval = Some([record.value - half, record.value + half]);
    record.implementation = Some(Implementation::new(implementation, "1.2.3"));
    record.estimator = estimator.to_owned();
    record.samples = 2_000;
    record.proof = Some(if record.algorithm == "alder-512" {
        KatResult { vectors: 0, origins: vec!["its authors' made-up code".to_owned()] }
    } else {
        KatResult { vectors: 100, origins: vec!["Made-up Vectors 1".to_owned()] }
    });
    record
}

/// A result with what is noted of it.
pub fn noted(record: Record, notes: &[&str]) -> Record {
    Record { notes: notes.iter().map(|note| (*note).to_owned()).collect(), ..record }
}

/// A result that somebody else published.
pub fn published(record: Record, notes: &[&str]) -> Record {
    Record { estimator: "published".to_owned(), ..noted(record, notes) }
}

/// What results of so many bytes are of.
pub fn input(name: &str, bytes: u64, items: u64) -> Input {
    Input { name: name.to_owned(), sha256: "00".repeat(32), bytes, items }
}

/// A remark on an algorithm.
pub fn remark(date: &str, severity: &str, text: &str) -> SecurityNote {
    let source = "https://example.org/made-up/2029/1234".to_owned();
    SecurityNote { date: date.to_owned(), severity: severity.to_owned(), text: text.to_owned(), source }
}

/// An algorithm of another kind than signatures.
pub fn of_kind(
    kind: &str,
    (name, status, hardness): (&str, &str, &str),
    sizes: &[(&str, u64)],
    notes: Vec<SecurityNote>,
) -> Candidate {
    Candidate {
        kind: kind.to_owned(),
        level: None,
        standings: Vec::new(),
        sizes: sizes.iter().map(|(name, bytes)| ((*name).to_owned(), *bytes)).collect(),
        notes,
        ..candidate(&(name, 0, 0, status, hardness, [0.0; 3]))
    }
}

/// All lines of a run of one study, on a machine without a cycle counter, over some rows.
pub fn study<R>(
    command: &str,
    rows: &[R],
    candidate: impl Fn(&R) -> Candidate,
    records: impl FnMut(&R) -> Vec<Record>,
) -> Vec<Line> {
    let mut run = Run { command: command.to_owned(), ..run() };
    run.host.counter = "ns".to_owned();
    let candidates = rows.iter().map(|row| Line::Candidate(candidate(row)));
    let records = rows.iter().flat_map(records).map(Line::Record);
    [Line::Run(run)].into_iter().chain(candidates).chain(records).collect()
}

/// All lines of a run of the study `speed` over [`ALGORITHMS`].
pub fn lines() -> Vec<Line> {
    let mut lines = vec![Line::Run(run())];
    lines.extend(ALGORITHMS.iter().map(|row| Line::Candidate(candidate(row))));
    lines.extend(ALGORITHMS.iter().flat_map(speed).map(Line::Record));
    lines
}

fn speed(row: &Row<'_>) -> Vec<Record> {
    let (name, .., [keygen, sign, verify]) = *row;
    let mut records = Vec::new();
    let mut implementations = vec![("fieldtest/avx2", 1.0)];
    if name.starts_with("larch") || name == "elder-p256" {
        implementations.push(("portable", 2.7));
    }
    for (implementation, factor) in implementations {
        for (operation, power, share) in [
            ("keygen", keygen, 1.0),
            ("prepare-sign", sign, 0.1),
            ("sign", sign, 0.9),
            ("prepare-verify", verify, 0.2),
            ("verify", verify, 0.8),
        ] {
            let cycles = (10f64.powf(power) * share * factor).round();
            records.push(timed(
                record("speed", name, operation, "", cycles, "cycles"),
                implementation,
                "mean",
            ));
        }
    }
    records
}
