//! Whether an implementation's time depends on secrets, of what facts say about it and of the processor.

/// Whether code of which the catalog says `words` takes the same time for all keys and data here: always, or with instructions that
/// this processor has (`constant-time with AES or SSSE3 instructions; tables without them`).
pub(super) fn is_constant_time(words: &str) -> bool {
    is_constant_time_with(words, has)
}

fn is_constant_time_with(words: &str, has: impl Fn(&str) -> bool) -> bool {
    // What follows a colon says why.
    let Some(rest) = words.strip_prefix("constant-time") else { return false };
    let needed = rest.strip_prefix(" with ").and_then(|rest| rest.split_once(" instructions"));
    let Some((needed, _)) = needed else { return rest.is_empty() || rest.starts_with(':') };
    needed.split(" or ").any(|all| all.split(" and ").all(&has))
}

/// Whether the processor has instructions, by the word that facts have for them.
fn has(instructions: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    return match instructions {
        "AES" => std::is_x86_feature_detected!("aes"),
        "PCLMULQDQ" => std::is_x86_feature_detected!("pclmulqdq"),
        "SSSE3" => std::is_x86_feature_detected!("ssse3"),
        _ => false,
    };
    #[cfg(target_arch = "aarch64")]
    return match instructions {
        "AES" => std::arch::is_aarch64_feature_detected!("aes"),
        _ => false,
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return instructions.is_empty();
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::{aead, cipher};

    use super::*;

    #[test]
    fn instructions_count_where_they_are() {
        let (none, all) = (|_: &str| false, |_: &str| true);
        assert!(is_constant_time_with("constant-time", none));
        assert!(is_constant_time_with("constant-time: additions and rotations", none));
        let either = "constant-time with AES or SSSE3 instructions; tables without them";
        assert!(is_constant_time_with(either, |it| it == "SSSE3") && !is_constant_time_with(either, none));
        let both =
            "constant-time with AES and PCLMULQDQ instructions; tables on some processors without them";
        assert!(is_constant_time_with(both, all) && !is_constant_time_with(both, |it| it == "AES"));
        assert!(!is_constant_time_with("tables", all));
        assert!(!is_constant_time_with("constant-time now and then", all));
    }

    /// Whatever facts say is understood: with all instructions, what is called constant-time is.
    #[test]
    fn every_word_of_the_facts() {
        let ciphers = cipher::all().iter().flat_map(|it| it.facts.kind.timing.values());
        let aeads = aead::all().iter().flat_map(|it| it.facts.kind.timing.values());
        for words in ciphers.chain(aeads) {
            assert_eq!(is_constant_time_with(words, |_| true), words.starts_with("constant-time"), "{words}");
        }
    }
}
