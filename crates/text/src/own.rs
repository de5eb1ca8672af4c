//! What this project's own code is called beside libraries: in the catalog, in records, and by users.

/// The name of this project's own implementation of an algorithm. Further ones of it begin with this word.
pub const OWN: &str = "fieldtest";

/// The name of the own implementation that uses no instructions beyond the processor's basic ones.
pub const OWN_PORTABLE: &str = "fieldtest-portable";

/// The word that stood in place of [`OWN`] before, in records that are kept and in scripts.
const BEFORE: &str = "ours";

/// What an implementation is called now, if this is a name from before: `fieldtest-portable` for `ours-portable`.
///
/// ```
/// use fieldtest_text::own::{OWN, OWN_PORTABLE, name_of_today};
///
/// assert_eq!(name_of_today("ours").as_deref(), Some(OWN));
/// assert_eq!(name_of_today("ours-portable").as_deref(), Some(OWN_PORTABLE));
/// assert_eq!(name_of_today("ours/avx2").as_deref(), Some("fieldtest/avx2"));
/// assert_eq!((name_of_today("aws-lc"), name_of_today("oursin")), (None, None));
/// ```
pub fn name_of_today(name: &str) -> Option<String> {
    let rest = name.strip_prefix(BEFORE)?;
    (rest.is_empty() || rest.starts_with(['-', '/'])).then(|| format!("{OWN}{rest}"))
}
