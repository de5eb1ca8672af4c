//! The study of disk encryption over ciphers that do not exist.

use fieldtest_measure::record::{Candidate, Line, Record};
use fieldtest_testing::synthetic::{input, noted, of_kind, published, record, remark, study, timed};

/// Name, key bytes, status, made-up cycles of a page in one sector, bytes that a bit garbles, specification, whether it
/// protects a disk.
type Row = (&'static str, u64, &'static str, f64, f64, &'static str, bool);

/// The made-up ciphers. The cheapest is ruled out by a remark, the next by its specification alone.
pub(crate) const CIPHERS: [Row; 5] = [
    ("birch-256-xts", 64, "standard", 1_000.0, 16.0, "birch-xts-plain64", true),
    ("willow-256-xts", 64, "candidate", 5_000.0, 16.0, "willow-xts-plain64", true),
    ("poplar-wide", 32, "research", 9_000.0, 4_096.0, "xpoplar12,birch-wide-plain64", true),
    ("birch-256-ctr", 32, "standard", 500.0, 1.0, "birch-ctr-plain64", false),
    ("birch-256-cbc", 32, "standard", 900.0, 17.0, "birch-cbc-plain64", false),
];

/// All lines of a run of the study `disk` over [`CIPHERS`].
pub(crate) fn lines() -> Vec<Line> {
    study("fieldtest disk study --seed 7", &CIPHERS, cipher, records)
}

fn cipher(&(name, key, status, ..): &Row) -> Candidate {
    let text = "The same made-up keystream twice: two versions of a sector tell each other.";
    let notes = name.ends_with("ctr").then(|| remark("2029-07", "broken", text));
    let standing = (name, status, "wide-block");
    of_kind("cipher", standing, &[("key", key), ("tweak", 16)], notes.into_iter().collect())
}

fn records(row: &Row) -> Vec<Record> {
    let (name, _, _, cycles, garbled, specification, is_fit) = *row;
    let of = |operation: &str, subject: &str, value: f64, unit: &str| {
        record("disk", name, operation, subject, value, unit)
    };
    let flag = |is: bool| f64::from(u8::from(is));
    let reason =
        if is_fit { "nothing to know" } else { "made-up vectors can be predicted: they leave a pattern" };
    let mut records = vec![
        noted(of("dm-crypt", specification, flag(is_fit), "flag"), &[reason]),
        noted(of("available", "Linux kernel", 1.0, "flag"), &["since 2.1"]),
        of("available", "Made-up Library", flag(is_fit), "flag"),
        noted(of("available", "this host's Made-up Tool", flag(cycles < 2_000.0), "flag"), &["9.8.7"]),
    ];
    for (implementation, factor) in [("fieldtest", 1.0), ("fieldtest-portable", 8.3), ("a-library", 2.07)] {
        let time = noted(
            of("constant-time", "", flag(implementation != "a-library"), "flag"),
            &["as it is made up"],
        );
        records.push(timed(time, implementation, "exact"));
        for (direction, dearer) in [("encrypt", 1.0), ("decrypt", 1.13)] {
            for (sector, small) in [(512, 1.71), (4096, 1.0)] {
                for (way, part) in [("page", 1.0), ("bulk", 0.97)] {
                    let value = (cycles * factor * dearer * small * part).round();
                    let it = of(direction, &format!("{sector} {way}"), value, "cycles");
                    records.push(timed(it, implementation, "median"));
                }
            }
        }
    }
    for (direction, ahead) in [("encrypt-lead", 2.07), ("decrypt-lead", 2.31)] {
        for subject in ["512 page over a-library", "4096 page over a-library", "4096 bulk over a-library"] {
            records.push(timed(of(direction, subject, ahead, "ratio"), "fieldtest", "median"));
        }
    }
    for (threads, times) in [("1 thread", 1.0), ("6 threads", 5.7)] {
        let speed = 3.0e9 * 4_096.0 / cycles / 1e9 * times;
        records.push(timed(of("throughput", threads, speed, "GB/s"), "fieldtest", "median"));
    }
    records.push(timed(of("diffusion", "one bit of ciphertext", garbled, "bytes"), "fieldtest", "exact"));
    if is_fit {
        records.push(of("overhead", "LUKS2 header and key slots", 16_777_216.0, "bytes"));
        for (part, seconds) in
            [("wall", 0.31), ("cpu", 0.47), ("format", 0.011), ("fill", 0.21), ("read", 0.089)]
        {
            let mut it = noted(
                of("container", part, seconds * (1.0 + cycles / 9e3), "s"),
                &["6 threads, in a made-up file"],
            );
            it = timed(it, "fieldtest", "mean");
            it.input = Some(input("67108864 made-up bytes", 67_108_864, 16_384));
            records.push(it);
        }
    }
    if name == "birch-256-xts" {
        for (kdf, seconds) in [("argon2id t=4 m=65536 p=4", 0.234), ("pbkdf2-sha256 1000000", 0.432)] {
            let mut it = noted(of("unlock", kdf, seconds, "s"), &["one made-up key slot"]);
            it.estimator = "mean".to_owned();
            it.interval = Some([seconds * 0.99, seconds * 1.01]);
            it.samples = 5;
            records.push(it);
        }
        for (subject, encrypt, decrypt) in [
            ("4096 birch-ni, Made-up Processor", 2_589.0, Some(2_527.0)),
            ("4096 birch-generic, Made-up Processor", 35_785.0, None),
        ] {
            for (operation, ticks) in [("encrypt-published", Some(encrypt)), ("decrypt-published", decrypt)] {
                let Some(ticks) = ticks else { continue };
                records.push(published(of(operation, subject, ticks, "ticks"), &["from a made-up mail"]));
            }
        }
    }
    records
}
