//! Enums whose variants have one word each.

/// Makes an enum of which every variant has a text, each written once: a word that a field of records may have, say.
///
/// Beside the variants there are `ALL` of them in their order, `word`, `from_word`, `Display`, and a comparison with text,
/// so that `record.operation == Operation::Sign` reads as it is meant.
///
/// ```
/// fieldtest_text::words! {
///     /// What is done.
///     pub enum Operation {
///         /// A segment verified.
///         Segment = "segment",
///     }
/// }
/// assert_eq!(Operation::from_word("segment"), Some(Operation::Segment));
/// assert!(String::from("segment") == Operation::Segment);
/// ```
///
/// With `enum Name as label`, the text is for people and is not read back: there are `ALL` and `label` alone.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $crate::words! { $(#[$meta])* $vis enum $name as word { $($(#[$of])* $variant = $word,)+ } }

        impl $name {
            /// What this word says, if it is one of these.
            pub fn from_word(word: &str) -> Option<$name> {
                Self::ALL.into_iter().find(|it| it.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        // Two with one word could not be told apart when they are read back.
        const _: () = assert!($crate::are_distinct(&[$($word),+]));

        impl PartialEq<$name> for str {
            fn eq(&self, other: &$name) -> bool {
                self == other.word()
            }
        }

        impl PartialEq<$name> for String {
            fn eq(&self, other: &$name) -> bool {
                self.as_str() == other.word()
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $name:ident as $label:ident {
        $($(#[$of:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$of])* $variant,)+ }

        impl $name {
            /// All of them, in their order.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];

            /// The text of this one.
            pub const fn $label(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}

/// Whether no word stands twice among these.
pub const fn are_distinct(words: &[&str]) -> bool {
    const fn is_same(a: &[u8], b: &[u8]) -> bool {
        match (a, b) {
            ([], []) => true,
            ([first, a @ ..], [second, b @ ..]) => *first == *second && is_same(a, b),
            _ => false,
        }
    }
    let mut pair = 0;
    while pair < words.len() * words.len() {
        let (one, other) = (pair / words.len(), pair % words.len());
        if one != other && is_same(words[one].as_bytes(), words[other].as_bytes()) {
            return false;
        }
        pair += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::are_distinct;

    #[test]
    fn words_of_one_type_are_distinct() {
        assert!(are_distinct(&[]) && are_distinct(&["a", "b", "ab", ""]));
        assert!(!are_distinct(&["a", "b", "a"]) && !are_distinct(&["", ""]));
    }
}
