//! Whether an implementation's time depends on secrets, as facts state it.

use std::fmt;

use fieldtest_text::words;
use serde::Deserialize;

/// How an implementation's time depends on key and data.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Timing {
    /// Not at all, and by what that is so.
    Constant(String),
    /// Not where the processor has certain instructions.
    #[serde(rename_all = "kebab-case")]
    Instructions {
        /// Sets of them, of any of which all are needed.
        any_of: Vec<Vec<Instructions>>,
        /// What there is on a processor without them: `tables`.
        without: String,
    },
    /// Tables are looked up with secret indices: which, or when.
    Tables(String),
}

words! {
    /// Instructions that a cipher may need for that.
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Instructions as title {
        /// Rounds of AES.
        Aes = "AES",
        /// Carry-less products.
        Pclmulqdq = "PCLMULQDQ",
        /// Tables of 16 bytes in a register.
        Ssse3 = "SSSE3",
    }
}

impl Timing {
    /// Whether this processor takes the same time for all keys and data.
    pub fn is_constant_here(&self) -> bool {
        self.is_constant_with(Instructions::are_here)
    }

    fn is_constant_with(&self, has: impl Fn(Instructions) -> bool) -> bool {
        match self {
            Timing::Constant(_) => true,
            Timing::Instructions { any_of, .. } => any_of.iter().any(|all| all.iter().all(|it| has(*it))),
            Timing::Tables(_) => false,
        }
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timing::Constant(how) => write!(f, "constant-time: {how}"),
            Timing::Instructions { any_of, without } => {
                let sets =
                    any_of.iter().map(|all| joined(all.iter().map(|it| it.title().to_owned()), " and "));
                write!(f, "constant-time with {} instructions; {without} without them", joined(sets, " or "))
            }
            Timing::Tables(which) => write!(f, "tables: {which}"),
        }
    }
}

fn joined(words: impl Iterator<Item = String>, between: &str) -> String {
    words.collect::<Vec<_>>().join(between)
}

impl Instructions {
    fn are_here(self) -> bool {
        #[cfg(target_arch = "aarch64")]
        return self == Instructions::Aes && std::arch::is_aarch64_feature_detected!("aes");
        #[cfg(not(target_arch = "aarch64"))]
        {
            use fieldtest_cpu::Extensions;
            Extensions::of_this_processor().has(match self {
                Instructions::Aes => Extensions::AES,
                Instructions::Pclmulqdq => Extensions::PCLMULQDQ,
                Instructions::Ssse3 => Extensions::SSSE3,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(any_of: &[&[Instructions]]) -> Timing {
        let any_of = any_of.iter().map(|all| all.to_vec()).collect();
        Timing::Instructions { any_of, without: "tables on some processors".to_owned() }
    }

    #[test]
    fn instructions_count_where_they_are() {
        use Instructions::{Aes, Pclmulqdq, Ssse3};
        let (none, all) = (|_: Instructions| false, |_: Instructions| true);
        assert!(Timing::Constant("rotations".to_owned()).is_constant_with(none));
        assert!(!Timing::Tables("the S-boxes".to_owned()).is_constant_with(all));
        let either = of(&[&[Aes], &[Ssse3]]);
        assert!(either.is_constant_with(|it| it == Ssse3) && !either.is_constant_with(none));
        let both = of(&[&[Aes, Pclmulqdq]]);
        assert!(both.is_constant_with(all) && !both.is_constant_with(|it| it == Aes));
        let words = "instructions; tables on some processors without them";
        assert_eq!(either.to_string(), format!("constant-time with AES or SSSE3 {words}"));
        assert_eq!(both.to_string(), format!("constant-time with AES and PCLMULQDQ {words}"));
    }
}
