//! Names as people write them: which algorithm or implementation is meant, and what to say where none is.
//!
//! Every command, and every study file, finds names here. **A name never finds an algorithm that it does not name:**
//! what counts are letters and digits in their order, and spellings of the very same thing that are listed below. Anything
//! else is an error that offers what is near.

use std::fmt;

/// A name that was asked for and that nothing has, or more than one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// `there is no algorithm`.
    nothing: String,
    asked: String,
    instead: Instead,
}

/// What is said instead.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Instead {
    /// There is nothing of the sort.
    Nothing,
    /// Several have it, or begin with it.
    Several(Vec<String>),
    /// These look like it.
    Near(Vec<String>),
    /// None looks like it; these least unlike.
    Far(Vec<String>),
    /// It was standardised as this one, and changed on the way.
    Successor(String),
}

/// As many names as are offered.
const OFFERED: usize = 3;

/// Other names of the same algorithm: as asked for, and as the catalog calls it.
const SAME: &[(&str, &str)] = &[
    // SEC 2, ANSI X9.62 and OpenSSH name the curve; RFC 6605, section 2 and RFC 7518, section 3.1 curve and hash.
    ("ecdsa-secp256r1", "ecdsa-p256"),
    ("ecdsa-prime256v1", "ecdsa-p256"),
    ("ecdsa-nistp256", "ecdsa-p256"),
    ("ecdsa-p256-sha256", "ecdsa-p256"),
    ("ecdsa-secp384r1", "ecdsa-p384"),
    ("ecdsa-nistp384", "ecdsa-p384"),
    ("ecdsa-p384-sha384", "ecdsa-p384"),
    // RFC 9861, section 1.
    ("kt128", "kt128-256"),
    ("kangarootwelve", "kt128-256"),
    ("k12", "kt128-256"),
    // RFC 5926, sections 3.2.1 and 3.2.2; RFC 8177 and RFC 9235 write it with another hyphen.
    ("aes-cmac-96", "aes-128-cmac-96"),
    // Without a length, the full one of FIPS 180-4 and of BLAKE3's paper.
    ("sha2-256", "sha-256"),
    ("sha2-512-256", "sha-512-256"),
    ("blake3-256", "blake3"),
    ("sha1dc", "sha-1dc"),
];

/// What was standardised under another name, with changes: neither verifies what the other signed.
const SUCCESSORS: &[(&str, &str)] = &[
    // FIPS 204, appendix D.
    ("dilithium2", "ml-dsa-44"),
    ("dilithium3", "ml-dsa-65"),
    ("dilithium5", "ml-dsa-87"),
    // FIPS 205, section 1.2 and appendix A.
    ("sphincs+-sha2-128s", "slh-dsa-sha2-128s"),
    ("sphincs+-sha2-128f", "slh-dsa-sha2-128f"),
    ("sphincs+-128s", "slh-dsa-sha2-128s"),
    ("sphincs+-128f", "slh-dsa-sha2-128f"),
    ("sphincsplus-sha2-128s", "slh-dsa-sha2-128s"),
    ("sphincsplus-sha2-128f", "slh-dsa-sha2-128f"),
];

/// Other names of the same implementation.
const SAME_CODE: &[(&str, &str)] = &[("openssl", "openssl-host"), ("host-openssl", "openssl-host")];

/// Finds an algorithm among the names and titles of all.
pub(crate) fn algorithm(asked: &str, known: &[(&str, &str)]) -> Result<usize, UnknownName> {
    find("there is no algorithm", asked, known, SAME).map_err(|unknown| match successor(asked, known) {
        Some(successor) => UnknownName { instead: Instead::Successor(successor), ..unknown },
        None => unknown,
    })
}

/// Finds an implementation among the names of all; `of` is the algorithm's, where it is one's.
pub(crate) fn implementation(of: Option<&str>, asked: &str, known: &[&str]) -> Result<usize, UnknownName> {
    let nothing = match of {
        Some(of) => format!("there is no implementation of {of}"),
        None => "no algorithm has an implementation".to_owned(),
    };
    let known: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    find(&nothing, asked, &known, SAME_CODE)
}

fn find(
    nothing: &str,
    asked: &str,
    known: &[(&str, &str)],
    same: &[(&str, &str)],
) -> Result<usize, UnknownName> {
    if let Some(at) = known.iter().position(|(name, _)| *name == asked) {
        return Ok(at);
    }
    let letters = simplified(asked);
    let other = same.iter().find(|(other, _)| simplified(other) == letters).map(|(_, name)| *name);
    let spelled = |(name, title): &(&str, &str)| {
        simplified(name) == letters || simplified(title) == letters || other == Some(*name)
    };
    let places: Vec<usize> = (0..known.len()).filter(|at| spelled(&known[*at])).collect();
    let instead = match places.as_slice() {
        [at] => return Ok(*at),
        [] => near(&letters, known),
        several => Instead::Several(several.iter().map(|at| known[*at].0.to_owned()).collect()),
    };
    Err(UnknownName { nothing: nothing.to_owned(), asked: asked.to_owned(), instead })
}

fn successor(asked: &str, known: &[(&str, &str)]) -> Option<String> {
    let letters = simplified(asked);
    let (_, successor) = SUCCESSORS.iter().find(|(before, _)| simplified(before) == letters)?;
    known.iter().any(|(name, _)| name == successor).then(|| (*successor).to_owned())
}

/// What is offered for a name that nothing has.
fn near(letters: &str, known: &[(&str, &str)]) -> Instead {
    let mut ranked: Vec<(bool, usize, &str)> = known
        .iter()
        .map(|(name, _)| {
            let full = simplified(name);
            // A part of a name, `rsa`, is nearer than a misspelling of another one.
            let part = letters.len() >= 2 && full.contains(letters);
            (!part, distance(letters, &full), *name)
        })
        .collect();
    ranked.sort();
    let names = |some: &mut dyn Iterator<Item = &(bool, usize, &str)>| -> Vec<String> {
        some.take(OFFERED).map(|(_, _, name)| (*name).to_owned()).collect()
    };
    if ranked.is_empty() {
        return Instead::Nothing;
    }
    let parts = names(&mut ranked.iter().filter(|(other, ..)| !other));
    if !parts.is_empty() {
        return Instead::Several(parts);
    }
    let close = names(&mut ranked.iter().filter(|(_, edits, name)| *edits <= 1 + name.len() / 4));
    match close.is_empty() {
        true => Instead::Far(names(&mut ranked.iter())),
        false => Instead::Near(close),
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { nothing, asked, instead } = self;
        write!(f, "{nothing} named '{asked}'; ")?;
        match instead {
            Instead::Nothing => f.write_str("there are none at all"),
            Instead::Several(names) | Instead::Near(names) => {
                write!(f, "did you mean {}?", names.join(" or "))
            }
            Instead::Far(names) => {
                write!(f, "the nearest are {}; `fieldtest list` shows them all", names.join(", "))
            }
            Instead::Successor(name) => write!(
                f,
                "it was standardised as {name}, which is not the same: neither verifies the other's signatures"
            ),
        }
    }
}

impl std::error::Error for UnknownName {}

/// What remains when spelling habits are taken away: `ML-DSA_44` and `mldsa44` are the same.
fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Levenshtein's edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{entries, entry};

    const KNOWN: [(&str, &str); 5] = [
        ("ml-dsa-44", "ML-DSA-44"),
        ("ml-dsa-65", "ML-DSA-65"),
        ("mayo-1", "MAYO-one"),
        ("ed25519", "Ed25519"),
        ("rsa-2048", "RSA-2048"),
    ];

    fn refused(asked: &str) -> String {
        algorithm(asked, &KNOWN).expect_err("nothing has this name").to_string()
    }

    #[test]
    fn suggests_what_was_probably_meant() {
        assert!(refused("ml-dsa-4").ends_with("did you mean ml-dsa-44?"), "{}", refused("ml-dsa-4"));
        assert!(refused("ed2519").ends_with("did you mean ed25519?"), "{}", refused("ed2519"));
        assert!(refused("RSA").ends_with("did you mean rsa-2048?"), "{}", refused("RSA"));
        assert!(refused("mldsa").ends_with("did you mean ml-dsa-44 or ml-dsa-65?"), "{}", refused("mldsa"));
    }

    #[test]
    fn offers_three_where_nothing_is_near() {
        let text = refused("kyber-1024-and-more");
        let (_, offered) = text.split_once("the nearest are ").expect("an offer");
        assert_eq!(offered.split(", ").count(), OFFERED, "{text}");
        assert_eq!(algorithm("x", &[]).expect_err("no names").instead, Instead::Nothing);
    }

    #[test]
    fn a_predecessor_is_not_its_successor() {
        for asked in ["dilithium2", "Dilithium-2", "DILITHIUM2"] {
            let text = refused(asked);
            assert!(text.contains("standardised as ml-dsa-44, which is not the same"), "{text}");
        }
        // Whose successor is not here is as unknown as any.
        assert!(!refused("dilithium5").contains("standardised"), "{}", refused("dilithium5"));
    }

    #[test]
    fn a_spelling_that_two_share_finds_neither() {
        let text = algorithm("AB-1", &[("ab-1", "x"), ("a-b1", "y"), ("c", "z")]).expect_err("two have it");
        assert_eq!(text.instead, Instead::Several(vec!["ab-1".into(), "a-b1".into()]));
        // The name itself is never in doubt.
        assert_eq!(algorithm("ab-1", &[("a-b1", "ab-1"), ("ab-1", "y")]), Ok(1));
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
        for (other, name) in SAME.iter().chain(SUCCESSORS) {
            assert!(entries().iter().any(|known| known.name() == *name), "{other}: there is no {name}");
        }
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
        ] {
            assert_eq!(entry(asked).map(|found| found.name()).map_err(|error| error.to_string()), Ok(name));
        }
        for (asked, offered) in [
            ("rsa", "rsa-2048"),
            ("dilithium2", "ml-dsa-44"),
            ("aes-xts", "aes-128-xts or aes-256-xts"),
            ("sphincs+-sha2-128f", "slh-dsa-sha2-128f"),
            ("sha2", "sha"),
        ] {
            let text = entry(asked).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(text.contains(offered), "{asked}: {text}");
        }
    }

    #[test]
    fn implementations_as_people_write_them() {
        let known = ["aws-lc", "rustcrypto", "openssl-host", "ours"];
        let found = |asked| implementation(None, asked, &known).map(|at| known[at]);
        for (asked, name) in [
            ("AWS-LC", "aws-lc"),
            ("awslc", "aws-lc"),
            ("rust-crypto", "rustcrypto"),
            ("openssl", "openssl-host"),
        ] {
            assert_eq!(found(asked), Ok(name));
        }
        assert!(found("aws").expect_err("a part of it").to_string().contains("did you mean aws-lc?"));
        // It is not on this machine.
        assert!(implementation(Some("ed25519"), "openssl", &["aws-lc"]).is_err());
    }
}
