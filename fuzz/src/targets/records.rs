//! Records files.

use fieldtest_measure::record_file::{read_lines, write_lines};

use super::Target;

pub(super) const TARGETS: &[Target] = &[Target { name: "records", run: records, seeds }];

/// What was read is written as lines that are the same.
fn records(input: &[u8]) {
    let lines = match read_lines(input) {
        Ok(lines) => lines,
        Err(error) => return drop(error.to_string()),
    };
    let mut written = Vec::new();
    if write_lines(&mut written, &lines).is_err() {
        return; // A figure that JSON cannot carry.
    }
    let again = read_lines(&written[..]).expect("what was written");
    let mut twice = Vec::new();
    write_lines(&mut twice, &again).expect("what was written before");
    assert!(written == twice, "{}", String::from_utf8_lossy(&written));
}

fn seeds() -> Vec<Vec<u8>> {
    let run = r#"{"line":"run","schema":"fieldtest.records/2","version":"0.1.0","started":"2026-11-22T00:00:00Z","command":"fieldtest speed","seed":1,"host":{"id":"0","cpu":"c","cores":1,"features":["aes"],"kernel":"k","system":"s","compiler":"r","counter":"ns"},"verdict":"quiet","findings":[]}"#;
    let candidate = r#"{"line":"candidate","algorithm":"a","title":"A","kind":"signature","level":1,"hardness":"h","standard":"s","status":"standard","sizes":[["signature",64]],"notes":[{"date":"2026","severity":"info","text":"t","source":"s"}]}"#;
    let record = r#"{"line":"record","study":"speed","algorithm":"a","implementation":{"name":"i","version":"1"},"operation":"sign","subject":"x","value":1.5,"unit":"ns","interval":[1.0,2.0],"estimator":"median","samples":9,"proof":{"vectors":3,"source":"s"},"input":{"name":"n","digest":"d"},"part":{"measured":1,"of":2},"notes":["n"]}"#;
    let bare = r#"{"line":"record","study":"dnssec","algorithm":"a","operation":"message-size","value":512,"unit":"bytes","estimator":"exact","samples":0}"#;
    super::texts(&[
        &format!("{run}\n{candidate}\n{record}\n{bare}\n"),
        &format!("{run}\n{bare}\n\n{run}\n{bare}\n"),
        &run.replace("records/2", "records/3"),
        bare,
        "",
    ])
}
