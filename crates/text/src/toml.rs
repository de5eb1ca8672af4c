//! What is wrong with a TOML document, in the words of people who write one: with line, column, name and remedy.
//!
//! The parser's own messages (`unclosed array, expected ]`) name parts of its grammar. They change with its version, so
//! every one of them becomes one of a few faults, and one that is not known here becomes the last of these.

use std::ops::Range;

use crate::{SMALLER, expectation, first, shortened};

/// Why a document is not TOML: what the parser says, and the place it names.
pub fn syntax(document: &str, span: Option<Range<usize>>, message: &str) -> String {
    let span = within(document, span);
    let (fault, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    let is = |words: &[&str]| words.iter().any(|word| fault.contains(word));
    let line = line_at(document, span.start);
    let name = key_at(document, span.start).map(|key| format!("'{key}': ")).unwrap_or_default();
    let what = if is(&["duplicate key"]) {
        format!("'{}' is given twice; remove one", shortened(&document[span.clone()]))
    } else if is(&["recur"]) {
        "nested too deeply; use fewer brackets".to_owned()
    } else if is(&["escape", "unicode"]) {
        format!(
            "{name}unknown escape in the text; write '\\\\' for a backslash, or put the text in single quotes"
        )
    } else if is(&["string"])
        && (line.contains(['"', '\'']) || is(&["multi-line"]))
        && !is(&["must be quoted", "keys"])
    {
        match expected.contains("characters") {
            true => format!("{name}the text has a control character; write it as '\\u' and four digits"),
            false => format!("{name}the text has no end; add the closing quote"),
        }
    } else if is(&["unclosed table", "unclosed array table"]) {
        "the table's name has no end; add ']'".to_owned()
    } else if is(&["unclosed array"]) {
        format!("{name}the list has no end; add ']'")
    } else if is(&["array"]) {
        format!("{name}expected a list, such as [\"a\", \"b\"]")
    } else if is(&["inline table"]) {
        format!("{name}expected a table in braces, such as {{ a = 1, b = 2 }}")
    } else if is(&["unquoted key", "keys cannot"]) && !word_at(document, &span).is_empty() {
        format!("invalid name '{}': expected letters, digits, '-' or '_'", word_at(document, &span))
    } else if is(&["too large", "128"]) {
        format!(
            "invalid {} '{}': expected {SMALLER}",
            key_at(document, span.start).unwrap_or("value"),
            word_at(document, &span)
        )
    } else if is(SCALARS) {
        let word = word_at(document, &span);
        match word.is_empty() {
            true => format!("{name}the value is missing; add it or remove the line"),
            false => {
                let name = key_at(document, span.start).unwrap_or("value");
                format!("invalid {name} '{word}': expected text in quotes, a number, true or false")
            }
        }
    } else {
        // A file of keys may have been given by mistake, and logs keep what is said.
        format!("expected one 'name = value' or '[table]' a line, not '{}'", first(line, 16))
    };
    located(document, span.start, &what)
}

/// What the parser says of a value that is none of the kinds there are.
const SCALARS: &[&str] = &[
    "number",
    "integer",
    "float",
    "fraction",
    "exponent",
    "digits",
    "leading zero",
    "numeric sign",
    "unexpected sign",
    "radix",
    "overflowed",
    "date",
    "time",
    "boolean",
    "must be quoted",
    "missing value",
];

/// Why a document's values are not what they have to be: what serde says, and the place that the parser names.
pub fn value(document: &str, span: Option<Range<usize>>, message: &str) -> String {
    let at = within(document, span).start;
    let table = line_at(document, at).strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let what = match table.filter(|name| !name.starts_with('[') && message.contains("expected a sequence")) {
        Some(name) => format!("expected a list of tables; write [[{name}]]"),
        None => of(key_at(document, at), message),
    };
    located(document, at, &what)
}

/// As [`value`], of values that have lost their place: `long` is all that the parser says, which has the name of a value
/// within that of `key`.
pub fn of_table(key: &str, message: &str, long: &str) -> String {
    let within = long.lines().find_map(|line| line.strip_prefix("in `")?.strip_suffix('`'));
    of(within.or(Some(key).filter(|key| !key.is_empty())), message)
}

/// What is wrong with what has this name, with its place.
pub fn of_name(document: &str, name: &str, what: &str) -> String {
    place_of(document, name).map_or_else(|| what.to_owned(), |at| located(document, at, what))
}

/// The line, from 1, of what has this name.
pub fn line_of(document: &str, name: &str) -> Option<usize> {
    place_of(document, name).map(|at| document[..at].matches('\n').count() + 1)
}

/// Where the table or value of this name is, or the entry that is called so. A name that stands at several places has
/// none, since the first one may be right.
fn place_of(document: &str, name: &str) -> Option<usize> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_key = |line: &str| {
        let rest = line.trim_start_matches(['[', ' ', '\t']).strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(is_name) && rest.contains(['=', ']']))
    };
    let is_entry = |line: &str| line.contains(&format!("\"{name}\""));
    let places = |is: &dyn Fn(&str) -> bool| {
        let mut start = 0;
        let mut found = Vec::new();
        for line in document.split_inclusive('\n') {
            if is(line) {
                found.push(start + line.find(name).unwrap_or_default());
            }
            start += line.len();
        }
        found
    };
    let keys = places(&is_key);
    match if keys.is_empty() { places(&is_entry) } else { keys }.as_slice() {
        [at] => Some(*at),
        _ => None,
    }
}

fn of(key: Option<&str>, message: &str) -> String {
    // TOML calls so what serde calls a field.
    let what = match expectation(message, "a table") {
        what if what.starts_with("unknown field") => what.replacen("field", "key", 1),
        what => what,
    };
    let Some(key) = key.filter(|_| !what.starts_with('\'') && !what.starts_with("unknown key")) else {
        return what;
    };
    let quoted = what.rsplit_once(", not '").filter(|(before, _)| before.starts_with("expected "));
    match quoted {
        Some((expected, typed)) => format!("invalid {key} '{typed}: {expected}"),
        None => format!("'{key}': {what}"),
    }
}

fn located(document: &str, at: usize, what: &str) -> String {
    let before = &document[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}: {what}")
}

fn within(document: &str, span: Option<Range<usize>>) -> Range<usize> {
    span.filter(|span| document.get(span.clone()).is_some()).unwrap_or(0..0)
}

fn line_at(document: &str, at: usize) -> &str {
    let start = document[..at].rfind('\n').map_or(0, |end| end + 1);
    document[start..].lines().next().unwrap_or_default().trim()
}

/// The name whose value is at this place: in front of the last `=`, on this line or on one above it within the table.
fn key_at(document: &str, at: usize) -> Option<&str> {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    for line in document[..at].rsplit('\n') {
        if line.trim_start().starts_with('[') {
            return None;
        }
        let key = line
            .rsplit_once('=')
            .map(|(before, _)| before.rsplit(['{', ',']).next().unwrap_or(before).trim());
        if let Some(key) = key {
            return is_name(key).then_some(key);
        }
    }
    None
}

/// The word around a place, or what the parser names if that is more.
fn word_at<'d>(document: &'d str, span: &Range<usize>) -> &'d str {
    let ends = |c: char| c.is_whitespace() || "=,[]{}#".contains(c);
    let start = document[..span.start].rfind(ends).map_or(0, |at| at + ends_length(document, at));
    let end = document[span.start..].find(ends).map_or(document.len(), |length| span.start + length);
    let word = &document[start..end];
    let named = &document[span.clone()];
    let longer = if named.len() > word.len() { named } else { word };
    match longer.char_indices().nth(40) {
        Some((end, _)) => &longer[..end],
        None => longer,
    }
}

fn ends_length(document: &str, at: usize) -> usize {
    document[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values_are_found() {
        let document = "[a]\nx = 1\nlist = [\n  'a',\n  7,\n]\nt = { p.q = 1, r = 2 }\n[b]\n  y\n";
        for (place, wanted) in [
            ("1\n", Some("x")),
            ("7,", Some("list")),
            ("1, r", Some("p.q")),
            ("2 }", Some("r")),
            ("y\n", None),
        ] {
            let at = document.find(place).expect("it is there");
            assert_eq!(key_at(document, at), wanted, "{place}");
        }
        assert_eq!(key_at("list = [\n 'a=b',\n 7]", 18), None, "text with a sign in it");
    }

    #[test]
    fn a_place_is_counted_in_letters_and_need_not_exist() {
        assert!(
            value("é = 1", Some(3..4), "invalid type: integer `1`, expected a string")
                .starts_with("line 1, column 3: ")
        );
        for span in [None, Some(1..2), Some(7..9)] {
            assert!(syntax("é", span, "words of another version").starts_with("line 1, column 1: "));
        }
    }
}
