//! Which implementation serves an algorithm: the one answer for every command, study and library user.

use fieldtest_kinds::own::OWN;

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
pub enum Unserved {
    /// Nobody's code is here, only facts.
    #[error("{algorithm} has no implementation here, only sizes")]
    SizesOnly {
        /// The algorithm.
        algorithm: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The implementation that is wanted is not the algorithm's.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
}

impl<K: Kind> Algorithm<K> {
    /// The implementation that serves: the one wanted, whether it is `able` or not, since it was asked for by name; else
    /// the first that is able in the catalog's order, this project's own before others; else the first.
    ///
    /// `able` is what the carrier needs beyond the algorithm, such as equal signatures of equal files; it is asked of one
    /// after the other, and not at all where there is no choice.
    ///
    /// # Errors
    /// An algorithm of which only sizes are known, and a name that it does not have.
    pub fn serving(
        &self,
        wanted: Wanted<'_>,
        able: impl Fn(&Implementation<K>) -> bool,
    ) -> Result<&Implementation<K>, Unserved> {
        match wanted {
            Wanted::Only(name) if !self.implementations.is_empty() => return Ok(self.implementation(name)?),
            Wanted::Preferred(name) => {
                if let Ok(named) = self.implementation(name) {
                    return Ok(named);
                }
            }
            _ => {}
        }
        let mut ordered: Vec<&Implementation<K>> = self.implementations.iter().collect();
        ordered.sort_by_key(|implementation| implementation.name != OWN);
        let able = match ordered.len() {
            0 | 1 => None,
            _ => ordered.iter().find(|implementation| able(implementation)),
        };
        able.or(ordered.first())
            .copied()
            .ok_or_else(|| Unserved::SizesOnly { algorithm: self.facts.name.clone(), kind: K::WORD })
    }

    /// As [`serving`](Self::serving), where a carrier needs nothing beyond the algorithm.
    ///
    /// # Errors
    /// As there.
    pub fn served(&self, wanted: Wanted<'_>) -> Result<&Implementation<K>, Unserved> {
        self.serving(wanted, |_| true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::find;

    fn name(algorithm: &str, wanted: Wanted<'_>, able: fn(&str) -> bool) -> Result<&'static str, String> {
        let algorithm = find(algorithm).map_err(|error| error.to_string())?;
        algorithm.serving(wanted, |it| able(it.name)).map(|it| it.name).map_err(|error| error.to_string())
    }

    #[test]
    fn who_serves() {
        let any = |_: &str| true;
        assert_eq!(name("ecdsa-p256", Wanted::Any, any), Ok(OWN));
        assert_eq!(name("ecdsa-p256", Wanted::Only("AWS-LC"), |_| false), Ok("aws-lc"));
        assert_eq!(name("ecdsa-p256", Wanted::Any, |name| name == "rustcrypto"), Ok("rustcrypto"));
        assert_eq!(name("ecdsa-p256", Wanted::Any, |_| false), Ok(OWN));
        assert_eq!(name("ecdsa-p256", Wanted::Only("ours"), |_| false), Ok(OWN));
        assert_eq!(name("ecdsa-p256", Wanted::preferred(Some("pq-mayo")), any), Ok(OWN));
        assert!(
            name("ecdsa-p256", Wanted::only(Some("pq-mayo")), any).is_err_and(|it| it.contains("ecdsa-p256"))
        );
        let sizes = name("uov-is-pkc", Wanted::Only("fieldtest"), any).expect_err("only sizes");
        assert_eq!(sizes, "uov-is-pkc has no implementation here, only sizes");
    }
}
