//! The words of names of cryptography: families, modes, paddings, numbers. A word that is not made of known ones altogether is
//! unknown: SIKE is not IKE.

use std::sync::LazyLock;

use fieldtest_catalog::policies::{Family, families};

/// Modes that names have in them (`cryptography-defs.json`, patterns of block ciphers), those that authenticate first.
pub(crate) const MODES: [&str; 16] = [
    "GCMSIV", "GCM", "CCM", "SIV", "OCB", "EAX", "CBC", "ECB", "CTR", "CFB", "OFB", "XTS", "KWP", "KW",
    "IGE", "PCBC",
];
pub(crate) const AUTHENTICATE: usize = 6;

/// Of RSA: the first two are of version 1.5, which can be attacked.
const RSA_PADDINGS: [&str; 8] = ["pkcs1v15", "pkcs1", "pkcs15", "pkcs", "oaep", "pss", "mgf1", "mgf"];
/// Of ciphers, where nothing depends on them; `ede` is how DES is applied three times.
const PADDINGS: [&str; 6] = ["pkcs5", "pkcs7", "nopadding", "pad", "cts", "ede"];

/// Words that say nothing of strength.
const FILLERS: &str = "with and bit bits padding of for on using pair keypair mode cipher based version \
    algorithm alg encryption decryption encrypt decrypt sign signature signatures signing verification verify digital \
    hash digest message authentication authenticated auth code secure standard advanced elliptic curve curves nist \
    secg ansi public private secret symmetric asymmetric session host user root ca cert certificate server client \
    size length len kex ke encr prf integ exchange agreement transport ephemeral generation generator gen derive \
    derivation aead block stream suite ciphersuite etm sk prime id scheme ckm inp1363format";

/// Words of which one says that something protects less, also within other words: `NONEwithRSA`.
const ALARMS: &str =
    "none no raw plain other unknown legacy deterministic draft insecure noauth static default";

const BETWEEN: &str = "-_ /+.,:;()[]{}#^&'\"@";

/// What follows the names of SSH's algorithms (RFC 4251, section 6) and says only by whom they are defined.
const SUFFIXES: [&str; 4] = ["openssh.com", "libssh.org", "lysator.liu.se", "ssh.com"];

/// What a name is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token {
    /// A family by one of its names, with the size that the name states, or 0.
    Family(&'static Family, &'static str, u32),
    Mode(&'static str),
    RsaPadding(&'static str),
    Padding(&'static str),
    Number(u32),
    /// Before or behind a number: of a parameter set.
    Letter(char),
    Filler,
    /// `key`: a number behind it is its size.
    Key,
    Unknown,
}

/// Every name that is known, the longest first.
static NAMES: LazyLock<Vec<(&str, Token)>> = LazyLock::new(|| {
    let of_families = families().iter().flat_map(|family| {
        family.names.iter().map(move |(name, size)| (name.as_str(), Token::Family(family, name, *size)))
    });
    let modes = MODES.iter().map(|mode| (&*mode.to_ascii_lowercase().leak(), Token::Mode(mode)));
    let of_rsa = RSA_PADDINGS.iter().map(|word| (*word, Token::RsaPadding(word)));
    let paddings = PADDINGS.iter().map(|word| (*word, Token::Padding(word)));
    let fillers = FILLERS.split_whitespace().map(|word| (word, Token::Filler));
    let alarms = ALARMS.split_whitespace().map(|word| (word, Token::Unknown));
    let keys = ["key", "keys"].map(|word| (word, Token::Key));
    let letters =
        ["s", "f", "m", "h", "w", "n", "v"].map(|it| (it, Token::Letter(char::from(it.as_bytes()[0]))));
    let mut all: Vec<_> = of_families
        .chain(modes)
        .chain(of_rsa)
        .chain(paddings)
        .chain(fillers)
        .chain(keys)
        .chain(alarms)
        .chain(letters)
        .collect();
    all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    all
});

/// A name without what tools write behind an `@`: who defines it, a number of their own, a host. Anything else is read.
pub(crate) fn without_suffix(name: &str) -> &str {
    let Some((before, behind)) = name.trim().rsplit_once('@') else { return name };
    let is_of_tool = behind.len() >= 8 && behind.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_host = |it: &str| {
        it.contains('.')
            && !tokens(it)
                .iter()
                .any(|it| matches!(it, Token::Family(..) | Token::Mode(_) | Token::Number(_)))
    };
    match SUFFIXES.contains(&behind) || is_of_tool || is_host(behind) {
        true => without_suffix(before),
        false => name,
    }
}

pub(crate) fn tokens(name: &str) -> Vec<Token> {
    let chars: Vec<char> = name.chars().filter(|c| *c != '#').flat_map(char::to_lowercase).collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_alphanumeric() {
            // Others than those between words ask or exclude: `AES-*`.
            all.extend((!BETWEEN.contains(chars[at])).then_some(Token::Unknown));
            at += 1;
            continue;
        }
        match word(&chars, at) {
            Some((found, end)) => {
                all.extend(found);
                at = end;
            }
            None => {
                all.push(Token::Unknown);
                at += chars[at..].iter().take_while(|c| c.is_alphanumeric()).count();
            }
        }
    }
    all
}

/// The names of which a word is made, and where it ends; none where something in it is no name.
fn word(chars: &[char], start: usize) -> Option<(Vec<Token>, usize)> {
    let (mut found, mut at) = (Vec::new(), start);
    while chars.get(at).is_some_and(|c| c.is_alphanumeric()) {
        let (token, end) = token(chars, at)?;
        // A letter alone is read only beside a number.
        let is_number = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let is_alone = at == start && chars.get(end).is_none_or(|c| !c.is_alphanumeric());
        if matches!(token, Token::Letter(_))
            && !(is_alone || is_number(at.checked_sub(1)) || is_number(Some(end)))
        {
            return None;
        }
        found.push(token);
        at = end;
    }
    Some((found, at))
}

fn token(chars: &[char], at: usize) -> Option<(Token, usize)> {
    let named = NAMES.iter().find_map(|(name, token)| {
        let end = matched(chars, at, name)?;
        // Words of the language are not put together.
        let is_word = matches!(
            token,
            Token::Padding("nopadding") | Token::Filler | Token::Key | Token::Unknown | Token::Letter(_)
        );
        (!is_word || end == at + name.len()).then_some((*token, end))
    });
    if named.is_some() {
        return named;
    }
    let digits: String = chars[at..].iter().take_while(|c| c.is_ascii_digit()).collect();
    let number = digits.parse().ok()?;
    Some((Token::Number(number), at + digits.len()))
}

/// Where a name ends that begins at this place. Separators may stand within it: `ML-KEM`, `P-256`. Its last digit is the last
/// of a number: `SHA-384` is not SHA-3.
fn matched(chars: &[char], mut at: usize, name: &str) -> Option<usize> {
    let first = at;
    for wanted in name.chars() {
        let is_separator = |c: &char| ['-', '_', ' ', '/', '+', '.'].contains(c);
        if at > first
            && chars.get(at).is_some_and(is_separator)
            && (name.len() > 4 || wanted.is_ascii_digit() || chars[at - 1].is_ascii_digit())
        {
            at += 1;
        }
        if chars.get(at) != Some(&wanted) {
            return None;
        }
        at += 1;
    }
    let continues = chars.get(at).is_some_and(char::is_ascii_digit);
    (!(continues && name.ends_with(|c: char| c.is_ascii_digit()))).then_some(at)
}
