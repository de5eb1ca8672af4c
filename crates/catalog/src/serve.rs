//! Which implementation serves an algorithm: the one answer for every command, study and library user.

use fieldtest_text::own::OWN;

use crate::kind::Kind;
use crate::{Algorithm, Implementation, UnknownName};

/// Whose code is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wanted<'a> {
    /// Whatever the catalog thinks best.
    #[default]
    Any,
    /// The implementation of this name and no other.
    Only(&'a str),
    /// The implementation of this name where the algorithm has it, as where one name is typed for several algorithms.
    Preferred(&'a str),
}

impl<'a> Wanted<'a> {
    /// This name and no other, if one was typed.
    pub fn only(typed: Option<&'a str>) -> Self {
        typed.map_or(Wanted::Any, Wanted::Only)
    }

    /// This name where there is such a thing, if one was typed.
    pub fn preferred(typed: Option<&'a str>) -> Self {
        typed.map_or(Wanted::Any, Wanted::Preferred)
    }
}

/// Why no implementation serves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Unserved {
    /// Nobody's code is here, only facts.
    #[error("{algorithm} has no implementation in this program, only sizes")]
    SizesOnly { algorithm: String, kind: &'static str },
    /// The implementation that is wanted is not the algorithm's.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// None of those that were asked does what the carrier needs.
    #[error("{algorithm} has no implementation that fits: {}", listed(.lacks))]
    Lacking { algorithm: String, lacks: Vec<(&'static str, String)> },
}

fn listed(lacks: &[(&'static str, String)]) -> String {
    lacks.iter().map(|(name, lack)| format!("{name} {lack}")).collect::<Vec<_>>().join(", ")
}

impl<K: Kind> Algorithm<K> {
    /// The implementation that serves: the one named where a name is wanted, else the first that does what the carrier
    /// `needs`, in the catalog's order but this project's own before others. What this machine cannot run is not in the
    /// catalog.
    ///
    /// `needs` says what an implementation lacks, as words that follow its name (`verifies no digests`); one is asked
    /// after the other.
    ///
    /// # Errors
    /// An algorithm of which only sizes are known, a name that it does not have, and implementations that all lack what is
    /// needed, with what each of them lacks.
    pub fn serving(
        &self,
        wanted: Wanted<'_>,
        needs: impl Fn(&Implementation<K>) -> Result<(), String>,
    ) -> Result<&Implementation<K>, Unserved> {
        let named = match wanted {
            Wanted::Only(name) if !self.implementations.is_empty() => Some(self.implementation(name)?),
            Wanted::Preferred(name) => self.implementation(name).ok(),
            _ => None,
        };
        let mut asked: Vec<&Implementation<K>> =
            named.map_or_else(|| self.implementations.iter().collect(), |named| vec![named]);
        asked.sort_by_key(|implementation| implementation.name != OWN);
        let algorithm = self.facts.name.clone();
        if asked.is_empty() {
            return Err(Unserved::SizesOnly { algorithm, kind: K::WORD });
        }
        let mut lacks = Vec::new();
        for implementation in asked {
            match needs(implementation) {
                Ok(()) => return Ok(implementation),
                Err(lack) => lacks.push((implementation.name, lack)),
            }
        }
        Err(Unserved::Lacking { algorithm, lacks })
    }

    /// As [`serving`](Self::serving), where a carrier needs nothing beyond the algorithm.
    ///
    /// # Errors
    /// As there.
    pub fn served(&self, wanted: Wanted<'_>) -> Result<&Implementation<K>, Unserved> {
        self.serving(wanted, |_| Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::find;

    fn name(algorithm: &str, wanted: Wanted<'_>, able: fn(&str) -> bool) -> Result<&'static str, String> {
        let algorithm = find(algorithm).map_err(|error| error.to_string())?;
        let needs = |it: &crate::signature::Implementation| match able(it.name) {
            true => Ok(()),
            false => Err("is not able".to_owned()),
        };
        algorithm.serving(wanted, needs).map(|it| it.name).map_err(|error| error.to_string())
    }

    #[test]
    fn who_serves() {
        let any = |_: &str| true;
        assert_eq!(name("ecdsa-p256", Wanted::Any, any), Ok(OWN));
        assert_eq!(name("ecdsa-p256", Wanted::Only("AWS-LC"), any), Ok("aws-lc"));
        assert_eq!(name("ecdsa-p256", Wanted::Any, |name| name == "rustcrypto"), Ok("rustcrypto"));
        let none = name("ecdsa-p256", Wanted::Any, |_| false).expect_err("nobody is able");
        assert!(none.starts_with("ecdsa-p256 ") && none.contains("fieldtest is not able, "));
        assert!(
            none.ends_with("rustcrypto is not able") || none.contains("rustcrypto is not able, "),
            "{none}"
        );
        let named = name("ecdsa-p256", Wanted::Only("Fieldtest"), |it| it != OWN);
        assert!(
            named.is_err_and(|it| it.starts_with("ecdsa-p256 ") && it.ends_with(": fieldtest is not able"))
        );
        assert_eq!(name("ecdsa-p256", Wanted::Preferred("AWS-LC"), |it| it == "aws-lc"), Ok("aws-lc"));
        assert_eq!(name("ecdsa-p256", Wanted::preferred(Some("pq-mayo")), any), Ok(OWN));
        assert!(
            name("ecdsa-p256", Wanted::only(Some("pq-mayo")), any).is_err_and(|it| it.contains("ecdsa-p256"))
        );
        let sizes = name("uov-is-pkc", Wanted::Only("fieldtest"), any).expect_err("only sizes");
        assert!(sizes.starts_with("uov-is-pkc ") && sizes.contains("only sizes"), "{sizes}");
    }
}
