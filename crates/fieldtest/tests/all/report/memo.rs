//! Half a page for the person who decides: everybody of the study is in its picture or named as missing.

use fieldtest::study_sections;
use fieldtest_report::Report;
use fieldtest_report::advice::Request;
use fieldtest_report::symbols::{CONTENDED, EXPERIMENT, UNCERTAIN, UNRESTRICTED};

use super::synthetic;

#[test]
fn a_memo_names_every_algorithm_in_words() {
    let report = Report::from_lines(synthetic::lines(), study_sections()).expect("a report");
    let mut pictures = 0;
    for decision in study_sections().iter().filter_map(|section| section.decision) {
        let Some(advice) = decision.decide(&report, &Request::default()).expect("sense") else { continue };
        let memo = report.memo(decision, &advice);
        let (html, markdown) = (memo.html().expect("a memo"), memo.markdown());
        assert!(html.len() < 60_000 && markdown.starts_with("# "), "{}: {}", decision.study, html.len());
        let body = html.split_once("</style>").expect("a style").1;
        for mark in [CONTENDED, EXPERIMENT, UNCERTAIN, UNRESTRICTED] {
            assert!(!body.contains(&*mark.symbol) && !markdown.contains(&*mark.symbol), "{}", decision.study);
        }
        assert!(advice.named.iter().all(|it| markdown.contains(report.title(it))), "{markdown}");
        if body.contains("<svg") {
            pictures += 1;
            let of_study = |it: &&str| report.of_study(decision.study).any(|record| record.algorithm == **it);
            let missing: Vec<&str> = report.measured().into_iter().filter(of_study).collect();
            let missing: Vec<&str> =
                missing.into_iter().filter(|it| !body.contains(report.title(it))).collect();
            assert!(missing.is_empty(), "{}: {missing:?}", decision.study);
        }
    }
    assert!(pictures > 0);
}
