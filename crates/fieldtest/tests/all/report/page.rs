//! The page: whole, well-formed, quiet on the network, and safe whatever the names are.

use fieldtest::study_sections;
use fieldtest_measure::record::Line;
use fieldtest_report::Report;

use super::synthetic;

fn page(lines: Vec<Line>) -> String {
    Report::from_lines(lines, study_sections()).unwrap().html().unwrap()
}

/// Every tag that is opened is closed, in order; cells and rows of a table also by the next one and by the table's end, as HTML has
/// it (section 13.1.2.4, optional tags).
fn balanced(html: &str) -> Result<(), String> {
    const VOID: [&str; 4] = ["meta", "input", "link", "br"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = html.strip_prefix("<!doctype html>").ok_or("no doctype")?;
    while let Some(start) = rest.find('<') {
        let tag_on = &rest[start + 1..];
        // A `>` within quotes does not end a tag.
        let mut quoted = false;
        let end = tag_on
            .find(|c| {
                quoted ^= c == '"';
                c == '>' && !quoted
            })
            .ok_or("a tag without an end")?;
        let tag = &tag_on[..end];
        rest = &tag_on[end + 1..];
        let name: String =
            tag.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        let closes = |what: &str| match what {
            "td" | "th" => {
                matches!((&*name, tag.starts_with('/')), ("td" | "th" | "tr", false) | ("tr" | "tbody", true))
            }
            "tr" => matches!((&*name, tag.starts_with('/')), ("tr", false) | ("tbody", true)),
            _ => false,
        };
        while open.pop_if(|last| closes(last)).is_some() {}
        if tag.starts_with('/') {
            let last = open.pop().ok_or(format!("</{name}> closes nothing"))?;
            if last != name {
                return Err(format!("<{last}> is closed by </{name}>"));
            }
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            if name == "script" || name == "style" {
                let close = format!("</{name}>");
                rest = rest.split_once(&close).ok_or(format!("no {close}"))?.1;
            } else {
                open.push(name);
            }
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

/// Leaves the page where someone can look at it: `target/tmp/report.html`.
#[test]
fn whole() {
    let html = page(synthetic::lines());
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/report.html"), &html).unwrap();
    balanced(&html).unwrap();
    for words in [
        "Made-up Processor 9000",
        "noisy machine",
        "fieldtest study --seed 7",
        "What fits a datagram",
        "What one signature costs",
        "How large the signed zone becomes",
        "Limits of these results",
        "forges in about 2^80 steps.",
        "Hazel-1024",
        "made-up-operation",
        "no official vectors; ",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert_eq!(html.matches("<figure ").count(), 5);
}

#[test]
fn quiet_on_the_network() {
    let html = page(synthetic::lines());
    let mut addresses = html.match_indices("http").map(|(at, _)| &html[at - 9.min(at)..at + 8]);
    assert!(addresses.all(|around| around.contains("href=\"http") || around.contains("http-equ")));
    for loading in
        ["<link", "<img", "<iframe", "src=", "url(", "@import", "fetch(", "XMLHttpRequest", "import("]
    {
        assert!(!html.contains(loading), "{loading}");
    }
    assert!(
        html.contains("default-src &#39;none&#39;; script-src &#39;sha256-")
            || html.contains("default-src 'none'; script-src 'sha256-")
    );
}

#[test]
fn small() {
    let empty = page(vec![Line::Run(synthetic::run())]);
    assert!(empty.len() < 60_000, "the page without data is {} bytes", empty.len());
}

#[test]
fn hostile_names() {
    let evil = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>&\u{1b}[31m";
    let mut lines = synthetic::lines();
    for line in &mut lines {
        match line {
            Line::Run(run) => {
                run.command = evil.to_owned();
                run.verdict = evil.to_owned();
                run.host.cpu = evil.to_owned();
                run.findings.push(evil.to_owned());
            }
            Line::Candidate(it) => {
                if it.algorithm == "maple-2" {
                    it.title = evil.to_owned();
                    it.status = evil.to_owned();
                    it.hardness = evil.to_owned();
                    it.notes[0].text = evil.to_owned();
                    it.notes[0].severity = evil.to_owned();
                    it.notes[0].source = "javascript:alert(3)".to_owned();
                }
            }
            Line::Record(it) => {
                if it.operation == "made-up-operation" {
                    it.study = evil.to_owned();
                    it.operation = evil.to_owned();
                    it.unit = evil.to_owned();
                    it.notes.push(evil.to_owned());
                }
                if it.operation == "message-size" && it.subject == "soa" {
                    it.subject = evil.to_owned();
                }
                if let Some(it) = &mut it.implementation {
                    it.name = format!("{}{evil}", it.name);
                }
            }
        }
    }
    let html = page(lines);
    balanced(&html).unwrap();
    assert_eq!(html.matches("<script").count(), 1);
    assert!(!html.contains("<img") && !html.contains("onerror='"));
    assert!(!html.contains("href=\"javascript:"));
}

#[test]
fn little_data() {
    balanced(&page(vec![Line::Run(synthetic::run())])).unwrap();
    for record in [
        synthetic::record("dnssec", "lonely", "message-size", "soa", 200.0, "bytes"),
        synthetic::record("dnssec", "lonely", "zone-size", "raw", 0.0, "bytes"),
        synthetic::record("dnssec", "lonely", "zone-size", "raw", 1.0, "bytes"),
        synthetic::record("speed", "lonely", "sign", "", -1.0, "cycles"),
        synthetic::record("", "", "", "", 1e300, ""),
        synthetic::record("security", "lonely", "message-size", "", f64::MIN_POSITIVE, "bytes"),
    ] {
        let html = page(vec![Line::Run(synthetic::run()), Line::Record(record)]);
        balanced(&html).unwrap();
        // The packed bytes are letters in any order.
        let (before, packed) = html.split_once("<pre id=\"packed\"").unwrap();
        let data = format!("{before}{}", packed.split_once("</pre>").unwrap().1);
        let data = data.split_once("<script>").unwrap().0;
        assert!(!data.contains("NaN") && !data.contains(">inf"));
    }
}

/// Leaves the page where someone can look at it: `target/tmp/report-all.html`.
#[test]
fn all_studies_in_one_report() {
    let mut lines = synthetic::lines();
    lines.extend(synthetic::tcp_ao::lines());
    lines.extend(synthetic::ima::lines());
    lines.extend(synthetic::git::lines());
    lines.extend(synthetic::disk::lines());
    let report = Report::from_lines(lines, study_sections()).unwrap();
    let ids: Vec<String> = report.sections().into_iter().map(|section| section.id).collect();
    assert_eq!(ids, ["dnssec", "speed", "tcp-ao", "ima", "git", "disk", "security", "proofs"]);
    assert_eq!(report.baseline(), Some("elder-2048"));
    let html = report.html().unwrap();
    assert_eq!(html.matches("<figure ").count(), 10);
    for words in [
        "post-quantum signature for DNSSEC",
        "the MAC for TCP-AO",
        "hash function for Git",
        "signature, candidate",
        "MAC, research",
    ] {
        assert!(html.contains(words), "{words}");
    }
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/report-all.html"), html).unwrap();
}
