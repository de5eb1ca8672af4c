//! Which version of a library this program was built with, as the `Cargo.lock` of whoever built it states it.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

static LOCK: LazyLock<Vec<Package>> = LazyLock::new(|| {
    toml::from_str::<Lock>(include_str!(concat!(env!("OUT_DIR"), "/linked.lock")))
        .map(|lock| lock.package)
        .unwrap_or_default()
});

/// The version of a crate. Where two versions of it are linked, `of("fn-dsa 0.3")` tells them apart by a prefix.
pub(crate) fn of(package: &str) -> String {
    let (name, prefix) = package.split_once(' ').unwrap_or((package, ""));
    LOCK.iter()
        .find(|p| p.name == name && p.version.starts_with(prefix))
        .map_or_else(|| "unknown".to_string(), |p| p.version.clone())
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
