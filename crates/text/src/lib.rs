#![doc = include_str!("../README.md")]
//!
//! ## Functions
//!
//! | for | function |
//! |---|---|
//! | a message, a cell, a name: one line | [`line()`] |
//! | several lines of our own making | [`lines`] |
//! | a page of our own making | [`document`] |
//! | bytes that ought to be text | [`bytes`] |
//! | a file name | [`path`] |
//! | a JSON document | [`json`], which stays the same document |
//! | what the operating system says of an error | [`system`] |
//! | what a parser says of a document | [`expectation`], [`json_fault`], [`toml`] |

pub mod names;
pub mod near;
pub mod own;
pub mod toml;
pub mod units;
mod worded;

#[doc(hidden)]
pub use worded::are_distinct;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Shows one line of text: line ends and tabs are written out as well, so that nothing can pass for a line of its own.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, steers)
}

/// Shows text that is meant to have several lines: as [`line()`], but a newline ends one.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && steers(c))
}

/// A document of our own making with text of unknown origin in it: as [`lines`], but tabs stay too.
pub fn document(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !matches!(c, '\n' | '\t') && steers(c))
}

/// Shows bytes that ought to be text: as [`line()`], and what is not UTF-8 as `\xff`.
pub fn bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&line(chunk.valid()));
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// Shows a file name: as [`bytes`].
pub fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// Bytes of a text file as text; why they are none, with the remedy. A zero byte is UTF-8, but archives and images have many.
pub fn decoded(bytes: &[u8]) -> Result<&str, &'static str> {
    str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or_else(|| not_text(bytes))
}

fn not_text(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x1f, 0x8b, ..] => "it is compressed by gzip; decompress it first",
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => "it is a picture; check the path",
        [0x7f, b'E', b'L', b'F', ..] => "it is a program; check the path",
        [b'%', b'P', b'D', b'F', ..] => "it is a PDF; check the path",
        [b'L', b'U', b'K', b'S', 0xba, 0xbe, ..] => "it is a LUKS container; check the path",
        [0xd4, 0xc3, 0xb2, 0xa1, ..] | [0x0a, 0x0d, 0x0d, 0x0a, ..] => {
            "it is a packet capture; check the path"
        }
        [0xfd, b'7', b'z', b'X', b'Z', ..] => "it is compressed by xz; decompress it first",
        [b'P', b'K', 3, 4, ..] => "it is a zip archive; extract it first",
        // A line of UTF-16 has zero bytes; two such bytes may begin any damaged line.
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if bytes.contains(&0) => "it is UTF-16; convert it to UTF-8",
        _ if bytes.get(257..262) == Some(b"ustar") => "it is a tar archive; extract it first",
        _ if bytes.iter().any(|byte| *byte < b'\t') => "it is not a text file; check the path",
        _ => "it has bytes that are not UTF-8; convert it to UTF-8",
    }
}

/// What is wrong with a remedy, unless it has one of its own: two would be one too many.
pub fn remedied(fault: &str, remedy: &str) -> String {
    if fault.contains("; ") { fault.to_owned() } else { format!("{fault}; {remedy}") }
}

/// As much of a text as a message can quote.
pub fn shortened(text: &str) -> Cow<'_, str> {
    first(text, 100)
}

/// The first letters of a text, and a mark if there are more.
fn first(text: &str, letters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(letters) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// What is expected where the limit is only that of a type, which helps nobody.
const SMALLER: &str = "a smaller whole number";

/// What serde says of a value, in the words of those who write documents: `expected a list, not '7'` for
/// ``invalid type: integer `7`, expected a sequence``. `group` is what the format calls named values together.
pub fn expectation(message: &str, group: &str) -> String {
    let message = message.lines().next().unwrap_or_default();
    let with_name = [
        ("missing field `", "'{}' is missing; add it"),
        ("duplicate field `", "'{}' is given twice; remove one"),
        ("unknown field `", "unknown field '{}'"),
        ("unknown variant `", "unknown word '{}'"),
    ];
    for (begin, words) in with_name {
        let Some((name, rest)) = message.strip_prefix(begin).and_then(|rest| rest.split_once('`')) else {
            continue;
        };
        let rest = match near::meant(name, rest.split('`').skip(1).step_by(2)) {
            meant if meant.is_empty() => rest.replace('`', "'").replacen(", ", "; ", 1),
            meant => meant,
        };
        return words.replace("{}", &shortened(name)) + &rest;
    }
    let kinds = ["invalid type: ", "invalid value: ", "invalid length "];
    let both = kinds.iter().find_map(|kind| message.strip_prefix(kind)?.split_once(", expected "));
    let Some((typed, wanted)) = both else {
        return match message {
            "u64 value was too large" => format!("expected {SMALLER}"),
            one if one.starts_with("wanted exactly 1 element") => "expected one value, not a list".to_owned(),
            other => other.replace('`', "'"),
        };
    };
    let value = typed.split_once(['`', '"']).map(|(_, value)| value.trim_end_matches(['`', '"']));
    let found = match typed {
        "sequence" => "a list".to_owned(),
        "map" => group.to_owned(),
        "unit variant" => "a single word".to_owned(),
        length if length.parse::<usize>().is_ok() => format!("a list of {length}"),
        // 128 bits, which TOML's parser hands on as a value of its own.
        other if other.ends_with("128") => return "the number is too large".to_owned(),
        other => value.map_or_else(|| other.to_owned(), |value| format!("'{}'", shortened(value))),
    };
    let is_large = value.is_some_and(|value| value.parse::<u64>().is_ok());
    let wanted = match wanted {
        "u32" | "u64" | "usize" if is_large => SMALLER,
        "a sequence" => "a list",
        "a map" => group,
        wanted if wanted.starts_with("struct ") => group,
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "u128" | "usize" => "a whole number of at least 0",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "path string" | "string only" => "text in quotes",
        "string or table" => "text in quotes, or a table",
        "an array of length 2" => "a list of 2",
        "a tuple of size 2" => "a list of 2",
        other => other,
    };
    let is_quoted = typed.starts_with("string") && value.is_some_and(|it| it.parse::<f64>().is_ok());
    let how = if is_quoted && wanted.contains("number") { " without quotes" } else { "" };
    format!("expected {wanted}{how}, not {found}")
}

/// What serde_json says of a document, without the place. `is_data` is its own word for whether the document is JSON.
pub fn json_fault(message: &str, is_data: bool) -> String {
    let what = message.rsplit_once(" at line ").map_or(message, |(what, _)| what);
    match what {
        _ if is_data => expectation(what, "an object"),
        "recursion limit exceeded" => "nested too deeply".to_owned(),
        "number out of range" => "a number is too large".to_owned(),
        "trailing characters" => "there is more than expected".to_owned(),
        _ if what.starts_with("EOF") => "the JSON document ends too early".to_owned(),
        _ => "not JSON".to_owned(),
    }
}

/// A JSON document in which strings have such characters as `\u202e`. It stands for the same values: outside of its
/// strings a document has none of them but white space (RFC 8259, sections 2 and 7).
pub fn json(document: &str) -> Cow<'_, str> {
    let special = |c: char| c >= '\u{7f}' && steers(c);
    if !document.contains(special) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 32);
    for c in document.chars() {
        if special(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Text with the operating system's errors as the house words them: `it is a directory` in the place of `Is a directory
/// (os error 21)`, with the usual remedy if the text has none. Whatever quotes an [`io::Error`] goes through here once, as
/// it is printed: to word each where it is quoted, over 100 types of errors would have to remember it.
pub fn system(text: &str) -> Cow<'_, str> {
    const MARK: &str = " (os error ";
    let Some((before, rest)) = text.split_once(MARK) else { return Cow::Borrowed(text) };
    let known = rest.split_once(')').and_then(|(number, behind)| {
        let error = io::Error::from_raw_os_error(number.parse().ok()?);
        let said = error.to_string();
        let said = said.strip_suffix(&format!("{MARK}{number})"))?;
        Some((before.strip_suffix(said)?, in_house_words(&error, said), remedy(&error), behind))
    });
    Cow::Owned(match known {
        Some((before, words, remedy, behind)) => {
            let said = format!("{before}{words}{}", system(behind));
            // A list of failures has its own end.
            match remedy.filter(|_| !said.contains([';', '\n'])) {
                Some(remedy) => format!("{said}; {remedy}"),
                None => said,
            }
        }
        None => format!("{before}{MARK}{}", system(rest)),
    })
}

/// What usually helps. A command that knows better names it behind a semicolon.
fn remedy(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        // ELOOP, whose kind is not stable yet.
        _ if error.raw_os_error() == Some(40) => "remove the links, or give the file itself",
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "check the path",
        io::ErrorKind::PermissionDenied => "check its permissions, or run as its owner",
        io::ErrorKind::IsADirectory => "give a file",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free space, then retry",
        io::ErrorKind::ReadOnlyFilesystem => "choose a place that can be written",
        io::ErrorKind::AddrInUse => "choose another address or port",
        io::ErrorKind::OutOfMemory => "free memory, then retry",
        _ => return None,
    })
}

fn in_house_words(error: &io::Error, said: &str) -> String {
    let words = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or directory",
        io::ErrorKind::IsADirectory => "it is a directory",
        io::ErrorKind::NotADirectory => "a part of its path is not a directory",
        io::ErrorKind::StorageFull => "no space left on the file system",
        // `RPC version wrong` begins with an abbreviation.
        _ if said.chars().nth(1).is_some_and(char::is_uppercase) => said,
        _ => return said[..1].to_lowercase() + &said[1..],
    };
    words.to_owned()
}

/// Whether a character does something to a terminal or to the text around it instead of being seen.
fn steers(c: char) -> bool {
    match c {
        // C0 and DEL, then C1, which terminals take for ESC and a letter (ECMA-48, section 5.3).
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => true,
        // Almost every text ends here.
        '\x20'..='\x7e' => false,
        // Direction: marks, embeddings, overrides and isolates (Unicode Standard Annex 9, section 2).
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // The separators of lines and paragraphs.
        '\u{2028}' | '\u{2029}' => true,
        // What shows nothing at all and makes two names look like one: the soft hyphen, joiners, fillers, selectors,
        // invisible operators, tags (Default_Ignorable_Code_Point of DerivedCoreProperties.txt), annotations.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' => true,
        '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

fn escaped(text: &str, special: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&special) else { return Cow::Borrowed(text) };
    let (plain, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 32);
    out.push_str(plain);
    for c in rest.chars() {
        let _ = match c {
            c if !special(c) => {
                out.push(c);
                Ok(())
            }
            '\n' | '\r' | '\t' => write!(out, "{}", c.escape_default()),
            '\0'..='\x7f' => write!(out, "\\x{:02x}", u32::from(c)),
            c => write!(out, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn archives_and_images_are_no_text() {
        assert_eq!(decoded("größe\n".as_bytes()), Ok("größe\n"));
        let (binary, damaged) = (decoded(&[0; 512]), decoded(b"text \xff\xfe"));
        assert!(binary.is_err() && damaged.is_err() && binary != damaged);
        assert_eq!(decoded(b"\xff\xfetext"), damaged);
        assert!(decoded(b"\xff\xfea\0").is_err_and(|why| why.contains("UTF-16")));
        assert!(decoded(b"\x89PNG\r\n").is_err_and(|why| why.contains("picture")));
        let of_tar = [&b"name"[..], &[0; 253], b"ustar"].concat();
        assert!(decoded(&of_tar).is_err_and(|why| why.contains("tar ")));
    }

    #[test]
    fn what_people_write_stays() {
        for text in [
            "",
            "ns1.example.",
            "größe 大小 גודל size\u{202f}4\u{2009}KiB",
            "a\\b 'c' ±0.5 % 🙂",
            "é e\u{301}",
        ] {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text), "{text}");
            assert_eq!(json(text), text);
            assert_eq!(bytes(text.as_bytes()), text);
        }
        assert_eq!(lines("one\ntwo\n"), "one\ntwo\n");
    }

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(line("e\x1b]0;x\x07"), "e\\x1b]0;x\\x07");
        assert_eq!(line("a\u{9b}31mb\x7f\0"), "a\\u{9b}31mb\\x7f\\x00");
        assert_eq!(line("a\nfieldtest: well\r\tb"), "a\\nfieldtest: well\\r\\tb");
        assert_eq!(lines("a\n\x1b[2Kb\tc"), "a\n\\x1b[2Kb\\tc");
        assert_eq!(document("a\n\x1b[2Kb\tc"), "a\n\\x1b[2Kb\tc");
        assert_eq!(line("aes\u{202e}sea"), "aes\\u{202e}sea");
        assert_eq!(bytes(b"a\xff\xc3\x28\x1b"), "a\\xff\\xc3(\\x1b");
        assert_eq!(path(Path::new(OsStr::from_bytes(b"x\xfe\n"))), "x\\xfe\\n");
    }

    #[test]
    fn nothing_that_steers_is_left_of_any_character() {
        let all: String = (char::MIN..=char::MAX).collect();
        let mut shown = [line(&all).into_owned(), bytes(all.as_bytes()), json(&all).replace(|c| c < ' ', "")];
        for text in &mut shown {
            assert!(!text.contains(steers));
            assert!(!text.contains(char::is_control));
        }
        // None of the characters with a direction of their own, and none that Rust itself would not show.
        for c in
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}"
                .chars()
        {
            assert!(steers(c), "{c:?}");
        }
    }

    #[test]
    fn errors_of_the_system_have_the_words_of_the_house() {
        let quoted = |number| format!("cannot open x: {}; retry", io::Error::from_raw_os_error(number));
        for number in [2, 13, 20, 21, 28, 40] {
            let said = system(&quoted(number)).into_owned();
            assert!(said.starts_with("cannot open x: ") && said.ends_with("; retry"), "{said}");
            assert!(!said.contains("os error") && said == said.to_lowercase(), "{said}");
            assert_eq!(said.matches(';').count(), 1, "{said}");
            let bare = io::Error::from_raw_os_error(number).to_string();
            assert_eq!(system(&bare).matches("; ").count(), 1, "{bare}");
        }
        assert_eq!(system(&io::Error::from_raw_os_error(5).to_string()), "input/output error");
        let twice = format!("{}{}", quoted(2), quoted(28));
        assert!(
            !system(&twice).contains("os error") && system(&twice).ends_with("file system; retry"),
            "{}",
            system(&twice)
        );
        for other in
            ["", "a", "a (os error", "a (os error 2)", "No such file (os error x)", " (os error 99999)"]
        {
            assert_eq!(system(other), other);
        }
    }

    #[test]
    fn parsers_errors_have_the_words_of_documents() {
        for (message, said) in [
            ("invalid type: integer `7`, expected a sequence", "list, not '7'"),
            ("invalid length 0, expected struct Host with 8 elements", "object, not"),
            ("invalid value: integer `4294967296`, expected u32", SMALLER),
            ("invalid value: integer `-1`, expected u32", "at least 0, not '-1'"),
            ("invalid type: integer `9` as i128, expected any valid TOML value", "too large"),
            ("missing field `seed`", "'seed' is missing"),
            ("unknown field `a`, expected one of `b`, `c`", "field 'a'; expected"),
            ("unknown variant `a`, there are no variants", "unknown word 'a'"),
            ("unknown field `seeds`, expected `seed` or `target`", "'seeds'; did you mean 'seed'?"),
        ] {
            let found = json_fault(&format!("{message} at line 1 column 0"), true);
            assert!(found.contains(said) && !found.contains("line"), "{found}");
        }
        assert_eq!(json_fault("expected value at line 1 column 1", false), "not JSON");
    }

    #[test]
    fn json_stays_the_same_document() {
        let document = "{\n  \"a\u{202e}\": \"b\u{9b}\u{7f}\u{e0041}\\u001b\"\n}\n";
        assert_eq!(json(document), "{\n  \"a\\u202e\": \"b\\u009b\\u007f\\udb40\\udc41\\u001b\"\n}\n");
    }
}
