//! Where a submodule's URL leads (git-submodule(1), `add`; git-clone(1), “GIT URLS”).

/// Where a URL leads, without asking anything that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// These parts of a path, below the directory that the referring repository's own path begins in.
    Beside(Vec<String>),
    /// These parts of a path on some host, or above that directory.
    Elsewhere(Vec<String>),
}

/// Reads a URL in a repository that lies at `own`, a path below some directory. Relative URLs lead on from the repository
/// itself, so that `../x` is beside it and `./x` below it.
pub fn place(url: &str, own: &str) -> Place {
    if is_relative(url) {
        return relative(url, own);
    }
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        // host:path, as ssh has it.
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => url,
        },
    };
    Place::Elsewhere(parts(path).map(str::to_owned).collect())
}

/// As Git decides it (`starts_with_dot_slash`, `starts_with_dot_dot_slash`).
fn is_relative(url: &str) -> bool {
    matches!(url, "." | "..") || url.starts_with("./") || url.starts_with("../")
}

fn relative(url: &str, own: &str) -> Place {
    let mut found: Vec<String> = parts(own).map(str::to_owned).collect();
    let mut is_beside = true;
    for part in url.split('/') {
        match part {
            "" | "." => {}
            ".." => is_beside &= found.pop().is_some(),
            part => found.push(part.to_owned()),
        }
    }
    if is_beside { Place::Beside(found) } else { Place::Elsewhere(found) }
}

/// Without those that lead nowhere, or up: nothing here is looked up in a file system.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !matches!(*part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_urls_lead() {
        let words = |text: &str| {
            text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        for (url, parts) in [
            ("../lib.git", "org lib.git"),
            ("../../lib/", "lib"),
            ("./lib", "org app.git lib"),
            ("./../lib", "org lib"),
            ("..", "org"),
            ("../x/../lib", "org lib"),
        ] {
            assert_eq!(place(url, "org/app.git"), Place::Beside(words(parts)), "{url}");
        }
        for (url, parts) in [
            ("../../../lib", "lib"),
            ("../../../../etc/passwd", "etc passwd"),
            ("/srv/git/lib.git", "srv git lib.git"),
            ("file:///srv/lib", "srv lib"),
            ("https://git.example.org:8080/org/lib.git/", "org lib.git"),
            ("ssh://git@example.org/~a/lib", "~a lib"),
            ("git@example.org:org/lib.git", "org lib.git"),
            ("lib", "lib"),
            ("https://example.org", ""),
            ("https://example.org/../../lib", "lib"),
            ("a/b:c", "a b:c"),
            ("", ""),
        ] {
            assert_eq!(place(url, "org/app.git"), Place::Elsewhere(words(parts)), "{url}");
        }
    }
}
