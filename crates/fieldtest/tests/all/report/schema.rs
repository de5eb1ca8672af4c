//! The published JSON Schema holds for what the record types write, and refuses what is not a record.
//!
//! The checker below knows the few keywords that the schema uses and fails on any other, so that the schema cannot
//! grow a rule that nothing checks.

use fieldtest_measure::record::{Line, SCHEMA};
use fieldtest_measure::record_file::read_lines;
use serde_json::{Value, json};

use super::synthetic;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../../docs/records.schema.json")).unwrap()
}

/// Checks `value` against `rule`, a part of `root`.
fn check(root: &Value, rule: &Value, value: &Value, place: &str) -> Result<(), String> {
    for (keyword, wanted) in rule.as_object().unwrap() {
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "examples" | "format" => true,
            "$ref" => {
                let target = root.pointer(wanted.as_str().unwrap().trim_start_matches('#')).unwrap();
                return check(root, target, value, place);
            }
            "oneOf" => {
                let fitting = wanted.as_array().unwrap().iter();
                fitting.filter(|rule| check(root, rule, value, place).is_ok()).count() == 1
            }
            "type" => match wanted {
                Value::String(name) => is(name, value),
                names => names.as_array().unwrap().iter().any(|name| is(name.as_str().unwrap(), value)),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|it| it >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|it| it <= wanted.as_f64().unwrap()),
            "minItems" => value.as_array().is_some_and(|it| it.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value.as_array().is_some_and(|it| it.len() as u64 <= wanted.as_u64().unwrap()),
            "pattern" => matches(wanted.as_str().unwrap(), value.as_str().unwrap_or_default()),
            "required" => {
                wanted.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "properties" => {
                for (name, rule) in wanted.as_object().unwrap() {
                    if let Some(member) = value.get(name) {
                        check(root, rule, member, &format!("{place}.{name}"))?;
                    }
                }
                true
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{place}[{at}]"))?;
                }
                true
            }
            "prefixItems" => {
                for (at, rule) in wanted.as_array().unwrap().iter().enumerate() {
                    if let Some(item) = value.get(at) {
                        check(root, rule, item, &format!("{place}[{at}]"))?;
                    }
                }
                true
            }
            other => panic!("the schema uses `{other}`, which this test does not know"),
        };
        if !fits {
            return Err(format!("{place}: {value} is not as `{keyword}` wants it: {wanted}"));
        }
    }
    Ok(())
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the schema uses the type `{other}`, which this test does not know"),
    }
}

/// The schema's patterns, each by hand.
fn matches(pattern: &str, text: &str) -> bool {
    let hex = |length: usize| text.len() == length && text.bytes().all(|b| b"0123456789abcdef".contains(&b));
    match pattern {
        r"^fieldtest\.records/2(\.|$)" => text == SCHEMA || text.starts_with(&format!("{SCHEMA}.")),
        "^[0-9a-f]{12}$" => hex(12),
        "^[0-9a-f]{64}$" => hex(64),
        "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$" => {
            let digits: Vec<usize> =
                text.split('-').map(|part| part.bytes().filter(u8::is_ascii_digit).count()).collect();
            matches!(digits[..], [4] | [4, 2] | [4, 2, 2])
                && text.bytes().all(|b| b == b'-' || b.is_ascii_digit())
        }
        other => panic!("the schema uses the pattern `{other}`, which this test does not know"),
    }
}

fn every_line() -> impl Iterator<Item = Line> {
    [synthetic::lines(), synthetic::tcp_ao::lines(), synthetic::ima::lines()].into_iter().flatten()
}

#[test]
fn every_line_that_is_written_fits() {
    let schema = schema();
    for line in every_line() {
        let value = serde_json::to_value(&line).unwrap();
        let kind = value["line"].as_str().unwrap();
        // First against its own kind, whose complaint says what is wrong, then as one line of a file.
        check(&schema, &schema["$defs"][kind], &value, kind).unwrap();
        check(&schema, &schema, &value, "line").unwrap();
    }
}

/// Whether it is read as a line of a file.
fn reads(line: &Value) -> bool {
    let run = serde_json::to_string(&every_line().next()).unwrap() + "\n";
    let before = if line["line"] == "run" { "" } else { &run };
    read_lines(format!("{before}{line}\n").as_bytes()).is_ok()
}

/// The schema knows every member that the types write, and requires those that cannot be left out.
#[test]
fn every_member_is_described() {
    let schema = schema();
    for line in every_line() {
        let value = serde_json::to_value(&line).unwrap();
        let kind = value["line"].as_str().unwrap();
        let rule = &schema["$defs"][kind];
        for name in value.as_object().unwrap().keys() {
            assert!(rule["properties"].get(name).is_some(), "{kind}.{name} is not described");
        }
        for required in rule["required"].as_array().unwrap() {
            let mut without = value.clone();
            without.as_object_mut().unwrap().remove(required.as_str().unwrap());
            let optional = kind == "candidate" && required == "level"; // An absent Option reads as none.
            assert!(optional || !reads(&without), "{kind} reads without {required}");
        }
    }
}

/// The words that are read are those of the schema, and no field of the schema has words that are not looked at.
#[test]
fn words_are_the_same() {
    fn gather(rule: &Value, place: &str, found: &mut Vec<(String, Vec<String>)>) {
        if let Some(words) = rule.get("enum") {
            let words = words.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
            found.push((place.to_owned(), words.collect()));
        }
        for (name, rule) in rule.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            gather(rule, &place, found);
        }
        rule.get("items").inspect(|rule| gather(rule, place, found));
    }
    let mut found = Vec::new();
    schema()["$defs"].as_object().unwrap().values().for_each(|rule| gather(rule, "", &mut found));
    let mut known: Vec<(String, Vec<String>)> = fieldtest_measure::record::WORDS
        .iter()
        .map(|(field, words)| ((*field).to_owned(), words.iter().map(|&word| word.to_owned()).collect()))
        .collect();
    found.sort();
    known.sort();
    assert_eq!(found, known);
}

#[test]
fn what_is_not_a_record_is_refused() {
    let schema = schema();
    let good =
        serde_json::to_value(Line::Record(synthetic::record("s", "a", "sign", "", 1.0, "cycles"))).unwrap();
    check(&schema, &schema, &good, "line").unwrap();
    for (member, bad) in [
        ("value", json!(null)),
        ("value", json!("1")),
        ("estimator", json!("guess")),
        ("samples", json!(-1)),
        ("interval", json!([1.0])),
        ("line", json!("result")),
        ("proof", json!({ "vectors": 1 })),
    ] {
        let mut line = good.clone();
        line[member] = bad;
        assert!(check(&schema, &schema, &line, "line").is_err(), "{line}");
    }
}
