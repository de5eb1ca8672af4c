//! A benchmark that starts this very program again, and what is found.

// Whatever a program prints is no answer of a worker.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use fieldtest_measure::bench::{Group, Measured};

fn main() {
    // Not a sum, whose cost the compiler may find out.
    let work = |steps: u64| {
        move || (0..steps).fold(1_u64, |state, step| (state ^ step).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    };
    println!("what a program prints is no answer");
    if let Some(found) = Group::new("steps").bench("300", work(300)).bench("600", work(600)).run() {
        judge(&found);
    }
    let slow = Group::new("slow").bench("2 ms", || std::thread::sleep(Duration::from_millis(2))).run();
    assert!(slow.is_some_and(|found| found.len() == 1), "its workers come past the other group");
}

fn judge(found: &[Measured]) {
    let [one, two] = found else { panic!("{found:?}") };
    assert_eq!((one.name.as_str(), two.name.as_str()), ("300", "600"));
    assert!(one.interval.is_some_and(|it| it.contains(one.value)) && one.ratio.is_none(), "{one:?}");
    // None where one is contended and the other is not.
    let same = two.value / one.value;
    assert!(two.ratio.is_none_or(|(ratio, _)| (ratio / same - 1.0).abs() < 1e-12), "{two:?}");
}
