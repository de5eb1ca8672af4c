//! A name that nothing has, and what is offered instead.

use std::fmt;

use fieldtest_text::near::distance;

use super::{same_code, simplified};

/// A name that was asked for and that nothing has, or more than one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What it was to be, `algorithm`.
    pub(super) what: String,
    pub(super) asked: String,
    pub(super) instead: Instead,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Instead {
    /// There is nothing of the sort.
    Nothing,
    /// Several have it, or begin with it.
    Several(Vec<String>),
    /// These look like it.
    Near(Vec<String>),
    /// None looks like it.
    Far,
    /// None looks like it, and these are all.
    Few(Vec<String>),
    /// It was standardised as one of these, and changed on the way.
    Successors(Vec<String>),
    /// It is of another kind than all that is here.
    KeyAgreement,
    /// It is an algorithm of this kind, and what is asked for is of that.
    OtherKind(&'static str, &'static str),
    /// A library of the host, which could not be used for this reason.
    Unavailable(String),
}

pub(super) const OFFERED: usize = 3;

/// What is offered for a name that nothing has.
pub(super) fn near(letters: &str, known: &[(&str, &str)]) -> Instead {
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
    // What is but a letter short of one name is no part of the longer ones that have it too.
    let short = ranked.iter().any(|(other, edits, _)| !other && *edits <= 1);
    let parts = names(&mut ranked.iter().filter(|(other, edits, _)| !other && (!short || *edits <= 1)));
    if !parts.is_empty() {
        return Instead::Several(parts);
    }
    // `mayo-1` is no suggestion for `foo`: two thirds of the letters have to be the same. By edits alone it
    // was offered: nothing is nearer, though four letters of five differ.
    let is_near =
        |name: &str, edits: usize| 3 * edits <= letters.chars().count().max(simplified(name).chars().count());
    let close = names(&mut ranked.iter().filter(|(_, edits, name)| is_near(name, *edits)));
    if close.is_empty() { Instead::Far } else { Instead::Near(close) }
}

impl UnknownName {
    /// Whether it can have meant the implementation of this name, however that is spelled.
    pub(crate) fn is_for(&self, implementation: &str) -> bool {
        same_code(&self.asked) == Some(implementation)
            || simplified(implementation) == simplified(&self.asked)
    }

    /// The same, which says why what was meant could not be used instead of offering others.
    pub(crate) fn because(self, why: &str) -> UnknownName {
        UnknownName { instead: Instead::Unavailable(why.to_owned()), ..self }
    }

    /// The same of a name that is an algorithm's of another kind.
    pub(crate) fn of_other_kind(self, kind: &'static str, wanted: &'static str) -> UnknownName {
        UnknownName { instead: Instead::OtherKind(kind, wanted), ..self }
    }

    /// Whether nothing is offered that was probably meant, so that a list of all names is what helps.
    pub fn wants_list(&self) -> bool {
        self.instead == Instead::Far
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { what, asked, instead } = self;
        match instead {
            Instead::OtherKind(kind, wanted) => {
                let [kind, wanted] = [kind, wanted].map(|kind| noun(kind));
                return write!(f, "cannot use '{asked}': it is {kind}; give {wanted}");
            }
            Instead::Unavailable(why) => return write!(f, "cannot use '{asked}': {why}"),
            _ => {}
        }
        write!(f, "unknown {what} '{asked}'")?;
        if *instead != Instead::Far {
            f.write_str("; ")?;
        }
        match instead {
            Instead::Far | Instead::OtherKind(..) | Instead::Unavailable(_) => Ok(()),
            Instead::Nothing => f.write_str("there are none at all"),
            Instead::Several(names) | Instead::Near(names) => {
                write!(f, "did you mean '{}'?", names.join("' or '"))
            }
            Instead::Few(names) => write!(f, "expected one of {}", names.join(", ")),
            Instead::Successors(names) => write!(
                f,
                "it was standardised as {}, which is not the same: neither verifies the other's signatures",
                names.join(" or ")
            ),
            Instead::KeyAgreement => f.write_str(
                "it is a key-encapsulation mechanism; fieldtest has signatures, MACs, hash functions and disk ciphers",
            ),
        }
    }
}

impl std::error::Error for UnknownName {}

fn noun(kind: &str) -> &str {
    match kind {
        "signature" => "a signature algorithm",
        "mac" => "a MAC",
        "hash" => "a hash function",
        "cipher" => "a cipher",
        "aead" => "an AEAD",
        other => other,
    }
}
