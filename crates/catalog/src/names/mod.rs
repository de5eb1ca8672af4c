//! Names as people write them: which algorithm or implementation is meant, and what to say where none is.
//!
//! Every command, and every study file, finds names here. **A name never finds an algorithm that it does not name:**
//! what counts are letters and digits in their order, and the names of the very same thing that its facts list. Anything
//! else is an error that offers what is near.

mod unknown;

use crate::facts::OtherNames;

pub use unknown::UnknownName;
use unknown::{Instead, OFFERED, near};

/// What a name of a key agreement begins with: it is no algorithm of any kind here, however near it looks.
const KEY_AGREEMENTS: &[&str] = &[
    "kyber",
    "mlkem",
    "x25519",
    "x448",
    "ecdh",
    "ntru",
    "hqc",
    "frodo",
    "bike",
    "mceliece",
    "classicmceliece",
];

/// An algorithm as names are compared with it.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    /// The name users type.
    pub(crate) name: &'k str,
    /// The name people write.
    pub(crate) title: &'k str,
    /// What else they call it, as its facts say.
    pub(crate) other: &'k OtherNames,
}

/// Other names of the same implementation.
const SAME_CODE: &[(&str, &str)] = &[
    ("openssl", "openssl-host"),
    ("host-openssl", "openssl-host"),
    ("libgcrypt", "libgcrypt-host"),
    ("gcrypt", "libgcrypt-host"),
    ("nettle", "nettle-host"),
    ("libb2", "libb2-host"),
    ("botan", "botan-host"),
    ("af-alg", "linux"),
];

/// What a name means among those of all.
pub(crate) enum Meant {
    /// The one at this place.
    Same(usize),
    /// It leaves open which of these.
    Wider(Vec<usize>),
    /// It is what these were before they were standardized.
    Before(Vec<usize>),
    /// It is of another kind than all that is here.
    KeyAgreement,
    /// Nothing has it.
    Nothing,
}

/// What `asked` means, without offering anything.
pub(crate) fn meant(asked: &str, known: &[Known<'_>]) -> Meant {
    let letters = simplified(asked);
    let has = |names: &[String]| names.iter().any(|name| simplified(name) == letters);
    let places = |is: &dyn Fn(&Known<'_>) -> bool| -> Vec<usize> {
        (0..known.len()).filter(|at| is(&known[*at])).collect()
    };
    let spelled = |it: &Known<'_>| {
        simplified(it.name) == letters || simplified(it.title) == letters || has(&it.other.same)
    };
    match places(&spelled).as_slice() {
        [] => {}
        [at] => return Meant::Same(*at),
        several => {
            let itself = several.iter().find(|at| known[**at].name == asked);
            return itself.map_or_else(|| Meant::Wider(several.to_vec()), |at| Meant::Same(*at));
        }
    }
    let (before, wider) = (places(&|it| has(&it.other.before)), places(&|it| has(&it.other.wider)));
    if !before.is_empty() {
        Meant::Before(before)
    } else if !wider.is_empty() {
        Meant::Wider(wider)
    } else if KEY_AGREEMENTS.iter().any(|agreement| letters.starts_with(agreement)) {
        Meant::KeyAgreement
    } else {
        Meant::Nothing
    }
}

pub(crate) fn algorithm(asked: &str, known: &[Known<'_>]) -> Result<usize, UnknownName> {
    let offered = |places: Vec<usize>| -> Vec<String> {
        places.into_iter().take(OFFERED).map(|at| known[at].name.to_owned()).collect()
    };
    let instead = match meant(asked, known) {
        Meant::Same(at) => return Ok(at),
        Meant::Before(places) => Instead::Successors(offered(places)),
        Meant::Wider(places) => Instead::Several(offered(places)),
        Meant::KeyAgreement => Instead::KeyAgreement,
        Meant::Nothing => {
            let pairs: Vec<(&str, &str)> = known.iter().map(|known| (known.name, known.title)).collect();
            near(&simplified(asked), &pairs)
        }
    };
    Err(UnknownName { what: "algorithm".to_owned(), asked: asked.to_owned(), instead })
}

/// Finds an implementation among the names of all; `of` is the algorithm's, where it is one's.
pub(crate) fn implementation(of: Option<&str>, asked: &str, known: &[&str]) -> Result<usize, UnknownName> {
    let what = match of {
        Some(of) => format!("implementation of {of}"),
        None => "implementation".to_owned(),
    };
    let known: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    let other = same_code(asked);
    find(&what, asked, &known, |at| other == Some(known[at].0)).map_err(|unknown| match unknown.instead {
        // An algorithm has few.
        Instead::Far if of.is_some() => {
            let all = known.iter().map(|(name, _)| (*name).to_owned()).collect();
            UnknownName { instead: Instead::Few(all), ..unknown }
        }
        _ => unknown,
    })
}

/// The name here of an implementation that others call so.
fn same_code(asked: &str) -> Option<&'static str> {
    let letters = simplified(asked);
    SAME_CODE.iter().find(|(other, _)| simplified(other) == letters).map(|(_, name)| *name)
}

fn find(
    what: &str,
    asked: &str,
    known: &[(&str, &str)],
    same: impl Fn(usize) -> bool,
) -> Result<usize, UnknownName> {
    if let Some(at) = known.iter().position(|(name, _)| *name == asked) {
        return Ok(at);
    }
    let letters = simplified(asked);
    let spelled = |at: &usize| {
        let (name, title) = known[*at];
        simplified(name) == letters || simplified(title) == letters || same(*at)
    };
    let places: Vec<usize> = (0..known.len()).filter(spelled).collect();
    let instead = match places.as_slice() {
        [at] => return Ok(*at),
        [] => near(&letters, known),
        several => Instead::Several(several.iter().map(|at| known[*at].0.to_owned()).collect()),
    };
    Err(UnknownName { what: what.to_owned(), asked: asked.to_owned(), instead })
}

/// What remains when spelling habits are taken away: `ML-DSA_44` and `mldsa44` are the same.
pub fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fieldtest_text::own::{OWN, OWN_PORTABLE};

    use super::*;
    use crate::{Called, called, entries, entry};

    const NONE: &OtherNames = &OtherNames { same: Vec::new(), wider: Vec::new(), before: Vec::new() };

    const fn known<'k>(name: &'k str, title: &'k str) -> Known<'k> {
        Known { name, title, other: NONE }
    }

    const KNOWN: [Known<'_>; 5] = [
        known("ml-dsa-44", "ML-DSA-44"),
        known("ml-dsa-65", "ML-DSA-65"),
        known("mayo-1", "MAYO-one"),
        known("ed25519", "Ed25519"),
        known("rsa-2048", "RSA-2048"),
    ];

    fn refused(asked: &str) -> String {
        algorithm(asked, &KNOWN).expect_err("nothing has this name").to_string()
    }

    #[test]
    fn suggests_what_was_probably_meant() {
        assert!(refused("ml-dsa-4").ends_with("did you mean 'ml-dsa-44'?"), "{}", refused("ml-dsa-4"));
        assert!(refused("ed2519").ends_with("did you mean 'ed25519'?"), "{}", refused("ed2519"));
        assert!(refused("RSA").ends_with("did you mean 'rsa-2048'?"), "{}", refused("RSA"));
        assert!(
            refused("mldsa").ends_with("did you mean 'ml-dsa-44' or 'ml-dsa-65'?"),
            "{}",
            refused("mldsa")
        );
    }

    #[test]
    fn offers_nothing_where_more_than_a_third_of_the_letters_differ() {
        for far in ["foo", "rot13", "ml-kyb-4", "nothing-of-the-sort-and-more"] {
            assert!(refused(far).ends_with(&format!("'{far}'")), "{}", refused(far));
        }
        for (typed, meant) in [
            ("mayo-7", "mayo-1"),
            ("ed22519", "ed25519"),
            ("rsa-2047", "rsa-2048"),
            ("ml-das-44", "ml-dsa-44"),
        ] {
            assert!(refused(typed).contains(&format!("; did you mean '{meant}")), "{}", refused(typed));
        }
        assert_eq!(algorithm("x", &[]).expect_err("no names").instead, Instead::Nothing);
    }

    #[test]
    fn a_predecessor_is_not_its_successor() {
        let other = OtherNames { before: vec!["dilithium2".into()], ..OtherNames::default() };
        let known = [Known { other: &other, ..KNOWN[0] }, KNOWN[1]];
        for asked in ["dilithium2", "Dilithium-2", "DILITHIUM2"] {
            let text = algorithm(asked, &known).expect_err("another algorithm").to_string();
            assert!(text.contains("standardised as ml-dsa-44,"), "{text}");
        }
        // Whose successor is not here is as unknown as any.
        assert!(!refused("dilithium5").contains("standardised"), "{}", refused("dilithium5"));
    }

    #[test]
    fn a_spelling_that_two_share_finds_neither() {
        let three = [known("ab-1", "x"), known("a-b1", "y"), known("c", "z")];
        let text = algorithm("AB-1", &three).expect_err("two have it");
        assert_eq!(text.instead, Instead::Several(vec!["ab-1".into(), "a-b1".into()]));
        // The name itself is never in doubt.
        assert_eq!(algorithm("ab-1", &[known("a-b1", "ab-1"), known("ab-1", "y")]), Ok(1));
    }

    #[test]
    fn every_algorithm_is_found_by_every_spelling_of_its_name_and_by_no_other() {
        let mut spellings: BTreeMap<String, &str> = BTreeMap::new();
        for known in entries() {
            let (name, title) = (known.name(), known.title());
            for spelling in [name, title] {
                let before = spellings.insert(simplified(spelling), name);
                assert!(before.is_none_or(|before| before == name), "{before:?} and {name} share {spelling}");
                for asked in [
                    spelling.to_owned(),
                    spelling.to_uppercase(),
                    spelling.to_lowercase(),
                    spelling.replace(['-', ' ', '/'], ""),
                    spelling.replace('-', "_"),
                    spelling.replace('-', " "),
                ] {
                    let found = entry(&asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
                    assert_eq!(found.name(), name, "{asked}");
                }
            }
        }
        // One digit or letter more, less or other: another algorithm or none, never this one.
        for known in entries() {
            let name = known.name();
            let places = name.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric());
            for (at, _) in places {
                for other in ["", "0", "1", "5", "7", "9", "x"] {
                    let asked = format!("{}{other}{}", &name[..at], &name[at + 1..]);
                    let same = simplified(&asked) == simplified(name);
                    assert!(
                        same || entry(&asked).is_err() || entry(&asked).is_ok_and(|it| it.name() != name),
                        "{asked}"
                    );
                }
            }
        }
    }

    #[test]
    fn other_names_of_the_same_thing() {
        for (asked, name) in [
            ("ML-DSA-44", "ml-dsa-44"),
            ("sha256", "sha-256"),
            ("SHA1", "sha-1"),
            ("SHA-512/256", "sha-512-256"),
            ("AES-256-XTS", "aes-256-xts"),
            ("HMAC-SHA1-96", "hmac-sha1-96"),
            ("hmac-sha-1-96", "hmac-sha1-96"),
            ("ECDSAP256SHA256", "ecdsa-p256"),
            ("MAYO-one", "mayo-1"),
            ("KangarooTwelve", "kt128-256"),
            ("ecdsa-secp256r1", "ecdsa-p256"),
            ("ecdsa-nistp384", "ecdsa-p384"),
            ("ECDSAP384SHA384", "ecdsa-p384"),
            ("ED25519", "ed25519"),
            ("MLDSA44", "ml-dsa-44"),
            ("aes-cmac-96", "aes-128-cmac-96"),
        ] {
            assert_eq!(entry(asked).map(|found| found.name()).map_err(|error| error.to_string()), Ok(name));
        }
    }

    /// The whole offer of each: at most three, and none that is something else.
    #[test]
    fn names_that_mean_more_than_one_thing_are_asked_back() {
        for (asked, offered) in [
            ("rsa", "rsa-2048 or rsa-3072 or rsa-4096"),
            ("aes-xts", "aes-128-xts or aes-256-xts"),
            // The kernel's names leave the key length open, or the length of the tag.
            ("cmac(aes)", "aes-128-cmac-96 or aes-256-cmac-128"),
            ("cmac(aes128)", "aes-128-cmac-96"),
            ("hmac(sha1)", "hmac-sha1-96"),
            // cryptsetup counts both keys of XTS, IEEE 1619 one.
            ("xts-aes-256", "aes-256-xts"),
            ("XTS-AES-128", "aes-128-xts"),
            ("aes-xts-plain64", "aes-128-xts or aes-256-xts"),
            ("xts(aes)", "aes-128-xts or aes-256-xts"),
            // A curve is no algorithm, and RSA's mnemonics name no modulus.
            ("secp256r1", "ecdsa-p256"),
            ("prime256v1", "ecdsa-p256"),
            ("P-256", "ecdsa-p256"),
            ("nistp384", "ecdsa-p384"),
            ("RSASHA256", "rsa-2048 or rsa-3072 or rsa-4096"),
            ("RSASHA512", "rsa-2048 or rsa-3072 or rsa-4096"),
        ] {
            let text = entry(asked).err().map(|error| error.to_string()).unwrap_or_default();
            let offered = offered.replace(" or ", "' or '");
            assert!(text.ends_with(&format!("; did you mean '{offered}'?")), "{asked}: {text}");
        }
        for (asked, offered) in [
            ("dilithium2", "ml-dsa-44"),
            ("dilithium", "ml-dsa-44 or ml-dsa-65 or ml-dsa-87"),
            ("sphincs+", "slh-dsa-sha2-128s or slh-dsa-sha2-128f"),
            ("SPHINCS+-SHA2-128f", "slh-dsa-sha2-128f"),
        ] {
            let text = entry(asked).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(text.contains(&format!("standardised as {offered}, ")), "{asked}: {text}");
        }
        for asked in ["kyber", "Kyber-768", "ML-KEM-768", "X25519"] {
            let text = entry(asked).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(text.contains("key-encapsulation") && !text.contains("did you mean"), "{asked}: {text}");
        }
    }

    /// A name in one entry's facts neither stands in another's as the same, nor is anything's own name or title.
    #[test]
    fn other_names_do_not_collide() {
        let all = entries();
        let own: BTreeMap<String, &str> = all
            .iter()
            .flat_map(|it| [(simplified(it.name()), it.name()), (simplified(it.title()), it.name())])
            .collect();
        let mut same: BTreeMap<String, &str> = BTreeMap::new();
        for it in &all {
            for other in &it.other_names().same {
                assert!(same.insert(simplified(other), it.name()).is_none(), "{other} is listed twice");
            }
        }
        for it in &all {
            let OtherNames { same: listed, wider, before } = it.other_names();
            for other in listed.iter().chain(wider).chain(before) {
                let letters = simplified(other);
                assert!(!own.contains_key(&letters), "{other} is the name of {}", own[&letters]);
                assert!(
                    listed.contains(other) || !same.contains_key(&letters),
                    "{other} finds {}",
                    same[&letters]
                );
            }
        }
    }

    /// Whoever reads what others wrote is told what a name means, and is offered nothing that only looks like it.
    #[test]
    fn what_a_name_means() {
        for (name, means) in [
            ("ML-DSA-44", Called::Same("ml-dsa-44")),
            ("SHA256withECDSA", Called::Wider(vec!["ecdsa-p256"])),
            ("sha512WithRSAEncryption", Called::Wider(vec!["rsa-2048", "rsa-3072", "rsa-4096"])),
            ("Dilithium3", Called::Before(vec!["ml-dsa-65"])),
            ("ML-KEM-768", Called::KeyAgreement),
            ("ml-dsa-4", Called::Nothing),
            ("AES-256-GCM", Called::Same("aes-256-gcm")),
            ("", Called::Nothing),
        ] {
            assert_eq!(called(name), means, "{name}");
        }
    }

    #[test]
    fn a_library_that_cannot_be_used_says_why() {
        let unknown = |instead| UnknownName { what: "library".into(), asked: "libb2".into(), instead };
        let text = unknown(Instead::Unavailable("FIELDTEST_LIBB2 is wrong".into()));
        assert_eq!(text.to_string(), "cannot use 'libb2': FIELDTEST_LIBB2 is wrong");
    }

    #[test]
    fn implementations_as_people_write_them() {
        let known = ["aws-lc", "rustcrypto", "openssl-host", OWN, OWN_PORTABLE];
        let found = |asked| implementation(None, asked, &known).map(|at| known[at]);
        for (asked, name) in [
            ("AWS-LC", "aws-lc"),
            ("awslc", "aws-lc"),
            ("rust-crypto", "rustcrypto"),
            ("openssl", "openssl-host"),
            ("Fieldtest", OWN),
            ("Fieldtest-portable", OWN_PORTABLE),
        ] {
            assert_eq!(found(asked), Ok(name));
        }
        assert!(found("aws").expect_err("a part of it").to_string().contains("did you mean 'aws-lc'?"));
        // It is not on this machine.
        assert!(implementation(Some("ed25519"), "openssl", &["aws-lc"]).is_err());
    }
}
