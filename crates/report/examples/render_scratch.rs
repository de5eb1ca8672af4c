fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = std::fs::read_to_string(&a[1]).unwrap();
    let lines = t.lines().map(|l| serde_json::from_str::<fieldtest_measure::record::Line>(l).unwrap());
    let r = fieldtest_report::Report::from_lines(lines).unwrap();
    std::fs::write(&a[2], r.html().unwrap()).unwrap();
    println!("{}", r.render(fieldtest_report::Format::Human { width: 120, colour: false }));
}
