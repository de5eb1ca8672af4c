//! A repository's `config` (git-config(1), “Syntax”). Includes are not followed: Git itself reads the format of a
//! repository without them.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    /// In lower case.
    pub(crate) section: String,
    pub(crate) subsection: Option<String>,
    /// In lower case.
    pub(crate) name: String,
    /// None where there is no `=`, which stands for true.
    pub(crate) value: Option<String>,
}

impl Variable {
    /// Whether it is this one of a section without subsections; both in lower case.
    pub(crate) fn is(&self, section: &str, name: &str) -> bool {
        self.section == section && self.subsection.is_none() && self.name == name
    }

    pub(crate) fn is_true(&self) -> bool {
        self.boolean() == Some(true)
    }

    /// As Git reads it; none if it refuses that.
    pub(crate) fn boolean(&self) -> Option<bool> {
        let Some(value) = &self.value else { return Some(true) };
        let is_one_of = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
        if is_one_of(&["true", "yes", "on"]) {
            return Some(true);
        }
        if is_one_of(&["", "false", "no", "off"]) {
            return Some(false);
        }
        self.number().map(|number| number != 0)
    }

    /// As Git reads it: octal behind a zero, hexadecimal behind `0x`, with a unit, of 32 bits; none if it refuses that.
    pub(crate) fn number(&self) -> Option<i32> {
        let text = self.value.as_deref()?.trim_ascii_start();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let units = [('k', 1 << 10), ('m', 1 << 20), ('g', 1 << 30)];
        let unit = units.iter().find_map(|(unit, factor)| {
            Some((digits.strip_suffix([*unit, unit.to_ascii_uppercase()])?, *factor))
        });
        let (digits, factor) = unit.unwrap_or((digits, 1_i64));
        let (digits, base) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (digits, if digits.starts_with('0') { 8 } else { 10 }),
        };
        // A second sign is none.
        let value = u32::from_str_radix(digits.strip_prefix('+').map_or(digits, |_| ""), base).ok()?;
        i32::try_from(sign * factor * i64::from(value)).ok()
    }
}

/// All variables in their order, or at which byte what is wrong.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<Variable>, (usize, &'static str)> {
    let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = Reader { bytes, at: 0 };
    reader.variables().map_err(|problem| (reader.at + (text.len() - bytes.len()), problem))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn variables(&mut self) -> Result<Vec<Variable>, &'static str> {
        let mut variables = Vec::new();
        let mut section = None;
        while let Some(byte) = self.peek() {
            match byte {
                b'#' | b';' => self.skip_line(),
                b'[' => section = Some(self.section()?),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                byte if byte.is_ascii_alphabetic() => {
                    let Some((section, subsection)) = section.clone() else {
                        return Err("a variable precedes the first section");
                    };
                    let name = self.word();
                    let value = self.value()?;
                    variables.push(Variable { section, subsection, name, value });
                }
                _ => return Err("neither a section nor a variable begins here"),
            }
        }
        Ok(variables)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Letters, digits and `-`, in lower case.
    fn word(&mut self) -> String {
        let begin = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            self.at += 1;
        }
        text(self.bytes.get(begin..self.at).unwrap_or_default()).to_ascii_lowercase()
    }

    /// `[name]`, `[name "subsection"]`, and `[name.subsection]` of old files.
    fn section(&mut self) -> Result<(String, Option<String>), &'static str> {
        const UNFINISHED: &str = "this section's name does not end in ]";
        self.at += 1;
        let name = self.word();
        let mut subsection = None;
        match self.peek() {
            Some(b'.') => {
                self.at += 1;
                let begin = self.at;
                while self.peek().is_some_and(|byte| byte != b']' && byte != b'\n') {
                    self.at += 1;
                }
                let name = self.bytes.get(begin..self.at).unwrap_or_default();
                subsection = Some(text(name).to_ascii_lowercase());
            }
            Some(b' ' | b'\t') => {
                self.skip_blanks();
                if self.next() != Some(b'"') {
                    return Err("a subsection's name has to be in quotation marks");
                }
                let mut name = Vec::new();
                loop {
                    match self.next() {
                        Some(b'"') => break,
                        None | Some(b'\n') => return Err(UNFINISHED),
                        Some(b'\\') => name.push(self.next().ok_or(UNFINISHED)?),
                        Some(byte) => name.push(byte),
                    }
                }
                subsection = Some(text(&name));
            }
            _ => {}
        }
        if self.next() == Some(b']') { Ok((name, subsection)) } else { Err(UNFINISHED) }
    }

    fn value(&mut self) -> Result<Option<String>, &'static str> {
        self.skip_blanks();
        match self.peek() {
            Some(b'=') => self.at += 1,
            None | Some(b'\n' | b'#' | b';') => return Ok(None),
            Some(_) => return Err("a variable's name is followed by neither = nor the end of the line"),
        }
        self.skip_blanks();
        let mut value = Vec::new();
        // Blanks at the end do not belong to the value unless they are quoted.
        let mut len = 0;
        let mut quoted = false;
        while let Some(byte) = self.next() {
            match byte {
                b'\n' if quoted => return Err("a quotation mark is not closed on its line"),
                b'\n' => break,
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    break;
                }
                b'"' => {
                    quoted = !quoted;
                    len = value.len();
                    continue;
                }
                b'\\' => {
                    if self.peek() == Some(b'\r') {
                        self.at += 1;
                    }
                    match self.next() {
                        Some(b'\n') => continue,
                        Some(b'n') => value.push(b'\n'),
                        Some(b't') => value.push(b'\t'),
                        Some(b'b') => value.push(8),
                        Some(byte @ (b'"' | b'\\')) => value.push(byte),
                        _ => return Err("a backslash is followed by a character that it cannot escape"),
                    }
                }
                byte => value.push(byte),
            }
            if quoted || !byte.is_ascii_whitespace() {
                len = value.len();
            }
        }
        if quoted {
            return Err("a quotation mark is not closed on its line");
        }
        value.truncate(len);
        Ok(Some(text(&value)))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flat(text: &str) -> Vec<(String, Option<String>)> {
        let name = |variable: &Variable| match &variable.subsection {
            Some(sub) => format!("{}/{sub}/{}", variable.section, variable.name),
            None => format!("{}/{}", variable.section, variable.name),
        };
        parse(text.as_bytes()).unwrap().iter().map(|found| (name(found), found.value.clone())).collect()
    }

    #[test]
    fn what_git_accepts() {
        let found = flat(concat!(
            "\u{feff}# comment\n[Core]\r\n\tRepositoryFormatVersion = 1 ; comment\n\tbare\n",
            "[remote \"Or\\\"igin\"] url = \"a b \" # c\n\tpath = one\\\n two  \n",
            "[branch.Main]\n merge=\\\\x\\ty\n empty =\n",
        ));
        let wanted = [
            ("core/repositoryformatversion", Some("1")),
            ("core/bare", None),
            ("remote/Or\"igin/url", Some("a b ")),
            ("remote/Or\"igin/path", Some("one two")),
            ("branch/main/merge", Some("\\x\ty")),
            ("branch/main/empty", Some("")),
        ];
        let wanted = wanted.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
        assert_eq!(found, wanted);
    }

    #[test]
    fn numbers_and_booleans_as_git_reads_them() {
        let variable = |value: &str| Variable {
            section: "a".into(),
            subsection: None,
            name: "b".into(),
            value: Some(value.into()),
        };
        for (text, number) in [
            ("0", 0),
            (" 1", 1),
            ("+1", 1),
            ("-1", -1),
            ("010", 8),
            ("0x1F", 31),
            ("0k", 0),
            ("1K", 1024),
            ("1m", 1 << 20),
            ("1g", 1 << 30),
        ] {
            assert_eq!(variable(text).number(), Some(number), "{text}");
            assert_eq!(variable(text).boolean(), Some(number != 0), "{text}");
        }
        for text in ["1.0", "abc", "99999999999", "++1", "-+1", "1kk", "09", "2g"] {
            assert_eq!((variable(text).number(), variable(text).boolean()), (None, None), "{text}");
        }
        let boolean = ["", "No", "OFF", "True", "yes"].map(|text| variable(text).boolean());
        assert_eq!(boolean, [Some(false), Some(false), Some(false), Some(true), Some(true)]);
        assert_eq!(
            (variable("").number(), Variable { value: None, ..variable("") }.boolean()),
            (None, Some(true))
        );
    }

    #[test]
    fn what_git_refuses() {
        for text in [
            "a = b",
            "[core",
            "[core \"x]\n",
            "[core x]\n",
            "[a]\nb = \"c\n",
            "[a]\nb = \\x\n",
            "[a]\n=",
            "[a]\nb c",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[\\[\\]a-c\"\\\\=#;. \\n\\r\\t]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = (parse(text.as_bytes()), parse(&bytes));
        }
    }
}
