//! As much JSON as the page and this crate exchange. With [`serde_json`](https://docs.rs/serde_json), which the rest of the program
//! uses, the page would be 40 kB longer.

/// What is written as JSON, and read again.
pub(crate) trait Json: Sized {
    fn write(&self, out: &mut String);
    /// `None` if something else stands there.
    fn read(from: &mut &str) -> Option<Self>;
}

/// Structs that are objects with fields of the same names. One with another field, or with one less, is something else.
macro_rules! objects {
    ($($(#[$about:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $seen:vis $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq)]
        $vis struct $name { $($(#[$doc])* $seen $field: $type,)* }

        impl crate::json::Json for $name {
            fn write(&self, out: &mut String) {
                out.push('{');
                $(
                    out.push_str(concat!("\"", stringify!($field), "\":"));
                    self.$field.write(out);
                    out.push(',');
                )*
                crate::json::close(out, '}');
            }

            fn read(from: &mut &str) -> Option<$name> {
                $(let mut $field = None;)*
                crate::json::several(from, "{", "}", |from| {
                    let name = String::read(from)?;
                    crate::json::take(from, ":")?;
                    match name.as_str() {
                        $(stringify!($field) => $field = Some(crate::json::Json::read(from)?),)*
                        _ => return None,
                    }
                    Some(())
                })?;
                Some($name { $($field: $field?,)* })
            }
        }
    )*};
}
pub(crate) use objects;

pub(crate) fn written(it: &impl Json) -> String {
    let mut out = String::new();
    it.write(&mut out);
    out
}

/// `None` if the text is something else, or has something behind it.
pub(crate) fn read<T: Json>(mut text: &str) -> Option<T> {
    T::read(&mut text).filter(|_| text.trim_ascii().is_empty())
}

/// In the place of the last comma.
pub(crate) fn close(out: &mut String, bracket: char) {
    if out.ends_with(',') {
        out.pop();
    }
    out.push(bracket);
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Json for $type {
            fn write(&self, out: &mut String) {
                out.push_str(&self.to_string());
            }

            fn read(from: &mut &str) -> Option<$type> {
                let is_end = |it: char| !matches!(it, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
                let text = from.trim_ascii_start();
                let (number, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
                *from = rest;
                number.parse().ok()
            }
        }
    )*};
}
numbers!(f64 usize);

impl Json for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }

    fn read(from: &mut &str) -> Option<bool> {
        take(from, "true").map(|()| true).or_else(|| take(from, "false").map(|()| false))
    }
}

impl Json for String {
    fn write(&self, out: &mut String) {
        out.push('"');
        for letter in self.chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                '\0'..' ' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
                _ => out.push(letter),
            }
        }
        out.push('"');
    }

    fn read(from: &mut &str) -> Option<String> {
        take(from, "\"")?;
        let mut out = String::new();
        loop {
            let mut letters = from.chars();
            let letter = letters.next()?;
            let escaped = if letter == '\\' { letters.next() } else { None };
            out.push(match (letter, escaped) {
                ('"', _) => {
                    *from = letters.as_str();
                    return Some(out);
                }
                ('\\', Some('n')) => '\n',
                ('\\', Some('r')) => '\r',
                ('\\', Some('t')) => '\t',
                ('\\', Some('b')) => '\u{8}',
                ('\\', Some('f')) => '\u{c}',
                // Two of them for one character are legal; neither this crate nor a browser writes them.
                ('\\', Some('u')) => {
                    let (digits, rest) = letters.as_str().split_at_checked(4)?;
                    letters = rest.chars();
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                }
                ('\\', Some(it @ ('"' | '\\' | '/'))) => it,
                ('\\', _) => return None,
                _ => letter,
            });
            *from = letters.as_str();
        }
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(it) => it.write(out),
            None => out.push_str("null"),
        }
    }

    fn read(from: &mut &str) -> Option<Option<T>> {
        if take(from, "null").is_some() { Some(None) } else { T::read(from).map(Some) }
    }
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for it in self {
            it.write(out);
            out.push(',');
        }
        close(out, ']');
    }

    fn read(from: &mut &str) -> Option<Vec<T>> {
        several(from, "[", "]", T::read)
    }
}

impl Json for (String, String) {
    fn write(&self, out: &mut String) {
        vec![self.0.clone(), self.1.clone()].write(out);
    }

    fn read(from: &mut &str) -> Option<(String, String)> {
        let [a, b] = Vec::read(from)?.try_into().ok()?;
        Some((a, b))
    }
}

/// Takes this, and white space before it.
pub(crate) fn take(from: &mut &str, text: &str) -> Option<()> {
    *from = from.trim_ascii_start().strip_prefix(text)?;
    Some(())
}

pub(crate) fn several<T>(
    from: &mut &str,
    open: &str,
    close: &str,
    mut one: impl FnMut(&mut &str) -> Option<T>,
) -> Option<Vec<T>> {
    take(from, open)?;
    let mut all = Vec::new();
    if take(from, close).is_some() {
        return Some(all);
    }
    loop {
        all.push(one(from)?);
        if take(from, ",").is_none() {
            take(from, close)?;
            return Some(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    objects! {
        struct It {
            text: String,
            numbers: Vec<f64>,
            pairs: Vec<(String, String)>,
            some: Option<usize>,
            is: bool,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let full = It {
            text: "\"µ\\\n\u{1}\u{202f}<&".to_owned(),
            numbers: vec![0.0, -1.5, 1e-9, 0.1 + 0.2, f64::MAX],
            pairs: vec![("a".to_owned(), "b".to_owned())],
            some: Some(7),
            is: true,
        };
        for it in [full, It::default()] {
            assert_eq!(read(&written(&it)), Some(it));
        }
        let spaced = r#" { "is" : false, "some":null,"pairs":[],"numbers":[ 1 , 2e0] ,"text":"\u00b5\/"} "#;
        assert_eq!(
            read::<It>(spaced).map(|it| (it.text, it.numbers)),
            Some(("µ/".to_owned(), vec![1.0, 2.0]))
        );
    }

    #[test]
    fn what_is_something_else_is_refused() {
        let it = written(&It::default());
        assert_eq!(it, r#"{"text":"","numbers":[],"pairs":[],"some":null,"is":false}"#);
        for (old, new) in [
            ("}", ""),
            ("}", "},"),
            ("\"\"", "1"),
            ("\"\"", "\""),
            ("\"\"", r#""\x""#),
            ("\"\"", r#""\ud83d""#),
            ("\"\"", r#""\u00""#),
            ("[]", "[1,]"),
            ("\"pairs\":[]", r#""pairs":[["a"]]"#),
            ("null", "--1"),
            (",\"is\":false", ""),
            ("false", "false,\"other\":1"),
        ] {
            assert!(read::<It>(&it.replacen(old, new, 1)).is_none(), "{new} for {old}");
        }
    }
}
