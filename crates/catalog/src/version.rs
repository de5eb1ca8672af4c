//! Which version of a library this program was built with, as the `Cargo.lock` of whoever built it states it.

/// A line with a name and a version for each.
const LINKED: &str = include_str!(concat!(env!("OUT_DIR"), "/versions.txt"));

/// The version of a crate. Where two versions of it are linked, `of("fn-dsa 0.3")` tells them apart by a prefix.
pub(crate) fn of(package: &str) -> String {
    let (name, prefix) = package.split_once(' ').unwrap_or((package, ""));
    LINKED
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(known, version)| *known == name && version.starts_with(prefix))
        .map_or_else(|| "unknown".to_owned(), |(_, version)| version.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_come_from_the_lock_file() {
        assert!(super::of("aws-lc-rs").starts_with("1."));
        assert_eq!(super::of("toml 99"), "unknown");
        assert_eq!(super::of("no-such-crate"), "unknown");
    }
}
