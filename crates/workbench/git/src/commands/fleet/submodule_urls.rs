//! Which repository of a fleet a submodule's URL means.
//!
//! Nothing is decided by it alone: what a URL may mean is looked through for the commit, and a commit has one name
//! wherever it is. So a repository that only has the same name does no harm.

use std::collections::HashMap;
use std::path::Path;

use fieldtest_frame::text::names;
use fieldtest_git::submodules::{Place, place};

/// Repositories by their paths below the directory.
pub(super) struct Places<'r> {
    root: &'r Path,
    by_path: HashMap<String, usize>,
    /// By the last part of the path, without `.git`.
    by_name: HashMap<String, Vec<usize>>,
}

impl<'r> Places<'r> {
    /// Of repositories and their further names, each with its number.
    pub(super) fn new<'n>(root: &'r Path, all: impl Iterator<Item = (&'n str, usize)>) -> Places<'r> {
        let mut places = Places { root, by_path: HashMap::new(), by_name: HashMap::new() };
        for (name, number) in all {
            let path = lossy(name);
            let last = path.rsplit('/').next().unwrap_or_default();
            let same = places.by_name.entry(bare(last).to_owned()).or_default();
            if !same.contains(&number) {
                same.push(number);
            }
            places.by_path.insert(path, number);
        }
        places
    }

    /// The repositories that a URL in the repository of this name may mean, the likeliest first: the one at this very place in the
    /// directory; where there is none, that with the longest path which the URL's path ends with, and all that have its last part
    /// as their name.
    pub(super) fn meant(&self, url: &str, own: &str) -> Vec<usize> {
        let root = self.root.to_string_lossy();
        let inside = url.strip_prefix("file://").unwrap_or(url).strip_prefix(&*root);
        let (parts, is_beside) = match inside.filter(|rest| rest.starts_with('/')) {
            Some(rest) => {
                (rest.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect(), true)
            }
            None => match place(url, &lossy(own)) {
                Place::Beside(parts) => (parts, true),
                Place::Elsewhere(parts) => (parts, false),
            },
        };
        if is_beside && let Some(number) = self.at(&parts) {
            return vec![number];
        }
        // A directory above it that cannot be read may have it.
        let above = (1..parts.len()).rev().find_map(|end| self.at(&parts[..end])).filter(|_| is_beside);
        let whole = (0..parts.len()).find_map(|from| self.at(&parts[from..]));
        let same = parts.last().and_then(|last| self.by_name.get(bare(last)));
        let others = same.into_iter().flatten().copied().chain(above);
        let others = others.filter(|number| whole != Some(*number));
        whole.into_iter().chain(others).collect()
    }

    /// As Git does, with and without `.git`.
    fn at(&self, parts: &[String]) -> Option<usize> {
        let path = parts.join("/");
        let of = |path: &str| self.by_path.get(path).copied();
        of(&path).or_else(|| of(&format!("{path}.git"))).or_else(|| of(bare(&path)))
    }
}

fn bare(name: &str) -> &str {
    name.strip_suffix(".git").unwrap_or(name)
}

/// URLs stand in files that are text.
fn lossy(name: &str) -> String {
    String::from_utf8_lossy(&names::decode(name)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_urls_mean() {
        let names = ["lib", "org/app.git", "org/lib.git", "other/lib.git", "x.git", "dir"];
        let places = Places::new(Path::new("/srv/git"), names.into_iter().zip(0..));
        for (url, wanted) in [
            ("../lib", &[2][..]),
            ("../lib.git", &[2]),
            ("../../lib.git", &[0]),
            ("../../other/lib", &[3]),
            ("../../../../../x", &[4]),
            ("/srv/git/other/lib.git", &[3]),
            ("file:///srv/git/other/lib", &[3]),
            ("https://example.org/mirrors/other/lib.git", &[3, 0, 2]),
            ("git@example.org:org/lib", &[2, 0, 3]),
            ("https://example.org/nowhere/lib", &[0, 2, 3]),
            ("https://example.org/nowhere/app", &[1]),
            ("../y/x", &[4]),
            ("../none", &[]),
            // What is found of a directory that cannot be read is the directory itself.
            ("../../dir/sub/none", &[5]),
            ("../../dir/sub/lib", &[0, 2, 3, 5]),
            ("", &[]),
            ("..", &[]),
            ("../../../../../etc/passwd", &[]),
        ] {
            assert_eq!(places.meant(url, "org/app.git"), wanted, "{url}");
        }
        let twice = Places::new(Path::new("/srv"), [("a/lib.git", 0), ("b/lib", 1), ("c", 2)].into_iter());
        assert_eq!(twice.meant("https://example.org/z/lib", "c"), [0, 1]);
    }
}
