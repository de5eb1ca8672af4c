//! Which cipher, mode and test the name of a request says.

use std::fmt;
use std::str::FromStr;

use fieldtest_text::line;
use fieldtest_text::words;

use crate::Error;
use crate::question::Field;

words! {
    /// A mode that is answered.
    pub enum Mode as name {
        /// SP 800-38A, section 6.1.
        Ecb = "ECB",
        /// SP 800-38A, section 6.2.
        Cbc = "CBC",
        /// SP 800-38A, section 6.5.
        Ctr = "CTR",
        /// SP 800-38D.
        Gcm = "GCM",
        /// SP 800-38C.
        Ccm = "CCM",
        /// SP 800-38B.
        Cmac = "CMAC",
    }
}

impl Mode {
    /// Whether its requests have this field.
    pub(crate) fn has(self, field: Field) -> bool {
        use Field::{Associated, AssociatedLength, Ciphertext, Start, StartLength, Tag, TagLength};
        match self {
            Mode::Ecb => {
                !matches!(field, Start | StartLength | Associated | AssociatedLength | Tag | TagLength)
            }
            Mode::Cbc | Mode::Ctr => !matches!(field, Associated | AssociatedLength | Tag | TagLength),
            Mode::Gcm => true,
            // The tag is the end of the ciphertext.
            Mode::Ccm => field != Tag,
            Mode::Cmac => !matches!(field, Start | StartLength | Associated | AssociatedLength | Ciphertext),
        }
    }
}

/// What is done with tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// They are made: `AE`, `GE`, `CMACGen`.
    Make,
    /// They are verified: `AD`, `DV`, `CMACVer`.
    Verify,
}

/// What the name of a request asks for: `LEA128(CBC)MMT.req`, `ARIA-256_(CTR)_MCT.req`, `CMACGenLEA128.req`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The block cipher: `lea`.
    pub cipher: &'static str,
    /// Bits of its key.
    pub bits: usize,
    /// The mode.
    pub mode: Mode,
    /// Whether each encryption depends on the one before (MCT). All other tests are told apart by what they ask.
    pub monte_carlo: bool,
    /// What is done with tags, where the name says it.
    pub task: Option<Task>,
}

/// The ciphers of the catalog, all of which are on the programme's list (National Cyber Security Center, Guide for Vendor
/// Implementations, part 2, October 2025).
const CIPHERS: [(&str, &str); 3] = [("ARIA", "aria"), ("LEA", "lea"), ("AES", "aes")];
/// The programme's others.
const NO_CIPHERS: [&str; 2] = ["SEED", "HIGHT"];
/// What the programme asks besides. Refused by name, since CTR_DRBG would pass for CTR and be answered
/// wrongly.
const NO_MODES: [&str; 6] = ["CFB", "OFB", "GMAC", "DRBG", "KDF", "HMAC"];

const FORM: &str = "expected ARIA, LEA or AES in ECB, CBC, CTR, GCM, CCM or CMAC, such as LEA128(CBC)MMT";

impl Asked {
    /// The catalog's name of the algorithm: `lea-128-cbc`.
    pub fn algorithm(&self) -> String {
        let Asked { cipher, bits, mode, .. } = self;
        match mode {
            // That of TCP-AO, which takes a part of the tag.
            Mode::Cmac if (*cipher, *bits) == ("aes", 128) => "aes-128-cmac-96".to_owned(),
            Mode::Cmac => format!("{cipher}-{bits}-cmac-128"),
            _ => format!("{cipher}-{bits}-{}", mode.name().to_ascii_lowercase()),
        }
    }

    pub(crate) fn key_len(&self) -> usize {
        self.bits / 8
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Asked { cipher, bits, mode, monte_carlo, task } = self;
        let test = match (monte_carlo, task) {
            (true, _) => ", Monte Carlo test",
            (false, Some(Task::Make)) => ", tags made",
            (false, Some(Task::Verify)) => ", tags verified",
            (false, None) => "",
        };
        write!(f, "{}-{bits} in {}{test}", cipher.to_ascii_uppercase(), mode.name())
    }
}

impl FromStr for Asked {
    type Err = Error;

    fn from_str(name: &str) -> Result<Asked, Error> {
        let upper = name.to_ascii_uppercase();
        let unknown =
            |what: &str| Error::of_all(format!("invalid name of a request '{}': {what}; {FORM}", line(name)));
        let absent = |what: &str| unknown(&format!("{what} is on the programme's list, but not supported"));
        if upper.contains("XTS") {
            return Err(unknown("XTS is not on the programme's list of algorithms (October 2025)"));
        }
        if let Some(other) = NO_MODES.into_iter().find(|other| upper.contains(other)) {
            return Err(absent(other));
        }
        let mut found =
            CIPHERS.into_iter().filter_map(|(word, cipher)| Some((cipher, bits_behind(&upper, word)?)));
        let (first, second) = (found.next(), found.next());
        if second.is_some() {
            return Err(unknown("it names two block ciphers"));
        }
        let Some((cipher, bits)) = first else {
            return Err(match NO_CIPHERS.into_iter().find(|other| upper.contains(other)) {
                Some(other) => absent(other),
                None => unknown("it names no block cipher and the bits of its key"),
            });
        };
        let mut modes = Mode::ALL.into_iter().filter(|mode| upper.contains(mode.name()));
        match (modes.next(), modes.next()) {
            (Some(mode), None) => {
                let monte_carlo = upper.contains("MCT");
                if monte_carlo && !matches!(mode, Mode::Ecb | Mode::Cbc | Mode::Ctr) {
                    return Err(unknown("a Monte Carlo test exists only for ECB, CBC and CTR"));
                }
                Ok(Asked { cipher, bits, mode, monte_carlo, task: task(&upper, mode) })
            }
            _ => Err(unknown("it does not name one mode")),
        }
    }
}

/// What the name says of tags: of CMAC in any place, of GCM and CCM as a word of its own.
fn task(name: &str, mode: Mode) -> Option<Task> {
    let has = |word: &str| match mode {
        Mode::Cmac => name.contains(word),
        _ => name.split(|character: char| !character.is_ascii_alphanumeric()).any(|part| part == word),
    };
    let (made, verified) = match mode {
        Mode::Gcm => ("AE", "AD"),
        Mode::Ccm => ("GE", "DV"),
        Mode::Cmac => ("GEN", "VER"),
        Mode::Ecb | Mode::Cbc | Mode::Ctr => return None,
    };
    match (has(made), has(verified)) {
        (true, false) => Some(Task::Make),
        (false, true) => Some(Task::Verify),
        // A name may have other words that look so; then the questions tell it.
        _ => None,
    }
}

/// The length of the key behind a cipher's name: `LEA128`, `LEA-128`, `LEA_128`.
fn bits_behind(name: &str, cipher: &str) -> Option<usize> {
    name.match_indices(cipher).find_map(|(at, _)| {
        let behind = name[at + cipher.len()..].trim_start_matches(['-', '_']);
        // Not the beginning of a longer number.
        if behind.as_bytes().get(3).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        match behind.get(..3)? {
            "128" => Some(128),
            // KISA's own files of 192 bits have this in their names.
            "192" | "196" => Some(192),
            "256" => Some(256),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_asked() {
        for (name, algorithm, monte_carlo) in [
            ("LEA128(CBC)KAT.req", "lea-128-cbc", false),
            ("lea-256_(ctr)_mct.REQ", "lea-256-ctr", true),
            ("ARIA196(ECB)KAT.req", "aria-192-ecb", false),
            ("AES128(ECB)MCT.req", "aes-128-ecb", true),
            ("ARIA256(GCM)AE.req", "aria-256-gcm", false),
            ("CCM_LEA-192_DV.req", "lea-192-ccm", false),
            ("CMACGenLEA128.req", "lea-128-cmac-128", false),
            ("CMACVerAES128.req", "aes-128-cmac-96", false),
        ] {
            let asked: Asked = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((asked.algorithm().as_str(), asked.monte_carlo), (algorithm, monte_carlo), "{name}");
        }
    }

    #[test]
    fn names_say_what_is_done_with_tags() {
        for (name, task) in [
            ("ARIA256(GCM)AE.req", Some(Task::Make)),
            ("GCM_AD_LEA-128.req", Some(Task::Verify)),
            ("CCM_LEA-192_DV.req", Some(Task::Verify)),
            ("LEA128(CCM)ge.req", Some(Task::Make)),
            ("CMACGenLEA128.req", Some(Task::Make)),
            ("LEA128_CMAC_VER.req", Some(Task::Verify)),
            ("LEA128(GCM).req", None),
            ("AES128GCM_SAE.req", None),
            ("LEA128(CBC)AE.req", None),
        ] {
            assert_eq!(name.parse::<Asked>().expect(name).task, task, "{name}");
        }
    }

    #[test]
    fn what_is_not_here_is_refused_by_name() {
        for (name, why) in [
            ("LEA256(XTS)KAT.req", "XTS"),
            ("LEA128(CFB128)KAT.req", "CFB"),
            ("ARIA128(OFB)MMT.req", "OFB"),
            ("SEED128(CBC)KAT.req", "SEED"),
            ("HIGHT(CBC)KAT.req", "HIGHT"),
            ("CTR_DRBG(LEA-256(no DF)(no PR))_KAT.req", "DRBG"),
            ("LEA128(GCM)MCT.req", "Monte Carlo"),
            ("LEA512(CBC)KAT.req", "no block cipher"),
            ("LEA1280(CBC)KAT.req", "no block cipher"),
            ("ARIA128LEA128(ECB)KAT.req", "two block ciphers"),
            ("LEA128KAT.req", "one mode"),
            ("LEA128(ECB)(CBC)KAT.req", "one mode"),
            ("request.req", "no block cipher"),
            ("x\u{1b}[2J", "no block cipher"),
            ("", "no block cipher"),
        ] {
            let error = name.parse::<Asked>().expect_err(name).to_string();
            assert!(error.contains(why) && !error.contains('\u{1b}'), "{name}: {error}");
        }
    }
}
