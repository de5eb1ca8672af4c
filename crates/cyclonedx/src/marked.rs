//! An inventory with a verdict on each asset, for programs: CycloneDX 1.7, SARIF 2.1.0, and fields for JSON and CSV.

use std::collections::{BTreeMap, BTreeSet};

use fieldtest_catalog::policies::{Mark, Policy, Use};
use serde::Serialize;
use serde_json::{Value, json};

use crate::read::{Asset, AssetKind, Error, is_asset, without_mark};
use crate::verdict::Verdict;
use crate::write::SCHEMA;

/// An asset with its verdict, in fields.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Marked {
    /// `bom-ref`.
    pub bom_ref: Option<String>,
    /// `name`.
    pub name: String,
    /// What it is: `algorithm`.
    pub kind: &'static str,
    /// `keep`, `look` or `replace`.
    pub verdict: &'static str,
    /// The last year in which it may be used.
    pub by: Option<u16>,
    /// Whether it is to be replaced and that year is over, or there is none.
    pub overdue: bool,
    /// Whether it can be broken today.
    pub broken: bool,
    /// What of the asset decides.
    pub element: String,
    /// Why, in a word.
    pub reason: &'static str,
    /// Why, for a person.
    pub why: String,
    /// The policy, by its name.
    pub policy: String,
    /// The rule, where one decides.
    pub rule: Option<Source>,
    /// What takes its place.
    pub replacement: Option<String>,
    /// What takes its place in the carriers that its evidence points to.
    pub carriers: Vec<InCarrier>,
    /// The algorithm, by the catalog's name, if it is there.
    pub algorithm: Option<&'static str>,
    /// Where it was found, with the line.
    pub locations: Vec<(String, Option<u64>)>,
}

/// Where a rule stands.
#[derive(Debug, Clone, Serialize)]
pub struct Source {
    /// The document.
    pub document: String,
    /// Its version.
    pub version: String,
    /// Its date.
    pub date: String,
    /// The section.
    pub section: String,
    /// Where the document is.
    pub source: String,
}

impl Source {
    /// The document in one text.
    pub fn written(&self) -> String {
        format!("{}, {}, {}: {}", self.document, self.version, self.date, self.source)
    }
}

/// The documents of the rules that decided, in the order of their names.
pub fn documents(all: &[Marked]) -> BTreeSet<String> {
    all.iter().filter_map(|mark| mark.rule.as_ref()).map(Source::written).collect()
}

/// What takes the place of something, with the use where it has several.
fn written(instead: &BTreeMap<Use, String>) -> String {
    let each =
        instead.iter().map(|(does, it)| if instead.len() > 1 { format!("{does}: {it}") } else { it.clone() });
    each.collect::<Vec<_>>().join("; ")
}

/// What takes an asset's place in a carrier.
#[derive(Debug, Clone, Serialize)]
pub struct InCarrier {
    /// The carrier.
    pub carrier: &'static str,
    /// The algorithm, by the catalog's name.
    pub algorithm: Option<String>,
    /// Which of the carrier's constraints it does not meet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// Why there is none, in a word: `ambiguous`, where the asset may be one of several, or `none`.
    pub reason: Option<&'static str>,
    /// The command that measures both.
    pub measure: Option<String>,
}

impl Marked {
    /// An asset with its verdict by a policy in a year.
    pub fn of(asset: &Asset, verdict: &Verdict, policy: &str, year: u16) -> Marked {
        let rule = verdict.rule.and_then(|(of, rule)| Some((of.document(rule)?, rule)));
        let rule = rule.map(|(document, rule)| Source {
            document: document.title.clone(),
            version: document.version.clone(),
            date: document.date.clone(),
            section: rule.section.clone(),
            source: document.source.clone(),
        });
        Marked {
            bom_ref: asset.bom_ref.clone(),
            name: asset.name.clone(),
            kind: asset.kind.word(),
            verdict: verdict.mark.word(),
            by: verdict.by,
            overdue: verdict.is_overdue(year),
            broken: verdict.broken,
            element: verdict.element.clone(),
            reason: verdict.reason,
            why: verdict.why.clone(),
            policy: policy.to_owned(),
            rule,
            replacement: Some(written(&verdict.instead)).filter(|it| !it.is_empty()),
            carriers: Vec::new(),
            algorithm: None,
            locations: asset.locations.clone(),
        }
    }

    /// The rule in one text: `RSA-2048: NIST IR 8547 (draft), table 2: deprecated after 2030, disallowed after 2035`.
    pub fn rule(&self) -> String {
        match &self.rule {
            Some(it) => format!("{}: {}, {}: {}", self.element, it.document, it.section, self.why),
            None if self.element.trim().is_empty() => self.why.clone(),
            None => format!("{}: {}", self.element, self.why),
        }
    }

    /// Its name; of what has none, its `bom-ref`, or what it is.
    pub fn shown(&self) -> &str {
        let names = [Some(self.name.as_str()), self.bom_ref.as_deref()].into_iter().flatten();
        names.into_iter().find(|it| !it.trim().is_empty()).unwrap_or(self.kind)
    }

    /// What takes its place, each carrier's with its name: `ML-DSA or SLH-DSA; ima: ml-dsa-44`.
    pub fn instead(&self) -> String {
        let carried = self.carriers.iter().map(|it| {
            let found = match (&it.algorithm, it.reason) {
                (Some(name), _) if it.lacks.is_empty() => name.clone(),
                (Some(name), _) => format!("{name} (but {})", it.lacks.join(", ")),
                (None, Some("ambiguous")) => "the inventory does not say which algorithm it replaces".into(),
                _ => "nothing that is as strong and that the policy keeps".into(),
            };
            format!("{}: {found}", it.carrier)
        });
        self.replacement.iter().cloned().chain(carried).collect::<Vec<_>>().join("; ")
    }

    fn properties(&self) -> Vec<Value> {
        let replacement = Some(self.instead()).filter(|it| !it.is_empty());
        let all = [
            ("policy", Some(self.policy.clone())),
            ("verdict", Some(self.verdict.to_owned())),
            ("replace-by", self.by.map(|by| by.to_string())),
            ("reason", Some(self.reason.to_owned())),
            ("rule", Some(self.rule())),
            ("document", self.rule.as_ref().map(Source::written)),
            ("replacement", replacement),
        ];
        let all = all.into_iter().filter_map(|(name, value)| Some((name, value?)));
        all.map(|(name, value)| json!({ "name": format!("{PREFIX}{name}"), "value": value })).collect()
    }
}

/// What stands before the names of properties that are made here.
const PREFIX: &str = "fieldtest:inventory:";

/// The document with the verdict on each asset as properties, as CycloneDX 1.7: all that was there is there, but properties
/// of an earlier verdict, and a signature, which would not hold of this document; whether there was one is returned.
///
/// # Errors
/// [`Error::Syntax`] for what [`parse`](crate::read::parse) refuses.
pub fn cyclonedx(text: &[u8], all: &[Marked]) -> Result<(String, bool), Error> {
    let mut bom: Value =
        serde_json::from_slice(without_mark(text)).map_err(|error| Error::Syntax(error.to_string()))?;
    // The reader takes lists for objects, too; in such a document there is no place for a verdict.
    if !bom.is_object() {
        return Err(Error::Format);
    }
    bom["$schema"] = SCHEMA.into();
    bom["bomFormat"] = "CycloneDX".into();
    bom["specVersion"] = "1.7".into();
    // The next version of the same document.
    bom["version"] = bom["version"].as_u64().unwrap_or(1).saturating_add(1).into();
    let was_signed = bom.as_object_mut().is_some_and(|bom| bom.remove("signature").is_some());
    let mut marks = all.iter();
    let mut level: Vec<&mut Value> = Vec::new();
    let (mut described, mut listed, mut declared) = (None, None, None);
    for (key, value) in bom.as_object_mut().into_iter().flatten() {
        match key.as_str() {
            "metadata" => described = value.get_mut("component").filter(|it| it.is_object()),
            "components" => listed = value.as_array_mut(),
            "declarations" => {
                declared = value.pointer_mut("/targets/components").and_then(Value::as_array_mut)
            }
            _ => {}
        }
    }
    level.extend(described);
    level.extend(listed.into_iter().chain(declared).flatten());
    // In the order in which they were read.
    while !level.is_empty() {
        let mut below = Vec::new();
        for component in level {
            let is_asset = component["type"].as_str().is_some_and(is_asset);
            if (is_asset || !component["cryptoProperties"].is_null())
                && let Some(mark) = marks.next()
            {
                let mut properties = component["properties"].as_array().cloned().unwrap_or_default();
                let is_own = |it: &Value| it["name"].as_str().is_some_and(|name| name.starts_with(PREFIX));
                properties.retain(|it| !is_own(it));
                properties.extend(mark.properties());
                component["properties"] = properties.into();
            }
            below.extend(component.get_mut("components").and_then(Value::as_array_mut).into_iter().flatten());
        }
        level = below;
    }
    match marks.next() {
        None => Ok((pretty(&bom), was_signed)),
        Some(_) => Err(Error::Format),
    }
}

/// What is not to be kept as results of SARIF 2.1.0: errors are what is overdue or broken, warnings what is to be replaced,
/// notes what is to be looked at. What the document gives no place for is in the document itself, `file`.
pub fn sarif(all: &[Marked], file: &str) -> String {
    let mut rules: BTreeMap<String, Value> = BTreeMap::new();
    let mut results = Vec::new();
    for mark in all.iter().filter(|mark| mark.verdict != Mark::Keep.word()) {
        let id = match &mark.rule {
            Some(it) => format!("{}/{}/{}", mark.policy, it.document, it.section).replace(' ', "-"),
            None => format!("{}/{}", mark.policy, mark.reason),
        };
        let mut rule = json!({ "id": id, "shortDescription": { "text": &mark.why } });
        if let Some(source) = mark.rule.as_ref().filter(|it| it.source.starts_with("https://")) {
            rule["helpUri"] = source.source.as_str().into();
        }
        rules.entry(id.clone()).or_insert(rule);
        let level = match (mark.overdue || mark.broken, mark.verdict) {
            (true, _) => "error",
            (_, word) if word == Mark::Replace.word() => "warning",
            _ => "note",
        };
        let instead = Some(mark.instead()).filter(|it| !it.is_empty()).map(|it| format!("; instead: {it}"));
        let name = mark.shown();
        let text = format!("{name}: {}; {}{}", said(mark), mark.rule(), instead.unwrap_or_default());
        let logical =
            json!([{ "name": name, "fullyQualifiedName": mark.bom_ref.as_deref().unwrap_or(name) }]);
        let place = |path: &str, line: Option<u64>| {
            let mut physical = json!({ "artifactLocation": { "uri": uri(path) } });
            if let Some(line) = line.filter(|line| *line > 0) {
                physical["region"] = json!({ "startLine": line });
            }
            json!({ "physicalLocation": physical, "logicalLocations": logical })
        };
        let mut places: Vec<Value> = mark.locations.iter().map(|(path, line)| place(path, *line)).collect();
        if places.is_empty() {
            places.push(place(file, None));
        }
        results
            .push(json!({ "ruleId": id, "level": level, "message": { "text": text }, "locations": places }));
    }
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fieldtest",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            } },
            "results": results,
        }],
    }))
}

/// The verdict as people write it: `replace by 2030`, `replace now`.
pub fn said(mark: &Marked) -> String {
    match (mark.verdict, mark.by) {
        (word, Some(by)) if mark.overdue => format!("{word} now (due {by})"),
        (word, Some(by)) => format!("{word} by {by}"),
        (word, None) if mark.overdue => format!("{word} now"),
        (word, None) => word.to_owned(),
    }
}

/// Assets of one name and one verdict together, the first of each with their names: what is due first, what is to be looked at,
/// what is kept. Keys are many, and their names say little: if `shortened`, those of one verdict are together.
pub fn grouped(all: &[Marked], shortened: bool) -> Vec<(&Marked, String)> {
    let mut groups: Vec<(&Marked, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for mark in all {
        let is_list = shortened && mark.kind == AssetKind::Material.word();
        let name = if is_list { mark.kind } else { mark.shown() };
        // Of what no rule decides, the element is the asset.
        let element = mark.rule.as_ref().map(|_| &mark.element);
        let place =
            *places.entry((name, element, said(mark), &mark.why, mark.instead())).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, names)) => names.push(mark.shown()),
            None => groups.push((mark, vec![mark.shown()])),
        }
    }
    let rank = |mark: &Marked| match mark.verdict {
        word if word == Mark::Replace.word() => (0, mark.by.unwrap_or(0)),
        word if word == Mark::Look.word() => (1, 0),
        _ => (2, 0),
    };
    groups.sort_by_key(|(mark, _)| rank(mark));
    let named = |(mark, names): (_, Vec<&str>)| {
        let first = names[0];
        let text = match names.len() - 1 {
            0 => first.to_owned(),
            _ if names.iter().all(|name| *name == first) => format!("{first} ({} times)", names.len()),
            more => format!("{first} and {more} other{}", if more > 1 { "s" } else { "" }),
        };
        (mark, text)
    };
    groups.into_iter().map(named).collect()
}

/// The same as a page that needs nothing but itself.
pub fn page(all: &[Marked], policy: &Policy) -> String {
    let escape = |text: &str| {
        let text = fieldtest_text::line(text);
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Inventory</title>\n\
         <style>body{{font:1rem/1.4 sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem;color-scheme:light dark}}\
         table{{border-collapse:collapse;width:100%}}td,th{{border-bottom:1px solid #8888;padding:.3rem .6rem;text-align:left;\
         vertical-align:top;overflow-wrap:anywhere}}</style>\n<h1>Inventory by {}</h1>\n",
        escape(&policy.title)
    );
    for (word, title) in [(Mark::Replace, "Replace"), (Mark::Look, "Look"), (Mark::Keep, "Keep")] {
        let marks: Vec<Marked> = all.iter().filter(|mark| mark.verdict == word.word()).cloned().collect();
        page += &format!(
            "<h2>{title} ({})</h2>\n<table><tr><th>What to do<th>Asset<th>Why<th>Instead\n",
            marks.len()
        );
        for (mark, names) in grouped(&marks, true) {
            let cells = [said(mark), names, mark.rule(), mark.instead()].map(|it| escape(&it));
            page += &format!("<tr><td>{}\n", cells.join("<td>"));
        }
        page += "</table>\n";
    }
    page += "<h2>Documents</h2>\n<ul>\n";
    for document in documents(all) {
        page += &format!("<li>{}\n", escape(&document));
    }
    page + "</ul>\n</html>\n"
}

/// A path as a reference of RFC 3986.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let write = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(write).collect()
}

fn pretty(value: &Value) -> String {
    // Strings and numbers, which JSON carries.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::entries;
    use fieldtest_catalog::policies::policies;

    use super::*;
    use crate::read::parse;
    use crate::verdict::verdicts;

    /// Assets at every depth, with properties and fields of others.
    const DOCUMENT: &str = r#"{"bomFormat":"CycloneDX","specVersion":"1.6","version":3,"signature":{"value":"x"},"x":[1.5],
        "metadata":{"component":{"type":"application","name":"a"}},"components":[
        {"type":"library","name":"l","components":[{"type":"cryptographic-asset","name":"RSA-2048","bom-ref":"r",
            "evidence":{"occurrences":[{"location":"a b.c","line":7}]}}]},
        {"type":"cryptographic-asset","name":"MD5","properties":[{"name":"own","value":"1"}]},
        {"type":"cryptographic-asset","name":"AES-256-GCM"},
        {"type":"cryptographic-asset","name":"?"}]}"#;

    fn marked(text: &str) -> Vec<Marked> {
        let inventory = parse(text.as_bytes()).expect("a CBOM");
        let verdicts = verdicts(&inventory, &policies()[0], &entries());
        inventory
            .assets
            .iter()
            .zip(&verdicts)
            .map(|(asset, it)| Marked::of(asset, it, "nist", 2026))
            .collect()
    }

    #[test]
    fn the_document_comes_back_with_the_verdicts() {
        let (text, was_signed) = cyclonedx(DOCUMENT.as_bytes(), &marked(DOCUMENT)).expect("a CBOM");
        let (again, _) = cyclonedx(text.as_bytes(), &marked(&text)).expect("a CBOM");
        let mut bom: Value = serde_json::from_str(&text).expect("JSON");
        assert!(was_signed);
        assert_eq!(
            (&bom["specVersion"], &bom["version"], &bom["x"][0]),
            (&json!("1.7"), &json!(4), &json!(1.5))
        );
        let verdict = |component: &Value| {
            let all = component["properties"].as_array().expect("properties");
            let of = |name: &str| all.iter().find(|it| it["name"] == format!("{PREFIX}{name}")).cloned();
            (
                of("verdict").expect("a verdict")["value"].clone(),
                of("replace-by").map(|it| it["value"].clone()),
            )
        };
        let listed = bom["components"].as_array().expect("components");
        assert_eq!(verdict(&listed[0]["components"][0]), (json!("replace"), Some(json!("2030"))));
        assert_eq!(listed[1]["properties"][0], json!({"name": "own", "value": "1"}));
        assert_eq!([&listed[1], &listed[2], &listed[3]].map(|it| verdict(it).0), ["replace", "keep", "look"]);
        assert!(listed[0].get("properties").is_none());
        // A second verdict takes the place of the first.
        bom["version"] = json!(5);
        assert_eq!(serde_json::from_str::<Value>(&again).expect("JSON"), bom);
    }

    #[test]
    fn what_has_no_name_is_shown_by_another() {
        let text = r#"{"bomFormat":"CycloneDX","specVersion":"1.6","components":[
            {"type":"cryptographic-asset","name":" ","bom-ref":"r"},{"type":"cryptographic-asset"}]}"#;
        let all = marked(text);
        assert_eq!(all.iter().map(Marked::shown).collect::<Vec<_>>(), ["r", "algorithm"]);
    }

    #[test]
    fn documents_of_another_shape_are_refused() {
        for text in [
            r#"["CycloneDX","1.6",null,[{"type":"cryptographic-asset","name":"MD5"}],null,null]"#,
            r#"{"bomFormat":"CycloneDX","specVersion":"1.6","components":[["cryptographic-asset","r","MD5",null,null,null,null]]}"#,
        ] {
            assert!(matches!(cyclonedx(text.as_bytes(), &marked(text)), Err(Error::Format)), "{text}");
        }
        let last = DOCUMENT.replace("\"version\":3", &format!("\"version\":{}", u64::MAX));
        assert!(cyclonedx(last.as_bytes(), &marked(&last)).is_ok());
    }

    #[test]
    fn results_have_a_level_a_rule_and_a_place() {
        let log: Value = serde_json::from_str(&sarif(&marked(DOCUMENT), "in use.json")).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        let place = |at: usize| &results[at]["locations"][0]["physicalLocation"];
        let levels: Vec<&Value> = results.iter().map(|it| &it["level"]).collect();
        assert_eq!(levels, ["error", "note", "warning"]);
        assert_eq!(place(0)["artifactLocation"]["uri"], "in%20use.json");
        assert_eq!(place(2), &json!({"artifactLocation": {"uri": "a%20b.c"}, "region": {"startLine": 7}}));
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
        assert!(results.iter().all(|it| rules.iter().any(|rule| rule["id"] == it["ruleId"])));
    }
}
